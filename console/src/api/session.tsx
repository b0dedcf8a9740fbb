import { getSession, logOut, type Membership, type Session } from '@parley/sdk';
import { createContext, useContext } from 'react';
import { flushSync } from 'react-dom';
import { leavePage } from '../app/leave-page.ts';
import {
  forgetPersonInTab,
  forgetTenantInBrowser,
  keepLostTenant,
  keepTenantInTab,
  writePreference,
} from '../app/preferences.ts';
import { client, queryClient, SESSION_KEY, useRead } from './api.ts';
import { basePath, closeClient, personClient, reopenClient } from './client.ts';
import { isLoggedOut } from './errors.ts';
import { createStore } from './store.ts';

/** Who has logged in. Fails with 401 for nobody. */
export const useSessionQuery = () => useRead(SESSION_KEY, (signal) => getSession(client, { signal }));

/** What screens know about the person: set by the shell, which shows no screen without it. */
export interface Workspace {
  session: Session;
  /** In the tenant of this tab. */
  membership: Membership;
}
export const WorkspaceContext = createContext<Workspace | undefined>(undefined);

export function useWorkspace(): Workspace {
  const workspace = useContext(WorkspaceContext);
  if (!workspace) throw new Error('useWorkspace works inside the shell only');
  return workspace;
}

type Scope = Membership['scopes'][number];

export const mayUse = ({ scopes }: Pick<Membership, 'scopes'>, scope: Scope | undefined): boolean =>
  scope === undefined || scopes.includes('*') || scopes.includes(scope);

/** Whether the person may do something: `const canWrite = useScope('chats:write')`. */
export const useScope = (scope: Scope): boolean => mayUse(useWorkspace().membership, scope);

/** Whether the person may download files of many rows, or of everything about somebody. */
export function useCanExport(): boolean {
  const { role } = useWorkspace().membership;
  return role === 'admin' || role === 'owner';
}

/** The membership of this tab: the chosen one, or else the first. */
export const findMembership = (
  { memberships }: Session,
  chosen: string | undefined,
): Membership | undefined => memberships.find(({ tenantId }) => tenantId === chosen) ?? memberships[0];

/** Who uses this page, and in which tenant. It is never another person's or another tenant's: that is another page. */
let shown: Workspace | undefined;
export const shownWorkspace = (): Workspace | undefined => shown;
export function noteShown(workspace: Workspace): void {
  shown = workspace;
}

const START = `${basePath}/console/`;

/** Each tab has its own tenant. */
export function switchTenant({ tenantId }: Membership): void {
  writePreference('tenantId', tenantId);
  leavePage(START);
}

/** If the person no longer belongs to the tenant, what the browser has stored of it is removed as well. */
export function leaveTenant(lost: Membership | undefined, next: Membership | undefined): void {
  if (lost) forgetTenantInBrowser(lost.tenantId);
  if (lost && next) keepLostTenant(lost.tenantName);
  if (next) keepTenantInTab(next.tenantId);
  leavePage(START);
}

/** All tabs have the same cookie: in another one somebody has logged in or out. */
const otherTabs = new BroadcastChannel('parley.session');
otherTabs.onmessage = () => void queryClient.invalidateQueries({ queryKey: SESSION_KEY });
export const notifyOtherTabs = (): void => otherTabs.postMessage('changed');

/** While it is being ended, no screen is shown: none asks for anything that would be refused. */
const isEnding = createStore(false);
export const useIsEnding = (): boolean => isEnding.use();

/** Ends the session. Fails if the server has not ended it. */
export async function endSession(): Promise<void> {
  // With the screens the event stream ends, and what they were reading.
  flushSync(() => isEnding.write(true));
  await queryClient.cancelQueries();
  // What they say last, such as that nobody looks at a chat any more, is sent.
  await new Promise((resolve) => setTimeout(resolve));
  await closeClient();
  try {
    await logOut(personClient);
  } catch (error) {
    if (!isLoggedOut(error)) {
      reopenClient();
      isEnding.write(false);
      throw error;
    }
  }
  notifyOtherTabs();
  forgetPersonInTab();
  leavePage(`${START}login`);
}

export type { Scope };

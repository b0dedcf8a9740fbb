import { getSession, logOut, type Membership, type Session } from '@parley/sdk';
import { createContext, useContext } from 'react';
import {
  forgetPersonInTab,
  forgetTenantInBrowser,
  keepLostTenant,
  keepTenantInTab,
  writePreference,
} from '../app/preferences.ts';
import { client, queryClient, SESSION_KEY, useRead } from './api.ts';
import { basePath, setTenantForRequests } from './client.ts';

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

/** The membership of this tab: the chosen one, or else the first. */
export const findMembership = (
  { memberships }: Session,
  chosen: string | undefined,
): Membership | undefined => memberships.find(({ tenantId }) => tenantId === chosen) ?? memberships[0];

const forgetters = new Set<() => void>();
/** Registers how a module forgets what it remembers outside of queries. */
export const whenTenantSwitches = (forget: () => void): void => void forgetters.add(forget);

/** Forgets everything of the tenant before. */
export function switchTenant({ tenantId }: Membership): void {
  setTenantForRequests(tenantId);
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== SESSION_KEY[0] });
  for (const forget of forgetters) forget();
  writePreference('tenantId', tenantId);
}

/**
 * The page is loaded again, so that nothing of a tenant stays in memory. If the person no longer belongs to it, what the browser
 * has stored of it is removed as well.
 */
export function leaveTenant(lost: Membership | undefined, next: Membership | undefined): void {
  if (lost) forgetTenantInBrowser(lost.tenantId);
  if (lost && next) keepLostTenant(lost.tenantName);
  if (next) keepTenantInTab(next.tenantId);
  window.location.assign(`${basePath}/console/`);
}

/** Ends the session. The page is loaded again, so that nothing of the person stays in memory, and in the tab nothing either. */
export async function endSession(): Promise<void> {
  await logOut(client).catch(() => {});
  forgetPersonInTab();
  window.location.assign(`${basePath}/console/login`);
}

export type { Scope };

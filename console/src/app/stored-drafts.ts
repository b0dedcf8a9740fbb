import { shownWorkspace } from '../api/session.tsx';
import { addUnsavedCheck } from './leave-page.ts';
import { attempt } from './preferences.ts';

/** A tab keeps what was begun to be written in chats under names with tenant, person and chat. */
export const DRAFT_PREFIX = 'parley.draft.';

interface Written {
  reply: string;
  note: string;
  buttons?: readonly string[];
  files?: readonly unknown[];
}

/** What the tab keeps, by its name. One that cannot be read does not lose the others. */
export const readStoredDrafts = <D extends Written>(): Map<string, D> =>
  new Map(
    (attempt(() => Object.entries(sessionStorage)) ?? [])
      .filter(([key]) => key.startsWith(DRAFT_PREFIX))
      .flatMap(([key, stored]) => {
        const draft = attempt(() => JSON.parse(stored) as D);
        return draft ? [[key, draft] as const] : [];
      }),
  );

/** The tab may also keep drafts of somebody else, who did not log out. */
export const isOwnDraft = (key: string): boolean =>
  key.split('.').includes(shownWorkspace()?.session.person.id ?? '');

export const hasContent = ({ reply, note, buttons = [], files = [] }: Written): boolean =>
  [reply, note, ...buttons].join('').trim() !== '' || files.length > 0;

/** They are lost with the session, whether the inbox was opened in this page or not. */
addUnsavedCheck(
  (ending) =>
    ending === 'session' &&
    [...readStoredDrafts()].some(([key, draft]) => isOwnDraft(key) && hasContent(draft)),
);

import { shownWorkspace, useWorkspace } from '../../api/session.tsx';
import { createStore } from '../../api/store.ts';
import { addUnsavedCheck } from '../../app/leave-page.ts';
import { attempt } from '../../app/preferences.ts';

/** What somebody has begun to write in a chat. It is kept while they look at other chats; a reload loses only the files. */
export interface Draft {
  mode: 'reply' | 'note';
  reply: string;
  note: string;
  files: readonly File[];
  /** The message that the reply answers. */
  replyTo: { id: string; text: string; isComment: boolean } | undefined;
  /** The users whose names were put into the note. */
  mentioned: readonly { id: string; name: string }[];
}

const EMPTY: Omit<Draft, 'mode'> = { reply: '', note: '', files: [], replyTo: undefined, mentioned: [] };

/** A tab keeps them under names with tenant, person and chat. */
const PREFIX = 'parley.draft.';

function restore(): ReadonlyMap<string, Draft> {
  const found = new Map<string, Draft>();
  attempt(() => {
    for (const [key, stored] of Object.entries(sessionStorage))
      if (key.startsWith(PREFIX))
        found.set(key, { ...EMPTY, ...(JSON.parse(stored) as Omit<Draft, 'files'>) });
  });
  return found;
}
const drafts = createStore(restore());

/** The tab may also keep drafts of somebody else, who did not log out. */
const isOwn = (key: string): boolean => key.split('.').includes(shownWorkspace()?.session.person.id ?? '');
/** The files are lost with the page, the texts with the session. */
addUnsavedCheck((ending) =>
  [...drafts.read()].some(
    ([key, { files, reply, note }]) =>
      isOwn(key) && (files.length > 0 || (ending === 'session' && `${reply}${note}`.trim() !== '')),
  ),
);

function store(key: string, draft: Draft | undefined): void {
  const next = new Map(drafts.read());
  if (draft) next.set(key, draft);
  else next.delete(key);
  drafts.write(next);
  attempt(() =>
    draft
      ? sessionStorage.setItem(key, JSON.stringify({ ...draft, files: undefined }))
      : sessionStorage.removeItem(key),
  );
}

const isEmpty = ({ reply, note, files, replyTo }: Draft): boolean =>
  reply === '' && note === '' && files.length === 0 && replyTo === undefined;

interface ChatDraft {
  draft: Draft;
  change(part: Partial<Draft>): void;
  /** What a note has become is no draft any more. What was typed meanwhile is. */
  forgetNote(stored: string): void;
}

/** The draft of a chat; `mode` is what a new one begins with. */
export function useDraft(chatId: string, mode: Draft['mode']): ChatDraft {
  const { session, membership } = useWorkspace();
  const key = `${PREFIX}${membership.tenantId}.${session.person.id}.${chatId}`;
  const draft = drafts.use((all) => all.get(key)) ?? { ...EMPTY, mode };
  return {
    draft,
    change(part) {
      const changed = { ...(drafts.read().get(key) ?? { ...EMPTY, mode }), ...part };
      store(key, isEmpty(changed) && changed.mode === mode ? undefined : changed);
    },
    forgetNote(stored) {
      const begun = drafts.read().get(key);
      if (begun?.note.trim() === stored) store(key, { ...begun, note: '', mentioned: [] });
    },
  };
}

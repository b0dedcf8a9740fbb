import { useWorkspace } from '../../api/session.tsx';
import { createStore } from '../../api/store.ts';
import { addUnsavedCheck } from '../../app/leave-page.ts';
import { attempt } from '../../app/preferences.ts';
import { DRAFT_PREFIX, hasContent, isOwnDraft, readStoredDrafts } from '../../app/stored-drafts.ts';
import { type Attachment, isStoredFile } from './attachment.ts';

/** What somebody has begun to write in a chat. It is kept while they look at other chats; a reload loses only new files. */
export interface Draft {
  mode: 'reply' | 'note';
  reply: string;
  note: string;
  files: readonly Attachment[];
  /** The titles of the buttons below the reply. */
  buttons: readonly string[];
  /** The message that the reply answers. */
  replyTo: { id: string; text: string; isComment: boolean } | undefined;
  /** The users whose names were put into the note. */
  mentioned: readonly { id: string; name: string }[];
}

const EMPTY: Omit<Draft, 'mode'> = {
  reply: '',
  note: '',
  files: [],
  buttons: [],
  replyTo: undefined,
  mentioned: [],
};

const drafts = createStore<ReadonlyMap<string, Draft>>(
  new Map([...readStoredDrafts<Draft>()].map(([key, stored]) => [key, { ...EMPTY, ...stored }])),
);

/** New files are lost with the page. The rest is lost with the session, also if the tab could not keep it. */
addUnsavedCheck((ending) =>
  [...drafts.read()].some(
    ([key, draft]) =>
      isOwnDraft(key) &&
      (draft.files.some((file) => !isStoredFile(file)) || (ending === 'session' && hasContent(draft))),
  ),
);

function store(key: string, draft: Draft | undefined): void {
  const next = new Map(drafts.read());
  if (draft) next.set(key, draft);
  else next.delete(key);
  drafts.write(next);
  attempt(() =>
    draft
      ? sessionStorage.setItem(key, JSON.stringify({ ...draft, files: draft.files.filter(isStoredFile) }))
      : sessionStorage.removeItem(key),
  );
}

const isEmpty = ({ reply, note, files, buttons, replyTo }: Draft): boolean =>
  `${reply}${note}` === '' && files.length + buttons.length === 0 && replyTo === undefined;

interface ChatDraft {
  draft: Draft;
  /** With a function: by the draft as it is then, not as it was shown last. */
  change(part: Partial<Draft> | ((now: Draft) => Partial<Draft>)): void;
  /** What a note has become is no draft any more. What was typed meanwhile is. */
  forgetNote(stored: string): void;
}

/** The draft of a chat; `mode` is what a new one begins with. */
export function useDraft(chatId: string, mode: Draft['mode']): ChatDraft {
  const { session, membership } = useWorkspace();
  const key = `${DRAFT_PREFIX}${membership.tenantId}.${session.person.id}.${chatId}`;
  const draft = drafts.use((all) => all.get(key)) ?? { ...EMPTY, mode };
  return {
    draft,
    change(part) {
      const now = drafts.read().get(key) ?? { ...EMPTY, mode };
      const changed = { ...now, ...(typeof part === 'function' ? part(now) : part) };
      store(key, isEmpty(changed) && changed.mode === mode ? undefined : changed);
    },
    forgetNote(stored) {
      const begun = drafts.read().get(key);
      if (begun?.note.trim() === stored) store(key, { ...begun, note: '', mentioned: [] });
    },
  };
}

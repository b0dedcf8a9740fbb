import { useWorkspace } from '../../api/session.tsx';
import { createStore } from '../../api/store.ts';

/** What somebody has begun to write in a chat. It is kept while they look at other chats; a reload loses only the files. */
export interface Draft {
  mode: 'reply' | 'note';
  reply: string;
  note: string;
  files: readonly File[];
  /** The users whose names were put into the note. */
  mentioned: readonly { id: string; name: string }[];
}

const EMPTY: Omit<Draft, 'mode'> = { reply: '', note: '', files: [], mentioned: [] };

/** Where a tab keeps them, by tenant, person and chat. */
const STORED = 'parley.drafts';

function restore(): ReadonlyMap<string, Draft> {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as [string, Omit<Draft, 'files'>][];
    return new Map(stored.map(([key, draft]) => [key, { ...EMPTY, ...draft, files: [] }]));
  } catch {
    return new Map();
  }
}
const drafts = createStore(restore());

function store(all: ReadonlyMap<string, Draft>): void {
  drafts.write(all);
  try {
    const texts = [...all].map(([key, { files, ...draft }]) => [key, draft]);
    sessionStorage.setItem(STORED, JSON.stringify(texts));
  } catch {
    // The browser keeps nothing, or has no room.
  }
}

const isEmpty = ({ reply, note, files }: Draft): boolean => reply === '' && note === '' && files.length === 0;

interface ChatDraft {
  draft: Draft;
  change(part: Partial<Draft>): void;
  /** What a note has become is no draft any more. What was typed meanwhile is. */
  forgetNote(stored: string): void;
}

/** The draft of a chat; `mode` is what a new one begins with. */
export function useDraft(chatId: string, mode: Draft['mode']): ChatDraft {
  const { session, membership } = useWorkspace();
  const key = `${membership.tenantId} ${session.person.id} ${chatId}`;
  const draft = drafts.use((all) => all.get(key)) ?? { ...EMPTY, mode };
  return {
    draft,
    change(part) {
      const next = new Map(drafts.read());
      const changed = { ...(next.get(key) ?? { ...EMPTY, mode }), ...part };
      if (isEmpty(changed) && changed.mode === mode) next.delete(key);
      else next.set(key, changed);
      store(next);
    },
    forgetNote(stored) {
      const begun = drafts.read().get(key);
      if (begun?.note.trim() !== stored) return;
      store(new Map(drafts.read()).set(key, { ...begun, note: '', mentioned: [] }));
    },
  };
}

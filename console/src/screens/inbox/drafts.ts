import { createStore } from '../../api/store.ts';

/** What somebody has begun to write in a chat. It is kept while they look at other chats. */
export interface Draft {
  mode: 'reply' | 'note';
  reply: string;
  note: string;
  files: readonly File[];
  /** The users whose names were put into the note. */
  mentioned: readonly { id: string; name: string }[];
}

const EMPTY: Omit<Draft, 'mode'> = { reply: '', note: '', files: [], mentioned: [] };
const drafts = createStore<ReadonlyMap<string, Draft>>(new Map());

const isEmpty = ({ reply, note, files }: Draft): boolean => reply === '' && note === '' && files.length === 0;

/** The draft of a chat; `mode` is what a new one begins with. */
export function useDraft(chatId: string, mode: Draft['mode']): [Draft, (part: Partial<Draft>) => void] {
  const stored = drafts.use((all) => all.get(chatId));
  const change = (part: Partial<Draft>): void => {
    const next = new Map(drafts.read());
    const draft = { ...(next.get(chatId) ?? { ...EMPTY, mode }), ...part };
    if (isEmpty(draft) && draft.mode === mode) next.delete(chatId);
    else next.set(chatId, draft);
    drafts.write(next);
  };
  return [stored ?? { ...EMPTY, mode }, change];
}

/** What a note has become is no draft any more. What was typed meanwhile is. */
export function forgetNote(chatId: string, stored: string): void {
  const draft = drafts.read().get(chatId);
  if (draft?.note.trim() !== stored) return;
  drafts.write(new Map(drafts.read()).set(chatId, { ...draft, note: '', mentioned: [] }));
}

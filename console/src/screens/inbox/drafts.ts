import { useState } from 'react';

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
const drafts = new Map<string, Draft>();

/** The draft of a chat; `mode` is what a new one begins with. */
export function useDraft(chatId: string, mode: Draft['mode']): [Draft, (part: Partial<Draft>) => void] {
  const [draft, setDraft] = useState<Draft>(() => drafts.get(chatId) ?? { ...EMPTY, mode });
  const change = (part: Partial<Draft>): void =>
    setDraft((old) => {
      const next = { ...old, ...part };
      drafts.set(chatId, next);
      return next;
    });
  return [draft, change];
}

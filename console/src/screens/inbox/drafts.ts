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

const EMPTY: Draft = { mode: 'reply', reply: '', note: '', files: [], mentioned: [] };
const drafts = new Map<string, Draft>();

export function useDraft(chatId: string): [Draft, (part: Partial<Draft>) => void] {
  const [draft, setDraft] = useState<Draft>(() => drafts.get(chatId) ?? EMPTY);
  const change = (part: Partial<Draft>): void =>
    setDraft((old) => {
      const next = { ...old, ...part };
      drafts.set(chatId, next);
      return next;
    });
  return [draft, change];
}

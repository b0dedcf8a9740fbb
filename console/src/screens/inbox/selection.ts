import type { Chat } from '@parley/sdk';
import { useState } from 'react';

/** The chats of a list that somebody has chosen to change at once. */
export interface Selection {
  ids: ReadonlySet<string>;
  /** All chats of the view, whether they are loaded or not. */
  isAll: boolean;
  /** How many; undefined if nobody knows how many the view has. */
  count: number | undefined;
  toggle(chatId: string): void;
  /** All from the one that was chosen last to this one. */
  extendTo(chatId: string): void;
  selectAll(): void;
  clear(): void;
}

interface Chosen {
  /** What the selection is of: another list has another one. */
  list: string;
  ids: ReadonlySet<string>;
  isAll: boolean;
  last: string | undefined;
}

/** `list` names what is shown; `total` is how many chats it has. */
export function useSelection(list: string, chats: readonly Chat[], total: number | undefined): Selection {
  const nothing: Chosen = { list, ids: new Set(), isAll: false, last: undefined };
  const [stored, setStored] = useState<Chosen>(nothing);
  const kept = stored.list === list ? stored : nothing;
  // What has left the list meanwhile is not changed with the rest: nobody sees it any more.
  const chosen = { ...kept, ids: new Set(chats.map(({ id }) => id).filter((id) => kept.ids.has(id))) };
  const change = (part: Partial<Chosen>): void => setStored({ ...chosen, isAll: false, ...part });
  return {
    ids: chosen.ids,
    isAll: chosen.isAll,
    count: chosen.isAll ? total : chosen.ids.size,
    toggle(chatId) {
      const ids = new Set(chosen.ids);
      if (!ids.delete(chatId)) ids.add(chatId);
      change({ ids, last: chatId });
    },
    extendTo(chatId) {
      const indexOf = (wanted: string | undefined): number => chats.findIndex(({ id }) => id === wanted);
      const to = indexOf(chatId);
      const from = indexOf(chosen.last);
      const [first, end] = from < 0 ? [to, to] : [Math.min(from, to), Math.max(from, to)];
      const range = chats.slice(first, end + 1).map(({ id }) => id);
      change({ ids: new Set([...chosen.ids, ...range]), last: chatId });
    },
    selectAll: () => change({ ids: new Set(chats.map(({ id }) => id)), isAll: true }),
    clear: () => setStored(nothing),
  };
}

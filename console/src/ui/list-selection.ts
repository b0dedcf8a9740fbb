import { useState } from 'react';

/** What somebody has chosen in a list: some by their ids, or all that the list has, read or not. */
interface Chosen {
  /** What the list shows: another filter or other words make another list, in which nothing is chosen. */
  list: string;
  ids: readonly string[] | 'all';
}

/** Those of the chosen ids that the list shows; undefined if nothing was chosen in it. */
export function chosenIn(
  chosen: Chosen | undefined,
  list: string,
  shown: readonly string[],
): Chosen['ids'] | undefined {
  if (chosen?.list !== list) return undefined;
  if (chosen.ids === 'all') return 'all';
  const ids = new Set(chosen.ids);
  return shown.filter((id) => ids.has(id));
}

/** The ids after one was chosen or left out. Who leaves one out of all goes on with the others that were read. */
export function toggleId(
  chosen: Chosen['ids'] | undefined,
  shown: readonly string[],
  id: string,
): readonly string[] {
  const ids = chosen === 'all' ? shown : (chosen ?? []);
  return ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id];
}

export interface ListSelection {
  /** Undefined if nothing is chosen. It may be empty: what was chosen is no longer in the list. */
  ids: Chosen['ids'] | undefined;
  has(id: string): boolean;
  toggle(id: string): void;
  /** Whether all rows that were read are chosen. */
  hasAll: boolean;
  toggleAll(): void;
  /** Also those that were not read. */
  selectAll(): void;
  clear(): void;
}

/** The rows of a list that somebody has chosen to change at once. `list` names what it shows. */
export function useListSelection(list: string, rows: readonly { id: string }[]): ListSelection {
  const [chosen, setChosen] = useState<Chosen>();
  const shown = rows.map(({ id }) => id);
  const ids = chosenIn(chosen, list, shown);
  const choose = (next: Chosen['ids']): void =>
    setChosen(next.length === 0 ? undefined : { list, ids: next });
  const known = new Set(ids === 'all' ? shown : ids);
  const hasAll = ids === 'all' || (shown.length > 0 && known.size === shown.length);
  return {
    ids,
    has: (id) => known.has(id),
    toggle(id) {
      if (shown.includes(id)) choose(toggleId(ids, shown, id));
    },
    hasAll,
    toggleAll: () => choose(hasAll ? [] : shown),
    selectAll: () => choose('all'),
    clear: () => setChosen(undefined),
  };
}

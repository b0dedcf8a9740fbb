import { createCache } from '../base/cache.ts';

/** How many rows of an ordering key are handled at once: as many as fit, found by trying. */
export interface BatchSizes {
  of(orderingKey: string): number;
  set(orderingKey: string, size: number): void;
}

/** Keys that need no smaller batch are not remembered. */
const MAX_REMEMBERED = 10_000;

export function createBatchSizes(largest: number): BatchSizes {
  const sizes = createCache<string, number>(MAX_REMEMBERED);
  return {
    of: (orderingKey) => sizes.get(orderingKey) ?? largest,
    set(orderingKey, size) {
      if (size >= largest) sizes.delete(orderingKey);
      else sizes.set(orderingKey, Math.max(1, size));
    },
  };
}

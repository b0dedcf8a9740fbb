import type { Bind } from './fields.ts';

/** An index of which a part has all rows that fulfil some conditions, in the order of a field and the id. */
export interface OrderIndex {
  /** The conditions, such as `eq(status)`, `eq(status,"open")`, `isNull(field)` or `not(isNull(field))`; none for all rows. */
  where: readonly string[];
  sort: string;
  /** Set if the field can be null, but not of the rows in the index. */
  hasNoNulls?: true;
}

/** Where the rows of a search come from. All of it is trusted SQL. */
export interface SearchSource {
  select: string;
  /** Set if the id is all that is selected: then the rows of a page are not read once they were found and sorted. */
  selectsOnlyId?: true;
  from: string;
  tenantColumn: string;
  /** Set if none of the rows can belong to something that is being deleted: then tables are read instead of views. */
  needsNoView?: true;
  /** A condition of the route, such as the chat whose messages are searched. */
  where?: (bind: Bind) => string;
  /**
   * The condition that a row belongs to one of the channels in a parameter of type uuid[]. Left out if callers who are
   * restricted to channels see all rows.
   */
  inChannels?: (channelIds: string) => string;
  /** Count up to this many rows only: an exact count reads every row that matches. */
  countCap?: number;
  /**
   * What a search of a part of a name reads, if it needs more tables. Joined for nothing they cost more than their look-up:
   * PostgreSQL then counts rows instead of index entries.
   */
  fromForNames?: string;
  /**
   * Identifies a source whose rows are never deleted. Once it has more rows than `countCap`, it is not counted again.
   */
  appendOnlyKey?: string;
  /** If a search has exactly the conditions of one of them, its first rows are the page: nothing is sorted. */
  orderIndexes?: readonly OrderIndex[];
  /**
   * Set if comparing the texts of all rows may take too long. A search for a text in the order of creation then stops after a
   * while, and says how far it got.
   */
  stops?: {
    /** Fields with an index on themselves and the order of creation: only rows with the same value are read. */
    within: readonly string[];
    /** Fields whose own index finds few rows: a search by one of them does not stop. */
    unless: readonly string[];
    /** After how long; half a second by default. */
    afterMs?: number;
  };
  /** Sort at most this many matches (see `sortMatches`). Ignored if there is a `countCap`, which is then the limit. */
  maxSorted?: number;
  /** Scan at most this many rows in order (see `scanInOrder`). */
  window?: number;
}

/** The same source for a caller who sees only the rows of some channels. */
export function restrictToChannels(
  source: SearchSource,
  channelIds: ReadonlySet<string> | undefined,
): SearchSource {
  const { inChannels, where } = source;
  if (channelIds === undefined || inChannels === undefined) return source;
  const ids = [...channelIds];
  const { appendOnlyKey: _, orderIndexes, ...rest } = source;
  return {
    ...rest,
    // Others than those of all rows would have to be read to their end to find few rows of the channels.
    ...(orderIndexes ? { orderIndexes: orderIndexes.filter(({ where }) => where.length === 0) } : {}),
    where: (bind) =>
      [where?.(bind), inChannels(`${bind(ids)}::uuid[]`)]
        .filter(Boolean)
        .map((one) => `(${one})`)
        .join(' and '),
  };
}

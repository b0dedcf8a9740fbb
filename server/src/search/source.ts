import type { Bind } from './fields.ts';

/** Where the rows of a search come from. All of it is trusted SQL. */
export interface SearchSource {
  select: string;
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
   * Identifies a source whose rows are never deleted. Once it has more rows than `countCap`, it is not counted again.
   */
  appendOnlyKey?: string;
  /**
   * Indexes on the tenant, a field, another field and the id. If a search only compares the first field with one value, the rows
   * in the order of the second are the page: nothing is sorted.
   */
  orderIndexes?: readonly { equal: string; sort: string }[];
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
  const { appendOnlyKey: _, orderIndexes: __, ...rest } = source;
  return {
    ...rest,
    where: (bind) =>
      [where?.(bind), inChannels(`${bind(ids)}::uuid[]`)]
        .filter(Boolean)
        .map((one) => `(${one})`)
        .join(' and '),
  };
}

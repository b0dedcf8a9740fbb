import type { Bind } from './fields.ts';

/** Where the rows of a search come from. All of it is trusted SQL. */
export interface SearchSource {
  select: string;
  from: string;
  tenantColumn: string;
  /** A condition of the route, such as the chat whose messages are searched. */
  where?: (bind: Bind) => string;
  /** Count up to this many rows only: an exact count reads every row that matches. */
  countCap?: number;
  /**
   * Identifies a source whose rows are never deleted. Once it has more rows than `countCap`, it is not counted again.
   */
  appendOnlyKey?: string;
  /** Sort at most this many matches (see `sortMatches`). Ignored if there is a `countCap`, which is then the limit. */
  maxSorted?: number;
  /** Scan at most this many rows in order (see `scanInOrder`). */
  window?: number;
}

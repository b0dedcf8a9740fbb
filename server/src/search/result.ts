import { writeCursor } from './cursor.ts';
import type { SearchQuery } from './query.ts';
import type { SearchEcho, SearchPagination } from './schema.ts';
import { KEY_COLUMN, type Key } from './sql/key.ts';

export type Row = Record<string, unknown>;

export interface SearchResult {
  rows: Row[];
  pagination: SearchPagination;
  query: SearchEcho;
}

/** `rows` has one row more than the page if there is a next page. A `total` beyond the cap is reported as capped. */
export function toSearchResult({ source, request }: SearchQuery, rows: Row[], total: number): SearchResult {
  const { countCap } = source;
  const page = rows.slice(0, request.limit);
  const lastKey = page.at(-1)?.[KEY_COLUMN] as Key | undefined;
  const hasNextPage = rows.length > page.length && lastKey !== undefined;
  const isCapped = countCap !== undefined && total > countCap;
  return {
    rows: page.map(({ [KEY_COLUMN]: _, ...row }) => row),
    pagination: {
      page: request.page,
      limit: request.limit,
      total: isCapped ? countCap : total,
      ...(isCapped ? { totalIsCapped: true } : {}),
      nextCursor: hasNextPage
        ? writeCursor(request.fingerprint, { page: request.page + 1, key: lastKey })
        : null,
    },
    query: request.echo,
  };
}

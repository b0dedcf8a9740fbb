import { type CursorPosition, writeCursor } from './cursor.ts';
import type { SearchQuery } from './query.ts';
import type { SearchRequest } from './request.ts';
import type { SearchEcho, SearchPagination } from './schema.ts';
import { KEY_COLUMN, type Key } from './sql/key.ts';

export type Row = Record<string, unknown>;

export interface SearchResult {
  rows: Row[];
  pagination: SearchPagination;
  query: SearchEcho;
}

/** `rows` has one row more than the page if there is a next page. `total` is undefined if the matches were not counted. */
export function toSearchResult(query: SearchQuery, rows: Row[], total: number | undefined): SearchResult {
  const { source, request } = query;
  const page = rows.slice(0, request.limit);
  const key = page.at(-1)?.[KEY_COLUMN] as Key | undefined;
  const next = rows.length > page.length && key ? { key } : undefined;
  return {
    rows: withoutKeys(page),
    pagination:
      total === undefined
        ? toUncountedPagination(request, next, page.length)
        : toPagination(request, withFound(request, next, page.length), total, source.countCap),
    query: request.echo,
  };
}

type Next = Omit<CursorPosition, 'page'> | undefined;

/** How many matches come before the page; undefined if the cursor does not say it. */
const countBefore = ({ after, foundBefore, page, limit }: SearchRequest): number | undefined =>
  after === undefined ? page * limit : foundBefore;

/** Without a total, the cursor of the next page says how many matches come before it. */
function withFound(request: SearchRequest, next: Next, rows: number): Next {
  const before = countBefore(request);
  return next && !request.withTotal && before !== undefined ? { ...next, found: before + rows } : next;
}

/** If nobody says how many matches come before the page, at least its own are known. */
export function toUncountedPagination(request: SearchRequest, next: Next, rows: number): SearchPagination {
  const before = countBefore(request);
  return {
    ...toPagination(request, withFound(request, next, rows), (before ?? 0) + rows),
    ...(next || before === undefined ? { totalIsCapped: true } : {}),
  };
}

export const withoutKeys = (rows: readonly Row[]): Row[] => rows.map(({ [KEY_COLUMN]: _, ...row }) => row);

/** `next` is where the next page starts, if there is one. A `total` beyond the cap is reported as capped. */
export function toPagination(
  { page, limit, fingerprint }: SearchRequest,
  next: Next,
  total: number,
  countCap = Number.POSITIVE_INFINITY,
): SearchPagination {
  const isCapped = total > countCap;
  return {
    page,
    limit,
    total: isCapped ? countCap : total,
    ...(isCapped ? { totalIsCapped: true } : {}),
    nextCursor: next === undefined ? null : writeCursor(fingerprint, { ...next, page: page + 1 }),
  };
}

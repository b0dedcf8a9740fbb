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

/** `rows` has one row more than the page if there is a next page. */
export function toSearchResult({ source, request }: SearchQuery, rows: Row[], total: number): SearchResult {
  const page = rows.slice(0, request.limit);
  const key = page.at(-1)?.[KEY_COLUMN] as Key | undefined;
  const next = rows.length > page.length && key ? { key } : undefined;
  return {
    rows: withoutKeys(page),
    pagination: toPagination(request, next, total, source.countCap),
    query: request.echo,
  };
}

export const withoutKeys = (rows: readonly Row[]): Row[] => rows.map(({ [KEY_COLUMN]: _, ...row }) => row);

/** `next` is where the next page starts, if there is one. A `total` beyond the cap is reported as capped. */
export function toPagination(
  { page, limit, fingerprint }: SearchRequest,
  next: Omit<CursorPosition, 'page'> | undefined,
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

import type { SearchRequest } from './request.ts';
import { toPagination, toUncountedPagination } from './result.ts';
import type { SearchEcho, SearchPagination } from './schema.ts';
import { type Key, keyTime } from './sql/key.ts';

/** A page in the order of creation, as the response has it. */
export interface FoundPage<T> {
  data: T[];
  pagination: SearchPagination;
  query: SearchEcho;
}

/** A row as PostgreSQL's JSON: its times are texts. */
export interface JsonRow {
  id: string;
  created_at: string;
}

/** Later than every row. */
export const END: Key = ['infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/**
 * Makes a page of rows that one statement has read as JSON, the newest first, one more than the page has if there is a next
 * page. Without a total they were not counted.
 */
export function toFoundPage<R extends JsonRow, T>(
  request: SearchRequest,
  rows: readonly R[],
  total: number | undefined,
  countCap: number | undefined,
  present: (row: R) => T,
): FoundPage<T> {
  const page = rows.slice(0, request.limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  const next = last && { key: [keyTime(last.created_at), last.id] };
  return {
    data: page.map(present),
    pagination:
      total === undefined
        ? toUncountedPagination(request, next, page.length)
        : toPagination(request, next, total, countCap),
    query: request.echo,
  };
}

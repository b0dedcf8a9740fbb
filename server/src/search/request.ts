import { sha256 } from '../base/crypto.ts';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import { type CursorPosition, readCursor } from './cursor.ts';
import type { Searchable } from './fields.ts';
import { type Filter, type Me, parseRowFilter } from './grammar/filter.ts';
import { completeSort, parseSort, type Sort } from './grammar/sort.ts';
import { ExpressionError } from './grammar/tokens.ts';
import { DEFAULT_LIMIT, type SearchBody, type SearchEcho } from './schema.ts';
import type { Key } from './sql/key.ts';
import { findUnstorable } from './text.ts';

/** A search that passed validation. */
export interface SearchRequest {
  filter: Filter | undefined;
  search: string | undefined;
  sort: Sort;
  page: number;
  limit: number;
  /** Whether the matches after the page are counted. */
  withTotal: boolean;
  /** The key of the last row of the page before, if the request has a cursor. */
  after: Key | undefined;
  /** How many matches come before the page, if the cursor says so. */
  foundBefore?: number;
  /** The request's own texts, which the response repeats. */
  echo: SearchEcho;
  /** Identifies the search in its cursors. */
  fingerprint: string;
}

/**
 * Parses a body that has passed the schema. Throws `invalid_body_params` with an issue for each part that is wrong. A
 * blank query, sortBy or search is the same as none.
 */
export function parseSearchRequest(
  body: SearchBody,
  searchable: Searchable,
  now: Date,
  me?: Me,
): SearchRequest {
  const invalidParams: InvalidParams = {};
  const tryParse = <T>(path: string, text: string | undefined, parse: (text: string) => T): T | undefined => {
    if (text === undefined || text.trim() === '') return undefined;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      invalidParams[path] = { key: 'invalid_string', message: error.message };
      return undefined;
    }
  };

  const filter = tryParse('query', body.query, (text) => parseRowFilter(text, searchable, now, me));
  const sort = completeSort(
    tryParse('sortBy', body.sortBy, (text) => parseSort(text, searchable)),
    searchable,
  );
  const search = tryParse('search', body.search, parseSearch);

  const { cursor, page, limit, withTotal } = body.pagination ?? {};
  const echo = { query: body.query ?? null, sortBy: body.sortBy ?? null, search: body.search ?? null };
  const fingerprint = createFingerprint(echo, searchable);
  let position: CursorPosition | undefined;
  if (cursor !== undefined) {
    // The key of a cursor can only be checked against a valid sort.
    const result = readCursor(cursor, fingerprint, invalidParams.sortBy === undefined ? sort : undefined);
    if ('issue' in result) invalidParams['pagination.cursor'] = result.issue;
    else position = result;
  }

  if (Object.keys(invalidParams).length > 0) throw new ApiError('invalid_body_params', { invalidParams });
  return {
    filter,
    sort,
    search,
    page: position?.page ?? page ?? 0,
    limit: limit ?? DEFAULT_LIMIT,
    withTotal: withTotal ?? true,
    after: position?.key,
    ...(position?.found === undefined ? {} : { foundBefore: position.found }),
    echo,
    fingerprint,
  };
}

function parseSearch(text: string): string {
  const index = findUnstorable(text);
  if (index >= 0) throw new ExpressionError('Invalid character', index + 1);
  return text;
}

/** Includes the resource: otherwise a cursor over contacts would be accepted for chats in the same order. */
function createFingerprint(echo: SearchEcho, { id, names }: Searchable): string {
  const content = [echo.query, echo.sortBy, echo.search, id, names];
  return sha256(JSON.stringify(content)).subarray(0, 12).toString('base64url');
}

/** How many rows to skip. None if there is a cursor, which says where the page starts. */
export const getOffset = ({ after, page, limit }: SearchRequest): number =>
  after === undefined ? page * limit : 0;

import { sha256 } from '../base/crypto.ts';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import type { SearchPieces } from './compile.ts';
import type { Searchable } from './fields.ts';
import type { Sort } from './grammar.ts';
import { completeSort, parseFilter, parseSort } from './grammar.ts';
import { isKeyValue, type Key } from './keyset.ts';
import { DEFAULT_LIMIT, type SearchBody, type SearchEcho } from './schema.ts';
import { findUnstorable } from './text.ts';
import { ExpressionError } from './tokens.ts';

/** A search whose every piece has been found right. */
export interface SearchRequest extends SearchPieces {
  /** The request's own words, to be answered with the result. */
  echo: SearchEcho;
  /** Of which search a cursor is. */
  fingerprint: string;
}

/**
 * Reads the pieces of a body that has passed the schema, or throws `invalid_body_params` that names every wrong one.
 * A blank query, sortBy or search is none.
 */
export function searchRequest(body: SearchBody, searchable: Searchable): SearchRequest {
  const invalidParams: InvalidParams = {};
  const attempt = <T>(path: string, text: string | undefined, parse: (text: string) => T): T | undefined => {
    if (text === undefined || text.trim() === '') return undefined;
    try {
      return parse(text);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      invalidParams[path] = { key: 'invalid_string', message: error.message };
      return undefined;
    }
  };

  const filter = attempt('query', body.query, (text) => parseFilter(text, searchable));
  const sort = completeSort(
    attempt('sortBy', body.sortBy, (text) => parseSort(text, searchable)),
    searchable,
  );
  const search = attempt('search', body.search, checkSearch);

  const { cursor, page, limit } = body.pagination ?? {};
  const echo = { query: body.query ?? null, sortBy: body.sortBy ?? null, search: body.search ?? null };
  const fingerprint = fingerprintOf(echo, searchable);
  let place: Place | undefined;
  if (cursor !== undefined) {
    // The keys of a cursor can only be judged by an order that is known.
    const found = readCursor(cursor, fingerprint, invalidParams.sortBy === undefined ? sort : undefined);
    if ('problem' in found) invalidParams['pagination.cursor'] = found.problem;
    else place = found;
  }

  if (Object.keys(invalidParams).length > 0) throw new ApiError('invalid_body_params', { invalidParams });
  return {
    filter,
    sort,
    search,
    page: place?.page ?? page ?? 0,
    limit: limit ?? DEFAULT_LIMIT,
    after: place?.key,
    echo,
    fingerprint,
  };
}

function checkSearch(text: string): string {
  const at = findUnstorable(text);
  if (at >= 0) throw new ExpressionError('A character that is not valid text', at + 1);
  return text;
}

interface Place {
  page: number;
  key: Key;
}

const CURSOR_VERSION = 1;

/**
 * A cursor is readable by whoever decodes it and is not signed: it holds what the client saw on the page before,
 * and a forged one only names another place in the client's own result.
 */
export function writeCursor(request: SearchRequest, key: Key): string {
  const content = [CURSOR_VERSION, request.fingerprint, request.page + 1, ...key];
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

function readCursor(
  cursor: string,
  fingerprint: string,
  sort: Sort | undefined,
): Place | { problem: { key: 'invalid_string' | 'custom'; message: string } } {
  const [version, of, page, ...key] = decode(cursor);
  const isOurs = version === CURSOR_VERSION && typeof of === 'string' && Number.isSafeInteger(page);
  if (isOurs && of !== fingerprint) {
    const message =
      'This cursor belongs to another search: query, sortBy and search must be those of the page it came from';
    return { problem: { key: 'custom', message } };
  }
  const fits =
    sort === undefined ||
    (key.length === sort.length && sort.every((by, index) => isKeyValue(by.type, key[index])));
  if (!isOurs || !fits || Number(page) < 1) {
    const message = 'Not a cursor: give the nextCursor of an answer, unchanged';
    return { problem: { key: 'invalid_string', message } };
  }
  return { page: Number(page), key: key as Key };
}

function decode(cursor: string): unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(content) ? content : [];
  } catch {
    return [];
  }
}

/** The resource takes part: an order by createdAt alone would let a cursor over contacts pass for one over chats. */
function fingerprintOf(echo: SearchEcho, { id, names }: Searchable): string {
  const of = [echo.query, echo.sortBy, echo.search, id, names];
  return sha256(JSON.stringify(of)).subarray(0, 12).toString('base64url');
}

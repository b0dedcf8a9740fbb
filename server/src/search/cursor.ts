import type { Sort } from './grammar/sort.ts';
import { isKeyValue, type Key } from './sql/key.ts';

const CURSOR_VERSION = 1;
/** With the number of matches before the page. */
const COUNTING_VERSION = 2;

/** Where a page starts: after the row with this key. */
export interface CursorPosition {
  page: number;
  key: Key;
  /** How many matches come before it, if the search cannot count them again. */
  found?: number;
}

interface CursorIssue {
  key: 'invalid_string' | 'custom';
  message: string;
}

/**
 * The cursor is not secret and not signed: it contains what the client saw on the page before, and a forged one only
 * leads to another position in the client's own result. The fingerprint identifies the search.
 */
export function writeCursor(fingerprint: string, { page, key, found }: CursorPosition): string {
  const content =
    found === undefined
      ? [CURSOR_VERSION, fingerprint, page, ...key]
      : [COUNTING_VERSION, fingerprint, page, found, ...key];
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Reads a cursor of the search with this fingerprint. Without a valid sort, the key is not checked. */
export function readCursor(
  cursor: string,
  fingerprint: string,
  sort: Sort | undefined,
): CursorPosition | { issue: CursorIssue } {
  const [version, ownFingerprint, page, ...rest] = decodeCursor(cursor);
  const [found, ...key] = version === COUNTING_VERSION ? rest : [0, ...rest];
  const hasHeader =
    (version === CURSOR_VERSION || version === COUNTING_VERSION) &&
    typeof ownFingerprint === 'string' &&
    Number.isSafeInteger(page) &&
    Number.isSafeInteger(found) &&
    Number(found) >= 0;
  if (hasHeader && ownFingerprint !== fingerprint) {
    const message =
      'This cursor belongs to another search: query, sortBy and search must be the same as for the page before';
    return { issue: { key: 'custom', message } };
  }
  const fitsSort =
    sort === undefined ||
    (key.length === sort.length && sort.every((sortKey, index) => isKeyValue(sortKey.type, key[index])));
  if (!hasHeader || !fitsSort || Number(page) < 1) {
    const message = 'Not a cursor: use the nextCursor of a response unchanged';
    return { issue: { key: 'invalid_string', message } };
  }
  return {
    page: Number(page),
    key: key as Key,
    ...(version === COUNTING_VERSION ? { found: Number(found) } : {}),
  };
}

function decodeCursor(cursor: string): unknown[] {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(content) ? content : [];
  } catch {
    return [];
  }
}

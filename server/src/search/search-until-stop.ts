import type { Bind } from './fields.ts';
import { countTextConditions, type Filter } from './grammar/filter.ts';
import { conditionsOf, isByCreation } from './order-index.ts';
import { type FoundInWindow, findInWindow } from './plans/find-in-window.ts';
import type { SearchQuery } from './query.ts';
import { getOffset } from './request.ts';
import { type Row, type SearchResult, toPagination, withoutKeys } from './result.ts';
import { KEY_COLUMN, type Key } from './sql/key.ts';
import { compileRowFilter } from './sql/row-filter.ts';
import { selectRowsById } from './sql/rows-by-id.ts';
import type { SqlStatement } from './sql/statement.ts';
import { selectWindowEnd } from './sql/window-end.ts';

/** A page that is not full is searched for so long: with the last window, the answer takes less than a second. */
const SEARCH_MS = 500;
/** The matches after a full page are counted for so long. */
const COUNT_MS = 150;
const FIRST_WINDOW = 4_000;
const MAX_WINDOW = 64_000;
/** The next window is twice as large if this one took less time than this. */
const SHORT_MS = 60;
const DEFAULT_CAP = 10_000;

const COMPARISONS = new Set(['eq', 'gt', 'ge', 'lt', 'le']);

/** Whether a condition is one on the part of an index that is read: nothing else is read because of it. */
const isWithin = (condition: Filter, fields: readonly string[]): boolean =>
  (condition.op === 'eq' && fields.includes(condition.field)) ||
  (COMPARISONS.has(condition.op) && 'field' in condition && condition.field === 'createdAt');

/** Whether the search compares a text with rows of which there may be too many. */
export function mayStop({ source, request }: SearchQuery): boolean {
  const { filter, search, sort } = request;
  const hasText = search !== undefined || (filter !== undefined && countTextConditions(filter) > 0);
  const isByIndex = conditionsOf(filter).some(
    (one) => (one.op === 'eq' || one.op === 'in') && source.stops?.unless.includes(one.field),
  );
  return source.stops !== undefined && hasText && !isByIndex && isByCreation(sort);
}

/** The same rows for finding out where a window ends: only those that the index reads. */
function withinIndex(query: SearchQuery): SearchQuery {
  const { searchable, source, request } = query;
  const within = conditionsOf(request.filter).filter((one) => isWithin(one, source.stops?.within ?? []));
  const where = (bind: Bind): string =>
    [
      `(${source.where?.(bind) ?? 'true'})`,
      ...within.map((one) => compileRowFilter(one, searchable, bind)),
    ].join(' and ');
  return { ...query, source: { ...source, where } };
}

/**
 * Reads window after window in order and checks each row, until the page is full and the matches are counted, or the time is
 * over. Then the result has what was found, how far that was, and a cursor that continues there.
 */
export async function searchUntilStop(
  query: SearchQuery,
  run: (statement: SqlStatement) => Promise<Row[]>,
): Promise<SearchResult> {
  const { source, request } = query;
  const { limit, echo, withTotal } = request;
  const { stops } = source;
  const countCap = withTotal ? (source.countCap ?? DEFAULT_CAP) : 0;
  const startedAt = performance.now();
  const index = withinIndex(query);
  const ids: string[] = [];
  let skip = getOffset(request);
  let total = request.foundBefore ?? 0;
  let size = source.window ?? FIRST_WINDOW;
  let { after } = request;
  for (;;) {
    const windowAt = performance.now();
    const part = { ...request, after };
    const [last] = await run(selectWindowEnd({ ...index, request: part }, size));
    const end = last?.[KEY_COLUMN] as Key | undefined;
    const missing = limit + 1 - ids.length;
    const max = Math.max(countCap + 1 - total, skip + missing);
    const [row] = await run(
      findInWindow({ ...query, request: part }, end, { max, limit: missing, offset: skip }),
    );
    const found = row as unknown as FoundInWindow;
    ids.push(...found.ids);
    skip = Math.max(0, skip - found.total);
    total += found.total;
    after = end;
    const isFull = ids.length > limit;
    const tookMs = performance.now() - startedAt;
    if (end === undefined || (isFull && total > countCap)) break;
    if (tookMs > (stops?.afterMs ?? (isFull ? COUNT_MS : SEARCH_MS))) break;
    if (performance.now() - windowAt < SHORT_MS) size = Math.max(size, Math.min(2 * size, MAX_WINDOW));
  }
  const rows = ids.length === 0 ? [] : await run(selectRowsById(query, ids));
  const page = rows.slice(0, limit);
  const isFull = ids.length > limit;
  const found = (request.foundBefore ?? getOffset(request)) + page.length;
  const lastKey = page.at(-1)?.[KEY_COLUMN] as Key | undefined;
  const rest = after && { key: after, found: total };
  const next = isFull && lastKey ? { key: lastKey, found } : rest;
  const pagination = withTotal
    ? toPagination(request, next, total, countCap)
    : toPagination(request, next, Math.min(total, found));
  // Not all rows were checked, or not all matches were counted.
  const isCapped = after !== undefined || (isFull && !withTotal);
  return {
    rows: withoutKeys(page),
    pagination: {
      ...pagination,
      ...(isCapped ? { totalIsCapped: true } : {}),
      ...(after === undefined || isFull ? {} : { searchedTo: timeOfKey(after) }),
    },
    query: echo,
  };
}

/** The time of creation in a key, to the millisecond. */
const timeOfKey = ([time]: Key): string => `${time?.slice(0, 23)}Z`;

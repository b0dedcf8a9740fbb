import { isBeyondCap, rememberBeyondCap } from './beyond-cap.ts';
import { requireField, type Searchable } from './fields.ts';
import { findIndexOfMatches, hasIndexOfRows } from './order-index.ts';
import { gatherIds } from './plans/gather-ids.ts';
import { scanInOrder } from './plans/scan-in-order.ts';
import { type SortedMatches, sortMatches } from './plans/sort-matches.ts';
import type { SearchQuery } from './query.ts';
import type { SearchRequest } from './request.ts';
import { type Row, type SearchResult, toSearchResult } from './result.ts';
import { mayStop, searchUntilStop } from './search-until-stop.ts';
import type { OrderIndex, SearchSource } from './source.ts';
import { countMatches, countMatchesOfEach } from './sql/count.ts';
import { selectIds } from './sql/ids.ts';
import { KEY_COLUMN, type Key } from './sql/key.ts';
import { selectRowsById } from './sql/rows-by-id.ts';
import type { SqlStatement } from './sql/statement.ts';
import { selectWindowEnd } from './sql/window-end.ts';

interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
}

const MAX_SORTED = 10_000;
const WINDOW = 30_000;
/** Enough to fill a page of 100 if one row in twenty matches. */
const FIRST_WINDOW = 2_000;

/**
 * Reads a page of a tenant's rows and counts the matches. Writes nothing.
 *
 * With one statement for all searches, PostgreSQL's planner would have to guess how many rows match. A wrong guess reads
 * all rows in order to find three, or sorts half a million to return ten. So the matches are counted first, up to a limit,
 * and their number decides the plan. The times are those of a tenant with 1,000,000 contacts.
 */
export async function runSearch(
  queryable: Queryable,
  searchable: Searchable,
  source: SearchSource,
  tenantId: string,
  request: SearchRequest,
): Promise<SearchResult> {
  const query: SearchQuery = { searchable, source: forNames(source, request), tenantId, request };
  const run: RunStatement = async ({ text, params }) => (await queryable.query(text, params)).rows;

  // Scan in order if there are no conditions: every row matches, so the first rows in order are the page.
  // By createdAt, the page and the count take 7 ms at any depth. By a field without an index, 0.8 to 1.6 s.
  if (isEveryRow(query)) return scanAndCount(query, run);
  // The same if an index has exactly the matches in the order of the page.
  const index = findIndexOfMatches(query);
  if (index) return scanAndCount(withoutNulls(query, index), run);
  if (mayStop(query)) return searchUntilStop(query, run);
  // Without a total, scan in order first: a few rows fill the page of a search with many matches.
  if (!request.withTotal) {
    const rows = await scanWindow(query, run, Math.min(source.window ?? FIRST_WINDOW, FIRST_WINDOW));
    if (rows && !isAfterLast(request, rows)) return toSearchResult(query, rows, undefined);
  }

  // Sort the matches if there are few: indexes find all of them, and sorting them is cheap.
  // One match takes 4 ms, 9,999 matches take 61 ms.
  const { countCap } = query.source;
  const [matches] = await run(sortMatches(query, countCap ?? source.maxSorted ?? MAX_SORTED));
  const { total, ids, keys } = matches as unknown as SortedMatches;
  if (keys) return toSearchResult(query, keys.map(toRow), total);
  if (ids) {
    const rows = ids.length === 0 ? [] : await run(selectRowsById(query, ids));
    return toSearchResult(query, rows, total);
  }

  // Scan in order if there are many: a few rows usually fill the page. If one row in eight matches, it takes 86 ms.
  // Gather ids if the scan has not filled the page after 30,000 rows, because the matches are further on in the order.
  // A label of the oldest 50,000 contacts takes 232 ms; a single statement for it took 2,308 ms.
  const rows = (await scanWindow(query, run, source.window ?? WINDOW)) ?? (await run(gatherIds(query)));
  if (!request.withTotal && !isAfterLast(request, rows)) return toSearchResult(query, rows, undefined);
  return toSearchResult(query, rows, countCap === undefined ? await countAllMatches(query, run) : total);
}

/** The row with a key, if it has nothing but its id, with which a key ends. */
const toRow = (key: Key): Row => ({ id: key.at(-1), [KEY_COLUMN]: key });

/** The source as a search of a part of a name needs it. */
function forNames(source: SearchSource, { search }: SearchRequest): SearchSource {
  const { from, fromForNames = from } = source;
  return search === undefined ? source : { ...source, from: fromForNames };
}

async function scanAndCount(query: SearchQuery, run: RunStatement): Promise<SearchResult> {
  const { request } = query;
  const rows = await run(scanInOrder(query));
  if (!request.withTotal && !isAfterLast(request, rows)) return toSearchResult(query, rows, undefined);
  const total = getTotalOfLastPage(request, rows) ?? (await countRowsOfSource(query, run));
  return toSearchResult(query, rows, total);
}

/** With a field that has no nulls in the index, a cursor is a position in the index. */
function withoutNulls(query: SearchQuery, { sort, hasNoNulls }: OrderIndex): SearchQuery {
  if (!hasNoNulls) return query;
  const { searchable } = query;
  const fields = { ...searchable.fields, [sort]: { ...requireField(searchable, sort), nullable: false } };
  return { ...query, searchable: { ...searchable, fields } };
}

const isEveryRow = ({ request }: SearchQuery): boolean =>
  request.filter === undefined && request.search === undefined;

type RunStatement = (statement: SqlStatement) => Promise<Row[]>;

/** Scans a window of rows in order. Undefined if there is no index for the order, or the window does not fill the page. */
async function scanWindow(query: SearchQuery, run: RunStatement, size: number): Promise<Row[] | undefined> {
  const { request } = query;
  if (!hasIndexOfRows(query)) return undefined;
  const [last] = await run(selectWindowEnd(query, size));
  const end = last?.[KEY_COLUMN] as Key | undefined;
  const rows = await run(scanInOrder(query, end));
  // Without an end, the scan has read all rows: the last page need not be full.
  return end === undefined || rows.length > request.limit ? rows : undefined;
}

/** A page that is not full is the last and shows the total. Undefined if the total must be counted. */
function getTotalOfLastPage({ after, page, limit }: SearchRequest, rows: Row[]): number | undefined {
  const isLast = after === undefined && rows.length <= limit;
  return isLast && !isAfterLast({ after, page }, rows) ? page * limit + rows.length : undefined;
}

/** Whether the page comes after the last one: then it does not show how many matches there are. */
const isAfterLast = ({ after, page }: Pick<SearchRequest, 'after' | 'page'>, rows: Row[]): boolean =>
  after === undefined && page > 0 && rows.length === 0;

/** How many rows the source has, up to the cap and one more. */
async function countRowsOfSource(query: SearchQuery, run: RunStatement): Promise<number> {
  const { appendOnlyKey = '', countCap = Infinity } = query.source;
  if (isBeyondCap(appendOnlyKey)) return countCap + 1;
  const total = await countAllMatches(query, run);
  if (appendOnlyKey !== '' && total > countCap) rememberBeyondCap(appendOnlyKey);
  return total;
}

async function countAllMatches(query: SearchQuery, run: RunStatement): Promise<number> {
  const [row] = await run(countMatches(query));
  return Number(row?.total);
}

/** How many rows match each search, without reading a page; up to the cap and one more if the source has a cap. */
export async function countEach(queryable: Queryable, queries: readonly SearchQuery[]): Promise<number[]> {
  const { text, params } = countMatchesOfEach(queries);
  const [row] = (await queryable.query(text, params)).rows;
  return row?.totals as number[];
}

/** The ids of a tenant's rows that match, at most so many, in no particular order. All are of one moment. */
export async function findMatchingIds(
  queryable: Queryable,
  query: SearchQuery,
  limit: number,
): Promise<string[]> {
  const { text, params } = selectIds(query, limit);
  return (await queryable.query(text, params)).rows.map(({ id }) => id as string);
}

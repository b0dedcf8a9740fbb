import { LRUCache } from 'lru-cache';
import { bindTo, type How } from './compile.ts';
import { type Bind, type FieldTable, requireField, type Searchable, sqlOf } from './fields.ts';
import { compileAfter, compileKey, compileOrder, type Key } from './keyset.ts';
import { type SearchRequest, writeCursor } from './page.ts';
import { conditionsOf, KEY_COLUMN, offsetOf, type Row, readPage, type Search } from './read-page.ts';
import type { SearchEcho, SearchPagination } from './schema.ts';

export interface Queryable {
  query(text: string, values: unknown[]): Promise<{ rows: Row[] }>;
}

/** Where the rows come from. All of it is trusted SQL. */
export interface SearchSource {
  select: string;
  from: string;
  tenantColumn: string;
  /** A condition of the route itself, such as the chat whose messages are searched. */
  where?: (bind: Bind) => string;
  /** Count no further than this: a count reads every row that matches, however many there are. */
  countCap?: number;
  /** Names a source whose rows only become more: once beyond the cap, it need not be counted again. */
  growing?: string;
  /** How many rows that match are sorted, at most, before rows are read in order instead; the cap, where there is one. */
  few?: number;
  /** How many rows are read in order, at most, before it is given up that enough of them match. */
  window?: number;
}

export interface SearchResult {
  rows: Record<string, unknown>[];
  pagination: SearchPagination;
  query: SearchEcho;
}

const FEW = 10_000;
const WINDOW = 30_000;
const REMEMBERED = 10_000;
/** Growing sources that were seen to have more rows than are counted. */
const beyondCap = new LRUCache<string, true>({ max: REMEMBERED });

/**
 * The asked-for page of a tenant's rows, with what the answer says about it. Reads only.
 *
 * Rows that match are found before they are put in order. In one statement the planner would have to guess how many
 * there are, and a wrong guess makes it read everything in the asked order for the sake of three rows, or sort half a
 * million for the sake of ten. Known to be few, they are sorted. Known to be many, rows are read in order until there
 * are enough; only if all those many stand elsewhere, they are sorted too.
 */
export async function runSearch(
  queryable: Queryable,
  searchable: Searchable,
  source: SearchSource,
  tenantId: string,
  request: SearchRequest,
): Promise<SearchResult> {
  const search = { queryable, searchable, source, tenantId, request };
  if (request.filter === undefined && request.search === undefined) {
    const read = await readPage(search, { how: 'row by row' });
    return resultOf(search, read, totalIn(search, read) ?? (await countAll(search)));
  }
  const { countCap } = source;
  const few = await findFew(search, countCap ?? source.few ?? FEW);
  if (few !== undefined) {
    const read = few.ids.length === 0 ? [] : await readPage(search, { among: few.ids });
    return resultOf(search, read, few.total);
  }
  const read = (await readWindow(search)) ?? (await readPage(search, { how: 'by key', afresh: true }));
  return resultOf(search, read, countCap === undefined ? await countRows(search, 'by index') : countCap + 1);
}

/** How many rows match, and the ids of those that the page has; undefined where there are more than `cap`. */
async function findFew(search: Search, cap: number): Promise<{ total: number; ids: string[] } | undefined> {
  const { searchable, source, request } = search;
  const { sort, after } = request;
  const params: unknown[] = [];
  const bind = bindTo(params);
  // What is sorted by is read together with the rows, which need not be looked up again to be put in order.
  const fields: FieldTable = {};
  const columns = sort.map(({ field: name }, index) => {
    const field = requireField(searchable, name);
    fields[name] = { ...field, sql: `found.sorted${index}` };
    return `${sqlOf(field, bind)} as sorted${index}`;
  });
  const found = { ...searchable, fields };
  const where = conditionsOf(search, { how: 'by index', most: cap + 1 }, bind).join(' and ');
  const beyond = after === undefined ? 'true' : compileAfter(sort, after, found, bind);
  const { rows } = await search.queryable.query(
    `with found as materialized (select ${columns.join(', ')} from ${source.from} where ${where} limit ${cap + 1}),
     counted as (select count(*)::int as total from found)
     select total, case when total <= ${cap} then array(
         select found.sorted${sort.length - 1}::text from found where ${beyond} order by ${compileOrder(sort, found, bind)}
          limit ${bind(request.limit + 1)}::int offset ${bind(offsetOf(request))}::int) end as ids from counted`,
    params,
  );
  const { total, ids } = rows[0] as { total: number; ids: string[] | null };
  return ids === null ? undefined : { total, ids };
}

/** How many rows the source has, as far as they are counted. */
async function countAll(search: Search): Promise<number> {
  const { growing = '', countCap = Infinity } = search.source;
  if (beyondCap.has(growing)) return countCap + 1;
  const total = await countRows(search, 'row by row');
  if (growing !== '' && total > countCap) beyondCap.set(growing, true);
  return total;
}

/** How many rows match; one more than the cap where there are more than that. */
async function countRows(search: Search, how: How): Promise<number> {
  const { source, queryable } = search;
  const params: unknown[] = [];
  const text = `from ${source.from} where ${conditionsOf(search, { how }, bindTo(params)).join(' and ')}`;
  const { rows } = await queryable.query(
    source.countCap === undefined
      ? `select count(*)::float8 as total ${text}`
      : `select count(*)::float8 as total from (select 1 ${text} limit ${source.countCap + 1}) capped`,
    params,
  );
  return Number(rows[0]?.total);
}

/** The total, where the page shows it: it is the first that is not full. */
function totalIn({ request }: Search, read: Row[]): number | undefined {
  const isLast = request.after === undefined && read.length <= request.limit;
  return isLast && (read.length > 0 || request.page === 0)
    ? request.page * request.limit + read.length
    : undefined;
}

/** The page, read in the order of its index; undefined where the window that was read has too few that match. */
async function readWindow(search: Search): Promise<Row[] | undefined> {
  const { queryable, searchable, source, tenantId, request } = search;
  const [by, tie] = request.sort;
  if (by?.field !== 'createdAt' || tie?.field !== 'id' || by.direction !== tie.direction) return undefined;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const conditions = conditionsOf(search, {}, bind);
  if (request.after) conditions.push(compileAfter(request.sort, request.after, searchable, bind));
  const { rows } = await queryable.query(
    // Of the rows before it nothing but the index is read.
    `select ${compileKey(request.sort, searchable, bind)} as "${KEY_COLUMN}" from ${source.from}
      where ${source.tenantColumn} = ${bind(tenantId)} and ${searchable.id} = (
        select ${searchable.id} from ${source.from} where ${conditions.join(' and ')}
         order by ${compileOrder(request.sort, searchable, bind)} limit 1 offset ${source.window ?? WINDOW})`,
    params,
  );
  const upTo = rows[0]?.[KEY_COLUMN] as Key | undefined;
  const read = await readPage(search, { how: 'row by row', ...(upTo ? { upTo } : {}) });
  return upTo === undefined || read.length > request.limit ? read : undefined;
}

function resultOf({ source: { countCap }, request }: Search, read: Row[], total: number): SearchResult {
  const page = read.slice(0, request.limit);
  const lastKey = page.at(-1)?.[KEY_COLUMN] as Key | undefined;
  const isCapped = countCap !== undefined && total > countCap;
  return {
    rows: page.map(({ [KEY_COLUMN]: _, ...row }) => row),
    pagination: {
      page: request.page,
      limit: request.limit,
      total: isCapped ? countCap : total,
      ...(isCapped ? { totalIsCapped: true } : {}),
      nextCursor: read.length > page.length && lastKey !== undefined ? writeCursor(request, lastKey) : null,
    },
    query: request.echo,
  };
}

import { bindTo, compileWhere, type How } from './compile.ts';
import type { Bind, Searchable } from './fields.ts';
import { requireField, sqlOf } from './fields.ts';
import { compileAfter, compileKey, compileOrder, compileUpTo, type Key } from './keyset.ts';
import type { SearchRequest } from './page.ts';
import type { Queryable, SearchSource } from './run-search.ts';

export type Row = Record<string, unknown>;

export interface Search {
  queryable: Queryable;
  searchable: Searchable;
  source: SearchSource;
  tenantId: string;
  request: SearchRequest;
}

/** Which rows are looked at, and how. */
export interface Reading {
  /** How it is found out which rows match; left out: it does not matter whether they do. */
  how?: How;
  /** So many rows that match are enough; which of them does not matter. */
  most?: number;
  /** Only these, which are known to match. */
  among?: string[];
  /** Only rows up to this place in the order. */
  upTo?: Key;
  /** Sorted after they are found, and not read in the order of an index. */
  afresh?: boolean;
}

/** The column that carries a row's place in the order. */
export const KEY_COLUMN = '$key';

/** Conditions that all must be true of the rows that are looked at, the tenant's first. */
export function conditionsOf(
  { searchable, source, tenantId, request }: Search,
  { how, most, among }: Reading,
  bind: Bind,
): string[] {
  const conditions = [`${source.tenantColumn} = ${bind(tenantId)}`];
  if (source.where !== undefined) conditions.push(`(${source.where(bind)})`);
  if (among !== undefined) conditions.push(`${searchable.id} = any(${bind(among)}::uuid[])`);
  if (how !== undefined) conditions.push(...compileWhere(request, searchable, bind, how, most));
  return conditions;
}

/** How many rows are skipped: none, where a cursor says where to go on. */
export const offsetOf = ({ after, page, limit }: SearchRequest): number =>
  after === undefined ? page * limit : 0;

/** The rows of a page and one more, if there is one: it tells that there is a next page. */
export async function readPage(search: Search, reading: Reading): Promise<Row[]> {
  const { queryable, source, request } = search;
  const { sort, after, limit } = request;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const { joins, searchable } = reading.among ? { joins: '', ...search } : joinSorted(search, bind);
  const conditions = conditionsOf(search, reading, bind);
  if (after !== undefined) conditions.push(compileAfter(sort, after, searchable, bind));
  if (reading.upTo !== undefined) conditions.push(compileUpTo(sort, reading.upTo, searchable, bind));
  const key = compileKey(sort, searchable, bind);
  const order = compileOrder(sort, searchable, bind, reading.afresh);
  // What is known by id is the page already.
  const offset = reading.among ? 0 : offsetOf(request);
  const { rows } = await queryable.query(
    `select ${source.select}, ${key} as "${KEY_COLUMN}" from ${source.from}${joins} where ${conditions.join(' and ')}
      order by ${order} limit ${bind(limit + 1)}::int offset ${bind(offset)}::int`,
    params,
  );
  return rows;
}

/** Joins the tables of values that are sorted by: a look at each of a million values alone takes half a minute. */
function joinSorted({ searchable, request }: Search, bind: Bind): { joins: string; searchable: Searchable } {
  let joins = '';
  const fields = { ...searchable.fields };
  for (const [index, { field: name }] of request.sort.entries()) {
    const field = requireField(searchable, name);
    if (field.aside === undefined) continue;
    joins += ` left join lateral ${sqlOf(field, bind)} sorted${index} (value) on true`;
    fields[name] = { ...field, sql: `sorted${index}.value` };
  }
  return { joins, searchable: { ...searchable, fields } };
}

import type { Bind, Searchable } from '../fields.ts';
import type { Filter } from '../grammar/filter.ts';
import type { SearchQuery } from '../query.ts';
import { getOffset } from '../request.ts';
import { compileIndexFilter } from '../sql/index-filter.ts';
import { compileAfter, compileKey, KEY_COLUMN } from '../sql/key.ts';
import { compileUnindexedOrder } from '../sql/order.ts';
import { compileRowFilter } from '../sql/row-filter.ts';
import { compileScope } from '../sql/scope.ts';
import { compileIndexSearch } from '../sql/search.ts';
import { joinSortedValues } from '../sql/sorted-values.ts';
import { bindTo, type SqlStatement } from '../sql/statement.ts';
import { compileIdInArray, compileIdLookup, type IdLookup, splitIdLookups } from '../sql/value-tables.ts';

/** Gathers the ids of all rows that match from the value tables, fetches these rows by id, and sorts them. */
export function gatherIds(query: SearchQuery): SqlStatement {
  const { source, request } = query;
  const { filter, search, sort, after, limit } = request;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const { joins, searchable } = joinSortedValues(sort, query.searchable, bind);
  const conditions = compileScope(query, bind);
  if (filter !== undefined) conditions.push(compileGatheredFilter(filter, query.searchable, bind));
  if (search !== undefined) conditions.push(compileIndexSearch(search, query.searchable, bind));
  if (after !== undefined) conditions.push(compileAfter(sort, after, searchable, bind));
  const key = compileKey(sort, searchable, bind);
  const order = compileUnindexedOrder(sort, searchable, bind);
  const text = `select ${source.select}, ${key} as "${KEY_COLUMN}" from ${source.from}${joins} where ${conditions.join(' and ')}
      order by ${order} limit ${bind(limit + 1)}::int offset ${bind(getOffset(request))}::int`;
  return { text, params };
}

/** Conditions that no value table answers are checked for each of the rows found by id. */
function compileGatheredFilter(filter: Filter, searchable: Searchable, bind: Bind): string {
  const { lookups, rest } = splitIdLookups(filter, searchable);
  const [first, ...others] = lookups;
  if (first === undefined) return compileIndexFilter(filter, searchable, bind);
  const conditions = [
    compileIdInArray(searchable, intersectIdLookups(first, others, bind)),
    ...rest.map((condition) => compileRowFilter(condition, searchable, bind)),
  ];
  return `(${conditions.join(' and ')})`;
}

/** Written without `intersect`, which would read all look-ups in full: here the planner chooses which to start with. */
function intersectIdLookups(first: IdLookup, others: IdLookup[], bind: Bind): string {
  const ids = compileIdLookup(first, bind);
  if (others.length === 0) return ids;
  const isInOthers = others.map((lookup) => `keys.id in (${compileIdLookup(lookup, bind)})`).join(' and ');
  return `select keys.id from (${ids}) as keys (id) where ${isInOthers}`;
}

import type { SearchQuery } from '../query.ts';
import { getOffset } from '../request.ts';
import { compileAfter, compileKey, compileUpTo, KEY_COLUMN, type Key } from '../sql/key.ts';
import { compileOrder } from '../sql/order.ts';
import { compileRowFilter } from '../sql/row-filter.ts';
import { compileScope } from '../sql/scope.ts';
import { compileRowSearch } from '../sql/search.ts';
import { joinSortedValues } from '../sql/sorted-values.ts';
import { bindTo, type SqlStatement } from '../sql/statement.ts';

/**
 * Reads rows in the order of the page and checks each, until the page and one more row are found, or until the row at
 * `end` if there is one.
 */
export function scanInOrder(query: SearchQuery, end?: Key): SqlStatement {
  const { source, request } = query;
  const { filter, search, sort, after, limit } = request;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const { joins, searchable } = joinSortedValues(sort, query.searchable, bind);
  const conditions = compileScope(query, bind);
  if (filter !== undefined) conditions.push(compileRowFilter(filter, query.searchable, bind));
  if (search !== undefined) conditions.push(compileRowSearch(search, query.searchable, bind));
  if (after !== undefined) conditions.push(compileAfter(sort, after, searchable, bind));
  if (end !== undefined) conditions.push(compileUpTo(sort, end, searchable, bind));
  const key = compileKey(sort, searchable, bind);
  const order = compileOrder(sort, searchable, bind);
  const text = `select ${source.select}, ${key} as "${KEY_COLUMN}" from ${source.from}${joins} where ${conditions.join(' and ')}
      order by ${order} limit ${bind(limit + 1)}::int offset ${bind(getOffset(request))}::int`;
  return { text, params };
}

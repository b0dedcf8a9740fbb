import type { SearchQuery } from '../query.ts';
import { compileAfter, compileUpTo, type Key } from '../sql/key.ts';
import { compileOrder } from '../sql/order.ts';
import { compileRowFilter } from '../sql/row-filter.ts';
import { compileScope } from '../sql/scope.ts';
import { compileRowSearch } from '../sql/search.ts';
import { bindTo, type SqlStatement } from '../sql/statement.ts';

/** The one row that the statement returns. */
export interface FoundInWindow {
  total: number;
  ids: string[];
}

/** Which matches in a window are wanted: `max` are counted at most, of which the ids of some are returned. */
interface WantedMatches {
  max: number;
  limit: number;
  offset: number;
}

/** Counts the rows of a window that match, and returns the ids of some of them, in order. The window is the rows up to `end`. */
export function findInWindow(query: SearchQuery, end: Key | undefined, wanted: WantedMatches): SqlStatement {
  const { searchable, source, request } = query;
  const { filter, search, sort, after } = request;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const conditions = compileScope(query, bind);
  if (filter !== undefined) conditions.push(compileRowFilter(filter, searchable, bind));
  if (search !== undefined) conditions.push(compileRowSearch(search, searchable, bind));
  if (after !== undefined) conditions.push(compileAfter(sort, after, searchable, bind));
  if (end !== undefined) conditions.push(compileUpTo(sort, end, searchable, bind));
  const text = `with found as materialized (
       select ${searchable.id} as id, row_number() over (order by ${compileOrder(sort, searchable, bind)}) as number
         from ${source.from} where ${conditions.join(' and ')}
        order by ${compileOrder(sort, searchable, bind)} limit ${bind(wanted.max)}::int)
     select (select count(*)::int from found) as total, array(
       select id::text from found order by number limit ${bind(wanted.limit)}::int offset ${bind(wanted.offset)}::int) as ids`;
  return { text, params };
}

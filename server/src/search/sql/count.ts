import type { SearchQuery } from '../query.ts';
import { compileIndexFilter } from './index-filter.ts';
import { compileScope } from './scope.ts';
import { compileIndexSearch } from './search.ts';
import { bindTo, type SqlStatement } from './statement.ts';

/** Counts the rows that match; up to the cap and one more if the source has a cap. */
export function countMatches(query: SearchQuery): SqlStatement {
  const { searchable, source, request } = query;
  const { filter, search } = request;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const conditions = compileScope(query, bind);
  if (filter !== undefined) conditions.push(compileIndexFilter(filter, searchable, bind));
  if (search !== undefined) conditions.push(compileIndexSearch(search, searchable, bind));
  const matches = `from ${source.from} where ${conditions.join(' and ')}`;
  const text =
    source.countCap === undefined
      ? `select count(*)::float8 as total ${matches}`
      : `select count(*)::float8 as total from (select 1 ${matches} limit ${source.countCap + 1}) capped`;
  return { text, params };
}

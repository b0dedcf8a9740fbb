import type { Bind } from '../fields.ts';
import type { SearchQuery } from '../query.ts';
import { compileIndexFilter } from './index-filter.ts';
import { compileScope } from './scope.ts';
import { compileIndexSearch } from './search.ts';
import { bindTo, type SqlStatement } from './statement.ts';

/** Counts the rows that match; up to the cap and one more if the source has a cap. */
export function countMatches(query: SearchQuery): SqlStatement {
  const params: unknown[] = [];
  return { text: `select ${compileCount(query, bindTo(params))} as total`, params };
}

/** Counts the rows that match each of several searches, in one statement, as the numbers in one array. */
export function countMatchesOfEach(queries: readonly SearchQuery[]): SqlStatement {
  const params: unknown[] = [];
  const bind = bindTo(params);
  return {
    text: `select array[${queries.map((query) => compileCount(query, bind)).join(', ')}] as totals`,
    params,
  };
}

function compileCount(query: SearchQuery, bind: Bind): string {
  const { searchable, source, request } = query;
  const { filter, search } = request;
  const conditions = compileScope(query, bind);
  if (filter !== undefined) conditions.push(compileIndexFilter(filter, searchable, bind));
  if (search !== undefined) conditions.push(compileIndexSearch(search, searchable, bind));
  const matches = `from ${source.from} where ${conditions.join(' and ')}`;
  return source.countCap === undefined
    ? `(select count(*)::float8 ${matches})`
    : `(select count(*)::float8 from (select 1 ${matches} limit ${source.countCap + 1}) capped)`;
}

import type { SearchQuery } from '../query.ts';
import { compileIndexFilter } from './index-filter.ts';
import { compileScope } from './scope.ts';
import { bindTo, type SqlStatement } from './statement.ts';

/** Selects the ids of rows that match, in no particular order. */
export function selectIds(query: SearchQuery, limit: number): SqlStatement {
  const { searchable, source, request } = query;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const conditions = compileScope(query, bind);
  if (request.filter !== undefined) conditions.push(compileIndexFilter(request.filter, searchable, bind));
  const text = `select ${searchable.id} as id from ${source.from} where ${conditions.join(' and ')} limit ${bind(limit)}::int`;
  return { text, params };
}

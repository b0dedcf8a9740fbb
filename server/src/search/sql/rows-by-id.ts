import type { SearchQuery } from '../query.ts';
import { compileAfter, compileKey, KEY_COLUMN } from './key.ts';
import { compileOrder } from './order.ts';
import { compileScope } from './scope.ts';
import { bindTo, type SqlStatement } from './statement.ts';

/** Reads the rows of a page whose ids are known, in order. */
export function selectRowsById(query: SearchQuery, ids: string[]): SqlStatement {
  const { searchable, source, request } = query;
  const { sort, after, limit } = request;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const conditions = [...compileScope(query, bind), `${searchable.id} = any(${bind(ids)}::uuid[])`];
  if (after !== undefined) conditions.push(compileAfter(sort, after, searchable, bind));
  const key = compileKey(sort, searchable, bind);
  const order = compileOrder(sort, searchable, bind);
  const text = `select ${source.select}, ${key} as "${KEY_COLUMN}" from ${source.from} where ${conditions.join(' and ')}
      order by ${order} limit ${bind(limit + 1)}::int offset ${bind(0)}::int`;
  return { text, params };
}

import type { SearchQuery } from '../query.ts';
import { compileAfter, compileKey, KEY_COLUMN } from './key.ts';
import { compileOrder } from './order.ts';
import { compileScope } from './scope.ts';
import { bindTo, type SqlStatement } from './statement.ts';

/** Reads the key at which a window of rows ends: of the row that has `size` rows before it. No row if there are fewer. */
export function selectWindowEnd(query: SearchQuery, size: number): SqlStatement {
  const { searchable, source, tenantId, request } = query;
  const { sort, after } = request;
  const params: unknown[] = [];
  const bind = bindTo(params);
  const conditions = compileScope(query, bind);
  if (after !== undefined) conditions.push(compileAfter(sort, after, searchable, bind));
  const key = compileKey(sort, searchable, bind);
  // The inner query reads the index only; the outer one reads the row at the end.
  const text = `select ${key} as "${KEY_COLUMN}" from ${source.from}
      where ${source.tenantColumn} = ${bind(tenantId)} and ${searchable.id} = (
        select ${searchable.id} from ${source.from} where ${conditions.join(' and ')}
         order by ${compileOrder(sort, searchable, bind)} limit 1 offset ${size})`;
  return { text, params };
}

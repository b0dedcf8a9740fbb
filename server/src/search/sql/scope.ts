import type { Bind } from '../fields.ts';
import type { SearchQuery } from '../query.ts';

/** The conditions that every statement of a search has: the tenant's first, then the route's. */
export function compileScope({ source, tenantId }: SearchQuery, bind: Bind): string[] {
  const conditions = [`${source.tenantColumn} = ${bind(tenantId)}`];
  if (source.where !== undefined) conditions.push(`(${source.where(bind)})`);
  return conditions;
}

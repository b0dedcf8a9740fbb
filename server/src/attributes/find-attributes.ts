import type { Queryable, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { AttributeType } from './schema.ts';

/** What is needed to judge and to compare values of an attribute. */
export interface AttributeKind {
  id: string;
  external_id: string;
  type: AttributeType;
  options: string[];
}

const attributesByName = statement<[tenantId: string, ids: string[], externalIds: string[]], AttributeKind>(
  'attributes.by_name',
  `select id, external_id, type, options from attributes
    where tenant_id = $1 and (id = any ($2::uuid[]) or external_id = any ($3::text[])) for key share`,
);
const attributesOfTenant = statement<[tenantId: string], AttributeKind>(
  'attributes.of_tenant',
  'select id, external_id, type, options from attributes where tenant_id = $1 order by created_at, id',
);

/**
 * Attributes by either of their names, each under both: the id in lower case and the externalId. Nobody can delete them
 * before the transaction ends, so that values can be stored.
 */
export async function findAttributes(
  tx: Tx,
  tenantId: string,
  names: { ids?: string[]; externalIds?: string[] },
): Promise<Map<string, AttributeKind>> {
  const { ids = [], externalIds = [] } = names;
  if (ids.length + externalIds.length === 0) return new Map();
  const rows = await tx.all(attributesByName, [tenantId, ids, [...new Set(externalIds)]]);
  return new Map(rows.flatMap((row) => [row.id, row.external_id].map((name) => [name, row])));
}

export const attributesOf = (db: Queryable, tenantId: string): Promise<AttributeKind[]> =>
  db.all(attributesOfTenant, [tenantId]);

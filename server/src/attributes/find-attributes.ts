import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import type { AttributeType } from './schema.ts';

/** What is needed to validate and to compare values of an attribute. */
export interface AttributeKind {
  id: string;
  external_id: string;
  type: AttributeType;
  options: string[];
}

const attributesByIds = statement<[ids: string[], externalIds: string[]], AttributeKind>(
  'attributes.by_ids',
  `select id, external_id, type, options from attributes
    where tenant_id = $tenant and (id = any ($1::uuid[]) or external_id = any ($2::text[])) order by id for key share`,
);
const attributesOfTenant = statement<[], AttributeKind>(
  'attributes.of_tenant',
  'select id, external_id, type, options from attributes where tenant_id = $tenant order by created_at, id',
);

/**
 * Finds attributes by id or externalId and returns each under both, the id in lower case. They are locked, so that they
 * cannot be deleted before the transaction stores values.
 */
export async function findAttributes(
  tx: TenantTx,
  { ids = [], externalIds = [] }: { ids?: string[]; externalIds?: string[] },
): Promise<Map<string, AttributeKind>> {
  if (ids.length + externalIds.length === 0) return new Map();
  const rows = await tx.all(attributesByIds, [ids, [...new Set(externalIds)]]);
  return new Map(rows.flatMap((row) => [row.id, row.external_id].map((key) => [key, row])));
}

export const attributesOf = (db: TenantReader): Promise<AttributeKind[]> => db.all(attributesOfTenant, []);

import { newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const labelsByName = statement<[names: string[]], { name: string; id: string }>(
  'labels.by_name',
  `select given.name, l.id from unnest($1::text[]) as given (name)
     join labels l on l.tenant_id = $tenant and lower(l.name) = lower(given.name)
    order by l.id for key share of l`,
);
const insertLabels = statement<[names: string[], ids: string[], now: Date]>(
  'labels.insert_missing',
  `insert into labels (id, tenant_id, name, created_at, updated_at)
   select l.id, $tenant, l.name, $3, $3 from unnest($1::text[], $2::uuid[]) with ordinality as l (name, id, number)
    order by lower(l.name), l.number
   on conflict (tenant_id, lower(name)) do nothing`,
);

/** Returns the ids of the labels that exist, by their names, which are not case-sensitive. They are locked. */
export const findLabels = async (tx: TenantTx, names: readonly string[]): Promise<Map<string, string>> =>
  names.length === 0
    ? new Map()
    : new Map((await tx.all(labelsByName, [[...new Set(names)]])).map((row) => [row.name, row.id]));

/**
 * Returns the ids of labels by their names, which are not case-sensitive. Missing ones are created. All are locked until
 * the transaction ends.
 */
export async function findOrCreateLabels(tx: TenantTx, names: string[]): Promise<Map<string, string>> {
  const given = [...new Set(names)];
  const known = await findLabels(tx, given);
  const missing = given.filter((name) => !known.has(name));
  if (missing.length === 0) return known;
  await tx.run(insertLabels, [missing, missing.map(() => newId()), tx.now]);
  return findLabels(tx, given);
}

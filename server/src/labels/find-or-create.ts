import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const labelsByName = statement<[tenantId: string, names: string[]], { name: string; id: string }>(
  'labels.by_name',
  `select given.name, l.id from unnest($2::text[]) as given (name)
     join labels l on l.tenant_id = $1 and lower(l.name) = lower(given.name)
      for key share of l`,
);
const insertLabels = statement<[tenantId: string, names: string[], ids: string[], now: Date]>(
  'labels.insert_missing',
  `insert into labels (id, tenant_id, name, created_at, updated_at)
   select l.id, $1, l.name, $4, $4 from unnest($2::text[], $3::uuid[]) with ordinality as l (name, id, number)
    order by lower(l.name), l.number
   on conflict (tenant_id, lower(name)) do nothing`,
);

/** The ids of labels by their names, whatever the case; those that are not there are made. They stay until the transaction ends. */
export async function findOrCreateLabels(
  tx: Tx,
  tenantId: string,
  names: string[],
  now: Date,
): Promise<Map<string, string>> {
  const given = [...new Set(names)];
  const find = async (): Promise<Map<string, string>> =>
    new Map((await tx.all(labelsByName, [tenantId, given])).map((row) => [row.name, row.id]));
  if (given.length === 0) return new Map();
  const known = await find();
  const missing = given.filter((name) => !known.has(name));
  if (missing.length === 0) return known;
  await tx.run(insertLabels, [tenantId, missing, missing.map(() => newId()), now]);
  return find();
}

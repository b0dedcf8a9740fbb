import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { Label } from './schema.ts';

interface LabelRow {
  id: string;
  name: string;
  color: string | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, name, color, created_at, updated_at';

const insertLabel = statement<[id: string, name: string, color: string | null, now: Date], LabelRow>(
  'labels.insert',
  `insert into labels (id, tenant_id, name, color, created_at, updated_at) values ($1, $tenant, $2, $3, $4, $4)
   on conflict (tenant_id, lower(name)) do nothing returning ${COLUMNS}`,
);
const updateLabel = statement<
  [id: string, name: string | null, setColor: boolean, color: string | null, now: Date],
  LabelRow
>(
  'labels.update',
  `update labels set name = coalesce($2, name), color = case when $3 then $4 else color end, updated_at = $5
    where id = $1 and tenant_id = $tenant returning ${COLUMNS}`,
);
const deleteLabel = statement<[id: string]>(
  'labels.delete',
  'delete from labels where id = $1 and tenant_id = $tenant',
);

export const presentLabel = (row: LabelRow): Label => ({
  id: row.id,
  name: row.name,
  color: row.color,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const taken = (name: string) => invalidParam('name', 'custom', `There is already a label "${name}"`);

/** Creates a label. If several requests create the same one at once, one succeeds. */
export async function createLabel(
  tx: TenantTx,
  { name, color = null }: { name: string; color?: string | null },
): Promise<Label> {
  const row = await tx.find(insertLabel, [newId(), name, color, tx.now]);
  if (!row) throw taken(name);
  return presentLabel(row);
}

export async function changeLabel(
  tx: TenantTx,
  labelId: string,
  change: { name?: string; color?: string | null },
): Promise<Label> {
  if (!isUuid(labelId)) throw new ApiError('label_not_found');
  const { name, color } = change;
  const row = await tx
    .find(updateLabel, [labelId, name ?? null, color !== undefined, color ?? null, tx.now])
    .catch((error) => {
      throw isUniqueViolation(error, 'labels_name') ? taken(name as string) : error;
    });
  if (!row) throw new ApiError('label_not_found');
  return presentLabel(row);
}

/** Deletes a label, also from every contact, and returns whether it existed. */
export async function removeLabel(tx: TenantTx, labelId: string): Promise<boolean> {
  return isUuid(labelId) && (await tx.run(deleteLabel, [labelId])) === 1;
}

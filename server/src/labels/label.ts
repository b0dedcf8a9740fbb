import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { isUniqueViolation } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { Label } from './schema.ts';

export interface LabelRow {
  id: string;
  name: string;
  color: string | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, name, color, created_at, updated_at';

const insertLabel = statement<
  [id: string, tenantId: string, name: string, color: string | null, now: Date],
  LabelRow
>(
  'labels.insert',
  `insert into labels (id, tenant_id, name, color, created_at, updated_at) values ($1, $2, $3, $4, $5, $5)
   on conflict (tenant_id, lower(name)) do nothing returning ${COLUMNS}`,
);
const updateLabel = statement<
  [id: string, tenantId: string, name: string | null, setColor: boolean, color: string | null, now: Date],
  LabelRow
>(
  'labels.update',
  `update labels set name = coalesce($3, name), color = case when $4 then $5 else color end, updated_at = $6
    where id = $1 and tenant_id = $2 returning ${COLUMNS}`,
);
const deleteLabel = statement<[id: string, tenantId: string]>(
  'labels.delete',
  'delete from labels where id = $1 and tenant_id = $2',
);

export const presentLabel = (row: LabelRow): Label => ({
  id: row.id,
  name: row.name,
  color: row.color,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const taken = (name: string) => invalidParam('name', 'custom', `There is already a label "${name}"`);

/** Makes a label. Of many who make the same one at once, one succeeds. */
export async function createLabel(
  tx: Tx,
  tenantId: string,
  { name, color = null }: { name: string; color?: string | null },
  now: Date,
): Promise<Label> {
  const row = await tx.find(insertLabel, [newId(), tenantId, name, color, now]);
  if (!row) throw taken(name);
  return presentLabel(row);
}

export async function changeLabel(
  tx: Tx,
  tenantId: string,
  labelId: string,
  change: { name?: string; color?: string | null },
  now: Date,
): Promise<Label> {
  if (!isUuid(labelId)) throw new ApiError('label_not_found');
  const { name, color } = change;
  const row = await tx
    .find(updateLabel, [labelId, tenantId, name ?? null, color !== undefined, color ?? null, now])
    .catch((error) => {
      throw isUniqueViolation(error, 'labels_name') ? taken(name as string) : error;
    });
  if (!row) throw new ApiError('label_not_found');
  return presentLabel(row);
}

/** Deletes a label, from every contact too, and says whether it was there. */
export async function removeLabel(tx: Tx, tenantId: string, labelId: string): Promise<boolean> {
  return isUuid(labelId) && (await tx.run(deleteLabel, [labelId, tenantId])) === 1;
}

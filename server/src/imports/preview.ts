import { keyOf } from '../contacts/handles/owners.ts';
import {
  type EarlierRows,
  type ImportCounts,
  type ImportOptions,
  previewImport,
} from '../contacts/import/import-contacts.ts';
import type { ImportedContact } from '../contacts/import/resolve-rows.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { HandleType } from '../providers/kinds.ts';

/** So many are deleted in one transaction. */
const MAX_FORGOTTEN = 10_000;

const ownersOf = statement<
  [importId: string, types: string[], values: string[]],
  { type: HandleType; value: string; owner_id: string }
>(
  'import_handles.owners',
  `select h.type, h.value, h.owner_id from unnest($2::text[], $3::text[]) as given (type, value)
     join import_handles h on h.import_id = $1 and h.type = given.type and h.value = given.value
    where (h.tenant_id = $tenant) is true`,
);
const countByOwner = statement<[importId: string, ownerIds: string[]], { owner_id: string; count: number }>(
  'import_handles.count_by_owner',
  `select owner_id, count(*)::int as count from import_handles
    where import_id = $1 and owner_id = any ($2::uuid[]) and (tenant_id = $tenant) is true group by owner_id`,
);
const insertHandles = statement<[importId: string, types: string[], values: string[], ownerIds: string[]]>(
  'import_handles.insert',
  `insert into import_handles (import_id, tenant_id, type, value, owner_id)
   select $1, $tenant, n.type, n.value, n.owner_id from unnest($2::text[], $3::text[], $4::uuid[]) as n (type, value, owner_id)`,
);
const deleteSome = statement<[importId: string]>(
  'import_handles.delete_some',
  `delete from import_handles where ctid = any (array(
     select ctid from import_handles where import_id = $1 and tenant_id = $tenant limit ${MAX_FORGOTTEN}))`,
);

const deleteEnded = systemStatement(
  'import_handles.delete_ended',
  // From the imports, of which there are few.
  `delete from import_handles where ctid = any (array(
     select h.ctid from imports i join jobs j on j.id = i.id and j.tenant_id = i.tenant_id and j.ended_at is not null
       join import_handles h on h.import_id = i.id
      where i.is_dry_run limit ${MAX_FORGOTTEN}))`,
);

/** What the earlier batches of a dry run would have stored. */
const earlierRows = (tx: TenantTx, importId: string): EarlierRows => ({
  async findOwners(handles) {
    const types = handles.map(({ type }) => type);
    const rows = await tx.all(ownersOf, [importId, types, handles.map(({ value }) => value)]);
    return new Map(rows.map((row) => [keyOf(row), row.owner_id]));
  },
  async countHandles(ownerIds) {
    const rows = await tx.all(countByOwner, [importId, [...ownerIds]]);
    return new Map(rows.map(({ owner_id, count }) => [owner_id, count]));
  },
});

/** What a batch would do after those before it, as later ones will know. Nothing of it but this is stored. */
export async function previewBatch(
  tx: TenantTx,
  { id, options }: { id: string; options: Pick<ImportOptions, 'existing'> },
  contacts: readonly ImportedContact[],
): Promise<ImportCounts> {
  const { added, ...counts } = await previewImport(tx, contacts, options, earlierRows(tx, id));
  if (added.length > 0)
    await tx.run(insertHandles, [
      id,
      added.map(({ type }) => type),
      added.map(({ value }) => value),
      added.map(({ ownerId }) => ownerId),
    ]);
  return counts;
}

/** Deletes some of what was kept of a dry run, and returns whether nothing is left. */
export const forgetPreview = async (tx: TenantTx, importId: string): Promise<boolean> =>
  (await tx.run(deleteSome, [importId])) < MAX_FORGOTTEN;

/** Deletes what was kept of dry runs that were cancelled or have failed. */
export async function forgetEndedPreviews(db: Pick<Queryable, 'run'>): Promise<void> {
  while ((await db.run(deleteEnded, [])) === MAX_FORGOTTEN);
}

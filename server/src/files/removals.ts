import type { Database } from '../db/database.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import { DUE_NOW, type QueueRow } from '../engine/queue.ts';
import type { Outcome } from '../engine/scheduler.ts';
import type { FileStore } from './store.ts';

const lockRows = statement<[ids: string[]], { id: string }>(
  'file_removals.lock',
  // Waits for a transaction that is creating the file of a row: then the row is gone.
  'select id from file_removals where id = any ($1::uuid[]) and tenant_id = $tenant order by id for update',
);
const deleteRows = statement<[ids: string[]]>(
  'file_removals.delete',
  'delete from file_removals where id = any ($1::uuid[]) and tenant_id = $tenant',
);
const abandonAll = systemStatement<[]>(
  'file_removals.abandon_all',
  `update file_removals set due_at = ${DUE_NOW} where due_at > ${DUE_NOW}`,
);

interface RemovalDeps {
  db: Database;
  store: FileStore;
}

/**
 * Removes the bytes of deleted files, of interrupted uploads, and of deleted tenants. The rows stay locked meanwhile: an
 * upload that ends after its time fails instead of creating a file without bytes.
 */
export async function removeStoredFiles({ db, store }: RemovalDeps, rows: QueueRow[]): Promise<Outcome> {
  const tenantId = (rows[0] as QueueRow).tenant_id;
  await db.forTenant(tenantId).transaction(async (tx) => {
    const ids = (await tx.all(lockRows, [rows.map((row) => row.id)])).map((row) => row.id);
    for (const id of ids) await store.remove(id);
    await tx.run(deleteRows, [ids]);
  });
  return 'ok';
}

/** Makes every unfinished upload due for removal. Only for a sole process at its start: no other can be receiving. */
export async function abandonUploads(db: Queryable): Promise<void> {
  await db.run(abandonAll, []);
}

import type { Database, Queryable } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { AT_ONCE, declareQueue, type QueueRow } from '../engine/queue.ts';
import { type Work, work } from '../engine/runner.ts';
import type { FileStore } from './store.ts';

export const REMOVALS_LIST = 'file_removals';

const removals = declareQueue<QueueRow>({
  name: REMOVALS_LIST,
  table: 'file_removals',
  lane: 'tenant_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'true',
  claim: `select id, tenant_id from file_removals
           where shard = $1 and tenant_id = $2 and due_at <= $3 order by due_at, id limit $4`,
  batch: 50,
  perLane: 1,
  atOnce: 4,
});

/** Waits for whoever is making a file of one right now: then it is no longer listed. */
const lock = statement<[ids: string[], tenantId: string], { id: string }>(
  'file_removals.lock',
  'select id from file_removals where id = any ($1::uuid[]) and tenant_id = $2 order by id for update',
);
const strike = statement<[ids: string[], tenantId: string]>(
  'file_removals.strike',
  'delete from file_removals where id = any ($1::uuid[]) and tenant_id = $2',
);
const abandonAll = statement<[]>(
  'file_removals.abandon_all',
  `update file_removals set due_at = ${AT_ONCE} where due_at > ${AT_ONCE}`,
);

/**
 * Removes the bytes of deleted files, of uploads that were broken off, and of tenants that are gone. While it does, the
 * rows are locked: an upload that is finished after its time finds that it is too late, and not a file without bytes.
 */
export function removeStored(db: Database, store: FileStore): Work {
  return work(removals, async (rows) => {
    const tenantId = (rows[0] as QueueRow).tenant_id;
    await db.transaction(async (tx) => {
      const locked = await tx.all(lock, [rows.map((row) => row.id), tenantId]);
      const ids = locked.map((row) => row.id);
      for (const id of ids) await store.remove(id);
      await tx.run(strike, [ids, tenantId]);
    });
    return 'ok';
  });
}

/** Nobody else is there, so every upload that was under way has ended with its process. */
export async function abandonUploads(db: Queryable): Promise<void> {
  await db.run(abandonAll, []);
}

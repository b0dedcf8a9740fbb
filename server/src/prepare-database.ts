import { fileURLToPath } from 'node:url';
import { holdDueWork } from './after-restore.ts';
import type { Keys } from './base/crypto.ts';
import type { Logger } from './base/log.ts';
import type { Connection } from './db/client-config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { migrate } from './db/migrate.ts';
import { ensurePartitions } from './db/partitions.ts';
import { findRestore, requireSameKey } from './installation.ts';
import { allQueues } from './queues.ts';

export const MIGRATIONS = fileURLToPath(new URL('../migrations/', import.meta.url));
const HOLD_MS = 30 * 60_000;

/** Migrates and checks the database before this process accepts requests or work. */
export async function prepareDatabase(
  connection: Connection,
  keys: Keys,
  log: Logger,
  isAfterRestore: boolean,
): Promise<void> {
  const applied = await migrate(connection, MIGRATIONS);
  if (applied.length > 0) log.info({ migrations: applied.length }, 'database prepared');
  const db = openDatabase({
    connection,
    applicationName: 'parley start',
    poolSize: 1,
    readers: 0,
    // To hold a large backlog takes long.
    ...(isAfterRestore ? { queryTimeoutMs: HOLD_MS } : {}),
  });
  try {
    await requireSameKey(db, keys);
    if (isAfterRestore) await holdAfterRestore(db, log);
    const { heldAt } = await findRestore(db);
    if (heldAt !== null)
      log.warn(
        { since: heldAt },
        'work that was due in a restored backup is held. Look at GET /admin/held_work, then release it: parley release',
      );
    // Rows of a week without a partition go to the default partition, and the next hour tries again.
    await ensurePartitions(db, new Date()).catch((error) =>
      log.warn({ err: error }, 'the partitions of the coming weeks could not be created yet'),
    );
  } finally {
    await db.close();
  }
}

async function holdAfterRestore(db: Database, log: Logger): Promise<void> {
  const held = await holdDueWork(db, allQueues);
  log.warn(
    { held },
    held === undefined
      ? 'the work of an earlier --after-restore is still held; nothing was added'
      : 'a new epoch of event streams has begun, and what was due in the backup is held',
  );
}

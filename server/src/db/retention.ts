import { firstIdAt } from '../base/ids.ts';
import type { Database } from './database.ts';
import { isLockTimeout } from './faults.ts';
import { PARTITION_LOCK, WEEK_MS } from './partitions.ts';

/** How long events can be searched and streams can go on from one. Whole weeks are dropped, so some stay a little longer. */
export const EVENT_DAYS = 30;
const DAY_MS = 24 * 3600_000;
/** Dropping a week waits for everyone who uses the table, and everyone else then waits for us. */
const PATIENCE_MS = 1_000;

/**
 * Drops the weeks of events that are over for longer than they are kept, and says which. What cannot be undone goes
 * by the clock that is behind, this process's or the database's, and takes no event that has not got its number yet.
 */
export async function dropOldEvents(db: Database, now: Date): Promise<string[]> {
  const { rows } = await db.query(
    `select c.relname as name, least($1::timestamptz, now()) as now
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'events'::regclass order by 1`,
    [now],
  );
  const keptFrom = (rows[0]?.now as Date).getTime() - EVENT_DAYS * DAY_MS;
  const outdated = (rows as { name: string }[])
    .map(({ name }) => name)
    .filter((name) => weekEnd(name) <= keptFrom);
  const dropped: string[] = [];
  try {
    for (const name of outdated) if (await dropWeek(db, name)) dropped.push(name);
  } catch (error) {
    // Somebody has been using the table for longer than we would keep others waiting: another time.
    if (!isLockTimeout(error)) throw error;
  }
  await db.query('delete from events_default where id < $1 and sequence is not null', [
    firstIdAt(new Date(keptFrom)),
  ]);
  return dropped;
}

/** When the week of a partition is over, by its name: `events_20261109`. The default partition's never is. */
function weekEnd(name: string): number {
  const parts = /_(\d{4})(\d\d)(\d\d)$/.exec(name);
  return parts ? Date.parse(`${parts[1]}-${parts[2]}-${parts[3]}`) + WEEK_MS : Number.POSITIVE_INFINITY;
}

function dropWeek(db: Database, name: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
    await tx.query(`select set_config('lock_timeout', $1, true)`, [`${PATIENCE_MS}ms`]);
    // Another process may have been quicker.
    const { rows } = await tx.query('select to_regclass($1) is not null as is_there', [name]);
    if (!rows[0]?.is_there) return false;
    const waiting = await tx.query(`select 1 from ${name} where sequence is null limit 1`, []);
    if (waiting.rows.length > 0) return false;
    await tx.query(`drop table ${name}`, []);
    return true;
  });
}

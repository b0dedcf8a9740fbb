import { groupBy } from '../base/group-by.ts';
import { firstIdAt } from '../base/ids.ts';
import type { Database } from './database.ts';
import { isLockTimeout } from './errors.ts';
import { PARTITION_LOCK, partitionsOf, WEEK_MS, type WeeklyPartition } from './partitions.ts';

const DAY_MS = 24 * 3600_000;
/** Whoever works waits behind a DROP for this long at most: if it cannot have its lock by then, it gives up. */
const LOCK_TIMEOUT_MS = 500;
const DELETED_AT_ONCE = 10_000;

/** What each table is cut by, and which of its rows still have to be worked on, however old they are. */
const tables = {
  attempts: { key: 'delivery_id', busy: 'false' },
  deliveries: { key: 'id', busy: `due_at < 'infinity'` },
  events: { key: 'id', busy: 'sequence is null' },
} as const satisfies Record<WeeklyPartition['table'], { key: string; busy: string }>;
type Table = keyof typeof tables;

/**
 * Forgets events, deliveries and attempts that are older than `days`, and gives the names of the tables that were
 * dropped. One process calls it now and then. Only one week goes in a call, so that a clock that is wrong for an hour
 * does not empty the house; and a week stays for as long as anything in it waits to be sent. `DETACH … CONCURRENTLY` is
 * no way to do this: PostgreSQL refuses it where there is a default partition.
 */
export async function dropOldPartitions(db: Database, now: Date, days: number): Promise<string[]> {
  const keptFrom = now.getTime() - days * DAY_MS;
  const old = (await partitionsOf(db)).filter(({ startsAt }) => startsAt + WEEK_MS <= keptFrom);
  const weeks = [...groupBy(old, ({ startsAt }) => startsAt)].sort(([one], [other]) => one - other);
  const dropped: string[] = [];
  for (const [, week] of weeks) {
    if (await hasWork(db, week)) continue;
    // Attempts first and events last: what is still there can always be read whole.
    for (const table of Object.keys(tables) as Table[]) {
      const name = week.find((one) => one.table === table)?.name;
      if (name !== undefined && (await drop(db, name))) dropped.push(name);
    }
    break;
  }
  await sweepDefaults(db, firstIdAt(new Date(keptFrom)));
  return dropped;
}

async function hasWork(db: Database, week: WeeklyPartition[]): Promise<boolean> {
  for (const { table, name } of week) {
    const { rows } = await db.query(`select 1 from ${name} where ${tables[table].busy} limit 1`, []);
    if (rows.length > 0) return true;
  }
  return false;
}

/** Drops a partition, unless whoever works would have to wait for it. */
async function drop(db: Database, name: string): Promise<boolean> {
  return db
    .transaction(async (tx) => {
      await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`, []);
      await tx.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
      await tx.query(`drop table ${name}`, []);
      return true;
    })
    .catch((error) => {
      if (isLockTimeout(error)) return false;
      throw error;
    });
}

/** What had no week of its own when it was made is deleted row by row. */
async function sweepDefaults(db: Database, keptFrom: string): Promise<void> {
  for (const [table, { key, busy }] of Object.entries(tables)) {
    const sweep = `delete from ${table}_default where ctid = any (array(
      select ctid from ${table}_default where ${key} < $1 and not coalesce(${busy}, false) limit ${DELETED_AT_ONCE}))
      returning 1`;
    while ((await db.query(sweep, [keptFrom])).rows.length === DELETED_AT_ONCE);
  }
}

import { firstIdAt } from '../base/ids.ts';
import type { Database } from './database.ts';
import { isLockTimeout, isMissingTable } from './faults.ts';
import { PARTITION_LOCK, partitionsOf, WEEK_MS, type weeklyTables } from './partitions.ts';

const DAY_MS = 24 * 3600_000;
/** Whoever works waits behind a DROP for this long at most: if it cannot have its lock by then, it gives up. */
const LOCK_TIMEOUT_MS = 500;
const DELETED_AT_ONCE = 10_000;

/** What each table is cut by, and which of its rows still have to be worked on, however old they are. */
const tables = {
  attempts: { key: 'delivery_id', busy: 'false' },
  deliveries: { key: 'id', busy: `due_at < 'infinity'` },
  events: { key: 'id', busy: 'sequence is null' },
} as const satisfies Record<(typeof weeklyTables)[number], { key: string; busy: string }>;
type Table = keyof typeof tables;

/**
 * Forgets events, deliveries and attempts that are older than `days`, a week at a time, and gives the names of the
 * tables that were dropped. Only the oldest week goes in one call, so that a clock that is wrong for an hour does not
 * empty the house; and it stays for as long as anything in it waits to be sent. `DETACH … CONCURRENTLY` is no way to
 * do this: PostgreSQL refuses it where there is a default partition.
 */
export async function dropOldPartitions(db: Database, now: Date, days: number): Promise<string[]> {
  const keptFrom = now.getTime() - days * DAY_MS;
  const old = (await partitionsOf(db)).filter(({ startsAt }) => startsAt + WEEK_MS <= keptFrom);
  const oldest = Math.min(...old.map(({ startsAt }) => startsAt));
  const dropped: string[] = [];
  const week = old.filter(({ startsAt }) => startsAt === oldest);
  const busy = await Promise.all(week.map(({ table, name }) => isBusy(db, table, name)));
  if (!busy.includes(true))
    // Attempts first and events last: what is still there can always be read whole.
    for (const table of Object.keys(tables) as Table[]) {
      const name = week.find((one) => one.table === table)?.name;
      if (name !== undefined && (await drop(db, name))) dropped.push(name);
    }
  await sweepDefaults(db, firstIdAt(new Date(keptFrom)));
  return dropped;
}

/** Whether a partition must stay; if it is gone by now, another process is at it. */
async function isBusy(db: Database, table: Table, name: string): Promise<boolean> {
  try {
    const { rows } = await db.query(`select 1 from ${name} where ${tables[table].busy} limit 1`, []);
    return rows.length > 0;
  } catch (error) {
    if (isMissingTable(error)) return true;
    throw error;
  }
}

/** Drops a partition, unless another process is at it or whoever works would have to wait. */
async function drop(db: Database, name: string): Promise<boolean> {
  return db
    .transaction(async (tx) => {
      const { rows } = await tx.query('select pg_try_advisory_xact_lock($1) as mine', [PARTITION_LOCK]);
      if (rows[0]?.mine !== true) return false;
      await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`, []);
      await tx.query(`drop table if exists ${name}`, []);
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

import { groupBy } from '../base/group-by.ts';
import { firstIdAt } from '../base/ids.ts';
import type { Database } from './database.ts';
import { isLockTimeout } from './errors.ts';
import { PARTITION_LOCK, partitionsOf, WEEK_MS, type WeeklyPartition } from './partitions.ts';

const DAY_MS = 24 * 3600_000;
/** Other queries wait behind a DROP for this long at most: without its lock by then, it gives up. */
const LOCK_TIMEOUT_MS = 500;
const ROWS_PER_DELETE = 10_000;

/** The partition key of each table, and which of its rows still have to be worked on, however old they are. */
const tables = {
  attempts: { key: 'delivery_id', busy: 'false' },
  deliveries: { key: 'id', busy: `due_at < 'infinity'` },
  events: { key: 'id', busy: 'sequence is null' },
  audit_entries: { key: 'id', busy: 'false' },
} as const satisfies Record<WeeklyPartition['table'], { key: string; busy: string }>;
type Table = keyof typeof tables;

/** Attempts first and events last, so that no remaining row refers to a dropped one. */
const EVENT_TABLES: readonly Table[] = ['attempts', 'deliveries', 'events'];
const AUDIT_TABLES: readonly Table[] = ['audit_entries'];

/**
 * Deletes events, deliveries and attempts that are older than `days`, and returns the names of the tables that it
 * dropped. One process calls it now and then. A call drops one week at most, so that a clock that is wrong for an hour
 * does not delete everything. A week stays while anything in it waits to be sent. `DETACH … CONCURRENTLY` cannot be used:
 * PostgreSQL refuses it for a table with a default partition.
 */
export const dropOldPartitions = (db: Database, now: Date, days: number): Promise<string[]> =>
  dropOldWeeks(db, now, days, EVENT_TABLES);

/** The same for the entries of the audit log. */
export const dropOldAuditEntries = (db: Database, now: Date, days: number): Promise<string[]> =>
  dropOldWeeks(db, now, days, AUDIT_TABLES);

async function dropOldWeeks(
  db: Database,
  now: Date,
  days: number,
  inOrder: readonly Table[],
): Promise<string[]> {
  const keptFrom = now.getTime() - days * DAY_MS;
  const old = (await partitionsOf(db)).filter(
    ({ table, startsAt }) => inOrder.includes(table) && startsAt + WEEK_MS <= keptFrom,
  );
  const weeks = [...groupBy(old, ({ startsAt }) => startsAt)].sort(([one], [other]) => one - other);
  const dropped: string[] = [];
  for (const [, week] of weeks) {
    if (await hasUnprocessedRows(db, week)) continue;
    for (const table of inOrder) {
      const name = week.find((one) => one.table === table)?.name;
      if (name !== undefined && (await drop(db, name))) dropped.push(name);
    }
    break;
  }
  await deleteOldDefaults(db, firstIdAt(new Date(keptFrom)), inOrder);
  return dropped;
}

async function hasUnprocessedRows(db: Database, week: WeeklyPartition[]): Promise<boolean> {
  for (const { table, name } of week) {
    const { rows } = await db.query(`select 1 from ${name} where ${tables[table].busy} limit 1`, []);
    if (rows.length > 0) return true;
  }
  return false;
}

/** Drops a partition and returns true, or returns false if other queries would have to wait for it. */
async function drop(db: Database, name: string): Promise<boolean> {
  return db
    .systemTransaction(async (tx) => {
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

/** Rows whose week had no partition when they were inserted are deleted row by row. */
async function deleteOldDefaults(db: Database, keptFrom: string, inOrder: readonly Table[]): Promise<void> {
  for (const table of inOrder) {
    const { key, busy } = tables[table];
    const deleteBatch = `delete from ${table}_default where ctid = any (array(
      select ctid from ${table}_default where ${key} < $1 and not coalesce(${busy}, false) limit ${ROWS_PER_DELETE}))
      returning 1`;
    while ((await db.query(deleteBatch, [keptFrom])).rows.length === ROWS_PER_DELETE);
  }
}

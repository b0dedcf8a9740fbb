import { firstIdAt } from '../base/ids.ts';
import type { Database } from './database.ts';
import { isCheckViolation } from './errors.ts';
import { LOCK_TIMEOUT_MS, withLockRetries } from './lock-retries.ts';
import type { Queryable } from './queryable.ts';

export const WEEK_MS = 7 * 24 * 3600_000;
/** 1970-01-05 was a Monday. */
const FIRST_MONDAY_MS = 4 * 24 * 3600_000;
/**
 * Few, because a query that is not by id reads every week: with four, a claim takes about a sixth longer on a young database. Nothing
 * depends on more: partitions are created at each start and every hour, and rows of a missing week go to the default partition.
 */
const WEEKS_AHEAD = 1;
/** A start waits for a few seconds at most; then rows of a missing week go to the default partition. */
const LOCK_ATTEMPTS = 3;
/** Any number, the same in every process: `if not exists` alone fails when two processes create the same table at once. */
export const PARTITION_LOCK = 7_265_402;

/** The tables that are partitioned by week on a UUIDv7 column. */
export const weeklyTables = ['events', 'deliveries', 'attempts', 'audit_entries'] as const;

/** Columns that no query filters by. ANALYZE would sort them all the same: under load, a week's payloads over and over. */
const UNANALYZED: Record<(typeof weeklyTables)[number], string[]> = {
  events: ['data', 'facts'],
  deliveries: [],
  attempts: ['timings', 'response_headers', 'response_body', 'error', 'url'],
  audit_entries: ['changes', 'actor_name', 'address', 'request_id'],
};

/**
 * A week starts empty and grows all the time, and after each visit of autovacuum every connection plans its statements
 * again (0001_baseline.sql has the other busy tables). The statistics of ANALYZE change no plan before the table is large.
 */
const RARELY_VACUUMED = `autovacuum_vacuum_threshold = 10000, autovacuum_vacuum_insert_threshold = 10000,
  autovacuum_analyze_threshold = 100000`;

const mondayOf = (ms: number): number => ms - ((((ms - FIRST_MONDAY_MS) % WEEK_MS) + WEEK_MS) % WEEK_MS);

/** The weeks that must exist at `now`: the current one and the next. A process that runs every night has a week's margin. */
export function weeksNeeded(now: Date): { suffix: string; from: string; to: string }[] {
  return Array.from({ length: WEEKS_AHEAD + 1 }, (_, week) => {
    const start = mondayOf(now.getTime()) + week * WEEK_MS;
    return {
      suffix: new Date(start).toISOString().slice(0, 10).replaceAll('-', ''),
      from: firstIdAt(new Date(start)),
      to: firstIdAt(new Date(start + WEEK_MS)),
    };
  });
}

export interface WeeklyPartition {
  table: (typeof weeklyTables)[number];
  name: string;
  startsAt: number;
}

/** The weeks that have partitions, without the default partitions. */
export async function partitionsOf(db: Pick<Queryable, 'query'>): Promise<WeeklyPartition[]> {
  const { rows } = await db.query(
    `select i.inhparent::regclass::text as "table", c.relname as name
       from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = any ($1::regclass[])`,
    [[...weeklyTables]],
  );
  return (rows as unknown as Omit<WeeklyPartition, 'startsAt'>[]).flatMap(({ table, name }) => {
    const monday = /_(\d{4})(\d\d)(\d\d)$/.exec(name);
    return monday ? [{ table, name, startsAt: Date.parse(monday.slice(1).join('-')) }] : [];
  });
}

/**
 * Creates the missing weekly partitions, each in a transaction of its own, so that no query waits for more than one
 * table, and for a second at most. Safe when many processes do it at once. `now` is the real time, because ids contain the real time.
 */
export async function ensurePartitions(db: Database, now: Date): Promise<void> {
  const names = new Set((await partitionsOf(db)).map(({ name }) => name));
  for (const table of weeklyTables)
    for (const { suffix, from, to } of weeksNeeded(now)) {
      const name = `${table}_${suffix}`;
      if (!names.has(name))
        await withLockRetries(LOCK_ATTEMPTS, () =>
          db.systemTransaction(async (tx) => {
            await tx.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
            await tx.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`, []);
            await tx.query(
              `create table if not exists ${name} partition of ${table} for values from ('${from}') to ('${to}')
                 with (${RARELY_VACUUMED})`,
              [],
            );
            const unanalyzed = UNANALYZED[table].map((column) => `alter column ${column} set statistics 0`);
            if (unanalyzed.length > 0) await tx.query(`alter table ${name} ${unanalyzed.join(', ')}`, []);
          }),
        ).catch((error) => {
          // The default partition already has rows of that week, from before it had a partition. The rest go there too.
          if (!isCheckViolation(error)) throw error;
        });
    }
}

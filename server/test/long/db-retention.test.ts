import { beforeEach, describe, expect, it } from 'vitest';
import { firstIdAt, newId } from '../../src/base/ids.ts';
import type { Database } from '../../src/db/database.ts';
import { ensurePartitions } from '../../src/db/partitions.ts';
import { dropOldPartitions } from '../../src/db/retention.ts';
import { useDatabase } from '../kit/database.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { freshDatabase } from '../kit/server.ts';

const DAY = 24 * 3600_000;
/** A Wednesday long before any other week here. The weeks created for it begin on 1, 8, 15, 22 and 29 March. */
const MARCH = new Date('2021-03-03T00:00:00Z');
/** 30 days before this is 12 April. */
const MAY = new Date('2021-05-12T00:00:00Z');

let url: string;
let db: Database;
beforeEach(async () => {
  url = await freshDatabase();
  db = useDatabase(url, { poolSize: 10 });
  // As they are created night by night.
  for (let week = 0; week < 5; week += 1)
    await ensurePartitions(db, new Date(MARCH.getTime() + week * 7 * DAY));
});

/** Inserts an event, a delivery and an attempt that were made at that time. */
async function insertAt(
  at: string,
  { dueAt = null as string | null, sequence = 1 as number | null } = {},
): Promise<string> {
  const id = firstIdAt(new Date(at));
  await db.query(
    `insert into events (id, tenant_id, type, data, shard, sequence, created_at) values ($1, $1, 'chat.created', '{}', 0, $2, $3)`,
    [id, sequence, at],
  );
  await db.query(
    `insert into deliveries (id, tenant_id, webhook_id, shard, event_id, event_type, sequence, status, due_at, created_at, updated_at)
     values ($1, $1, $1, 0, $1, 'chat.created', 1, 'pending', $2, $3, $3)`,
    [id, dueAt, at],
  );
  await db.query(
    `insert into attempts (delivery_id, tenant_id, number, started_at, timings) values ($1, $1, 1, $2, '{}')`,
    [id, at],
  );
  return id;
}
const idsIn = async (table: string, key = 'id'): Promise<unknown[]> =>
  (await db.query(`select ${key} as id from ${table} order by 1`, [])).rows.map(({ id }) => id);
const idsInAll = async (): Promise<unknown[][]> => [
  await idsIn('events'),
  await idsIn('deliveries'),
  await idsIn('attempts', 'delivery_id'),
];

describe('rows past their retention', () => {
  it('are dropped one week per call, the oldest first, in all three tables', async () => {
    await insertAt('2021-03-02T00:00:00Z');
    await insertAt('2021-03-07T23:59:59.999Z');
    const second = await insertAt('2021-03-08T00:00:00Z');
    const young = await insertAt('2021-03-31T00:00:00Z');
    expect(await dropOldPartitions(db, MAY, 30)).toEqual([
      'attempts_20210301',
      'deliveries_20210301',
      'events_20210301',
    ]);
    for (const ids of await idsInAll()) expect(ids).toEqual([second, young]);
    await dropOldPartitions(db, MAY, 30);
    for (const ids of await idsInAll()) expect(ids).toEqual([young]);
  });

  it('are those of weeks that ended more than the configured days ago', async () => {
    await insertAt('2021-03-02T00:00:00Z');
    const weekEnd = new Date('2021-03-08T00:00:00Z').getTime();
    expect(await dropOldPartitions(db, new Date(weekEnd + 30 * DAY - 1), 30)).toEqual([]);
    expect(await dropOldPartitions(db, new Date(weekEnd + 30 * DAY), 31)).toEqual([]);
    expect(await dropOldPartitions(db, new Date(weekEnd + 30 * DAY), 30)).toHaveLength(3);
  });

  it.each([
    ['an event that has no number yet', { sequence: null }],
    ['a delivery that is due', { dueAt: '-infinity' }],
    ['a delivery that waits for its next attempt', { dueAt: '2021-03-03T00:00:00Z' }],
  ])('are kept while their week has %s', async (_name, work) => {
    const id = await insertAt('2021-03-02T00:00:00Z', work);
    for (let week = 0; week < 6; week += 1) {
      const dropped = await dropOldPartitions(db, MAY, 30);
      expect(dropped.filter((name) => name.endsWith('20210301'))).toEqual([]);
    }
    for (const ids of await idsInAll()) expect(ids).toEqual([id]);
  });

  it('are not kept for a webhook that is paused', async () => {
    await insertAt('2021-03-02T00:00:00Z', { dueAt: 'infinity' });
    expect(await dropOldPartitions(db, MAY, 30)).toHaveLength(3);
  });

  it('are deleted one by one from the default partitions, unless they are due', async () => {
    const unplaced = '2020-01-01T00:00:00Z';
    await insertAt(unplaced);
    const due = await insertAt('2020-01-02T00:00:00Z', { dueAt: '-infinity' });
    const young = await insertAt('2022-01-01T00:00:00Z');
    await dropOldPartitions(db, MAY, 30);
    const [events, deliveries] = await idsInAll();
    expect(events).toEqual([young]);
    expect(deliveries).toEqual([due, young]);
  });
});

describe('dropping a week', () => {
  it('gives up when a transaction reads the table, and succeeds at the next call', async () => {
    const id = await insertAt('2021-03-02T00:00:00Z');
    const blocker = await usePgClient(url);
    await blocker.query('begin; select 1 from events');
    const started = performance.now();
    const dropping = dropOldPartitions(db, MAY, 30);
    // A query that waits behind it for the table continues as soon as it gives up.
    const reading = idsIn('events');
    expect(await dropping).not.toContain('events_20210301');
    expect(await reading).toEqual([id]);
    expect(performance.now() - started).toBeLessThan(10_000);
    await blocker.query('commit');
    expect(await dropOldPartitions(db, MAY, 30)).toContain('events_20210301');
  });

  it('is done by one of many callers, also while new weeks are created', async () => {
    await insertAt('2021-03-02T00:00:00Z');
    const runs = await Promise.allSettled([
      ...Array.from({ length: 4 }, () => dropOldPartitions(db, MAY, 30)),
      ensurePartitions(db, MAY),
    ]);
    const dropped = runs.flatMap((run) => (run.status === 'fulfilled' ? (run.value ?? []) : []));
    expect(new Set(dropped).size).toBe(dropped.length);
    expect(dropped).toContain('events_20210301');
    expect(runs.at(-1)?.status).toBe('fulfilled');
    for (const ids of await idsInAll()) expect(ids).toEqual([]);
  });

  it('fails no statement that runs at the same time', async () => {
    await insertAt('2021-03-02T00:00:00Z');
    await ensurePartitions(db, MAY);
    let isRunning = true;
    const work = async (): Promise<number> => {
      let inserted = 0;
      while (isRunning) {
        const id = newId();
        await db.systemTransaction(async (tx) => {
          await tx.query(
            `insert into events (id, tenant_id, type, data, shard, created_at) values ($1, $1, 'chat.created', '{}', 0, now())`,
            [id],
          );
          await tx.query('update events set sequence = 1 where id = $1 and tenant_id = $1', [id]);
        });
        inserted += 1;
      }
      return inserted;
    };
    const workers = [work(), work(), work()];
    const dropped: string[] = [];
    for (let tries = 0; tries < 10 && dropped.length < 3; tries += 1)
      dropped.push(...(await dropOldPartitions(db, MAY, 30)));
    isRunning = false;
    const inserted = (await Promise.all(workers)).reduce((sum, count) => sum + count, 0);
    expect(inserted).toBeGreaterThan(0);
    expect(dropped).toContain('events_20210301');
    const { rows } = await db.query('select count(*) as n from events where sequence = 1', []);
    expect(rows).toEqual([{ n: inserted }]);
  });
});

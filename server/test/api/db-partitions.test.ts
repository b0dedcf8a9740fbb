import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstIdAt, newId } from '../../src/base/ids.ts';
import { ensurePartitions, weeklyTables, weeksNeeded } from '../../src/db/partitions.ts';
import { useDatabase } from '../kit/database.ts';
import { freshDatabase } from '../kit/server.ts';

const DAY = 24 * 3600_000;
const db = useDatabase(await freshDatabase(), { poolSize: 10 });

const partitions = async (): Promise<string[]> =>
  (
    await db.query(
      `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = any ($1::regclass[]) order by 1`,
      [[...weeklyTables]],
    )
  ).rows.map((row) => row.name as string);

const insertEvent = (id: string): Promise<unknown> =>
  db.query(
    `insert into events (id, tenant_id, type, data, shard, created_at) values ($1, $2, 'chat.created', '{}', 0, now())`,
    [id, newId()],
  );
const partitionOf = async (id: string): Promise<unknown> =>
  (await db.query('select tableoid::regclass::text as name from events where id = $1', [id])).rows[0]?.name;

describe('weeks', () => {
  it('begin on Monday, follow each other without a gap, and contain the current time', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }), (now) => {
        const weeks = weeksNeeded(now);
        expect(weeks).toHaveLength(2);
        expect(weeks.slice(1).map((week) => week.from)).toEqual(weeks.slice(0, -1).map((week) => week.to));
        expect(new Set(weeks.map((week) => week.suffix)).size).toBe(2);
        const [first] = weeks as [(typeof weeks)[0]];
        const monday = first.suffix.replace(/(....)(..)(..)/, '$1-$2-$3');
        expect(new Date(monday).getUTCDay()).toBe(1);
        const id = firstIdAt(now);
        expect(id >= first.from && id < first.to).toBe(true);
      }),
    );
  });
});

describe('creating partitions', () => {
  it('leaves columns that no query filters by out of ANALYZE', async () => {
    await ensurePartitions(db, new Date('2033-03-05T00:00:00Z'));
    const { rows } = await db.query(
      `select attname from pg_attribute where attrelid = 'attempts_20330228'::regclass and attstattarget = 0 order by 1`,
      [],
    );
    expect(rows.map((row) => row.attname)).toEqual([
      'error',
      'response_body',
      'response_headers',
      'timings',
      'url',
    ]);
  });

  it('sets high autovacuum thresholds, so that statements are not planned again every minute', async () => {
    await ensurePartitions(db, new Date('2035-03-05T00:00:00Z'));
    const { rows } = await db.query(
      `select relname, reloptions from pg_class where relname in ('events_20350305', 'chats', 'deliveries_default')`,
      [],
    );
    expect(rows).toHaveLength(3);
    for (const { relname, reloptions } of rows)
      for (const what of ['vacuum', 'vacuum_insert', 'analyze'])
        expect(reloptions, String(relname)).toContainEqual(
          expect.stringMatching(new RegExp(`^autovacuum_${what}_threshold=10000`)),
        );
  });

  it('is safe for many callers at once, and does nothing the second time', async () => {
    const now = new Date('2031-03-05T00:00:00Z');
    const before = await partitions();
    await Promise.all(Array.from({ length: 8 }, () => ensurePartitions(db, now)));
    const after = await partitions();
    expect(after.length).toBe(before.length + 2 * weeklyTables.length);
    await ensurePartitions(db, now);
    expect(await partitions()).toEqual(after);
  });

  it("stores rows in their week across a year's end, and in the default partition if the week does not exist", async () => {
    await ensurePartitions(db, new Date('2032-12-30T12:00:00Z'));
    const expected = [
      ['2032-12-27T00:00:00.000Z', 'events_20321227'],
      ['2033-01-02T23:59:59.999Z', 'events_20321227'],
      ['2033-01-03T00:00:00.000Z', 'events_20330103'],
      ['2032-12-26T23:59:59.999Z', 'events_default'],
      ['2033-01-10T00:00:00.000Z', 'events_default'],
    ];
    for (const [time, table] of expected) {
      const id = firstIdAt(new Date(time as string));
      await insertEvent(id);
      expect(await partitionOf(id), time).toBe(table);
    }
  });

  it('skips a week whose rows are already in the default partition, and creates the others', async () => {
    const now = new Date('2034-06-07T00:00:00Z');
    const early = firstIdAt(new Date(now.getTime() + 8 * DAY));
    await insertEvent(early);
    await ensurePartitions(db, now);
    const names = await partitions();
    expect(names).toContain('events_20340605');
    expect(names).not.toContain('events_20340612');
    expect(names).toContain('attempts_20340612');
    expect(await partitionOf(early)).toBe('events_default');
  });
});

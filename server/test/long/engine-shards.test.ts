import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import type { Database } from '../../src/db/database.ts';
import { ALL_SHARDS as SHARDS, TEST_SHARD } from '../../src/engine/queue.ts';
import { createShards, HAND_OVER_MS, LEASE_MS, type Shards } from '../../src/engine/shards.ts';
import { useDatabase } from '../kit/database.ts';
import { freshDatabase } from '../kit/server.ts';

const db = useDatabase(await freshDatabase(), { poolSize: 6 });
afterEach(async () => {
  vi.restoreAllMocks();
  await db.query('update shards set owner = null, lease_until = null', []);
  await db.query('delete from workers', []);
});

const ALL = Array.from({ length: SHARDS }, (_, index) => index + TEST_SHARD);
const nothingBusy = () => false;
const countOf = (one: Shards): number => one.owned().length;
const lapse = (): Promise<unknown> =>
  db.query(`update shards set lease_until = now() - interval '1 s' where owner is not null`, []);

describe('shards', () => {
  it('all belong to a worker that is alone', async () => {
    const one = createShards(db, newId());
    expect(one.owns(0)).toBe(false);
    await one.beat(nothingBusy);
    expect(one.owned().toSorted((a, b) => a - b)).toEqual(ALL);
    expect(one.ownsAll()).toBe(true);
  });

  it('are shared fairly within two beats when a second and a third worker join', async () => {
    const workers = [createShards(db, newId())];
    await workers[0]?.beat(nothingBusy);
    for (const share of [33, 22]) {
      workers.push(createShards(db, newId()));
      await workers.at(-1)?.beat(nothingBusy);
      for (let beats = 0; beats < 2; beats += 1) for (const one of workers) await one.beat(nothingBusy);
      expect(workers.flatMap((one) => one.owned()).toSorted((a, b) => a - b)).toEqual(ALL);
      for (const one of workers) {
        expect(countOf(one)).toBeLessThanOrEqual(share);
        expect(countOf(one)).toBeGreaterThanOrEqual(SHARDS - share * (workers.length - 1));
      }
    }
  });

  it('I6: are worked until they are handed over, which waits for what is under way', async () => {
    const [one, two] = [createShards(db, newId()), createShards(db, newId())];
    await one.beat(nothingBusy);
    await two.beat(nothingBusy);
    await one.beat(() => true);
    await two.beat(nothingBusy);
    expect([countOf(one), countOf(two)]).toEqual([65, 0]);
    await one.handOver((shard) => shard !== 7);
    await two.beat(nothingBusy);
    expect(countOf(one) + countOf(two)).toBe(SHARDS);
    await one.beat(nothingBusy);
    await two.beat(nothingBusy);
    expect([countOf(one), countOf(two)]).toEqual([33, 32]);
  });

  it('I6: are handed over within ten seconds, though something of them never ends', async () => {
    const [one, two] = [createShards(db, newId()), createShards(db, newId())];
    await one.beat(nothingBusy);
    await two.beat(nothingBusy);
    await one.beat(() => true);
    const now = performance.now();
    const time = vi.spyOn(performance, 'now').mockReturnValue(now + HAND_OVER_MS - 2_500);
    expect(countOf(one)).toBe(65);
    // In the last two seconds nothing of them starts, so that little is done twice.
    time.mockReturnValue(now + HAND_OVER_MS - 1_000);
    expect(countOf(one)).toBe(33);
    await one.handOver(() => true);
    await two.beat(nothingBusy);
    expect(countOf(two)).toBe(0);
    time.mockReturnValue(now + HAND_OVER_MS);
    await one.handOver(() => true);
    await two.beat(nothingBusy);
    expect([countOf(one), countOf(two)]).toEqual([33, 32]);
  });

  it('are not owned after the machine was paused, though the clock of the process stood still', async () => {
    const one = createShards(db, newId());
    await one.beat(nothingBusy);
    const now = Date.now();
    vi.spyOn(Date, 'now').mockReturnValue(now + LEASE_MS);
    expect([one.owns(7), countOf(one), one.ownsAll()]).toEqual([false, 0, false]);
    await one.beat(nothingBusy);
    expect(one.ownsAll()).toBe(true);
  });

  it('that their owner did not release are reported before they are owned', async () => {
    const [killed, next] = [createShards(db, newId()), createShards(db, newId())];
    await killed.beat(nothingBusy);
    const reported: number[] = [];
    await next.acquireAll((shards) => {
      expect(countOf(next)).toBe(0);
      reported.push(...shards);
    });
    expect(reported.toSorted((a, b) => a - b)).toEqual(ALL);
    await next.release();
    await killed.release();
    await createShards(db, newId()).acquireAll((shards) => expect(shards).toEqual([]));
  });

  it('R8: go to others though the clock of the database was set back by hours since their owner beat', async () => {
    const [gone, heir] = [createShards(db, newId()), createShards(db, newId())];
    await gone.beat(nothingBusy);
    await db.query(`update workers set seen_at = seen_at + interval '5 hours'`, []);
    await db.query(`update shards set lease_until = lease_until + interval '5 hours'`, []);
    await heir.beat(nothingBusy);
    expect(countOf(heir)).toBe(0);
    // They are leased for as long as after any other beat.
    const { rows } = await db.query(
      `select 1 from shards where lease_until > now() + interval '${LEASE_MS} ms'`,
      [],
    );
    expect(rows).toEqual([]);
    await lapse();
    await heir.beat(nothingBusy);
    expect(heir.owned().toSorted((a, b) => a - b)).toEqual(ALL);
  });

  it('R8: stay with a worker that beats on after the clock was set back', async () => {
    const [one, two] = [createShards(db, newId()), createShards(db, newId())];
    for (let beats = 0; beats < 3; beats += 1)
      for (const worker of [one, two]) await worker.beat(nothingBusy);
    const before = [one.owned(), two.owned()];
    await db.query(`update workers set seen_at = seen_at + interval '5 hours'`, []);
    await db.query(`update shards set lease_until = lease_until + interval '5 hours'`, []);
    await Promise.all([one.beat(() => true), two.beat(() => true)]);
    await Promise.all([one.beat(() => true), two.beat(() => true)]);
    expect([one.owned(), two.owned()].map((shards) => shards.toSorted())).toEqual(
      before.map((shards) => shards.toSorted()),
    );
  });

  it('go to others when their owner no longer beats, and it takes back no more than its share', async () => {
    const [gone, heir] = [createShards(db, newId()), createShards(db, newId())];
    await gone.beat(nothingBusy);
    await lapse();
    await db.query(`update workers set seen_at = now() - interval '1 hour'`, []);
    await heir.beat(nothingBusy);
    expect(countOf(heir)).toBe(SHARDS);
    await gone.beat(nothingBusy);
    expect(countOf(gone)).toBe(0);
    await heir.beat(nothingBusy);
    await gone.beat(nothingBusy);
    expect([countOf(gone), countOf(heir)]).toEqual([32, 33]);
  });

  it('are not owned once the lease is past, whatever the memory says', async () => {
    const one = createShards(db, newId());
    await one.beat(nothingBusy);
    const now = performance.now();
    const time = vi.spyOn(performance, 'now').mockReturnValue(now + LEASE_MS - 3_000);
    expect(one.owns(7)).toBe(true);
    time.mockReturnValue(now + LEASE_MS - 1_000);
    expect([one.owns(7), countOf(one), one.ownsAll()]).toEqual([false, 0, false]);
    await one.beat(nothingBusy);
    expect(one.ownsAll()).toBe(true);
  });

  it('are free at once after a release', async () => {
    const [one, two] = [createShards(db, newId()), createShards(db, newId())];
    await one.beat(nothingBusy);
    await one.release();
    expect(countOf(one)).toBe(0);
    await two.beat(nothingBusy);
    expect(countOf(two)).toBe(SHARDS);
  });

  it('can all be acquired by the sole process, though leases still run', async () => {
    const [killed, restarted] = [createShards(db, newId()), createShards(db, newId())];
    await killed.beat(nothingBusy);
    await restarted.acquireAll();
    expect(restarted.ownsAll()).toBe(true);
    await restarted.beat(nothingBusy);
    expect(restarted.ownsAll()).toBe(true);
    await killed.beat(nothingBusy);
    expect(countOf(killed)).toBe(0);
  });
});

it('gives back only what is over its share, when the share grew while it was still busy', async () => {
  const [two, three] = [createShards(db, newId()), createShards(db, newId())];
  const owners: Shards[] = [two];
  let overtaking = false;
  // The owner that gives back is overtaken by the other at the worst moment: before it knows its own share.
  const one = createShards(
    {
      ...watched(owners),
      all: async (statement, parameters) => {
        if (overtaking && statement.name === 'shards.take') await two.beat(nothingBusy);
        return watched(owners).all(statement, parameters);
      },
    },
    newId(),
  );
  owners.push(one);
  await one.beat(nothingBusy);
  await two.beat(nothingBusy);
  await three.beat(nothingBusy);
  await one.beat(() => true);
  expect(countOf(one)).toBe(65);
  await three.release();
  overtaking = true;
  await one.beat(nothingBusy);
  await two.beat(nothingBusy);
  expect([countOf(one), countOf(two)]).toEqual([33, 32]);
});

/** A database that looks, after every statement of anyone, whether a shard has two owners. */
function watched(workers: Shards[]): Database {
  const watch = async <T>(answer: Promise<T>): Promise<T> => {
    const given = await answer;
    for (const shard of ALL)
      expect(workers.filter((one) => one.owns(shard)).length, `owners of shard ${shard}`).toBeLessThan(2);
    return given;
  };
  return {
    ...db,
    all: (...given) => watch(db.all(...given)),
    find: (...given) => watch(db.find(...given)),
    run: (...given) => watch(db.run(...given)),
  };
}

it('never have two owners at once, however workers come, beat, are busy and go', async () => {
  const step = fc.record({
    who: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }),
    busy: fc.uniqueArray(fc.constantFrom(...ALL), { maxLength: SHARDS }),
    leaves: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 14 }), async (steps) => {
      await db.query('update shards set owner = null, lease_until = null', []);
      await db.query('delete from workers', []);
      const workers: Shards[] = [];
      const eye = watched(workers);
      for (let at = 0; at < 3; at += 1) workers.push(createShards(eye, newId()));
      for (const { who, busy, leaves } of steps) {
        const chosen = [...new Set(who)].map((at) => workers[at] as Shards);
        await Promise.all(chosen.map((one) => one.beat((shard) => busy.includes(shard))));
        if (leaves) await chosen[0]?.release();
      }
      for (let beats = 0; beats < 3; beats += 1) for (const one of workers) await one.beat(nothingBusy);
      expect(workers.flatMap((one) => one.owned()).toSorted((a, b) => a - b)).toEqual(ALL);
      for (const one of workers) expect(countOf(one)).toBeLessThanOrEqual(22);
    }),
    { numRuns: 8 },
  );
});

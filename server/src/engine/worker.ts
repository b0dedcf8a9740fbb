import type { Logger } from 'pino';
import type { Activity } from '../base/activity.ts';
import type { TenantClock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import type { SystemStatement } from '../db/statement.ts';
import type { FollowUp } from '../db/tenant.ts';
import { repeat } from './background.ts';
import { claimStatementOf, claimsOf } from './claims.ts';
import { createCrashGuard } from './crash-guard.ts';
import { type QueueRow, TEST_SHARD } from './queue.ts';
import { type BoundQueue, type Handler, type QueueRunner, runQueue } from './runner.ts';
import { HEARTBEAT_MS, type Shards } from './shards.ts';
import { createTestClock } from './test-clock/test-clock.ts';
import { ANY_TEST_TENANT } from './test-clock/test-tenants.ts';
import type { Notifier, WakeUps } from './wakeups.ts';

const SCAN_MS = 1_000;
/** While shards are handed over, whether they can be released is checked this often. */
const HAND_OVER_CHECK_MS = 500;

/** Runs the queues in a process. */
export interface Worker {
  /** Takes shards and starts to work. A sole process takes every shard immediately. */
  start(options: { isSoleProcess: boolean }): Promise<void>;
  wake(queue: string, shard: number, orderingKey: string): void;
  /** How to read the new rows of an ordering key with the commit that has written them; undefined if they can wait. */
  follow(queue: string, shard: number, orderingKey: string): FollowUp | undefined;
  /** Handles everything that is due and resolves when nothing is left. */
  settle(): Promise<void>;
  /** Starts nothing new, waits at most `graceMs` for running calls, and releases its shards. */
  stop(graceMs: number): Promise<void>;
  failures(): { queue: string; failures: number }[];
  /** How long ago the last heartbeat was stored. */
  heartbeatAgeMs(): number;
}

interface WorkerOptions {
  db: Database;
  shards: Shards;
  queues: readonly BoundQueue[];
  wakeUps: WakeUps & Notifier;
  clock: TenantClock;
  log: Logger;
  /** Without timers only `settle` starts work. For tests that move the clock. */
  timers: boolean;
  activity: Activity;
  settledMs?: number | undefined;
}

/** Combines neighbouring shards to ranges for the scan. */
function rangesOf(shards: number[]): { first: number; last: number }[] {
  const ranges: { first: number; last: number }[] = [];
  for (const shard of shards.toSorted((a, b) => a - b)) {
    const latest = ranges.at(-1);
    if (latest?.last === shard - 1) latest.last = shard;
    else ranges.push({ first: shard, last: shard });
  }
  return ranges;
}

interface FoundKey {
  /** Null if there are test tenants: their rows are due by other clocks. */
  queue: string | null;
  shard: number;
  ordering_key: string;
}

/** Finds the ordering keys with due rows of all queues. One statement: at rest it is all that a worker does in a second. */
const findStatement = (
  queues: readonly BoundQueue[],
): SystemStatement<[firsts: number[], lasts: number[], now: Date], FoundKey> => ({
  scope: 'system',
  name: 'queues.find',
  text: [
    ...queues.map(
      ({ queue }) => `select '${queue.name}' as queue, f.shard, f.ordering_key from (${queue.find.text}) f`,
    ),
    `select null, ${TEST_SHARD}, t.id from (${ANY_TEST_TENANT}) t`,
  ].join(' union all '),
});

/** Notes while a handler runs that it does. */
const named =
  <Row extends QueueRow>(activity: Activity, queue: string, handle: Handler<Row>): Handler<Row> =>
  async (rows, key) => {
    const name = `queue ${queue}`;
    activity.begin(name);
    try {
      return await handle(rows, key);
    } finally {
      activity.end(name);
    }
  };

export function createWorker(options: WorkerOptions): Worker {
  const { db, shards, clock, log } = options;
  const findDue = findStatement(options.queues);
  const runners = new Map<string, QueueRunner>();
  const guard = createCrashGuard(options, options.queues);
  const queues = options.queues.map((bound) => ({
    ...bound,
    handle: named(options.activity, bound.queue.name, guard.guard(bound)),
  }));
  for (const { queue, handle } of queues)
    runners.set(
      queue.name,
      runQueue({
        queue,
        handle,
        claim: claimsOf(db, queue, clock.real),
        claimStatement: claimStatementOf(queue, clock.real),
        owns: shards.owns,
        onError: (error, orderingKey) =>
          log.error({ err: error, queue: queue.name, orderingKey }, 'work failed, it is retried'),
      }),
    );
  const testClock = createTestClock({ ...options, queues, isOwned: () => shards.owns(TEST_SHARD) });
  const wake = (queue: string, shard: number, orderingKey: string): void =>
    shard === TEST_SHARD ? testClock.wake(queue, orderingKey) : runners.get(queue)?.wake(shard, orderingKey);
  // Rows of test tenants are due by their clocks, and when the clock stands still.
  const follow: Worker['follow'] = (queue, shard, orderingKey) =>
    shard === TEST_SHARD ? undefined : runners.get(queue)?.follow(shard, orderingKey);
  const isBusy = (shard: number): boolean =>
    shard === TEST_SHARD ? testClock.isBusy() : [...runners.values()].some((one) => one.isBusy(shard));
  const idle = (): Promise<unknown> =>
    Promise.all([testClock.idle(), ...[...runners.values()].map((one) => one.idle())]);

  /** Finds ordering keys with due rows: rows that became due, and rows of lost wake-ups. */
  async function scan(): Promise<number> {
    const owned = rangesOf(shards.owned().filter((shard) => shard !== TEST_SHARD));
    if (owned.length === 0 && !shards.owns(TEST_SHARD)) return 0;
    const firsts = owned.map(({ first }) => first);
    const lasts = owned.map(({ last }) => last);
    let found = 0;
    for (const { queue, shard, ordering_key } of await db.all(findDue, [firsts, lasts, clock.real()]))
      if (queue === null) found += await testClock.scan();
      else {
        wake(queue, shard, ordering_key);
        found += 1;
      }
    return found;
  }

  const timers: { stop(): Promise<void> }[] = [];
  let isStopped = false;
  let beatAt = performance.now();
  /** When the last heartbeat ended, stored or not. */
  let triedAt = beatAt;
  const beat = async (): Promise<void> => {
    try {
      await shards.beat(isBusy, guard.suspect);
      beatAt = performance.now();
    } finally {
      triedAt = performance.now();
    }
  };
  const untilBeat = (): number => triedAt + HEARTBEAT_MS - performance.now();
  const pauseMs = (): number => (shards.isHandingOver() ? HAND_OVER_CHECK_MS : Math.max(0, untilBeat()));
  /** A heartbeat, or before it is due again, a check whether shards can be released. */
  const beatOrHandOver = (): Promise<void> =>
    untilBeat() < HAND_OVER_CHECK_MS ? beat() : shards.handOver(isBusy);

  return {
    wake,
    follow,
    async start({ isSoleProcess }) {
      if (isSoleProcess) await shards.acquireAll(guard.suspect);
      else await beat();
      if (options.timers) {
        options.wakeUps.attach({ wake, follow, owns: shards.owns });
        timers.push(
          repeat(pauseMs, beatOrHandOver, log),
          // The first at once, but nobody waits for it: PostgreSQL plans the statement for 40 ms.
          repeat(SCAN_MS, scan, log, 0),
        );
      } else await scan();
    },
    async settle() {
      // Without timers leases are renewed only here, and the work may take longer than a lease.
      if (!options.timers) await beat();
      while ((await scan()) > 0) {
        await idle();
        if (isStopped) return;
        if (!options.timers && performance.now() - beatAt > HEARTBEAT_MS) await beat();
      }
    },
    async stop(graceMs) {
      isStopped = true;
      testClock.stop();
      guard.stop();
      for (const one of runners.values()) one.stop();
      let grace: NodeJS.Timeout | undefined;
      await Promise.race([idle(), new Promise((resolve) => (grace = setTimeout(resolve, graceMs)))]);
      clearTimeout(grace);
      await Promise.all(timers.map((timer) => timer.stop()));
      await shards
        .release()
        .catch((error) => log.warn({ err: error }, 'shards could not be released, their leases will expire'));
    },
    heartbeatAgeMs: () => performance.now() - beatAt,
    failures: () =>
      [...runners].map(([queue, one]) => ({ queue, failures: one.failures + testClock.failuresOf(queue) })),
  };
}

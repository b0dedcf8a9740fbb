import type { Logger } from 'pino';
import type { TenantClock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { claimsOf } from './claims.ts';
import { type Queue, type QueueRow, TEST_SHARD } from './queue.ts';
import { type Handler, type Lanes, runLanes } from './scheduler.ts';
import { HEARTBEAT_MS, type Shards } from './shards.ts';
import { testClock } from './test-clock/test-clock.ts';
import type { Notifier, WakeUps } from './wakeups.ts';

const SCAN_MS = 1_000;

/** A work list and what is done with its rows. */
export interface Work<Row extends QueueRow = QueueRow> {
  list: Queue<Row>;
  handle: Handler<Row>;
}

/** Lets lists of different rows stand in one table. */
export const work = <Row extends QueueRow>(list: Queue<Row>, handle: Handler<Row>): Work =>
  ({ list, handle }) as unknown as Work;

export interface Worker {
  /** Begins to hold shards and to work; with `alone`, takes every shard at once. */
  start(options: { isSoleProcess: boolean }): Promise<void>;
  wake(list: string, shard: number, lane: string): void;
  /** Does everything that is due by the clock and resolves when nothing is left. */
  settle(): Promise<void>;
  /** Starts nothing new, waits for what is under way at most `graceMs`, gives its shards back. */
  stop(graceMs: number): Promise<void>;
  failures(): { list: string; failures: number }[];
}

interface WorkerOptions {
  db: Database;
  shards: Shards;
  queues: Work[];
  wakeUps: WakeUps & Notifier;
  clock: TenantClock;
  log: Logger;
  /** Without timers, work is done only when `settle` is called: for tests that move the clock. */
  timers: boolean;
}

/** Shards that follow each other are looked through at once: whoever is alone has one range of them. */
function rangesOf(shards: number[]): { first: number; last: number }[] {
  const ranges: { first: number; last: number }[] = [];
  for (const shard of shards.toSorted((a, b) => a - b)) {
    const latest = ranges.at(-1);
    if (latest?.last === shard - 1) latest.last = shard;
    else ranges.push({ first: shard, last: shard });
  }
  return ranges;
}

export function worker(options: WorkerOptions): Worker {
  const { db, shards, clock, log } = options;
  const lanes = new Map<string, Lanes>();
  for (const { list, handle } of options.queues)
    lanes.set(
      list.name,
      runLanes({
        list,
        handle,
        claim: claimsOf(db, list, clock.real),
        owns: shards.owns,
        onError: (error, lane) =>
          log.error({ err: error, list: list.name, lane }, 'work failed, will be tried again'),
      }),
    );
  const testRunner = testClock({ ...options, isOurs: () => shards.owns(TEST_SHARD) });
  const wake = (list: string, shard: number, lane: string): void =>
    shard === TEST_SHARD ? testRunner.wakeUp(list, lane) : lanes.get(list)?.wake(shard, lane);
  const isBusy = (shard: number): boolean =>
    shard === TEST_SHARD ? testRunner.isBusy() : [...lanes.values()].some((one) => one.isBusy(shard));
  const idle = (): Promise<unknown> =>
    Promise.all([testRunner.idle(), ...[...lanes.values()].map((one) => one.idle())]);

  /** Finds lanes with due rows, for whatever came due by itself or whose hint was missed. */
  async function scan(): Promise<number> {
    const owned = rangesOf(shards.owned().filter((shard) => shard !== TEST_SHARD));
    const queues = owned.length === 0 ? [] : options.queues;
    const firsts = owned.map(({ first }) => first);
    const lasts = owned.map(({ last }) => last);
    const found = await Promise.all([
      testRunner.look(),
      ...queues.map(async ({ list }) => {
        const due = await db.all(list.find, [firsts, lasts, clock.real()]);
        for (const { shard, lane } of due) wake(list.name, shard, lane);
        return due.length;
      }),
    ]);
    return found.reduce((sum, count) => sum + count, 0);
  }

  const timers: { stop(): Promise<void> }[] = [];
  const beat = async (): Promise<void> => {
    await shards.beat(isBusy);
  };

  return {
    wake,
    async start({ isSoleProcess }) {
      if (isSoleProcess) await shards.acquireAll();
      else await beat();
      if (options.timers) {
        options.wakeUps.attach({ wake, owns: shards.owns });
        timers.push(repeat(HEARTBEAT_MS, beat, log), repeat(SCAN_MS, scan, log));
      }
      await scan();
    },
    async settle() {
      // Nobody else renews the leases then, and without one there would seem to be nothing to do.
      if (!options.timers) await beat();
      while ((await scan()) > 0) await idle();
    },
    async stop(graceMs) {
      testRunner.stop();
      for (const one of lanes.values()) one.stop();
      let grace: NodeJS.Timeout | undefined;
      await Promise.race([idle(), new Promise((resolve) => (grace = setTimeout(resolve, graceMs)))]);
      clearTimeout(grace);
      await Promise.all(timers.map((timer) => timer.stop()));
      await shards
        .release()
        .catch((error) => log.warn({ err: error }, 'shards could not be given back, their lease will end'));
    },
    failures: () =>
      [...lanes].map(([list, one]) => ({ list, failures: one.failures + testRunner.failuresOf(list) })),
  };
}

/** Runs a task once, beside everything else; stopping waits for it, and the task looks whether it should end. */
export function inBackground(
  task: (isStopping: () => boolean) => Promise<void>,
  log: Logger,
): { stop(): Promise<void> } {
  let stopping = false;
  const running = task(() => stopping).catch((error) =>
    log.error({ err: error }, 'background task failed, the next start will try it again'),
  );
  return {
    async stop() {
      stopping = true;
      await running;
    },
  };
}

/** Runs a task again and again with a pause between two runs. */
export function repeat(
  pauseMs: number,
  task: () => Promise<unknown>,
  log: Logger,
): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();
  const schedule = (): void => {
    if (!stopped) timer = setTimeout(run, pauseMs);
  };
  const run = (): void => {
    running = task()
      .catch((error) => log.warn({ err: error }, 'background task failed, will be tried again'))
      .then(schedule);
  };
  schedule();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}

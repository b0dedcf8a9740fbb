import type { Logger } from 'pino';
import type { TenantClock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { claimsOf } from './claims.ts';
import type { Broadcast, Hints } from './hints.ts';
import { type Handler, type Lanes, runLanes } from './lanes.ts';
import { HEARTBEAT_MS, type Slots } from './slots.ts';
import { testClock } from './test-clock.ts';
import { TEST_SLOT, type WorkList, type WorkRow } from './work-list.ts';

const SCAN_MS = 1_000;

/** A work list and what is done with its rows. */
export interface Work<Row extends WorkRow = WorkRow> {
  list: WorkList<Row>;
  handle: Handler<Row>;
}

/** Lets lists of different rows stand in one table. */
export const work = <Row extends WorkRow>(list: WorkList<Row>, handle: Handler<Row>): Work =>
  ({ list, handle }) as unknown as Work;

export interface Worker {
  /** Begins to hold slots and to work; with `alone`, takes every slot at once. */
  start(options: { alone: boolean }): Promise<void>;
  wake(list: string, slot: number, lane: string): void;
  /** Does everything that is due by the clock and resolves when nothing is left. */
  settle(): Promise<void>;
  /** Starts nothing new, waits for what is under way at most `graceMs`, gives its slots back. */
  stop(graceMs: number): Promise<void>;
  failures(): { list: string; failures: number }[];
}

interface WorkerOptions {
  db: Database;
  slots: Slots;
  works: Work[];
  hints: Hints & Broadcast;
  clock: TenantClock;
  log: Logger;
  /** Without timers, work is done only when `settle` is called: for tests that move the clock. */
  timers: boolean;
}

/** Slots that follow each other are looked through at once: whoever is alone has one range of them. */
function rangesOf(slots: number[]): { first: number; last: number }[] {
  const ranges: { first: number; last: number }[] = [];
  for (const slot of slots.toSorted((a, b) => a - b)) {
    const latest = ranges.at(-1);
    if (latest?.last === slot - 1) latest.last = slot;
    else ranges.push({ first: slot, last: slot });
  }
  return ranges;
}

export function worker(options: WorkerOptions): Worker {
  const { db, slots, clock, log } = options;
  const lanes = new Map<string, Lanes>();
  for (const { list, handle } of options.works)
    lanes.set(
      list.name,
      runLanes({
        list,
        handle,
        claim: claimsOf(db, list, clock.real),
        owns: slots.owns,
        onError: (error, lane) =>
          log.error({ err: error, list: list.name, lane }, 'work failed, will be tried again'),
      }),
    );
  const ofTests = testClock({ ...options, isOurs: () => slots.owns(TEST_SLOT) });
  const wake = (list: string, slot: number, lane: string): void =>
    slot === TEST_SLOT ? ofTests.hint(list, lane) : lanes.get(list)?.wake(slot, lane);
  const isBusy = (slot: number): boolean =>
    slot === TEST_SLOT ? ofTests.isBusy() : [...lanes.values()].some((one) => one.isBusy(slot));
  const idle = (): Promise<unknown> =>
    Promise.all([ofTests.idle(), ...[...lanes.values()].map((one) => one.idle())]);

  /** Finds lanes with due rows, for whatever came due by itself or whose hint was missed. */
  async function scan(): Promise<number> {
    const owned = rangesOf(slots.owned().filter((slot) => slot !== TEST_SLOT));
    const works = owned.length === 0 ? [] : options.works;
    const firsts = owned.map(({ first }) => first);
    const lasts = owned.map(({ last }) => last);
    const found = await Promise.all([
      ofTests.look(),
      ...works.map(async ({ list }) => {
        const due = await db.all(list.find, [firsts, lasts, clock.real()]);
        for (const { slot, lane } of due) wake(list.name, slot, lane);
        return due.length;
      }),
    ]);
    return found.reduce((sum, count) => sum + count, 0);
  }

  const timers: { stop(): Promise<void> }[] = [];
  const beat = async (): Promise<void> => {
    await slots.beat(isBusy);
  };

  return {
    wake,
    async start({ alone }) {
      if (alone) await slots.seize();
      else await beat();
      if (options.timers) {
        options.hints.attach({ wake, owns: slots.owns });
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
      ofTests.stop();
      for (const one of lanes.values()) one.stop();
      let grace: NodeJS.Timeout | undefined;
      await Promise.race([idle(), new Promise((resolve) => (grace = setTimeout(resolve, graceMs)))]);
      clearTimeout(grace);
      await Promise.all(timers.map((timer) => timer.stop()));
      await slots
        .release()
        .catch((error) => log.warn({ err: error }, 'slots could not be given back, their lease will end'));
    },
    failures: () =>
      [...lanes].map(([list, one]) => ({ list, failures: one.failures + ofTests.failuresOf(list) })),
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

import type { FollowUp } from '../db/tenant.ts';
import { type Claim, type ClaimStatement, withReadTime } from './claims.ts';
import type { CallStep, ClaimStep } from './key-state.ts';
import type { Queue, QueueRow } from './queue.ts';
import { createScheduler, type HandlerResult, type SchedulerQueue } from './scheduler.ts';

/** How long an ordering key pauses after its handler threw, so that a broken database gets no continuous load. */
const REST_MS = 1_000;
/**
 * A read that was sent with a commit is not waited for longer: before the commit, statements of the transaction may wait for
 * a lock, and nothing else of the ordering key starts meanwhile.
 */
const FOLLOW_MS = 100;

/** The ordering key of the rows that a handler gets. */
export interface HandledKey {
  shard: number;
  orderingKey: string;
}
export type Handler<Row> = (rows: Row[], key: HandledKey) => Promise<HandlerResult>;

/** A queue and the function that handles its rows. */
export interface BoundQueue<Row extends QueueRow = QueueRow> {
  queue: Queue<Row>;
  handle: Handler<Row>;
  /** Sets a row aside that has ended its process too often. Only of queues that count this. */
  setAside?: (row: Row) => Promise<void>;
}

/** Runs one queue in this process. */
export interface QueueRunner {
  /** Called when an ordering key may have due rows. */
  wake(shard: number, orderingKey: string): void;
  /** How to read the new rows of an ordering key with the commit that has written them; undefined if they can wait. */
  follow(shard: number, orderingKey: string): FollowUp | undefined;
  isBusy(shard: number): boolean;
  /** Resolves when nothing is claimed, waiting or running. */
  idle(): Promise<void>;
  /** Starts no further calls. Running calls continue. */
  stop(): void;
  readonly failures: number;
}

interface RunnerOptions<Row extends QueueRow> {
  queue: SchedulerQueue<Row>;
  handle: Handler<Row>;
  claim: Claim<Row>;
  /** Without it no rows are read with the commit that has written them. */
  claimStatement?: ClaimStatement<Row>;
  owns: (shard: number) => boolean;
  onError: (error: unknown, orderingKey: string) => void;
}

/** Executes the claims and calls that the scheduler of the queue returns, and reports their results to it. */
export function runQueue<Row extends QueueRow>({
  queue,
  handle,
  claim,
  claimStatement,
  owns,
  onError,
}: RunnerOptions<Row>): QueueRunner {
  const scheduler = createScheduler(queue, owns);
  const idleWaiters: (() => void)[] = [];
  let isTurnPlanned = false;

  /** At the end of the tick, so that all ended calls are known before the next ones start. */
  function planTurn(): void {
    if (isTurnPlanned) return;
    isTurnPlanned = true;
    setImmediate(() => {
      isTurnPlanned = false;
      for (const step of scheduler.takeTurns())
        if (step.kind === 'claim') void makeClaim(step);
        else void makeCall(step);
      if (scheduler.isIdle) for (const resolve of idleWaiters.splice(0)) resolve();
    });
  }

  function restAfter(step: ClaimStep<Row> | CallStep<Row>, error: unknown): void {
    onError(error, step.key.orderingKey);
    setTimeout(() => {
      scheduler.rested(step);
      planTurn();
    }, REST_MS).unref();
  }

  function claimed(step: ClaimStep<Row>, rows: Row[]): void {
    scheduler.claimed(step, rows);
    planTurn();
  }
  function claimFailed(step: ClaimStep<Row>, error: unknown): void {
    scheduler.claimFailed(step);
    restAfter(step, error);
    planTurn();
  }
  async function makeClaim(step: ClaimStep<Row>): Promise<void> {
    const { shard, orderingKey, taken } = step.key;
    try {
      claimed(step, await claim(shard, orderingKey, step.limit, taken));
    } catch (error) {
      claimFailed(step, error);
    }
  }

  async function makeCall(step: CallStep<Row>): Promise<void> {
    try {
      const result = await handle(step.rows, step.key);
      const { outcome, stored } =
        typeof result === 'string' ? { outcome: result, stored: undefined } : result;
      scheduler.ended(step, outcome);
      if (stored !== undefined) {
        planTurn();
        await stored;
      }
    } catch (error) {
      scheduler.threw(step);
      restAfter(step, error);
    }
    scheduler.released(step);
    planTurn();
  }

  function wake(shard: number, orderingKey: string): void {
    scheduler.wake(shard, orderingKey);
    planTurn();
  }

  return {
    wake,
    follow(shard, orderingKey) {
      const step = claimStatement && scheduler.claimNow(shard, orderingKey);
      if (!step) return undefined;
      const readAt = performance.now();
      let isOpen = true;
      const timer = setTimeout(() => {
        isOpen = false;
        scheduler.claimed(step, []);
        wake(shard, orderingKey);
      }, FOLLOW_MS);
      /** What comes after the time is ignored: the rows are read again. */
      const inTime = (end: () => void): void => {
        clearTimeout(timer);
        if (isOpen) end();
        // What was committed meanwhile may have come after the other read.
        else wake(shard, orderingKey);
      };
      return {
        ...claimStatement(shard, orderingKey, step.limit, step.key.taken),
        answered: (rows) => inTime(() => claimed(step, withReadTime(rows as Row[], readAt))),
        failed: (error) => inTime(() => claimFailed(step, error)),
      };
    },
    isBusy: scheduler.isBusy,
    idle: () => (scheduler.isIdle ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
    stop() {
      scheduler.stop();
      planTurn();
    },
    get failures() {
      return scheduler.failures;
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { type CrashCounts, type QueueRow, TEST_SHARD } from './queue.ts';
import type { BoundQueue, HandledKey, Handler } from './runner.ts';
import type { HandlerResult, Outcome } from './scheduler.ts';

/** A row whose process has ended so often after its attempt was counted is set aside. */
const MAX_CRASHES = 3;
/** A process that has lived so long is not one of many that are killed for another reason. */
const SETTLED_MS = 10_000;
/** After the first crash rows are handled in parts of this size. */
const PART = 20;
/** Later than everything that waits by the clock of a test tenant. */
const LATEST = new Date('9999-12-31T00:00:00Z');

/**
 * Bounds how often a row ends the process that handles it: by a crash, by using up the memory, or by blocking the event
 * loop until a supervisor kills the process. Counting each attempt before it begins would cost a commit per attempt, so
 * nothing is counted until a process has taken a shard that its owner did not release. What was due then may have been in
 * work at that moment. From there on each attempt is counted before it begins:
 *
 * 1. The first rows of each ordering key are handled in small parts, counted as the first crash until they have ended.
 * 2. A row that was in work when the process ended is handled alone, and while no other such row is, twice at most; the
 *    second time by a process that has lived for ten seconds. Calls that wait for a server outside have a line of their own:
 *    one that hangs for minutes must not hold up what others have received. The second time, which decides,
 *    a row waits for both lines: otherwise it could be set aside for what the row of the other line does.
 * 3. A row that ended the process each time is set aside.
 *
 * Rows keep their order, and a row is set aside only if the process ended twice while it was in work alone. So a server that
 * is killed every few seconds for other reasons sets none aside: without the ten seconds, one of 36,000 was after 100 kills
 * on a busy machine.
 */
export interface CrashGuard {
  /** The handler of a queue, guarded. */
  guard(bound: BoundQueue): Handler<QueueRow>;
  /** Called after shards were taken that their owner did not release. */
  suspect(shards: readonly number[]): void;
  /** What waits for its turn is left to the next process. */
  stop(): void;
}

interface GuardedQueue extends Required<BoundQueue> {
  counts: CrashCounts;
}

const outcomeOf = async (handling: Promise<HandlerResult>): Promise<Outcome> => {
  const result = await handling;
  if (typeof result === 'string') return result;
  await result.stored;
  return result.outcome;
};

/** Splits rows, in their order: those with a count are alone. */
function partsOf(rows: QueueRow[], crashesOf: (row: QueueRow) => number, size: number): QueueRow[][] {
  const parts: QueueRow[][] = [];
  let last: QueueRow[] | undefined;
  for (const row of rows)
    if (crashesOf(row) > 0) {
      parts.push([row]);
      last = undefined;
    } else if (last && last.length < size) last.push(row);
    else {
      last = [row];
      parts.push(last);
    }
  return parts;
}

interface GuardOptions {
  db: Database;
  clock: Pick<Clock, 'now' | 'real'>;
  log: Logger;
  /** How long a process must have lived before it tries a row for the last time. */
  settledMs?: number | undefined;
}

export function createCrashGuard(
  { db, clock, log, settledMs = SETTLED_MS }: GuardOptions,
  queues: readonly BoundQueue[],
): CrashGuard {
  const settledAt = performance.now() + settledMs;
  const stopping = new AbortController();
  /** The ordering keys that had due rows when their shard was taken, with the number of calls that may have been in work. */
  const suspected = new Map<string, number>();
  /** Shards whose ordering keys are being read. */
  const reading = new Map<number, Promise<void>>();
  /** Rows that were counted and have ended without a crash, though that could not be stored. */
  const survived = new Set<string>();
  /** The end of what is handled alone, one row after the other: what waits outside, and everything else. */
  const lastAlone: Record<'outside' | 'inside', Promise<unknown>> = {
    outside: Promise.resolve(),
    inside: Promise.resolve(),
  };
  const nameOf = (queue: string, orderingKey: string): string => `${queue} ${orderingKey}`;

  async function findSuspected(shards: readonly number[]): Promise<void> {
    for (const { queue, setAside } of queues)
      if (setAside)
        for (const [some, now] of [
          [shards.filter((shard) => shard !== TEST_SHARD), clock.real()],
          [shards.filter((shard) => shard === TEST_SHARD), LATEST],
        ] as const)
          if (some.length > 0)
            for (const { ordering_key } of await db.all(queue.find, [[...some], [...some], now]))
              suspected.set(nameOf(queue.name, ordering_key), queue.callsPerKey);
  }

  async function takeSuspicion(queue: string, { shard, orderingKey }: HandledKey): Promise<boolean> {
    await reading.get(shard);
    const name = nameOf(queue, orderingKey);
    const calls = suspected.get(name);
    if (calls === undefined) return false;
    if (calls > 1) suspected.set(name, calls - 1);
    else suspected.delete(name);
    return true;
  }

  /** Handles rows that count as a crash if the process ends meanwhile. */
  async function handleCounted(
    { handle, counts }: GuardedQueue,
    rows: QueueRow[],
    key: HandledKey,
    crashes: number,
  ): Promise<Outcome> {
    const ids = rows.map(({ id }) => id);
    await db.run(counts.set, [ids, crashes]);
    for (const id of ids) survived.delete(id);
    try {
      return await outcomeOf(handle(rows, key));
    } finally {
      for (const id of ids) survived.add(id);
      await reset(counts, ids).catch((error) =>
        log.warn({ err: error }, 'a count of crashes could not be reset'),
      );
    }
  }

  async function reset(counts: CrashCounts, ids: string[]): Promise<void> {
    await db.run(counts.reset, [ids]);
    for (const id of ids) survived.delete(id);
  }

  /** Handles a row while no other row of its line is handled alone; for the last time, while no other row at all is. */
  function handleAlone(
    guarded: GuardedQueue,
    row: QueueRow,
    key: HandledKey,
    crashes: number,
  ): Promise<Outcome> {
    const own = guarded.queue.waitsOutside ? 'outside' : 'inside';
    const lines = crashes === MAX_CRASHES - 1 ? (['outside', 'inside'] as const) : ([own] as const);
    const handled = Promise.all(lines.map((line) => lastAlone[line])).then(() =>
      handleCounted(guarded, [row], key, crashes + 1),
    );
    for (const line of lines) lastAlone[line] = handled.catch(() => {});
    return handled;
  }

  /** Waits until the process has lived for long; false if it stops before. The rows behind wait too: they keep their order. */
  const isSettled = (): Promise<boolean> =>
    delay(Math.max(0, settledAt - performance.now()), true, { signal: stopping.signal }).catch(() => false);

  async function handleSuspects(
    guarded: GuardedQueue,
    rows: QueueRow[],
    key: HandledKey,
    isSuspected: boolean,
  ): Promise<Outcome> {
    const { queue, handle, setAside } = guarded;
    const crashesOf = ({ id, crashes = 0 }: QueueRow): number => (survived.has(id) ? 0 : crashes);
    let outcome: Outcome = 'ok';
    for (const part of partsOf(rows, crashesOf, isSuspected ? PART : rows.length)) {
      const [row] = part as [QueueRow];
      const crashes = crashesOf(row);
      if (crashes >= MAX_CRASHES) {
        await setAside(row);
        const line = { queue: queue.name, id: row.id, tenantId: row.tenant_id };
        log.error(line, 'a row was set aside: the process ended again and again while it was handled');
        continue;
      }
      if (crashes === MAX_CRASHES - 1 && !(await isSettled())) return outcome;
      const handled =
        crashes > 0
          ? handleAlone(guarded, row, key, crashes)
          : isSuspected
            ? handleCounted(guarded, part, key, 1)
            : outcomeOf(handle(part, key));
      if ((await handled) === 'failing') outcome = 'failing';
    }
    return outcome;
  }

  return {
    guard(bound) {
      const { queue, handle, setAside } = bound;
      if (!setAside || !queue.crashCounts) return handle;
      const guarded = { queue, handle, setAside, counts: queue.crashCounts };
      return async (rows, key) => {
        const isSuspected =
          (suspected.size > 0 || reading.size > 0) && (await takeSuspicion(queue.name, key));
        return isSuspected || rows.some(({ crashes }) => crashes !== 0)
          ? handleSuspects(guarded, rows, key, isSuspected)
          : handle(rows, key);
      };
    },
    stop: () => stopping.abort(),
    suspect(shards) {
      if (shards.length === 0) return;
      const read = findSuspected(shards)
        .catch((error) => log.warn({ err: error }, 'the rows of an ended process could not be read'))
        .finally(() => {
          for (const shard of shards) if (reading.get(shard) === read) reading.delete(shard);
        });
      for (const shard of shards) reading.set(shard, read);
    },
  };
}

import type { Claim as AnyClaim } from '../../src/engine/claims.ts';
import type { Queue, QueueRow } from '../../src/engine/queue.ts';
import { type QueueRunner, runQueue } from '../../src/engine/runner.ts';
import type { HandlerResult, Outcome } from '../../src/engine/scheduler.ts';

interface Call {
  orderingKey: string;
  ids: string[];
  /** Ends the call; its rows are no longer due. */
  finish(outcome?: Outcome): void;
  /** Throws; its rows stay due. */
  fail(): void;
  /** Ends the call, while its outcome is still to be stored. */
  end(outcome?: Outcome): void;
}

/** An outcome on its way to the database, where its rows are due until it is there. */
interface Storing {
  orderingKey: string;
  ids: string[];
  store(): void;
  fail(): void;
}

export interface SchedulerBench {
  runner: QueueRunner;
  /** As a commit that has made rows of a key due: reads them at once, if the runner wants that, or wakes it. */
  commit(orderingKey: string): void;
  /** Reads that were sent with commits and are not answered yet, oldest first. */
  following: { answer(): void; fail(): void }[];
  /** Makes rows due, without a wake-up. */
  add(orderingKey: string, ids: string[], tenant?: string): void;
  /** Removes a row, as a cancellation does. */
  remove(id: string): void;
  /** What is due by the database. */
  due(orderingKey: string): string[];
  /** The calls under way, oldest first. */
  calls: Call[];
  /** What has ended and is not stored yet. */
  storing: Storing[];
  /** Every id that was ever started, in order. */
  started: string[];
  owned: Set<number>;
  errors: unknown[];
}

type Claim = AnyClaim<QueueRow>;

/** A queue over a table in memory, whose calls end when the test says so. A row that runs twice at once is an error. */
export function schedulerBench(
  limits: {
    rowsPerCall?: number;
    callsPerKey?: number;
    callsPerFailingKey?: number;
    callsPerProcess?: number;
    waitsOutside?: true;
    skipsTaken?: boolean;
  },
  wrapClaim: (claim: Claim) => Claim = (claim) => claim,
): SchedulerBench {
  const table = new Map<string, QueueRow[]>();
  const calls: Call[] = [];
  const storing: Storing[] = [];
  const started: string[] = [];
  const owned = new Set([0]);
  const errors: unknown[] = [];
  const keyOf = new Map<string, string>();

  const remove = (ids: string[]): void => {
    for (const [orderingKey, rows] of table)
      table.set(
        orderingKey,
        rows.filter((row) => !ids.includes(row.id)),
      );
  };

  const handle = (rows: QueueRow[]): Promise<HandlerResult> =>
    new Promise((resolve, reject) => {
      const ids = rows.map((row) => row.id);
      const orderingKey = keyOf.get(ids[0] as string) as string;
      for (const id of ids)
        if ([...calls, ...storing].some((other) => other.ids.includes(id)))
          errors.push(`${id} runs twice at once`);
      started.push(...ids);
      const over = (): void => void calls.splice(calls.indexOf(call), 1);
      const call: Call = {
        orderingKey,
        ids,
        finish(outcome = 'ok') {
          over();
          remove(ids);
          resolve(outcome);
        },
        fail() {
          over();
          reject(new Error('the handler threw'));
        },
        end(outcome = 'ok') {
          over();
          resolve({ outcome, stored: stored(orderingKey, ids) });
        },
      };
      calls.push(call);
    });

  const stored = (orderingKey: string, ids: string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const over = (): void => void storing.splice(storing.indexOf(one), 1);
      const one: Storing = {
        orderingKey,
        ids,
        store() {
          over();
          remove(ids);
          resolve();
        },
        fail() {
          over();
          reject(new Error('the outcome could not be stored'));
        },
      };
      storing.push(one);
    });

  const read = (orderingKey: string, limit: number, taken: ReadonlySet<string>): QueueRow[] => {
    const skipped = new Set(limits.skipsTaken ? taken : []);
    return (table.get(orderingKey) ?? []).filter(({ id }) => !skipped.has(id)).slice(0, limit);
  };
  const following: SchedulerBench['following'] = [];
  const runner = runQueue<QueueRow>({
    queue: {
      name: 'test',
      rowsPerCall: 1,
      callsPerKey: 2,
      callsPerProcess: 8,
      ...limits,
      ...(limits.skipsTaken ? { claimMany: {} } : {}),
    } as Queue<QueueRow>,
    handle,
    claim: wrapClaim(async (_shard, ...given) => read(...given)),
    claimStatement: (_shard, ...parameters) => ({ statement: {} as never, parameters }),
    owns: (shard) => owned.has(shard),
    onError: (error) => void errors.push(error),
  });
  return {
    runner,
    following,
    commit(orderingKey) {
      const followUp = runner.follow(0, orderingKey);
      if (!followUp) {
        runner.wake(0, orderingKey);
        return;
      }
      const over = (): void => void following.splice(following.indexOf(one), 1);
      // The database reads when the statement arrives, and its answer takes a while.
      const [key, limit, taken] = followUp.parameters as Parameters<typeof read>;
      const rows = read(key, limit, taken);
      const one = {
        answer() {
          over();
          followUp.answered(rows);
        },
        fail() {
          over();
          followUp.failed(new Error('the read failed'));
        },
      };
      following.push(one);
    },
    add(orderingKey, ids, tenant = 'tenant') {
      const rows = table.get(orderingKey) ?? [];
      for (const id of ids) keyOf.set(id, orderingKey);
      table.set(orderingKey, [...rows, ...ids.map((id) => ({ id, tenant_id: tenant }))]);
    },
    remove: (id) => remove([id]),
    due: (orderingKey) => (table.get(orderingKey) ?? []).map((row) => row.id),
    calls,
    storing,
    started,
    owned,
    errors,
  };
}

/** More turns of the event loop than anything takes that waits for nothing but its own. */
const TURNS = 8;

/** Lets everything happen that waits for nothing but its turn. */
export async function turn(): Promise<void> {
  for (let at = 0; at < TURNS; at += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether a promise has settled by now. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  void promise.then(() => {
    settled = true;
  });
  await turn();
  return settled;
}

export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${prefix}${String(at).padStart(4, '0')}`);

import type { Claim as AnyClaim } from '../../src/engine/claims.ts';
import type { Queue, QueueRow } from '../../src/engine/queue.ts';
import { type Ended, type Lanes, type Outcome, runLanes } from '../../src/engine/scheduler.ts';

export interface Call {
  lane: string;
  ids: string[];
  /** Ends the call; its rows are no longer due. */
  finish(outcome?: Outcome): void;
  /** Throws; its rows stay due. */
  fail(): void;
  /** Ends the call, while its outcome is still to be stored. */
  end(outcome?: Outcome): void;
}

/** An outcome on its way to the database, where its rows are due until it is there. */
export interface Storing {
  lane: string;
  ids: string[];
  store(): void;
  fail(): void;
}

export interface LanesBench {
  lanes: Lanes;
  /** Makes rows due, without telling anyone. */
  add(lane: string, ids: string[], tenant?: string): void;
  /** Takes a row off the list, as a cancellation does. */
  remove(id: string): void;
  /** What is due by the database. */
  due(lane: string): string[];
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

/** Lanes over a table in memory, whose calls end when the test says so. A row that runs twice at once is refused. */
export function lanesBench(
  limits: { batch?: number; perLane?: number; atOnce?: number; skipsTaken?: boolean },
  wrapClaim: (claim: Claim) => Claim = (claim) => claim,
): LanesBench {
  const table = new Map<string, QueueRow[]>();
  const calls: Call[] = [];
  const storing: Storing[] = [];
  const started: string[] = [];
  const owned = new Set([0]);
  const errors: unknown[] = [];
  const laneOf = new Map<string, string>();

  const remove = (ids: string[]): void => {
    for (const [lane, rows] of table)
      table.set(
        lane,
        rows.filter((row) => !ids.includes(row.id)),
      );
  };

  const handle = (rows: QueueRow[]): Promise<Outcome | Ended> =>
    new Promise((resolve, reject) => {
      const ids = rows.map((row) => row.id);
      const lane = laneOf.get(ids[0] as string) as string;
      for (const id of ids)
        if ([...calls, ...storing].some((other) => other.ids.includes(id)))
          errors.push(`${id} runs twice at once`);
      started.push(...ids);
      const over = (): void => void calls.splice(calls.indexOf(call), 1);
      const call: Call = {
        lane,
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
          resolve({ outcome, stored: stored(lane, ids) });
        },
      };
      calls.push(call);
    });

  const stored = (lane: string, ids: string[]): Promise<void> =>
    new Promise((resolve, reject) => {
      const over = (): void => void storing.splice(storing.indexOf(one), 1);
      const one: Storing = {
        lane,
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

  const lanes = runLanes<QueueRow>({
    list: {
      name: 'test',
      batch: 1,
      perLane: 2,
      atOnce: 8,
      ...limits,
      ...(limits.skipsTaken ? { claimMany: {} } : {}),
    } as Queue<QueueRow>,
    handle,
    claim: wrapClaim(async (_shard, lane, limit, taken) => {
      const skipped = new Set(limits.skipsTaken ? taken : []);
      return (table.get(lane) ?? []).filter(({ id }) => !skipped.has(id)).slice(0, limit);
    }),
    owns: (shard) => owned.has(shard),
    onError: (error) => void errors.push(error),
  });
  return {
    lanes,
    add(lane, ids, tenant = 'tenant') {
      const rows = table.get(lane) ?? [];
      for (const id of ids) laneOf.set(id, lane);
      table.set(lane, [...rows, ...ids.map((id) => ({ id, tenant_id: tenant }))]);
    },
    remove: (id) => remove([id]),
    due: (lane) => (table.get(lane) ?? []).map((row) => row.id),
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

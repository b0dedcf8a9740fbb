import { callPlaces, type PlacesQueue } from './call-places.ts';
import { countKeyFailures } from './key-failures.ts';
import {
  type CallStep,
  type ClaimStep,
  createKeyState,
  type KeyState,
  type Step,
  type TenantState,
} from './key-state.ts';
import { countKeyTenants } from './key-tenants.ts';
import type { Queue, QueueRow } from './queue.ts';

/**
 * How many rows are read ahead over all ordering keys, if several keys are claimed by one statement: a few keys read for
 * as many calls as they may have open, a thousand read a row each, which is not stale when its turn comes.
 */
const READ_AHEAD = 1024;
export type Outcome = 'ok' | 'failing';

/** The outcome of a call that is not stored yet. Its place is free, its rows are not. */
interface StoringOutcome {
  outcome: Outcome;
  stored: Promise<void>;
}
export type HandlerResult = Outcome | StoringOutcome;

/** Decides what starts when. Pure: it reads no clock, starts nothing and waits for nothing. The runner does that. */
export interface Scheduler<Row extends QueueRow> {
  /** Called when an ordering key may have due rows. */
  wake(shard: number, orderingKey: string): void;
  /** A claim that may be made at once, because an ordering key has new rows; undefined if it has to wait for its turn. */
  claimNow(shard: number, orderingKey: string): ClaimStep<Row> | undefined;
  /** Returns what may start now, in this order. */
  takeTurns(): Step<Row>[];
  /** The answer to a claim. */
  claimed(step: ClaimStep<Row>, rows: readonly Row[]): void;
  claimFailed(step: ClaimStep<Row>): void;
  /** A call has an outcome, and its place is free. */
  ended(step: CallStep<Row>, outcome: Outcome): void;
  /** The handler threw: its rows are read again, in order. */
  threw(step: CallStep<Row>): void;
  /** The call's rows are stored, or will be retried. */
  released(step: CallStep<Row>): void;
  /** The pause of a key after an error is over. */
  rested(step: Step<Row>): void;
  /** Starts no further calls. */
  stop(): void;
  isBusy(shard: number): boolean;
  /** Nothing is claimed, waiting or running. */
  readonly isIdle: boolean;
  readonly failures: number;
}

export type SchedulerQueue<Row extends QueueRow> = PlacesQueue &
  Pick<Queue<Row>, 'claimMany' | 'rowsPerCall'>;

/**
 * Distributes the calls of one queue fairly. Tenants take turns, each with one call, and so do the ordering keys of a
 * tenant. Rows of a key start in order, and each key has a limit. A tenant has at most its share: the places divided by
 * the tenants with due work. If calls wait for others, one more tenant is counted, so that there are places for the next
 * one. A failing key is probed, and all failing keys together have an eighth of the places.
 */
export function createScheduler<Row extends QueueRow>(
  queue: SchedulerQueue<Row>,
  owns: (shard: number) => boolean,
): Scheduler<Row> {
  const { rowsPerCall, callsPerKey, callsPerProcess } = queue;
  const keys = new Map<string, KeyState<Row>>();
  /** Keys whose tenant is not known yet. */
  const unread = new Set<KeyState<Row>>();
  /** The tenants with ready keys, in the order of their turns. */
  const turns = new Set<TenantState<Row>>();
  const failingTurns = new Set<TenantState<Row>>();
  const tenants = countKeyTenants<Row>();
  const keyFailures = countKeyFailures();
  const places = callPlaces<Row>(queue, tenants);
  let failures = 0;
  let isStopped = false;

  /**
   * How many rows are read ahead. A call to a failing receiver may take long, and the rows behind it become stale (its
   * webhook may be deleted meanwhile), so a failing key reads the next row only when it can start. So does a key with
   * one call at a time: the longer it waits, the more rows one claim returns.
   */
  const readyRowsOf = (key: KeyState<Row>): number => {
    if (key.isFailing || callsPerKey === 1) return key.running < places.limitOf(key) ? rowsPerCall : 0;
    if (queue.claimMany === undefined) return rowsPerCall * callsPerKey;
    const ahead = Math.floor(READ_AHEAD / keys.size);
    return rowsPerCall * Math.max(1, Math.min(places.maxOpenPerKey, ahead));
  };

  /** The key may start something: it gets a turn. If it waits for one already, it keeps its position. */
  function addReady(key: KeyState<Row>): void {
    const { tenant } = key;
    // A timer may still refer to a removed state, and the key may have a new one.
    if (keys.get(key.orderingKey) !== key) return;
    if (!tenant) unread.add(key);
    else if (key.isFailing) {
      tenant.ready.delete(key);
      tenant.readyFailing.add(key);
      failingTurns.add(tenant);
    } else {
      tenant.readyFailing.delete(key);
      tenant.ready.add(key);
      turns.add(tenant);
    }
  }
  function removeReady(key: KeyState<Row>): void {
    unread.delete(key);
    key.tenant?.ready.delete(key);
    key.tenant?.readyFailing.delete(key);
  }

  /** Releases what was claimed beyond the first `count` rows; the next claim may return them. */
  function releaseBeyond(key: KeyState<Row>, count: number): void {
    for (const row of key.waiting.splice(count)) {
      key.taken.delete(row.id);
      key.hasMore = true;
      key.isOutdated = key.isClaiming;
    }
  }

  function claim(key: KeyState<Row>): ClaimStep<Row> {
    key.isClaiming = true;
    key.hasMore = false;
    // A statement for several keys leaves out what is taken; one for a single key returns it again.
    const limit = (queue.claimMany ? 0 : key.taken.size) + readyRowsOf(key) - key.waiting.length;
    return { kind: 'claim', key, limit, isForTenant: false };
  }

  /** Reads one row only to learn the tenant. What waits for a place is read when there is one: 200 mails take memory. */
  function claimTenant(key: KeyState<Row>): ClaimStep<Row> {
    key.isClaiming = true;
    key.hasMore = false;
    return { kind: 'claim', key, limit: 1, isForTenant: true };
  }

  function call(key: KeyState<Row>): CallStep<Row> {
    const step = places.take(key, key.waiting.splice(0, rowsPerCall));
    // The key goes to the end of the ready keys and may start another call.
    if (key.waiting.length > 0 || key.hasMore) addReady(key);
    return step;
  }

  function rest(key: KeyState<Row>): void {
    key.hasMore = true;
    key.resting += 1;
    addReady(key);
  }

  /** Removes the state of a key without work. */
  function forgetIfDone(key: KeyState<Row>): void {
    if (key.open > 0 || key.waiting.length > 0 || key.isClaiming) return;
    if (!isStopped && (key.resting > 0 || (key.hasMore && owns(key.shard)))) return;
    removeReady(key);
    keys.delete(key.orderingKey);
    tenants.remove(key);
  }

  function endClaim(key: KeyState<Row>): void {
    for (const id of key.finished) key.taken.delete(id);
    key.finished = [];
    key.isOutdated = false;
    key.isClaiming = false;
    addReady(key);
  }

  /** The turn of a ready key: it may claim rows and start a call. */
  function takeTurn(key: KeyState<Row>, steps: Step<Row>[]): void {
    removeReady(key);
    if (!owns(key.shard)) releaseBeyond(key, 0);
    else if (key.resting === 0) {
      const readyRows = readyRowsOf(key);
      if (key.waiting.length > readyRows) releaseBeyond(key, readyRows);
      if (key.hasMore && !key.isClaiming && readyRows > 0 && key.waiting.length <= readyRows / 2)
        steps.push(claim(key));
      if (key.waiting.length > 0 && places.hasPlace(key)) steps.push(call(key));
    }
    forgetIfDone(key);
  }

  /** Lets tenants take turns, each with one key, until none of them may start anything. */
  function takeTurnsOf(
    ready: 'ready' | 'readyFailing',
    order: Set<TenantState<Row>>,
    may: (tenant: TenantState<Row>) => boolean,
    steps: Step<Row>[],
  ): void {
    // A tenant that is added again during the loop comes again, after the others.
    for (const tenant of order) {
      if (places.isFull()) return;
      const [key] = tenant[ready];
      if (key !== undefined && !may(tenant)) continue;
      order.delete(tenant);
      if (key === undefined) continue;
      takeTurn(key, steps);
      if (tenant[ready].size > 0) order.add(tenant);
    }
  }

  /** Reads rows for the tenants whose turns are next: they start as soon as a place is free, before others come again. */
  function readNext(steps: Step<Row>[]): void {
    let left = callsPerProcess;
    for (const { ready, running: used } of turns) {
      const [key] = ready;
      if (key === undefined || used >= places.share()) continue;
      if (left === 0) return;
      left -= 1;
      if (key.waiting.length > 0 || !key.hasMore || key.isClaiming || key.resting > 0) continue;
      if (readyRowsOf(key) > 0 && owns(key.shard)) steps.push(claim(key));
    }
  }

  function createKey(shard: number, orderingKey: string): KeyState<Row> {
    const key = createKeyState<Row>(shard, orderingKey, keyFailures.has(orderingKey));
    keys.set(orderingKey, key);
    tenants.recall(key);
    return key;
  }

  return {
    wake(shard, orderingKey) {
      if (isStopped || !owns(shard)) return;
      const key = keys.get(orderingKey) ?? createKey(shard, orderingKey);
      key.hasMore = true;
      addReady(key);
    },
    claimNow(shard, orderingKey) {
      if (isStopped || !owns(shard) || places.isFull()) return undefined;
      const known = keys.get(orderingKey);
      if (
        known &&
        (known.isClaiming || known.waiting.length > 0 || known.resting > 0 || !places.hasPlace(known))
      )
        return undefined;
      const key = known ?? createKey(shard, orderingKey);
      if (!key.isFailing && (!key.tenant || places.mayStart(key.tenant))) return claim(key);
      key.hasMore = true;
      addReady(key);
      return undefined;
    },
    takeTurns() {
      const steps: Step<Row>[] = [];
      if (isStopped)
        for (const key of keys.values()) {
          releaseBeyond(key, 0);
          forgetIfDone(key);
        }
      else {
        // Also without free places: until its tenant is known, nobody knows that it has a share.
        for (const key of unread)
          if (places.isFull() && key.hasMore && !key.isClaiming && key.resting === 0 && owns(key.shard)) {
            unread.delete(key);
            steps.push(claimTenant(key));
          } else takeTurn(key, steps);
        // When a tenant has nothing more to do, the share of those before it is larger.
        for (let before = 0; places.share() > before; ) {
          before = places.share();
          takeTurnsOf('ready', turns, places.mayStart, steps);
          takeTurnsOf('readyFailing', failingTurns, places.mayProbe, steps);
        }
        if (places.isFull()) readNext(steps);
      }
      return steps;
    },
    claimed({ key, limit, isForTenant }, rows) {
      const [first] = rows;
      if (first !== undefined && !key.tenant) tenants.assign(key, first.tenant_id);
      if (key.isOutdated) key.hasMore = true;
      else if (!isForTenant)
        for (const row of rows)
          if (!key.taken.has(row.id)) {
            key.taken.add(row.id);
            key.waiting.push(row);
          }
      if (rows.length === limit) key.hasMore = true;
      endClaim(key);
    },
    claimFailed({ key }) {
      rest(key);
      endClaim(key);
    },
    ended(step, outcome) {
      const { key } = step;
      if (outcome === 'ok') keyFailures.end(key.orderingKey);
      else {
        failures += 1;
        keyFailures.note(key.orderingKey);
      }
      tenants.setFailing(key, keyFailures.has(key.orderingKey));
      places.free(step);
      addReady(key);
    },
    threw({ key }) {
      failures += 1;
      // What waits came after what failed: it is read again, so that rows of the key start in order.
      releaseBeyond(key, 0);
      key.isOutdated = key.isClaiming;
      rest(key);
    },
    released(step) {
      const { key, rows } = step;
      if (key.isClaiming) key.finished.push(...rows.map((row) => row.id));
      else for (const row of rows) key.taken.delete(row.id);
      places.release(step);
      addReady(key);
    },
    rested({ key }) {
      key.resting -= 1;
      addReady(key);
    },
    stop() {
      isStopped = true;
    },
    isBusy: (shard) => [...keys.values()].some((key) => key.shard === shard && key.open > 0),
    get isIdle() {
      return keys.size === 0;
    },
    get failures() {
      return failures;
    },
  };
}

import type { Queue, QueueRow } from './queue.ts';

/** After this many consecutive failures an ordering key is probed: one call at a time until one succeeds. */
const FAILURES_UNTIL_PROBE = 3;
const MAX_FAILING_KEYS = 50_000;
/** How many calls may be running or not stored yet for each that may be running. */
const OPEN_PER_PLACE = 8;
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

/** The state of an ordering key that may have due rows. */
interface KeyState<Row> {
  readonly shard: number;
  readonly orderingKey: string;
  /** Known after the first row was read. */
  tenantId: string | undefined;
  readonly waiting: Row[];
  /** Claimed and not finished; the database still shows these rows as due. */
  readonly taken: Set<string>;
  /** Finished during a claim, whose answer may still show them as due. */
  finished: string[];
  running: number;
  /** Calls that are running or not stored yet. */
  open: number;
  /** There may be due rows that were not read yet. */
  hasMore: boolean;
  isClaiming: boolean;
  /** Rows were released during a claim: its answer may lack them, and they come first. */
  isOutdated: boolean;
  /** The number of errors after which it still pauses. */
  resting: number;
}

/** A claim to make: the due rows of an ordering key, in order. */
export interface ClaimStep<Row> {
  kind: 'claim';
  key: KeyState<Row>;
  limit: number;
}

/** A call of the handler to make. */
export interface CallStep<Row> {
  kind: 'call';
  key: KeyState<Row>;
  rows: Row[];
  tenantId: string;
  hasPlace: boolean;
}

/** Decides what starts when. Pure: it reads no clock, starts nothing and waits for nothing. The runner does that. */
export interface Scheduler<Row extends QueueRow> {
  /** Called when an ordering key may have due rows. */
  wake(shard: number, orderingKey: string): void;
  /** Returns what may start now, in this order. */
  takeTurns(): (ClaimStep<Row> | CallStep<Row>)[];
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
  rested(step: ClaimStep<Row> | CallStep<Row>): void;
  /** Starts no further calls. */
  stop(): void;
  isBusy(shard: number): boolean;
  /** Nothing is claimed, waiting or running. */
  readonly isIdle: boolean;
  readonly failures: number;
}

/**
 * Distributes the calls of one queue fairly: ordering keys take turns, rows of a key start in order, each key has a
 * limit, a failing key is probed, and one tenant has at most half of the places.
 */
export function createScheduler<Row extends QueueRow>(
  queue: Pick<Queue<Row>, 'claimMany' | 'rowsPerCall' | 'callsPerKey' | 'callsPerProcess'>,
  owns: (shard: number) => boolean,
): Scheduler<Row> {
  const { rowsPerCall, callsPerKey, callsPerProcess } = queue;
  const callsPerTenant = Math.max(1, Math.floor(callsPerProcess / 2));
  const keys = new Map<string, KeyState<Row>>();
  const ready = new Set<KeyState<Row>>();
  /** Keys that wait until their tenant has a free place. */
  const heldBack = new Map<string, Set<KeyState<Row>>>();
  const runningOfTenant = new Map<string, number>();
  /** Consecutive failures by ordering key, sorted by the last failure. */
  const failing = new Map<string, number>();
  let running = 0;
  let open = 0;
  let failures = 0;
  let isStopped = false;

  function noteFailure(orderingKey: string): void {
    const consecutive = (failing.get(orderingKey) ?? 0) + 1;
    failing.delete(orderingKey);
    failing.set(orderingKey, consecutive);
    if (failing.size > MAX_FAILING_KEYS) failing.delete(failing.keys().next().value as string);
  }
  const isProbed = (key: KeyState<Row>): boolean =>
    (failing.get(key.orderingKey) ?? 0) >= FAILURES_UNTIL_PROBE;
  const limitOf = (key: KeyState<Row>): number => (isProbed(key) ? 1 : callsPerKey);
  /**
   * How many rows are read ahead. A call to a failing receiver may take long, and the rows behind it become stale (its
   * webhook may be deleted meanwhile), so a probed key reads the next row only when it can start. So does a key with one
   * call at a time: the longer it waits, the more rows one claim returns.
   */
  const readyRowsOf = (key: KeyState<Row>): number => {
    if (isProbed(key) || callsPerKey === 1) return key.running > 0 ? 0 : rowsPerCall;
    if (queue.claimMany === undefined) return rowsPerCall * callsPerKey;
    const ahead = Math.floor(READ_AHEAD / keys.size);
    return rowsPerCall * Math.max(1, Math.min(callsPerKey * OPEN_PER_PLACE, ahead));
  };
  const hasPlace = (key: KeyState<Row>): boolean =>
    key.running < limitOf(key) && key.open < callsPerKey * OPEN_PER_PLACE;

  /** Sets a key aside until its tenant has a free place. */
  function holdBack(key: KeyState<Row>, tenantId: string): void {
    if (key.waiting.length === 0 && !key.hasMore) return;
    const others = heldBack.get(tenantId);
    if (others) others.add(key);
    else heldBack.set(tenantId, new Set([key]));
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
    return { kind: 'claim', key, limit };
  }

  function call(key: KeyState<Row>): CallStep<Row> {
    const rows = key.waiting.splice(0, rowsPerCall);
    const tenantId = (rows[0] as Row).tenant_id;
    runningOfTenant.set(tenantId, (runningOfTenant.get(tenantId) ?? 0) + 1);
    running += 1;
    open += 1;
    key.running += 1;
    key.open += 1;
    // The key goes to the end of the ready keys and may start another call.
    if (key.waiting.length > 0 || key.hasMore) ready.add(key);
    return { kind: 'call', key, rows, tenantId, hasPlace: true };
  }

  /** Frees the place of a call, once. */
  function freePlace(step: CallStep<Row>): void {
    const { key, tenantId } = step;
    if (step.hasPlace) {
      step.hasPlace = false;
      running -= 1;
      key.running -= 1;
      const used = (runningOfTenant.get(tenantId) ?? 1) - 1;
      if (used === 0) runningOfTenant.delete(tenantId);
      else runningOfTenant.set(tenantId, used);
      for (const other of heldBack.get(tenantId) ?? []) ready.add(other);
      heldBack.delete(tenantId);
    }
    ready.add(key);
  }

  function rest(key: KeyState<Row>): void {
    key.hasMore = true;
    key.resting += 1;
    ready.add(key);
  }

  /** Removes the state of a key without work. */
  function forgetIfDone(key: KeyState<Row>): void {
    if (key.open > 0 || key.waiting.length > 0 || key.isClaiming) return;
    if (!isStopped && (key.resting > 0 || (key.hasMore && owns(key.shard)))) return;
    keys.delete(key.orderingKey);
  }

  function endClaim(key: KeyState<Row>): void {
    for (const id of key.finished) key.taken.delete(id);
    key.finished = [];
    key.isOutdated = false;
    key.isClaiming = false;
    ready.add(key);
  }

  return {
    wake(shard, orderingKey) {
      if (isStopped || !owns(shard)) return;
      let key = keys.get(orderingKey);
      if (!key) {
        key = {
          shard,
          orderingKey,
          tenantId: undefined,
          waiting: [],
          taken: new Set(),
          finished: [],
          running: 0,
          open: 0,
          hasMore: true,
          isClaiming: false,
          isOutdated: false,
          resting: 0,
        };
        keys.set(orderingKey, key);
      }
      key.hasMore = true;
      ready.add(key);
    },
    takeTurns() {
      const steps: (ClaimStep<Row> | CallStep<Row>)[] = [];
      for (const key of ready) {
        if (running >= callsPerProcess || open >= callsPerProcess * OPEN_PER_PLACE) break;
        ready.delete(key);
        // A timer or `heldBack` may still refer to a removed state, and the key may have a new one.
        if (keys.get(key.orderingKey) !== key) continue;
        if (isStopped || !owns(key.shard)) releaseBeyond(key, 0);
        else if (key.resting === 0) {
          const readyRows = readyRowsOf(key);
          if (key.waiting.length > readyRows) releaseBeyond(key, readyRows);
          // Before the claim: keys of a tenant without free places could not start the rows.
          if (key.tenantId !== undefined && (runningOfTenant.get(key.tenantId) ?? 0) >= callsPerTenant)
            holdBack(key, key.tenantId);
          else {
            if (key.hasMore && !key.isClaiming && readyRows > 0 && key.waiting.length <= readyRows / 2)
              steps.push(claim(key));
            if (key.waiting.length > 0 && hasPlace(key)) steps.push(call(key));
          }
        }
        forgetIfDone(key);
      }
      return steps;
    },
    claimed({ key, limit }, rows) {
      if (key.isOutdated) key.hasMore = true;
      else
        for (const row of rows)
          if (!key.taken.has(row.id)) {
            key.taken.add(row.id);
            key.waiting.push(row);
            key.tenantId = row.tenant_id;
          }
      if (rows.length === limit) key.hasMore = true;
      endClaim(key);
    },
    claimFailed({ key }) {
      rest(key);
      endClaim(key);
    },
    ended(step, outcome) {
      if (outcome === 'ok') failing.delete(step.key.orderingKey);
      else {
        failures += 1;
        noteFailure(step.key.orderingKey);
      }
      freePlace(step);
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
      open -= 1;
      key.open -= 1;
      freePlace(step);
    },
    rested({ key }) {
      key.resting -= 1;
      ready.add(key);
    },
    stop() {
      isStopped = true;
      for (const key of keys.values()) ready.add(key);
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

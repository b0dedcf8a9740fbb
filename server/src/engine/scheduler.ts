import type { Queue, QueueRow } from './queue.ts';

/** After this many consecutive failures an ordering key is probed: one call at a time until one succeeds. */
const FAILURES_UNTIL_PROBE = 3;
const MAX_FAILING_KEYS = 50_000;
/** How many calls may be running or not stored yet for each that may be running. */
const OPEN_PER_PLACE = 8;
const MAX_KNOWN_TENANTS = 10_000;
/**
 * How many rows are read ahead over all ordering keys, if several keys are claimed by one statement: a few keys read for
 * as many calls as they may have open, a thousand read a row each, which is not stale when its turn comes.
 */
const READ_AHEAD = 1024;
/** Failing ordering keys together use at most this part of the places. */
const FAILING_PART = 8;
/**
 * In a queue that waits for others, a tenant without a call may start one even if all places are taken, because nobody
 * knows when one is free: so many tenants at the same time.
 */
const EXTRA_PLACES = 256;

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
  /** Known after the first row was ever read. */
  tenant: TenantState<Row> | undefined;
  /** Its last calls failed, so it is probed. */
  isFailing: boolean;
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

/** A tenant with ordering keys that may have due rows. */
interface TenantState<Row> {
  readonly id: string;
  /** Its keys that may start something, in the order of their turns. */
  readonly ready: Set<KeyState<Row>>;
  readonly readyFailing: Set<KeyState<Row>>;
  keys: number;
  failingKeys: number;
  running: number;
}

/** A claim to make: the due rows of an ordering key, in order. */
export interface ClaimStep<Row> {
  kind: 'claim';
  key: KeyState<Row>;
  limit: number;
  /** The rows are not kept. */
  isForTenant: boolean;
}

/** A call of the handler to make. */
export interface CallStep<Row> {
  kind: 'call';
  key: KeyState<Row>;
  rows: Row[];
  tenant: TenantState<Row>;
  /** The key was failing when the call started. */
  isProbe: boolean;
  hasPlace: boolean;
}

/** Decides what starts when. Pure: it reads no clock, starts nothing and waits for nothing. The runner does that. */
export interface Scheduler<Row extends QueueRow> {
  /** Called when an ordering key may have due rows. */
  wake(shard: number, orderingKey: string): void;
  /** A claim that may be made at once, because an ordering key has new rows; undefined if it has to wait for its turn. */
  claimNow(shard: number, orderingKey: string): ClaimStep<Row> | undefined;
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

export type SchedulerQueue<Row extends QueueRow> = Pick<
  Queue<Row>,
  'claimMany' | 'rowsPerCall' | 'callsPerKey' | 'callsPerFailingKey' | 'callsPerProcess' | 'waitsOutside'
>;

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
  const { rowsPerCall, callsPerKey, callsPerFailingKey = 1, callsPerProcess, waitsOutside = false } = queue;
  const failingPlaces = Math.max(1, Math.floor(callsPerProcess / FAILING_PART));
  const keys = new Map<string, KeyState<Row>>();
  /** Keys whose tenant is not known yet. */
  const unread = new Set<KeyState<Row>>();
  const tenants = new Map<string, TenantState<Row>>();
  /** The tenants with ready keys, in the order of their turns. */
  const turns = new Set<TenantState<Row>>();
  const failingTurns = new Set<TenantState<Row>>();
  /** The tenants of ordering keys, also of those without a state. An ordering key never changes its tenant. */
  const tenantIds = new Map<string, string>();
  /** Consecutive failures by ordering key, sorted by the last failure. */
  const failing = new Map<string, number>();
  /** How many tenants have a key that is not failing. */
  let sharing = 0;
  let running = 0;
  let runningProbes = 0;
  let open = 0;
  let failures = 0;
  let isStopped = false;

  function noteFailure(orderingKey: string): void {
    const consecutive = (failing.get(orderingKey) ?? 0) + 1;
    failing.delete(orderingKey);
    failing.set(orderingKey, consecutive);
    if (failing.size > MAX_FAILING_KEYS) failing.delete(failing.keys().next().value as string);
  }
  const hasFailed = (orderingKey: string): boolean => (failing.get(orderingKey) ?? 0) >= FAILURES_UNTIL_PROBE;
  const limitOf = (key: KeyState<Row>): number =>
    key.isFailing ? Math.min(callsPerKey, callsPerFailingKey) : callsPerKey;
  /**
   * How many rows are read ahead. A call to a failing receiver may take long, and the rows behind it become stale (its
   * webhook may be deleted meanwhile), so a failing key reads the next row only when it can start. So does a key with
   * one call at a time: the longer it waits, the more rows one claim returns.
   */
  const readyRowsOf = (key: KeyState<Row>): number => {
    if (key.isFailing || callsPerKey === 1) return key.running < limitOf(key) ? rowsPerCall : 0;
    if (queue.claimMany === undefined) return rowsPerCall * callsPerKey;
    const ahead = Math.floor(READ_AHEAD / keys.size);
    return rowsPerCall * Math.max(1, Math.min(callsPerKey * OPEN_PER_PLACE, ahead));
  };
  const hasPlace = (key: KeyState<Row>): boolean =>
    key.running < limitOf(key) && key.open < callsPerKey * OPEN_PER_PLACE;

  /** How many calls a tenant may have at the same time. */
  const share = (): number => Math.max(1, Math.floor(callsPerProcess / (sharing + (waitsOutside ? 1 : 0))));
  const isFull = (): boolean =>
    open >= callsPerProcess * OPEN_PER_PLACE ||
    running >= callsPerProcess + (waitsOutside ? EXTRA_PLACES : 0);
  /** Whether a tenant may start a call of a key that is not failing. */
  const mayStart = (tenant: TenantState<Row>): boolean =>
    tenant.running < (running < callsPerProcess ? share() : 1);
  const mayProbe = (tenant: TenantState<Row>): boolean =>
    running < callsPerProcess && runningProbes < failingPlaces && tenant.running < share();

  const isSharing = ({ keys: all, failingKeys }: TenantState<Row>): boolean => all > failingKeys;
  /** Changes the number of a tenant's keys, and with it who shares the places. */
  function countKeys(tenant: TenantState<Row>, keysMore: number, failingMore: number): void {
    const before = isSharing(tenant);
    tenant.keys += keysMore;
    tenant.failingKeys += failingMore;
    sharing += Number(isSharing(tenant)) - Number(before);
    if (tenant.keys === 0) tenants.delete(tenant.id);
  }
  function setFailing(key: KeyState<Row>, isFailing: boolean): void {
    if (key.isFailing === isFailing) return;
    key.isFailing = isFailing;
    if (key.tenant) countKeys(key.tenant, 0, isFailing ? 1 : -1);
  }
  /** Sets the tenant of a key, which the first row tells. */
  function setTenant(key: KeyState<Row>, id: string): void {
    let tenant = tenants.get(id);
    if (!tenant) {
      tenant = { id, ready: new Set(), readyFailing: new Set(), keys: 0, failingKeys: 0, running: 0 };
      tenants.set(id, tenant);
    }
    tenantIds.delete(key.orderingKey);
    tenantIds.set(key.orderingKey, id);
    if (tenantIds.size > MAX_KNOWN_TENANTS) tenantIds.delete(tenantIds.keys().next().value as string);
    key.tenant = tenant;
    countKeys(tenant, 1, Number(key.isFailing));
  }

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
    const rows = key.waiting.splice(0, rowsPerCall);
    const tenant = key.tenant as TenantState<Row>;
    tenant.running += 1;
    running += 1;
    if (key.isFailing) runningProbes += 1;
    open += 1;
    key.running += 1;
    key.open += 1;
    // The key goes to the end of the ready keys and may start another call.
    if (key.waiting.length > 0 || key.hasMore) addReady(key);
    return { kind: 'call', key, rows, tenant, isProbe: key.isFailing, hasPlace: true };
  }

  /** Frees the place of a call, once. */
  function freePlace(step: CallStep<Row>): void {
    const { key, tenant } = step;
    if (step.hasPlace) {
      step.hasPlace = false;
      running -= 1;
      if (step.isProbe) runningProbes -= 1;
      key.running -= 1;
      tenant.running -= 1;
    }
    addReady(key);
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
    if (key.tenant) countKeys(key.tenant, -1, -Number(key.isFailing));
  }

  function endClaim(key: KeyState<Row>): void {
    for (const id of key.finished) key.taken.delete(id);
    key.finished = [];
    key.isOutdated = false;
    key.isClaiming = false;
    addReady(key);
  }

  /** The turn of a ready key: it may claim rows and start a call. */
  function takeTurn(key: KeyState<Row>, steps: (ClaimStep<Row> | CallStep<Row>)[]): void {
    removeReady(key);
    if (!owns(key.shard)) releaseBeyond(key, 0);
    else if (key.resting === 0) {
      const readyRows = readyRowsOf(key);
      if (key.waiting.length > readyRows) releaseBeyond(key, readyRows);
      if (key.hasMore && !key.isClaiming && readyRows > 0 && key.waiting.length <= readyRows / 2)
        steps.push(claim(key));
      if (key.waiting.length > 0 && hasPlace(key)) steps.push(call(key));
    }
    forgetIfDone(key);
  }

  /** Lets tenants take turns, each with one key, until none of them may start anything. */
  function takeTurnsOf(
    ready: 'ready' | 'readyFailing',
    order: Set<TenantState<Row>>,
    may: (tenant: TenantState<Row>) => boolean,
    steps: (ClaimStep<Row> | CallStep<Row>)[],
  ): void {
    // A tenant that is added again during the loop comes again, after the others.
    for (const tenant of order) {
      if (isFull()) return;
      const [key] = tenant[ready];
      if (key !== undefined && !may(tenant)) continue;
      order.delete(tenant);
      if (key === undefined) continue;
      takeTurn(key, steps);
      if (tenant[ready].size > 0) order.add(tenant);
    }
  }

  /** Reads rows for the tenants whose turns are next: they start as soon as a place is free, before others come again. */
  function readNext(steps: (ClaimStep<Row> | CallStep<Row>)[]): void {
    let left = callsPerProcess;
    for (const { ready, running: used } of turns) {
      const [key] = ready;
      if (key === undefined || used >= share()) continue;
      if (left === 0) return;
      left -= 1;
      if (key.waiting.length > 0 || !key.hasMore || key.isClaiming || key.resting > 0) continue;
      if (readyRowsOf(key) > 0 && owns(key.shard)) steps.push(claim(key));
    }
  }

  function createKey(shard: number, orderingKey: string): KeyState<Row> {
    const key: KeyState<Row> = {
      shard,
      orderingKey,
      tenant: undefined,
      isFailing: hasFailed(orderingKey),
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
    const tenantId = tenantIds.get(orderingKey);
    if (tenantId !== undefined) setTenant(key, tenantId);
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
      if (isStopped || !owns(shard) || isFull()) return undefined;
      const known = keys.get(orderingKey);
      if (known && (known.isClaiming || known.waiting.length > 0 || known.resting > 0 || !hasPlace(known)))
        return undefined;
      const key = known ?? createKey(shard, orderingKey);
      if (!key.isFailing && (!key.tenant || mayStart(key.tenant))) return claim(key);
      key.hasMore = true;
      addReady(key);
      return undefined;
    },
    takeTurns() {
      const steps: (ClaimStep<Row> | CallStep<Row>)[] = [];
      if (isStopped)
        for (const key of keys.values()) {
          releaseBeyond(key, 0);
          forgetIfDone(key);
        }
      else {
        // Also without free places: until its tenant is known, nobody knows that it has a share.
        for (const key of unread)
          if (isFull() && key.hasMore && !key.isClaiming && key.resting === 0 && owns(key.shard)) {
            unread.delete(key);
            steps.push(claimTenant(key));
          } else takeTurn(key, steps);
        // When a tenant has nothing more to do, the share of those before it is larger.
        for (let before = 0; share() > before; ) {
          before = share();
          takeTurnsOf('ready', turns, mayStart, steps);
          takeTurnsOf('readyFailing', failingTurns, mayProbe, steps);
        }
        if (isFull()) readNext(steps);
      }
      return steps;
    },
    claimed({ key, limit, isForTenant }, rows) {
      const [first] = rows;
      if (first !== undefined && !key.tenant) setTenant(key, first.tenant_id);
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
      if (outcome === 'ok') failing.delete(key.orderingKey);
      else {
        failures += 1;
        noteFailure(key.orderingKey);
      }
      setFailing(key, hasFailed(key.orderingKey));
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

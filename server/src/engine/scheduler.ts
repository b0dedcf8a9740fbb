import type { Claim } from './claims.ts';
import type { Queue, QueueRow } from './queue.ts';

/** After this many failures in a row a lane is only probed: one call at a time until one succeeds. */
const FAILURES_UNTIL_PROBE = 3;
/** How long a lane rests when its handler threw, so that a broken database is not asked without pause. */
const PAUSE_MS = 1_000;
const FAILING_LANES_KEPT = 50_000;
/** How many calls may be under way or not stored yet for each that may be under way. */
const OPEN_PER_PLACE = 8;
/**
 * How many rows are read ahead over all lanes, if a lane is read together with others: a few lanes read for as many
 * calls as they may have open, a thousand read a row each, which is not stale when its turn comes.
 */
const READ_AHEAD = 1024;

export type Outcome = 'ok' | 'failing';
/** What came of a call whose outcome is being stored: its place is free already, its rows are not. */
export interface Ended {
  outcome: Outcome;
  stored: Promise<void>;
}
export type Handler<Row> = (rows: Row[]) => Promise<Outcome | Ended>;

interface Lane<Row> {
  readonly shard: number;
  readonly id: string;
  /** Whose rows these are, once one has been read. */
  tenant: string | undefined;
  readonly queue: Row[];
  /** Claimed and not finished; the database still shows these rows as due. */
  readonly taken: Set<string>;
  /** Finished while a claim was under way, whose answer may still show them as due. */
  finished: string[];
  running: number;
  /** Calls that are running or not stored yet. */
  open: number;
  /** There may be due rows that were not read yet. */
  more: boolean;
  claiming: boolean;
  /** Rows were let go of while a claim was under way: its answer may lack them, and they come first. */
  outdated: boolean;
  /** How many throws it still rests from. */
  resting: number;
}

export interface Lanes {
  /** Says that a lane may have something due. */
  wake(shard: number, lane: string): void;
  isBusy(shard: number): boolean;
  /** Resolves when nothing is claimed, queued or under way. */
  idle(): Promise<void>;
  /** Starts nothing any more; what is under way goes on. */
  stop(): void;
  readonly failures: number;
}

interface LanesOptions<Row extends QueueRow> {
  list: Queue<Row>;
  handle: Handler<Row>;
  claim: Claim<Row>;
  owns: (shard: number) => boolean;
  onError: (error: unknown, lane: string) => void;
}

/**
 * Runs one work list fairly: lanes take turns, rows of a lane start in order, a lane has its own limit and a failing
 * one is probed, and one tenant never has more than half of the places.
 */
export function runLanes<Row extends QueueRow>(options: LanesOptions<Row>): Lanes {
  const { list, handle, owns } = options;
  const perTenant = Math.max(1, Math.floor(list.atOnce / 2));
  const lanes = new Map<string, Lane<Row>>();
  const ready = new Set<Lane<Row>>();
  const heldBack = new Map<string, Set<Lane<Row>>>();
  const ofTenant = new Map<string, number>();
  /** Failures in a row, by lane; the one that failed last stands last. A cache of that size would be made whole at once. */
  const failing = new Map<string, number>();
  const waiters: (() => void)[] = [];
  let running = 0;
  let open = 0;
  let failures = 0;
  let stopped = false;
  let pumping = false;

  function noteFailure(lane: string): void {
    const inARow = (failing.get(lane) ?? 0) + 1;
    failing.delete(lane);
    failing.set(lane, inARow);
    if (failing.size > FAILING_LANES_KEPT) failing.delete(failing.keys().next().value as string);
  }
  const isProbed = (lane: Lane<Row>): boolean => (failing.get(lane.id) ?? 0) >= FAILURES_UNTIL_PROBE;
  const limitOf = (lane: Lane<Row>): number => (isProbed(lane) ? 1 : list.perLane);
  /**
   * How many rows are kept ready. A call to a failing receiver may take long and what waits behind it goes stale (its
   * webhook may be gone by then), so a lane that is probed reads the next row only when its turn has come. So does one
   * that is never called but once at a time: the longer it waits, the more rows one look brings.
   */
  const fillOf = (lane: Lane<Row>): number => {
    if (isProbed(lane) || list.perLane === 1) return lane.running > 0 ? 0 : list.batch;
    if (list.claimMany === undefined) return list.batch * list.perLane;
    const ahead = Math.floor(READ_AHEAD / lanes.size);
    return list.batch * Math.max(1, Math.min(list.perLane * OPEN_PER_PLACE, ahead));
  };
  const hasPlace = (lane: Lane<Row>): boolean =>
    lane.running < limitOf(lane) && lane.open < list.perLane * OPEN_PER_PLACE;

  function offer(lane: Lane<Row>): void {
    ready.add(lane);
    if (pumping) return;
    pumping = true;
    // At the end of the turn: what has ended is seen to first, then what comes next is started, and not each in turn.
    setImmediate(pump);
  }

  function pump(): void {
    pumping = false;
    for (const lane of ready) {
      if (running >= list.atOnce || open >= list.atOnce * OPEN_PER_PLACE) return;
      ready.delete(lane);
      // A timer or a held-back place may remember a lane that was forgotten; another may live under its id by now.
      if (lanes.get(lane.id) !== lane) continue;
      if (stopped || !owns(lane.shard)) keep(lane, 0);
      else if (lane.resting === 0) {
        const fill = fillOf(lane);
        if (lane.queue.length > fill) keep(lane, fill);
        // Before it is read: of a thousand lanes whose tenant has all its places, none could start what it reads.
        if (lane.tenant !== undefined && (ofTenant.get(lane.tenant) ?? 0) >= perTenant)
          holdBack(lane, lane.tenant);
        else {
          if (lane.more && !lane.claiming && fill > 0 && lane.queue.length <= fill / 2) void claim(lane);
          if (lane.queue.length > 0 && hasPlace(lane)) start(lane);
        }
      }
      retire(lane);
    }
  }

  /** Sets a lane aside until a place of its tenant is free. */
  function holdBack(lane: Lane<Row>, tenant: string): void {
    if (lane.queue.length === 0 && !lane.more) return;
    const others = heldBack.get(tenant);
    if (others) others.add(lane);
    else heldBack.set(tenant, new Set([lane]));
  }

  /** Lets go of what was claimed beyond the first `count` rows; whoever claims next may have them. */
  function keep(lane: Lane<Row>, count: number): void {
    for (const row of lane.queue.splice(count)) {
      lane.taken.delete(row.id);
      lane.more = true;
      lane.outdated = lane.claiming;
    }
  }

  async function claim(lane: Lane<Row>): Promise<void> {
    lane.claiming = true;
    lane.more = false;
    const limit = (list.claimMany ? 0 : lane.taken.size) + fillOf(lane) - lane.queue.length;
    try {
      const rows = await options.claim(lane.shard, lane.id, limit, lane.taken);
      if (lane.outdated) lane.more = true;
      for (const row of lane.outdated ? [] : rows)
        if (!lane.taken.has(row.id)) {
          lane.taken.add(row.id);
          lane.queue.push(row);
          lane.tenant = row.tenant_id;
        }
      if (rows.length === limit) lane.more = true;
    } catch (error) {
      rest(lane, error);
    }
    for (const id of lane.finished) lane.taken.delete(id);
    lane.finished = [];
    lane.outdated = false;
    lane.claiming = false;
    offer(lane);
  }

  function rest(lane: Lane<Row>, error: unknown): void {
    options.onError(error, lane.id);
    lane.more = true;
    lane.resting += 1;
    setTimeout(() => {
      lane.resting -= 1;
      offer(lane);
    }, PAUSE_MS).unref();
  }

  function start(lane: Lane<Row>): void {
    const rows = lane.queue.splice(0, list.batch);
    const free = takePlace(lane, (rows[0] as Row).tenant_id);
    lane.open += 1;
    open += 1;
    call(lane, rows, free)
      .catch((error) => {
        failures += 1;
        // What waits came after what failed: it is read anew, so that rows of the lane start in order again.
        keep(lane, 0);
        lane.outdated = lane.claiming;
        rest(lane, error);
      })
      .finally(() => {
        letGo(lane, rows);
        free();
      });
    // The lane goes to the end of the line and may have another turn.
    if (lane.queue.length > 0 || lane.more) ready.add(lane);
  }

  async function call(lane: Lane<Row>, rows: Row[], free: () => void): Promise<void> {
    const ended = await handle(rows);
    const { outcome, stored } = typeof ended === 'string' ? { outcome: ended, stored: undefined } : ended;
    if (outcome === 'ok') failing.delete(lane.id);
    else {
      failures += 1;
      noteFailure(lane.id);
    }
    if (stored === undefined) return;
    free();
    await stored;
  }

  /** Counts a call as under way, for its lane and its tenant, until what it gives is called for the first time. */
  function takePlace(lane: Lane<Row>, tenant: string): () => void {
    ofTenant.set(tenant, (ofTenant.get(tenant) ?? 0) + 1);
    running += 1;
    lane.running += 1;
    let isFree = false;
    return () => {
      if (!isFree) {
        isFree = true;
        running -= 1;
        lane.running -= 1;
        const used = (ofTenant.get(tenant) ?? 1) - 1;
        if (used === 0) ofTenant.delete(tenant);
        else ofTenant.set(tenant, used);
        for (const other of heldBack.get(tenant) ?? []) ready.add(other);
        heldBack.delete(tenant);
      }
      offer(lane);
    };
  }

  /** The database no longer shows these rows as due, or they are to be tried again. */
  function letGo(lane: Lane<Row>, rows: Row[]): void {
    if (lane.claiming) lane.finished.push(...rows.map((row) => row.id));
    else for (const row of rows) lane.taken.delete(row.id);
    open -= 1;
    lane.open -= 1;
  }

  /** Forgets a lane without work, so that memory holds what is under way and nothing else. */
  function retire(lane: Lane<Row>): void {
    if (lane.open > 0 || lane.queue.length > 0 || lane.claiming) return;
    if (!stopped && (lane.resting > 0 || (lane.more && owns(lane.shard)))) return;
    lanes.delete(lane.id);
    if (lanes.size === 0) for (const resolve of waiters.splice(0)) resolve();
  }

  return {
    wake(shard, id) {
      if (stopped || !owns(shard)) return;
      let lane = lanes.get(id);
      if (!lane) {
        lane = {
          shard,
          id,
          tenant: undefined,
          queue: [],
          taken: new Set(),
          finished: [],
          running: 0,
          open: 0,
          more: true,
          claiming: false,
          outdated: false,
          resting: 0,
        };
        lanes.set(id, lane);
      }
      lane.more = true;
      offer(lane);
    },
    isBusy: (shard) => [...lanes.values()].some((lane) => lane.shard === shard && lane.open > 0),
    idle: () => (lanes.size === 0 ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    stop() {
      stopped = true;
      for (const lane of lanes.values()) offer(lane);
    },
    get failures() {
      return failures;
    },
  };
}

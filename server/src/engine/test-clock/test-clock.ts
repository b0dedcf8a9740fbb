import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { batch } from '../../base/batch.ts';
import type { TenantClock } from '../../base/clock.ts';
import type { Database } from '../../db/database.ts';
import type { Statement } from '../../db/statement.ts';
import { claimsOf } from '../claims.ts';
import { type Queue, type QueueRow, TEST_SHARD } from '../queue.ts';
import { type Handler, type Lanes, runLanes } from '../scheduler.ts';
import type { Notifier } from '../wakeups.ts';
import { type ClockState, endJourney, hasTestTenants, moveClock } from './test-tenants.ts';

/** What is hinted at when a clock is to go on its way, and told when it has arrived. */
export const CLOCK_TOPIC = 'clock';

/** Hints come with every commit, and one look serves them all. */
const COLLECT_MS = 10;
/** How long nobody looks on a hint after a look, in looks: where a look takes long, work must not wait for looking. */
const PAUSE_PER_LOOK = 5;
/** How many clocks are looked at by one statement, and how many statements at once: the rest of the pool is everyone's. */
const TOGETHER = { maxBatch: 200, underWay: 2 };
/** How many calls one tenant may have under way in a list, as nobody else is counted with it: half of this. */
const CALLS_AT_ONCE = 32;
/** What is still due after so many rounds does not become less by trying; then it is tried with a pause. */
const ROUNDS_WITHOUT_PAUSE = 500;
const PAUSE_MS = 200;

export interface TestClock {
  /** Finds test tenants with something to do, has it done, and says how many there are. */
  look(): Promise<number>;
  /** Says that a lane of a list may have something due. */
  wakeUp(list: string, lane: string): void;
  isBusy(): boolean;
  /** Resolves when everything is done that was found so far, and all clocks that were on their way have arrived. */
  idle(): Promise<void>;
  /** Starts nothing any more; what is under way goes on. */
  stop(): void;
  failuresOf(list: string): number;
}

interface TestClockOptions {
  db: Database;
  queues: readonly { list: Queue<QueueRow>; handle: Handler<QueueRow> }[];
  clock: TenantClock;
  wakeUps: Pick<Notifier, 'tell'>;
  /** Whether the share of test tenants is this process's. */
  isOurs: () => boolean;
  log: Logger;
}

interface Found extends ClockState {
  id: string;
  /** The lanes with something due, each as its list and its id. */
  due: [list: string, lane: string][];
  /** When the next thing is due. */
  next: Date | null;
}

/** A test tenant that is being attended to. */
interface Attended {
  readonly id: string;
  readonly lanes: Map<string, Lanes>;
  /** There may be something new since it was looked at. */
  isAgain: boolean;
  done: Promise<void>;
}

/**
 * What test tenants have due by their own clocks, and when there is more. To the next millisecond, as clocks here know
 * nothing finer and must not stand still just before something.
 */
const scanOf = <P extends readonly unknown[]>(
  name: string,
  fronts: readonly (readonly [list: string, text: string])[],
  which: string,
): Statement<P, Found> => ({
  name: `test_clock.${name}`,
  text: `with fronts as (
    ${fronts.map(([list, text]) => `select '${list}' as list, f.lane, f.due, f.tenant_id from (${text}) f`).join(' union all ')})
   select t.id, t.clock, t.clock_target as target,
          coalesce(json_agg(json_build_array(f.list, f.lane)) filter (where f.due <= t.clock), '[]') as due,
          date_trunc('milliseconds', min(f.due) filter (where f.due > t.clock and f.due < 'infinity')
                                     + interval '999 microseconds') as next
     from tenants t left join fronts f on f.tenant_id = t.id
    where t.clock is not null and ${which}
    group by t.id`,
});

/**
 * Runs the work of test tenants, each by its own clock, with the lanes and handlers of everyone's work. A clock stands
 * still, and what is due by it is done; one that is on its way goes from one due time to the next, and on only when
 * nothing is due and nothing under way. Tenants do not wait for each other.
 */
export function testClock({ db, queues, clock, wakeUps, isOurs, log }: TestClockOptions): TestClock {
  const lists = queues.map(({ list }) => list);
  const scanAll = scanOf<[]>(
    'scan_all',
    lists.map(({ name, fronts }) => [name, fronts]),
    '(t.clock_target is not null or f.due <= t.clock)',
  );
  // Others may have left thousands of lanes in which something waits; a clock on its way must not pass by them all.
  const scanSome = scanOf<[ids: string[]]>(
    'scan_some',
    lists.map(({ name, frontsOfSome }) => [name, frontsOfSome]),
    't.id = any ($1::uuid[])',
  );
  const queuesByName = new Map(queues.map((one) => [one.list.name, one]));
  const attended = new Map<string, Attended>();
  const failures = new Map<string, number>();
  let stopped = false;
  let isWoken = false;
  let timer: NodeJS.Timeout | undefined;
  const mayWork = (): boolean => !stopped && isOurs();

  const find = batch<string, Found | undefined>(async (ids) => {
    const found = new Map((await db.all(scanSome, [ids])).map((one) => [one.id, one]));
    return ids.map((id) => found.get(id));
  }, TOGETHER);

  function lanesOf(tenant: Attended, name: string): Lanes | undefined {
    const known = tenant.lanes.get(name);
    const work = queuesByName.get(name);
    if (known || !work) return known;
    const made = runLanes({
      handle: work.handle,
      list: { ...work.list, atOnce: Math.min(work.list.atOnce, CALLS_AT_ONCE) },
      claim: claimsOf(db, work.list, () => clock.now(tenant.id)),
      owns: mayWork,
      onError: (error, lane) =>
        log.error({ err: error, list: name, lane, tenantId: tenant.id }, 'work failed, will be tried again'),
    });
    tenant.lanes.set(name, made);
    return made;
  }

  const isBusy = ({ lanes }: Attended): boolean => [...lanes.values()].some((one) => one.isBusy(TEST_SHARD));

  function wake(tenant: Attended, { clock: time, due }: Found): void {
    clock.tell(tenant.id, time);
    for (const [list, lane] of due) lanesOf(tenant, list)?.wake(TEST_SHARD, lane);
  }

  /** Moves a clock that is on its way to where something is next; at its end says so. False when it is there. */
  async function goOn({ id, clock: time, target, next }: Found): Promise<boolean> {
    if (target === null) return false;
    if (time >= target) {
      await endJourney(db, id, target);
      wakeUps.tell(CLOCK_TOPIC, id);
      return false;
    }
    const to = next !== null && next < target ? next : target;
    if (await moveClock(db, id, time, to)) clock.tell(id, to);
    return true;
  }

  async function attend(tenant: Attended): Promise<void> {
    for (let rounds = 0; mayWork(); rounds += 1) {
      tenant.isAgain = false;
      const found = await find(tenant.id);
      if (!found) return;
      wake(tenant, found);
      if (found.due.length > 0 || isBusy(tenant)) {
        await Promise.all([...tenant.lanes.values()].map((one) => one.idle()));
        if (rounds > ROUNDS_WITHOUT_PAUSE) await delay(PAUSE_MS);
      } else if (await goOn(found)) rounds = 0;
      else if (!tenant.isAgain) return;
    }
  }

  function begin(found: Found): void {
    const { id } = found;
    const tenant: Attended = { id, lanes: new Map(), isAgain: false, done: Promise.resolve() };
    attended.set(id, tenant);
    wake(tenant, found);
    tenant.done = attend(tenant)
      .catch((error) =>
        log.warn(
          { err: error, tenantId: id },
          'the work of a test tenant was broken off, will be tried again',
        ),
      )
      .finally(() => {
        attended.delete(id);
        for (const [list, one] of tenant.lanes) failures.set(list, (failures.get(list) ?? 0) + one.failures);
      });
  }

  /** Sees to it that a tenant is attended to, if there is anything to do. */
  function see(found: Found): void {
    if (found.due.length === 0 && found.target === null) return;
    const tenant = attended.get(found.id);
    if (tenant) {
      // Something may be due at once while the rest waits for an answer from outside.
      tenant.isAgain = true;
      wake(tenant, found);
    } else begin(found);
  }

  async function look(): Promise<number> {
    // To look at all lists of nobody would take some ten milliseconds of each second.
    if (!mayWork() || !(await hasTestTenants(db))) return 0;
    const found = await db.all(scanAll, []);
    for (const one of found) see(one);
    return found.length;
  }

  const guarded = (looking: Promise<unknown>): Promise<unknown> =>
    looking.catch((error) => log.warn({ err: error }, 'the clocks of test tenants cannot be read'));

  /** One look at a time, and another for what was hinted at meanwhile, after a pause that leaves time for others. */
  async function followWakeUps(): Promise<void> {
    isWoken = false;
    const since = performance.now();
    await guarded(look());
    const pauseMs = COLLECT_MS + PAUSE_PER_LOOK * (performance.now() - since);
    timer = setTimeout(() => {
      timer = undefined;
      if (isWoken && !stopped) void followWakeUps();
    }, pauseMs);
  }

  return {
    look,
    wakeUp(list, lane) {
      if (!mayWork()) return;
      if (list === CLOCK_TOPIC || queuesByName.get(list)?.list.isByTenant)
        void guarded(find(lane).then((found) => found && see(found)));
      else {
        isWoken = true;
        timer ??= setTimeout(followWakeUps, COLLECT_MS);
      }
    },
    isBusy: () => [...attended.values()].some(isBusy),
    async idle() {
      while (attended.size > 0) await Promise.all([...attended.values()].map(({ done }) => done));
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
      for (const { lanes } of attended.values()) for (const one of lanes.values()) one.stop();
    },
    failuresOf: (list) =>
      [...attended.values()].reduce(
        (sum, { lanes }) => sum + (lanes.get(list)?.failures ?? 0),
        failures.get(list) ?? 0,
      ),
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { batch } from '../../base/batch.ts';
import type { TenantClock } from '../../base/clock.ts';
import type { Database } from '../../db/database.ts';
import type { SystemStatement } from '../../db/statement.ts';
import { claimsOf } from '../claims.ts';
import { TEST_SHARD } from '../queue.ts';
import { type BoundQueue, type QueueRunner, runQueue } from '../runner.ts';
import type { Notifier } from '../wakeups.ts';
import { type ClockState, endMove, moveClock } from './test-tenants.ts';

/** The topic of wake-ups and notifications about clocks that start or end to move. */
export const CLOCK_TOPIC = 'clock';

/** Wake-ups come with every commit; they share one scan. */
const COLLECT_MS = 10;
/** The pause after a scan as a multiple of its duration, so that slow scans do not delay the work. */
const PAUSE_PER_SCAN = 5;
/** Few concurrent statements, as other work needs the connections of the pool. */
const BATCH = { maxBatch: 200, maxConcurrent: 2 };
/** The maximum number of calls per process in the runner of one tenant. The scheduler allows a tenant half of it. */
const MAX_CALLS = 32;
/** After this many rounds with due rows there is a pause between rounds. */
const ROUNDS_WITHOUT_PAUSE = 500;
const PAUSE_MS = 200;

export interface TestClock {
  /**
   * Finds test tenants with due rows or a moving clock, starts their work, and returns their number. Called only if there
   * are test tenants: it reads the keys of all queues, which takes about ten milliseconds.
   */
  scan(): Promise<number>;
  /** Called when an ordering key of a queue may have due rows. */
  wake(queue: string, orderingKey: string): void;
  isBusy(): boolean;
  /** Resolves when all work that was found is done, and all moving clocks have arrived. */
  idle(): Promise<void>;
  /** Starts no further calls. Running calls continue. */
  stop(): void;
  failuresOf(queue: string): number;
}

interface TestClockOptions {
  db: Database;
  queues: readonly BoundQueue[];
  clock: TenantClock;
  wakeUps: Pick<Notifier, 'notify'>;
  /** Whether this process owns the shard of test tenants. */
  isOwned: () => boolean;
  log: Logger;
}

interface TenantState extends ClockState {
  id: string;
  /** The ordering keys with due rows, each with its queue. */
  due: [queue: string, orderingKey: string][];
  /** When the next row is due. */
  next: Date | null;
}

/** A test tenant that is being worked on. */
interface ActiveTenant {
  readonly id: string;
  readonly runners: Map<string, QueueRunner>;
  /** There may be new rows since the last read. */
  isWoken: boolean;
  done: Promise<void>;
}

/**
 * Finds what is due by the clocks of test tenants, and when more is due. Rounded up to milliseconds, the resolution of the
 * clocks: a clock must not stop just before a due time.
 */
const scanStatement = <P extends readonly unknown[]>(
  name: string,
  fronts: readonly (readonly [queue: string, text: string])[],
  which: string,
): SystemStatement<P, TenantState> => ({
  scope: 'system',
  name: `test_clock.${name}`,
  text: `with fronts as (
    ${fronts.map(([queue, text]) => `select '${queue}' as queue, f.ordering_key, f.due, f.tenant_id from (${text}) f`).join(' union all ')})
   select t.id, t.clock, t.clock_target as target,
          coalesce(json_agg(json_build_array(f.queue, f.ordering_key)) filter (where f.due <= t.clock), '[]') as due,
          date_trunc('milliseconds', min(f.due) filter (where f.due > t.clock and f.due < 'infinity')
                                     + interval '999 microseconds') as next
     from visible_tenants t left join fronts f on f.tenant_id = t.id
    where t.clock is not null and ${which}
    group by t.id, t.clock, t.clock_target`,
});

/**
 * Runs the work of test tenants, each by its own clock, with the same runners and handlers as other work. A clock stands
 * still while due rows are handled. A moving clock goes from one due time to the next, but only when nothing is due and
 * nothing runs. Tenants do not wait for each other.
 */
export function createTestClock({ db, queues, clock, wakeUps, isOwned, log }: TestClockOptions): TestClock {
  const scanAll = scanStatement<[]>(
    'scan_all',
    queues.map(({ queue }) => [queue.name, queue.fronts]),
    '(t.clock_target is not null or f.due <= t.clock)',
  );
  // Other tenants may have thousands of ordering keys with waiting rows; one moving clock must not read all of them.
  const scanTenants = scanStatement<[ids: string[]]>(
    'scan_tenants',
    queues.map(({ queue }) => [queue.name, queue.frontsOfTenants]),
    't.id = any ($1::uuid[])',
  );
  const queuesByName = new Map(queues.map((one) => [one.queue.name, one]));
  const active = new Map<string, ActiveTenant>();
  const failures = new Map<string, number>();
  let isStopped = false;
  let isScanWanted = false;
  let timer: NodeJS.Timeout | undefined;
  const mayWork = (): boolean => !isStopped && isOwned();

  const findTenant = batch<string, TenantState | undefined>(async (ids) => {
    const found = new Map((await db.all(scanTenants, [ids])).map((one) => [one.id, one]));
    return ids.map((id) => found.get(id));
  }, BATCH);

  function runnerOf(tenant: ActiveTenant, name: string): QueueRunner | undefined {
    const known = tenant.runners.get(name);
    const bound = queuesByName.get(name);
    if (known || !bound) return known;
    const created = runQueue({
      handle: bound.handle,
      queue: { ...bound.queue, callsPerProcess: Math.min(bound.queue.callsPerProcess, MAX_CALLS) },
      claim: claimsOf(db, bound.queue, () => clock.now(tenant.id)),
      owns: mayWork,
      onError: (error, orderingKey) =>
        log.error(
          { err: error, queue: name, orderingKey, tenantId: tenant.id },
          'work failed, it is retried',
        ),
    });
    tenant.runners.set(name, created);
    return created;
  }

  const isBusy = ({ runners }: ActiveTenant): boolean =>
    [...runners.values()].some((one) => one.isBusy(TEST_SHARD));

  function wakeDue(tenant: ActiveTenant, { clock: time, due }: TenantState): void {
    clock.setTime(tenant.id, time);
    for (const [queue, orderingKey] of due) runnerOf(tenant, queue)?.wake(TEST_SHARD, orderingKey);
  }

  /** Moves a clock to the next due time, at most to its target. Returns false when it has arrived. */
  async function moveOn({ id, clock: time, target, next }: TenantState): Promise<boolean> {
    if (target === null) return false;
    if (time >= target) {
      await endMove(db, id, target);
      wakeUps.notify(CLOCK_TOPIC, id);
      return false;
    }
    const to = next !== null && next < target ? next : target;
    if (await moveClock(db, id, time, to)) clock.setTime(id, to);
    return true;
  }

  async function work(tenant: ActiveTenant): Promise<void> {
    for (let rounds = 0; mayWork(); rounds += 1) {
      tenant.isWoken = false;
      const state = await findTenant(tenant.id);
      if (!state) return;
      wakeDue(tenant, state);
      if (state.due.length > 0 || isBusy(tenant)) {
        await Promise.all([...tenant.runners.values()].map((one) => one.idle()));
        if (rounds > ROUNDS_WITHOUT_PAUSE) await delay(PAUSE_MS);
      } else if (await moveOn(state)) rounds = 0;
      else if (!tenant.isWoken) return;
    }
  }

  function begin(state: TenantState): void {
    const { id } = state;
    const tenant: ActiveTenant = { id, runners: new Map(), isWoken: false, done: Promise.resolve() };
    active.set(id, tenant);
    wakeDue(tenant, state);
    tenant.done = work(tenant)
      .catch((error) =>
        log.warn({ err: error, tenantId: id }, 'the work of a test tenant failed, it is retried'),
      )
      .finally(() => {
        active.delete(id);
        for (const [queue, one] of tenant.runners)
          failures.set(queue, (failures.get(queue) ?? 0) + one.failures);
      });
  }

  /** Starts or continues the work of a tenant, if it has any. */
  function startWork(state: TenantState): void {
    if (state.due.length === 0 && state.target === null) return;
    const tenant = active.get(state.id);
    if (tenant) {
      // New rows may be due while running calls wait for an external answer.
      tenant.isWoken = true;
      wakeDue(tenant, state);
    } else begin(state);
  }

  async function scan(): Promise<number> {
    if (!mayWork()) return 0;
    const found = await db.all(scanAll, []);
    for (const state of found) startWork(state);
    return found.length;
  }

  const logErrors = (scanning: Promise<unknown>): Promise<unknown> =>
    scanning.catch((error) => log.warn({ err: error }, 'the clocks of test tenants could not be read'));

  /** One scan at a time, and after a pause another one for the wake-ups that came meanwhile. */
  async function scanAfterWakeUps(): Promise<void> {
    isScanWanted = false;
    const since = performance.now();
    await logErrors(scan());
    const pauseMs = COLLECT_MS + PAUSE_PER_SCAN * (performance.now() - since);
    timer = setTimeout(() => {
      timer = undefined;
      if (isScanWanted && !isStopped) void scanAfterWakeUps();
    }, pauseMs);
  }

  return {
    scan,
    wake(queue, orderingKey) {
      if (!mayWork()) return;
      const isOfTenant = queue === CLOCK_TOPIC || queuesByName.get(queue)?.queue.orderingKey === 'tenant_id';
      if (isOfTenant) void logErrors(findTenant(orderingKey).then((state) => state && startWork(state)));
      else {
        isScanWanted = true;
        timer ??= setTimeout(scanAfterWakeUps, COLLECT_MS);
      }
    },
    isBusy: () => [...active.values()].some(isBusy),
    async idle() {
      while (active.size > 0) await Promise.all([...active.values()].map(({ done }) => done));
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      for (const { runners } of active.values()) for (const one of runners.values()) one.stop();
    },
    failuresOf: (queue) =>
      [...active.values()].reduce(
        (sum, { runners }) => sum + (runners.get(queue)?.failures ?? 0),
        failures.get(queue) ?? 0,
      ),
  };
}

import { isTestTenant } from './ids.ts';

/** The time of day: what leases, tokens, rate limits and idempotency keys go by. */
export interface RealClock {
  real(): Date;
}

/** The one source of the time. Code asks it instead of `Date.now()`, so that tests can move it. */
export interface Clock extends RealClock {
  /** The time of a tenant: the time of day, unless it is a test tenant, which has a clock of its own. */
  now(tenantId: string): Date;
}

/** A clock that knows the times of test tenants as far as it has been told. */
export interface TenantClock extends Clock {
  /** Says what a test tenant's clock shows. It never goes back: of two who tell, one may have looked earlier. */
  tell(tenantId: string, time: Date): void;
}

export const systemClock: Clock = { now: () => new Date(), real: () => new Date() };

/** Test tenants whose time is remembered; whoever was forgotten is told of again before anything is asked. */
const TEST_TENANTS_KEPT = 10_000;

/** For ordinary tenants it is the clock given, and costs a look at one character. */
export function tenantClock({ real }: RealClock): TenantClock {
  const times = new Map<string, number>();
  return {
    real,
    now(tenantId) {
      const time = isTestTenant(tenantId) ? times.get(tenantId) : undefined;
      return time === undefined ? real() : new Date(time);
    },
    tell(tenantId, time) {
      const latest = Math.max(time.getTime(), times.get(tenantId) ?? Number.NEGATIVE_INFINITY);
      times.delete(tenantId);
      times.set(tenantId, latest);
      if (times.size > TEST_TENANTS_KEPT) times.delete(times.keys().next().value as string);
    },
  };
}

/** The times of these tenants, as statements take many. Ordinary ones share one text. */
export function timesOf(clock: Clock, tenantIds: readonly string[]): string[] {
  const real = clock.real().toISOString();
  return tenantIds.map((id) => (isTestTenant(id) ? clock.now(id).toISOString() : real));
}

export interface ManualClock extends Clock {
  /** One time for everybody, so nobody needs to be named. */
  now(tenantId?: string): Date;
  set(time: Date): void;
  advance(ms: number): void;
}

/** A clock that stands still until it is moved. */
export function manualClock(start: Date): ManualClock {
  let time = start.getTime();
  const read = (): Date => new Date(time);
  return {
    now: read,
    real: read,
    set: (to) => {
      time = to.getTime();
    },
    advance: (ms) => {
      time += ms;
    },
  };
}

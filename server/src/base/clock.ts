import { isTestTenant } from './ids.ts';
import { correctTime, nowMs } from './time.ts';

/** Real time, for leases, tokens, rate limits and idempotency keys. */
export interface RealClock {
  real(): Date;
}

/** The source of time. Used instead of `Date.now()`, so that tests can move it. */
export interface Clock extends RealClock {
  /** The time of a tenant: real time, or the own clock of a test tenant. */
  now(tenantId: string): Date;
}

/** A clock with the times of test tenants. */
export interface TenantClock extends Clock {
  /** Sets the clock of a test tenant. It never goes back, as one of two callers may have read an older time. */
  setTime(tenantId: string, time: Date): void;
}

/** The clock of this machine, which can be corrected by what it differs from that of the database. */
export interface SystemClock extends Clock {
  uncorrected(): Date;
  /** Adds this to the time of the machine from now on, everywhere in this process. */
  correct(offsetMs: number): void;
}

const read = (): Date => new Date(nowMs());
export const systemClock: SystemClock = {
  now: read,
  real: read,
  uncorrected: () => new Date(),
  correct: correctTime,
};

/** How many times of test tenants are cached. A dropped one is read again when its tenant authenticates. */
const MAX_TEST_TENANTS = 10_000;

/** Ordinary tenants use the given clock. They are distinguished by one character of the id. */
export function tenantClock({ real }: RealClock): TenantClock {
  const times = new Map<string, number>();
  return {
    real,
    now(tenantId) {
      const time = isTestTenant(tenantId) ? times.get(tenantId) : undefined;
      return time === undefined ? real() : new Date(time);
    },
    setTime(tenantId, time) {
      const latest = Math.max(time.getTime(), times.get(tenantId) ?? Number.NEGATIVE_INFINITY);
      times.delete(tenantId);
      times.set(tenantId, latest);
      if (times.size > MAX_TEST_TENANTS) times.delete(times.keys().next().value as string);
    },
  };
}

/** The times of these tenants as a parameter of a statement. Ordinary tenants share one text. */
export function timesOf(clock: Clock, tenantIds: readonly string[]): string[] {
  const real = clock.real().toISOString();
  return tenantIds.map((id) => (isTestTenant(id) ? clock.now(id).toISOString() : real));
}

export interface ManualClock extends Clock {
  /** One time for all tenants. */
  now(tenantId?: string): Date;
  set(time: Date): void;
  advance(ms: number): void;
}

/** A clock that stands still until it is moved. */
export function manualClock(start: Date): ManualClock {
  let time = start.getTime();
  const readTime = (): Date => new Date(time);
  return {
    now: readTime,
    real: readTime,
    set: (to) => {
      time = to.getTime();
    },
    advance: (ms) => {
      time += ms;
    },
  };
}

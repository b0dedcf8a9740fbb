import { DateTime, Duration } from 'luxon';
import type { TenantClock } from '../base/clock.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isTestTenant } from '../base/ids.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { TEST_SHARD } from '../engine/queue.ts';
import { CLOCK_TOPIC } from '../engine/test-clock/test-clock.ts';
import { type ClockState, findClock, startMovingClock } from '../engine/test-clock/test-tenants.ts';
import type { Notifier, WakeUps } from '../engine/wakeups.ts';
import type { Finish } from '../http/route.ts';
import { timestamp } from '../http/schema.ts';
import type { ClockAdvance, TestClock } from './schema.ts';

/** How far a clock can be moved by one call: a year with its leap day. */
export const MAX_ADVANCE_DAYS = 366;
const MAX_ADVANCE_MS = MAX_ADVANCE_DAYS * 24 * 3600_000;
/** How long a call waits: less than the five minutes for which its idempotency key is reserved. */
const TIMEOUT_MS = 4 * 60_000;
/** How often the clock is read while waiting, in case a notification is lost. */
const POLL_MS = 250;

export interface Arrivals {
  /** Resolves when the clock of this tenant may have arrived, at the latest after so many milliseconds. */
  next(tenantId: string, withinMs: number): Promise<void>;
}

/** Listens for clocks that have arrived, in any process. */
export function clockArrivals(wakeUps: Pick<Notifier, 'subscribe'>): Arrivals {
  const waiting = new Map<string, Set<() => void>>();
  wakeUps.subscribe((topic, tenantId) => {
    if (topic === CLOCK_TOPIC) for (const resume of waiting.get(tenantId) ?? []) resume();
  });
  return {
    next: (tenantId, withinMs) =>
      new Promise((resolve) => {
        const waiters = waiting.get(tenantId) ?? new Set();
        const resume = (): void => {
          clearTimeout(timer);
          waiters.delete(resume);
          if (waiters.size === 0) waiting.delete(tenantId);
          resolve();
        };
        const timer = setTimeout(resume, withinMs);
        waiting.set(tenantId, waiters.add(resume));
      }),
  };
}

export interface AdvanceDeps {
  clock: TenantClock;
  wakeUps: WakeUps;
  arrivals: Arrivals;
  isDraining: () => boolean;
}

/** Validates the request and returns the time to move the clock to. */
function targetOf({ to, by }: ClockAdvance, clock: Date): Date {
  if ((to === undefined) === (by === undefined))
    throw invalidParam(by === undefined ? 'to' : 'by', 'custom', 'Give one of to and by');
  const path = by === undefined ? 'to' : 'by';
  const target = by === undefined ? new Date(to as string) : addDuration(clock, by);
  if (target < clock)
    throw invalidParam(path, 'custom', `Must not be before the clock, which shows ${timestamp(clock)}`);
  if (target.getTime() - clock.getTime() > MAX_ADVANCE_MS)
    throw invalidParam(
      path,
      'custom',
      `Must be at most ${MAX_ADVANCE_DAYS} days after the clock, which shows ${timestamp(clock)}`,
    );
  return target;
}

function addDuration(clock: Date, by: string): Date {
  const duration = Duration.fromISO(by);
  // luxon accepts a P without a number as a duration.
  const target =
    duration.isValid && /\d/.test(by)
      ? DateTime.fromJSDate(clock, { zone: 'utc' }).plus(duration)
      : undefined;
  if (!target?.isValid)
    throw invalidParam('by', 'invalid_string', 'Must be an ISO 8601 duration, such as PT36H or P1M');
  return target.toJSDate();
}

async function requireClock(db: TenantDatabase): Promise<ClockState> {
  const state = await findClock(db, db.tenantId);
  if (!state) throw new ApiError('unauthorized', { detail: 'the tenant has been deleted' });
  return state;
}

/** Starts moving the clock, unless it is moving to the same time already, and returns that time. */
async function startMoving(db: TenantDatabase, body: ClockAdvance): Promise<Date> {
  for (;;) {
    const { clock, target: before } = await requireClock(db);
    const target = targetOf(body, clock);
    if (before?.getTime() === target.getTime()) return target;
    if (before !== null)
      throw new ApiError('conflict', {
        detail: `the clock is moving to ${timestamp(before)}; wait until it has arrived`,
      });
    if (await startMovingClock(db, db.tenantId, clock, target)) return target;
  }
}

/**
 * Moves the clock of a test tenant. Everything that becomes due happens in order, and has happened when this resolves.
 * If the process dies meanwhile, another one continues to move the clock.
 */
export async function advanceClock(
  db: TenantDatabase,
  body: ClockAdvance,
  { clock, wakeUps, arrivals, isDraining }: AdvanceDeps,
): Promise<Finish<TestClock>> {
  const { tenantId } = db;
  if (!isTestTenant(tenantId))
    throw new ApiError('conflict', {
      detail:
        'only test tenants have a clock of their own; the operator creates one with "isTest": true at POST /admin/tenants',
    });
  const target = await startMoving(db, body);
  wakeUps.wake(CLOCK_TOPIC, TEST_SHARD, tenantId);
  const giveUpAt = performance.now() + TIMEOUT_MS;
  for (;;) {
    // Subscribed before the clock is read, so that an arrival in between is noticed.
    const arrival = arrivals.next(tenantId, POLL_MS);
    const state = await requireClock(db);
    if (state.clock >= target && (state.target === null || state.target > target)) {
      clock.setTime(tenantId, state.clock);
      return async () => ({ now: timestamp(target) });
    }
    if (isDraining() || performance.now() > giveUpAt)
      throw new ApiError('service_unavailable', {
        detail: `the clock is still moving to ${timestamp(target)}; repeat the request with "to" to wait for it`,
      });
    await arrival;
  }
}

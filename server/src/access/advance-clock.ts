import { DateTime, Duration } from 'luxon';
import type { TenantClock } from '../base/clock.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isTestTenant } from '../base/ids.ts';
import type { Database } from '../db/database.ts';
import { TEST_SHARD } from '../engine/queue.ts';
import { CLOCK_TOPIC } from '../engine/test-clock/test-clock.ts';
import { type ClockState, findClock, sendClock } from '../engine/test-clock/test-tenants.ts';
import type { Notifier, WakeUps } from '../engine/wakeups.ts';
import type { Finish } from '../http/route.ts';
import { timestamp } from '../http/schema.ts';
import type { ClockAdvance, TestClock } from './schema.ts';

/** How far a clock goes in one call: a year with its leap day. */
export const LONGEST_DAYS = 366;
const LONGEST_MS = LONGEST_DAYS * 24 * 3600_000;
/** So long a call waits. It ends before its idempotency key is no longer reserved. */
const PATIENCE_MS = 4 * 60_000;
/** Who arrives is told of at once, but only if nothing is lost on the way. */
const LOOK_EVERY_MS = 250;

export interface Arrivals {
  /** Resolves when the clock of this tenant may have arrived, at the latest after so many milliseconds. */
  next(tenantId: string, withinMs: number): Promise<void>;
}

/** Hears which clocks have arrived, whichever process moves them. */
export function clockArrivals(wakeUps: Pick<Notifier, 'hear'>): Arrivals {
  const waiting = new Map<string, Set<() => void>>();
  wakeUps.hear((topic, tenantId) => {
    if (topic === CLOCK_TOPIC) for (const go of waiting.get(tenantId) ?? []) go();
  });
  return {
    next: (tenantId, withinMs) =>
      new Promise((resolve) => {
        const others = waiting.get(tenantId) ?? new Set();
        const go = (): void => {
          clearTimeout(timer);
          others.delete(go);
          if (others.size === 0) waiting.delete(tenantId);
          resolve();
        };
        const timer = setTimeout(go, withinMs);
        waiting.set(tenantId, others.add(go));
      }),
  };
}

export interface AdvanceDeps {
  db: Database;
  clock: TenantClock;
  wakeUps: WakeUps;
  arrivals: Arrivals;
  isDraining: () => boolean;
}

/** Where the clock is asked to go. */
function targetOf({ to, by }: ClockAdvance, clock: Date): Date {
  if ((to === undefined) === (by === undefined))
    throw invalidParam(by === undefined ? 'to' : 'by', 'custom', 'Give one of to and by');
  const path = by === undefined ? 'to' : 'by';
  const target = by === undefined ? new Date(to as string) : after(clock, by);
  if (target < clock)
    throw invalidParam(path, 'custom', `Must not be before the clock, which shows ${timestamp(clock)}`);
  if (target.getTime() - clock.getTime() > LONGEST_MS)
    throw invalidParam(
      path,
      'custom',
      `Must be at most ${LONGEST_DAYS} days after the clock, which shows ${timestamp(clock)}`,
    );
  return target;
}

function after(clock: Date, by: string): Date {
  const span = Duration.fromISO(by);
  // The library takes a P alone for a duration, too.
  const target =
    span.isValid && /\d/.test(by) ? DateTime.fromJSDate(clock, { zone: 'utc' }).plus(span) : undefined;
  if (!target?.isValid)
    throw invalidParam('by', 'invalid_string', 'Must be an ISO 8601 duration, such as PT36H or P1M');
  return target.toJSDate();
}

async function requireClock(db: Database, tenantId: string): Promise<ClockState> {
  const state = await findClock(db, tenantId);
  if (!state) throw new ApiError('unauthorized', { detail: 'the tenant has been deleted' });
  return state;
}

/** Sends the clock on its way, unless it is on the same way already, and gives where to. */
async function send(tenantId: string, body: ClockAdvance, db: Database): Promise<Date> {
  for (;;) {
    const { clock, target: before } = await requireClock(db, tenantId);
    const target = targetOf(body, clock);
    if (before?.getTime() === target.getTime()) return target;
    if (before !== null)
      throw new ApiError('conflict', {
        detail: `the clock is on its way to ${timestamp(before)}; wait until it is there`,
      });
    if (await sendClock(db, tenantId, clock, target)) return target;
  }
}

/**
 * Moves the clock of a test tenant. Everything that is due on the way happens in its order, and has happened when this
 * resolves. Should the process die meanwhile, the clock goes on all the same.
 */
export async function advanceClock(
  tenantId: string,
  body: ClockAdvance,
  { db, clock, wakeUps, arrivals, isDraining }: AdvanceDeps,
): Promise<Finish<TestClock>> {
  if (!isTestTenant(tenantId))
    throw new ApiError('conflict', {
      detail:
        'only test tenants have a clock of their own; the operator makes one with "isTest": true at POST /admin/tenants',
    });
  const target = await send(tenantId, body, db);
  wakeUps.give(CLOCK_TOPIC, TEST_SHARD, tenantId);
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    // Before the look, so that an arrival in between is heard.
    const arrival = arrivals.next(tenantId, LOOK_EVERY_MS);
    const state = await requireClock(db, tenantId);
    if (state.clock >= target && (state.target === null || state.target > target)) {
      clock.tell(tenantId, state.clock);
      return async () => ({ now: timestamp(target) });
    }
    if (isDraining() || performance.now() > until)
      throw new ApiError('service_unavailable', {
        detail: `the clock is still on its way to ${timestamp(target)}, and goes on; ask again with "to" to wait for it`,
      });
    await arrival;
  }
}

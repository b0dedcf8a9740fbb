import { nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import { statement, systemStatement } from '../db/statement.ts';

const MINUTE_MS = 60_000;
/** Each process reserves this part of the limit at a time. That saves round trips, and the sum never exceeds the limit. */
const SHARES = 100;
const SUBJECTS_BETWEEN_SWEEPS = 10_000;

/** A window that begins later than the next one is left from before the clock was set back: it counts as the present one. */
const ADD_TO_WINDOW = `
     used = case when w.minute < excluded.minute then excluded.used else w.used + excluded.used end,
     minute = case when w.minute > excluded.minute + 1 then excluded.minute else greatest(w.minute, excluded.minute) end`;

const reserve = statement<[minute: number, count: number], { minute: number; used: number }>(
  'rate.reserve',
  `insert into rate_windows as w (tenant_id, minute, used) values ($tenant, $1, $2)
   on conflict (tenant_id) do update set ${ADD_TO_WINDOW}
   returning w.minute, w.used`,
);

const reservePeople = systemStatement<[minute: number, count: number, subjectId: string], { used: number }>(
  'rate.reserve_people',
  `insert into people_rate_windows as w (subject_id, minute, used) values ($3, $1, $2)
   on conflict (subject_id) do update set ${ADD_TO_WINDOW}
   returning w.used`,
);
const sweepPeople = systemStatement<[before: number]>(
  'rate.sweep_people',
  'delete from people_rate_windows where minute < $1',
);

export interface RateLimitDecision {
  allowed: boolean;
  remaining: number;
  /** Unix seconds at which the window ends. */
  resetAt: number;
}

interface Window {
  minute: number;
  /** Reserved by all processes, as last seen. */
  reserved: number;
  /** Reserved by this process and not used. */
  unused: number;
  waiting: Promise<void> | undefined;
}

export interface RateLimit {
  /** Counts one request of a tenant or a session. Synchronous while requests are reserved, or after the limit is reached. */
  take(subjectId: string, perMinute: number): RateLimitDecision | Promise<RateLimitDecision>;
  /** Gives back a request of the window that ends at this time: it becomes another request, which is counted instead. */
  giveBack(subjectId: string, resetAt: number): void;
}

/** Reserves requests of a minute, and returns how many are reserved in all. */
type Reserve = (subjectId: string, minute: number, count: number) => Promise<number>;

/** Counts the requests of tokens, per tenant. */
export const rateLimit = (db: Database): RateLimit =>
  countPerMinute(
    async (tenantId, minute, count) =>
      ((await db.forTenant(tenantId).find(reserve, [minute, count])) as { used: number }).used,
  );

/** Counts the requests of people, per tenant and per session: they use up nothing of what tokens have. */
export const peopleRateLimit = (db: Database): RateLimit =>
  countPerMinute(
    async (subjectId, minute, count) =>
      ((await db.find(reservePeople, [minute, count, subjectId])) as { used: number }).used,
  );

/** Removes the counts of earlier minutes. */
export const sweepPeopleWindows = async (db: Database): Promise<void> =>
  void (await db.run(sweepPeople, [Math.floor(nowMs() / MINUTE_MS) - 1]));

/** Counts requests per minute of real time over all processes. */
function countPerMinute(reserveFrom: Reserve): RateLimit {
  const windows = new Map<string, Window>();

  function windowOf(subjectId: string, minute: number): Window {
    const known = windows.get(subjectId);
    const isPresent = (one: Window): boolean => one.minute >= minute && one.minute <= minute + 1;
    if (known && isPresent(known)) return known;
    if (windows.size > SUBJECTS_BETWEEN_SWEEPS)
      for (const [id, old] of windows) if (!isPresent(old)) windows.delete(id);
    const fresh: Window = { minute, reserved: 0, unused: 0, waiting: undefined };
    windows.set(subjectId, fresh);
    return fresh;
  }

  async function reserveMore(window: Window, subjectId: string, perMinute: number): Promise<void> {
    const share = Math.max(1, Math.floor(perMinute / SHARES));
    const used = await reserveFrom(subjectId, window.minute, share);
    window.reserved = Math.min(used, perMinute);
    window.unused += Math.max(0, Math.min(share, perMinute - (used - share)));
  }

  const resetAtOf = ({ minute }: Window): number => (minute + 1) * (MINUTE_MS / 1000);
  const decision = (window: Window, perMinute: number, allowed: boolean): RateLimitDecision => ({
    allowed,
    remaining: Math.max(0, perMinute - window.reserved + window.unused),
    resetAt: resetAtOf(window),
  });

  async function reserveAndTake(subjectId: string, perMinute: number): Promise<RateLimitDecision> {
    for (;;) {
      const window = windowOf(subjectId, Math.floor(nowMs() / MINUTE_MS));
      if (window.unused > 0) {
        window.unused -= 1;
        return decision(window, perMinute, true);
      }
      if (window.reserved >= perMinute) return decision(window, perMinute, false);
      window.waiting ??= reserveMore(window, subjectId, perMinute).finally(() => {
        window.waiting = undefined;
      });
      await window.waiting;
    }
  }

  return {
    take(subjectId, perMinute) {
      const window = windowOf(subjectId, Math.floor(nowMs() / MINUTE_MS));
      if (window.unused > 0) {
        window.unused -= 1;
        return decision(window, perMinute, true);
      }
      if (window.reserved >= perMinute) return decision(window, perMinute, false);
      return reserveAndTake(subjectId, perMinute);
    },
    giveBack(subjectId, resetAt) {
      const window = windows.get(subjectId);
      if (window && resetAtOf(window) === resetAt) window.unused += 1;
    },
  };
}

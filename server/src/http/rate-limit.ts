import { nowMs } from '../base/time.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const MINUTE_MS = 60_000;
/** Each process reserves this part of the limit at a time. That saves round trips, and the sum never exceeds the limit. */
const SHARES = 100;
const TENANTS_BETWEEN_SWEEPS = 10_000;

const reserve = statement<[minute: number, count: number], { minute: number; used: number }>(
  'rate.reserve',
  `insert into rate_windows as w (tenant_id, minute, used) values ($tenant, $1, $2)
   on conflict (tenant_id) do update set
     used = case when w.minute < excluded.minute then excluded.used else w.used + excluded.used end,
     minute = greatest(w.minute, excluded.minute)
   returning w.minute, w.used`,
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
  /** Counts one request of a tenant. Synchronous while requests are reserved, or after the limit is reached. */
  take(tenantId: string, perMinute: number): RateLimitDecision | Promise<RateLimitDecision>;
}

/** Counts requests per minute of real time over all processes. */
export function rateLimit(db: Database): RateLimit {
  const windows = new Map<string, Window>();

  function windowOf(tenantId: string, minute: number): Window {
    const known = windows.get(tenantId);
    if (known && known.minute >= minute) return known;
    if (windows.size > TENANTS_BETWEEN_SWEEPS)
      for (const [id, old] of windows) if (old.minute < minute) windows.delete(id);
    const fresh: Window = { minute, reserved: 0, unused: 0, waiting: undefined };
    windows.set(tenantId, fresh);
    return fresh;
  }

  async function reserveMore(window: Window, tenantId: string, perMinute: number): Promise<void> {
    const share = Math.max(1, Math.floor(perMinute / SHARES));
    const row = await db.forTenant(tenantId).find(reserve, [window.minute, share]);
    const { used } = row as { used: number };
    window.reserved = Math.min(used, perMinute);
    window.unused += Math.max(0, Math.min(share, perMinute - (used - share)));
  }

  const decision = (window: Window, perMinute: number, allowed: boolean): RateLimitDecision => ({
    allowed,
    remaining: Math.max(0, perMinute - window.reserved + window.unused),
    resetAt: (window.minute + 1) * (MINUTE_MS / 1000),
  });

  async function reserveAndTake(tenantId: string, perMinute: number): Promise<RateLimitDecision> {
    for (;;) {
      const window = windowOf(tenantId, Math.floor(nowMs() / MINUTE_MS));
      if (window.unused > 0) {
        window.unused -= 1;
        return decision(window, perMinute, true);
      }
      if (window.reserved >= perMinute) return decision(window, perMinute, false);
      window.waiting ??= reserveMore(window, tenantId, perMinute).finally(() => {
        window.waiting = undefined;
      });
      await window.waiting;
    }
  }

  return {
    take(tenantId, perMinute) {
      const window = windowOf(tenantId, Math.floor(nowMs() / MINUTE_MS));
      if (window.unused > 0) {
        window.unused -= 1;
        return decision(window, perMinute, true);
      }
      if (window.reserved >= perMinute) return decision(window, perMinute, false);
      return reserveAndTake(tenantId, perMinute);
    },
  };
}

import { fixedDelays } from '../engine/retry.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The delays after each failed attempt. After the last attempt a delivery has failed. */
export const RETRY_DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
] as const;
export const ATTEMPTS = RETRY_DELAYS_MS.length + 1;
export const deliveryRetry = fixedDelays(RETRY_DELAYS_MS);

const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = 24 * HOUR;

/** How long a receiver asks to wait in its Retry-After header: seconds or a date. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS);
}

/**
 * When to try again after so many failed attempts, or null after the last. Deliveries that failed together are spread
 * by `random`, from 0 to 1, so that they do not return together.
 */
export function nextAttempt(
  failedAttempts: number,
  now: Date,
  retryAfterMs: number,
  random: number,
): Date | null {
  const delayMs = deliveryRetry.delayMs(failedAttempts);
  if (delayMs === undefined) return null;
  const spreadMs = delayMs * (1 + JITTER * (2 * random - 1));
  return new Date(now.getTime() + Math.max(Math.round(spreadMs), retryAfterMs));
}

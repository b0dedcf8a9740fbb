const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The pauses after each failed attempt. The one after the last is never taken. */
export const PAUSES_MS = [
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
export const ATTEMPTS = PAUSES_MS.length + 1;
const JITTER = 0.2;
const LONGEST_RETRY_AFTER_MS = 24 * HOUR;

/** How long a receiver asks to be left alone, from its Retry-After: seconds or a date. */
export function retryAfterMs(header: string | undefined, now: Date): number {
  if (header === undefined) return 0;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime();
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, 0), LONGEST_RETRY_AFTER_MS);
}

/** When to try again after `made` attempts, or null when that was the last. `chance` is from 0 to 1. */
export function nextAttempt(made: number, now: Date, askedMs: number, chance: number): Date | null {
  const pause = PAUSES_MS[made - 1];
  if (pause === undefined) return null;
  const spread = pause * (1 + JITTER * (2 * chance - 1));
  return new Date(now.getTime() + Math.max(Math.round(spread), askedMs));
}

/** When a row that failed is tried again. Declared with its queue. */
export interface RetryPolicy {
  /** For the table of queues, such as "after 1 s, then 2 × as long, 5 attempts". */
  readonly summary: string;
  /** The pause after this number of failed attempts, or undefined after the last attempt. */
  delayMs(attempts: number): number | undefined;
}

interface Backoff {
  firstDelayMs: number;
  factor: number;
  maxDelayMs?: number;
  /** The maximum number of attempts. Default: unlimited. */
  attempts?: number;
}

const formatDuration = (ms: number): string =>
  ms >= 3600_000 ? `${ms / 3600_000} h` : ms >= 60_000 ? `${ms / 60_000} min` : `${ms / 1000} s`;

/** Each pause is `factor` times the one before. */
export const exponentialBackoff = ({
  firstDelayMs,
  factor,
  maxDelayMs = Number.POSITIVE_INFINITY,
  attempts = Number.POSITIVE_INFINITY,
}: Backoff): RetryPolicy => ({
  summary: [
    `after ${formatDuration(firstDelayMs)}, then ${factor} × as long`,
    Number.isFinite(maxDelayMs) ? `up to ${formatDuration(maxDelayMs)}` : '',
    Number.isFinite(attempts) ? `${attempts} attempts` : 'without end',
  ]
    .filter(Boolean)
    .join(', '),
  delayMs: (failed) =>
    failed >= attempts ? undefined : Math.min(firstDelayMs * factor ** (failed - 1), maxDelayMs),
});

/** One pause after each failed attempt, and no further attempt after the last pause. */
export const fixedDelays = (delaysMs: readonly number[]): RetryPolicy => ({
  summary: `after ${delaysMs.map(formatDuration).join(', ')}`,
  delayMs: (failed) => delaysMs[failed - 1],
});

/** Attempts are not counted. When the handler throws, the ordering key pauses for a second and its rows are read again. */
export const untilItSucceeds: RetryPolicy = { summary: 'every second', delayMs: () => 1_000 };

/** When a row is due again after this number of failed attempts, or null after the last attempt. */
export function nextDueAt(policy: RetryPolicy, failedAttempts: number, now: Date): Date | null {
  const delayMs = policy.delayMs(failedAttempts);
  return delayMs === undefined ? null : new Date(now.getTime() + delayMs);
}

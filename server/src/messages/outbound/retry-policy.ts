import { exponentialBackoff, type RetryPolicy } from '../../engine/retry.ts';
import type { Reconciled, SendResult } from '../../providers/outgoing-message.ts';
import type { VendorError } from '../../providers/vendor-failure.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const JITTER = 0.2;
/** A message that could not be sent for so long is out of date: it fails. */
const MAX_RETRY_MS = 24 * HOUR;
/** How long a channel waits after the vendor refused its credentials. */
export const REAUTH_DELAY_MS = 5 * MINUTE;
/** How long a status or an echo may still resolve a send whose answer was lost. */
export const UNKNOWN_MS = 10 * MINUTE;
const RECONCILE_AGAIN_MS = MINUTE;

const backoff = exponentialBackoff({ firstDelayMs: SECOND, factor: 2, maxDelayMs: 15 * MINUTE });

/** The delays without jitter, the vendor's `Retry-After` and the end after 24 hours, which `delayAfter` and `retry` add. */
export const sendRetry: RetryPolicy = {
  ...backoff,
  summary: 'after 1 s, then 2 × as long, up to 15 min or as the vendor asks, for 24 h',
};

/** The result of an attempt, as it is stored. */
export type SendOutcome =
  | { kind: 'sent'; vendorId: string; status: 'sent' | 'queued' }
  | { kind: 'failed'; error: VendorError }
  /** To be tried again, now if there is no time. */
  | { kind: 'again'; at: Date | null }
  /** Not started: the same attempt is made later. */
  | { kind: 'postponed'; at: Date }
  /** Not started, because of quiet hours: it is scheduled for their end, so that it holds nothing behind it in its chat. */
  | { kind: 'quiet'; until: Date }
  /** It is unknown whether it was sent. It is not sent again; a status or an echo may resolve it until then. */
  | { kind: 'unknown'; until: Date };

/** What is known about an attempt. */
export interface SendAttempt {
  /** When the message was to be sent. */
  since: Date;
  /** How many attempts failed before. */
  attempts: number;
  startedAt: Date;
}

const addMs = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

const outcomeUnknown: VendorError = {
  code: 'outcome_unknown',
  message: 'The answer of the vendor was lost, and it is unknown whether the message was sent.',
};

/** The delay after an attempt failed that `attempts` others failed before. `random` is from 0 to 1. */
function delayAfter(attempts: number, retryAfterMs: number, random: number): number {
  const delayMs = backoff.delayMs(attempts + 1) as number;
  return Math.max(
    Math.round(delayMs * (1 + JITTER * (2 * random - 1))),
    Math.min(retryAfterMs, MAX_RETRY_MS),
  );
}

/** Another attempt after a delay, or a failure with the last error if that is more than 24 hours after the first. */
function retry(attempt: SendAttempt, delayMs: number, error: VendorError, now: Date): SendOutcome {
  const at = addMs(now, delayMs);
  return at.getTime() - attempt.since.getTime() > MAX_RETRY_MS
    ? { kind: 'failed', error }
    : { kind: 'again', at };
}

/** The outcome of an attempt that the vendor answered. */
export function outcomeOf(result: SendResult, attempt: SendAttempt, now: Date, random: number): SendOutcome {
  if (result.ok) return { kind: 'sent', vendorId: result.vendorId, status: result.status };
  const { error, retryAfterMs = 0 } = result;
  if (result.retry === 'backoff')
    return retry(attempt, delayAfter(attempt.attempts, retryAfterMs, random), error, now);
  if (result.retry === 'reauth') return retry(attempt, REAUTH_DELAY_MS, error, now);
  if (result.retry === 'unknown') return { kind: 'unknown', until: addMs(attempt.startedAt, UNKNOWN_MS) };
  return { kind: 'failed', error };
}

/** The outcome of an attempt whose answer was lost; `reconciled` is undefined if the vendor cannot be asked about it. */
export function outcomeOfReconciled(
  reconciled: Reconciled | undefined,
  attempt: SendAttempt,
  now: Date,
  random: number,
): SendOutcome {
  if (reconciled?.outcome === 'sent') return { kind: 'sent', vendorId: reconciled.vendorId, status: 'sent' };
  if (reconciled?.outcome === 'not_sent')
    // The first time without delay; after that with one, because a vendor that never answers must not be called in a loop.
    return attempt.attempts === 0
      ? { kind: 'again', at: null }
      : retry(attempt, delayAfter(attempt.attempts, 0, random), outcomeUnknown, now);
  const end = addMs(attempt.startedAt, UNKNOWN_MS);
  if (now >= end) return { kind: 'failed', error: outcomeUnknown };
  const next = addMs(now, RECONCILE_AGAIN_MS);
  return { kind: 'unknown', until: reconciled !== undefined && next < end ? next : end };
}

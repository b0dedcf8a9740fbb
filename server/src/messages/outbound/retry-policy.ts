import type { Reconciled, SendResult, VendorError } from '../../providers/adapter.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const FIRST_PAUSE_MS = SECOND;
const LONGEST_PAUSE_MS = 15 * MINUTE;
const JITTER = 0.2;
/** Nobody wants to hear tomorrow what was urgent today. */
const PATIENCE_MS = 24 * HOUR;
/** How long messages of a channel wait whose credentials the vendor refuses. */
export const REAUTH_PAUSE_MS = 5 * MINUTE;
/** So long something may still tell what became of a send whose answer was lost. */
export const UNKNOWN_MS = 10 * MINUTE;
const ASK_AGAIN_MS = MINUTE;

/** What is to be written of an attempt. */
export type Outcome =
  | { kind: 'sent'; vendorId: string; status: 'sent' | 'queued' }
  | { kind: 'failed'; error: VendorError }
  /** To be tried again, at once when there is no time. */
  | { kind: 'again'; at: Date | null }
  /** Not begun: the same attempt is made later. */
  | { kind: 'postponed'; at: Date }
  /** Nobody knows whether it was sent. It is not sent again; something may tell until then. */
  | { kind: 'unknown'; until: Date };

/** What is known of a message when it is judged. */
export interface Sending {
  /** When it was to go out. */
  since: Date;
  attempts: number;
  sendingAt: Date;
}

const later = (time: Date, ms: number): Date => new Date(time.getTime() + ms);

export const outcomeUnknown: VendorError = {
  code: 'outcome_unknown',
  message: 'The vendor’s answer was lost, and nothing has told since whether it took the message.',
};

/** The pause after a failed attempt, longer each time. `chance` is from 0 to 1. */
export function pauseMs(attempts: number, askedMs: number, chance: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 20), LONGEST_PAUSE_MS);
  return Math.max(Math.round(pause * (1 + JITTER * (2 * chance - 1))), Math.min(askedMs, PATIENCE_MS));
}

/** Another attempt after a pause, unless its time is up: then it failed, for the last reason. */
function tryAgain(sending: Sending, pause: number, error: VendorError, now: Date): Outcome {
  const at = later(now, pause);
  return at.getTime() - sending.since.getTime() > PATIENCE_MS
    ? { kind: 'failed', error }
    : { kind: 'again', at };
}

/** What follows from the vendor's answer. */
export function outcomeOf(result: SendResult, sending: Sending, now: Date, chance: number): Outcome {
  if (result.ok) return { kind: 'sent', vendorId: result.vendorId, status: result.status };
  const { error, retry, retryAfterMs = 0 } = result;
  if (retry === 'backoff')
    return tryAgain(sending, pauseMs(sending.attempts, retryAfterMs, chance), error, now);
  if (retry === 'reauth') return tryAgain(sending, REAUTH_PAUSE_MS, error, now);
  if (retry === 'unknown') return { kind: 'unknown', until: later(sending.sendingAt, UNKNOWN_MS) };
  return { kind: 'failed', error };
}

/** What follows from what the vendor says of a send whose answer was never seen; undefined where it cannot be asked. */
export function outcomeAfter(
  told: Reconciled | undefined,
  sending: Sending,
  now: Date,
  chance: number,
): Outcome {
  if (told?.outcome === 'sent') return { kind: 'sent', vendorId: told.vendorId, status: 'sent' };
  if (told?.outcome === 'not_sent')
    // At once, but a vendor that never answers is not to be called without pause.
    return sending.attempts === 0
      ? { kind: 'again', at: null }
      : tryAgain(sending, pauseMs(sending.attempts, 0, chance), outcomeUnknown, now);
  const end = later(sending.sendingAt, UNKNOWN_MS);
  if (now >= end) return { kind: 'failed', error: outcomeUnknown };
  const next = later(now, ASK_AGAIN_MS);
  return { kind: 'unknown', until: told !== undefined && next < end ? next : end };
}

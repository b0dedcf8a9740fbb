import { OutboundError } from '../../outbound/outbound-error.ts';
import type { SendResult } from '../outgoing-message.ts';
import { VendorFailure } from '../vendor-failure.ts';
import { idOf, type Part, partOf, textOf } from './payload.ts';

type Retry = Extract<SendResult, { ok: false }>['retry'];

/** Why a call failed, and whether it may be repeated. */
export interface GraphError {
  code: string;
  subcode: string;
  message: string;
  retry: Retry;
  retryAfterMs?: number;
}

/**
 * By Meta's error codes, not by HTTP statuses.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
 */
const codesByRetry: Record<Exclude<Retry, 'unknown'>, readonly number[]> = {
  // The reply window is closed.
  needs_template: [131047],
  // The token is expired or lacks a permission. With a new token the same call succeeds.
  reauth: [0, 3, 10, 190, 131005],
  // Too fast: the app (4, 613), the account (80007), the number (130429), to one recipient (131056). The others: temporarily unavailable.
  backoff: [1, 2, 4, 17, 32, 613, 80006, 80007, 130429, 131000, 131016, 131056, 131057, 133004],
  // The recipient cannot be reached or has opted out, the account is blocked, or the template does not match.
  never: [368, 131026, 131048, 131049, 131050, 132000, 132001, 132015, 132016],
};
const retryByCode = new Map<string, Retry>(
  Object.entries(codesByRetry).flatMap(([retry, codes]) =>
    codes.map((code) => [String(code), retry as Retry]),
  ),
);
/** Instagram reports a closed reply window with the code of a missing permission. */
const WINDOW_CLOSED_SUBCODES = ['2018278', '2534022'];
const isMissingPermission = (code: string): boolean => /^2[0-9]{2}$/.test(code);
/** A gateway in front of Meta timed out: whether Meta handled the request is unknown. */
const GATEWAY_ERRORS = [502, 504];

const MAX_MESSAGE = 500;

function retryOf(status: number, code: string, subcode: string): Retry {
  if (WINDOW_CLOSED_SUBCODES.includes(subcode)) return 'needs_template';
  const known = retryByCode.get(code);
  if (known) return known;
  if (isMissingPermission(code)) return 'reauth';
  return status === 429 || status >= 500 ? 'backoff' : 'never';
}

/** Meta's own description of an error, without the code in front and without repetitions. */
export function describeError(error: Part): string {
  const { message, title, error_user_msg: userMessage } = error;
  const summary = (textOf(title) ?? textOf(message) ?? '').replace(/^\(#\d+\)\s*/, '');
  const details = textOf(partOf(error.error_data).details) ?? textOf(userMessage);
  const text =
    details === null || details === summary ? summary : [summary, details].filter(Boolean).join(': ');
  return (text || 'Meta gave no reason.').slice(0, MAX_MESSAGE);
}

/** The delay that an answer asks for. */
function retryAfterOf(headers: Record<string, string>): { retryAfterMs?: number } {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return seconds > 0 && seconds <= 86_400 ? { retryAfterMs: Math.ceil(seconds * 1000) } : {};
}

/** The error of an unsuccessful answer. `error` is Meta's error object, if the answer has one. */
export function classifyAnswer(
  { status, headers }: { status: number; headers: Record<string, string> },
  error: Part | undefined,
): GraphError {
  if (error) {
    const code = idOf(error.code) || String(status);
    const subcode = idOf(error.error_subcode);
    return {
      code,
      subcode,
      message: describeError(error),
      retry: retryOf(status, code, subcode),
      ...retryAfterOf(headers),
    };
  }
  if (status < 300)
    return {
      code: 'unreadable_answer',
      subcode: '',
      message: `Meta answered with HTTP ${status} without a result.`,
      retry: 'unknown',
    };
  return {
    code: `http_${status}`,
    subcode: '',
    message: `Meta answered with HTTP ${status} without a reason.`,
    retry: GATEWAY_ERRORS.includes(status) ? 'unknown' : retryOf(status, '', ''),
    ...retryAfterOf(headers),
  };
}

/** The error of a call without an answer: if no byte was sent it had no effect, otherwise that is unknown. */
export function classifyFailure(error: unknown): GraphError {
  if (!(error instanceof OutboundError)) throw error;
  const { phase, message, bytesSent } = error;
  const retry = bytesSent ? 'unknown' : phase === 'refused' ? 'never' : 'backoff';
  return { code: `request_${phase}`, subcode: '', message, retry };
}

export const asResult = ({ code, message, retry, retryAfterMs }: GraphError): SendResult => ({
  ok: false,
  error: { code, message },
  retry,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

/** For calls other than sending a message: they can be repeated, so a lost answer is a temporary failure. */
export const asVendorFailure = ({ code, message, retry }: GraphError): VendorFailure =>
  new VendorFailure(code, message, retry === 'backoff' || retry === 'unknown' || retry === 'reauth');

/** The result for a message that cannot be sent, without calling Meta. */
export const unsendable = (code: string, message: string): SendResult => ({
  ok: false,
  error: { code, message },
  retry: 'never',
});

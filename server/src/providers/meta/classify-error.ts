import { OutboundError } from '../../outbound/outbound-error.ts';
import { type SendResult, VendorFailure } from '../adapter.ts';
import { idOf, type Part, partOf, textOf } from './payload.ts';

type Retry = Extract<SendResult, { ok: false }>['retry'];

/** Why a call did not succeed, and whether it may be repeated. */
export interface GraphError {
  code: string;
  subcode: string;
  message: string;
  retry: Retry;
  retryAfterMs?: number;
}

/**
 * Meta's codes decide, not its HTTP statuses.
 * https://developers.facebook.com/documentation/business-messaging/whatsapp/support/error-codes
 */
const decisions: Record<Exclude<Retry, 'unknown'>, readonly number[]> = {
  // The window of free-form replies is closed.
  needs_template: [131047],
  // The token is over, or may not do this. With it mended, the same goes through.
  reauth: [0, 3, 10, 190, 131005],
  // Too fast: the app (4, 613), the account (80007), the number (130429), to one person (131056). Down for a while: the rest.
  backoff: [1, 2, 4, 17, 32, 613, 80006, 80007, 130429, 131000, 131016, 131056, 131057, 133004],
  // The person cannot or does not want to be reached, the account is blocked, the template is not what was sent.
  never: [368, 131026, 131048, 131049, 131050, 132000, 132001, 132015, 132016],
};
const retryByCode = new Map<string, Retry>(
  Object.entries(decisions).flatMap(([retry, codes]) => codes.map((code) => [String(code), retry as Retry])),
);
/** Instagram says with a permission's code that the window is closed. */
const WINDOW_CLOSED_SUBCODES = ['2018278', '2534022'];
const isMissingPermission = (code: string): boolean => /^2[0-9]{2}$/.test(code);
/** Whoever stood between us and Meta gave up waiting: what Meta did, it did not see. */
const LOST_ON_THE_WAY = [502, 504];

const LONGEST_MESSAGE = 500;

function retryOf(status: number, code: string, subcode: string): Retry {
  if (WINDOW_CLOSED_SUBCODES.includes(subcode)) return 'needs_template';
  const known = retryByCode.get(code);
  if (known) return known;
  if (isMissingPermission(code)) return 'reauth';
  return status === 429 || status >= 500 ? 'backoff' : 'never';
}

/** What Meta says of an error, in its own words, without its code in front and without saying anything twice. */
export function wordsOf(error: Part): string {
  const { message, title, error_user_msg: forPeople } = error;
  const what = (textOf(title) ?? textOf(message) ?? '').replace(/^\(#\d+\)\s*/, '');
  const details = textOf(partOf(error.error_data).details) ?? textOf(forPeople);
  const words = details === null || details === what ? what : [what, details].filter(Boolean).join(': ');
  return (words || 'Meta gave no reason.').slice(0, LONGEST_MESSAGE);
}

/** The pause that an answer asks for, where it does. */
function pauseOf(headers: Record<string, string>): { retryAfterMs?: number } {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return seconds > 0 && seconds <= 86_400 ? { retryAfterMs: Math.ceil(seconds * 1000) } : {};
}

/** What an answer that is no success means. `error` is Meta's own object, undefined where the answer has none. */
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
      message: wordsOf(error),
      retry: retryOf(status, code, subcode),
      ...pauseOf(headers),
    };
  }
  if (status < 300)
    return {
      code: 'unreadable_answer',
      subcode: '',
      message: `Meta answered with HTTP ${status} and nothing that says what it did.`,
      retry: 'unknown',
    };
  return {
    code: `http_${status}`,
    subcode: '',
    message: `Meta answered with HTTP ${status} and no reason.`,
    retry: LOST_ON_THE_WAY.includes(status) ? 'unknown' : retryOf(status, '', ''),
    ...pauseOf(headers),
  };
}

/** What it means that no answer came: without a byte sent nothing happened, after that nobody can tell. */
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

/** For what is not a message: doing it twice harms nobody, so a lost answer is only a pause. */
export const asVendorFailure = ({ code, message, retry }: GraphError): VendorFailure =>
  new VendorFailure(code, message, retry === 'backoff' || retry === 'unknown' || retry === 'reauth');

/** What cannot be sent as it is, found before anybody was asked. */
export const unsendable = (code: string, message: string): SendResult => ({
  ok: false,
  error: { code, message },
  retry: 'never',
});

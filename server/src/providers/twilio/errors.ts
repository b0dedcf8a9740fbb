// https://www.twilio.com/docs/api/errors
const descriptions: Record<string, string> = {
  20003: 'Twilio does not accept the account SID and auth token.',
  20429: 'Too many requests to Twilio.',
  21211: 'This is not a valid number.',
  21408: 'The account may not send to this country.',
  21610: 'The recipient has opted out by STOP.',
  21614: 'This number cannot receive SMS.',
  30001: 'Twilio’s queue for this sender is full.',
  30002: 'The account is suspended.',
  30003: 'The phone is unreachable.',
  30004: 'The message was blocked.',
  30005: 'The phone no longer exists.',
  30006: 'A landline, or an unreachable carrier.',
  30007: 'The carrier filtered the message.',
  30008: 'The carrier gave no reason.',
  canceled: 'The message was cancelled at Twilio.',
};

/** The description of a Twilio error code, for answers without one. */
export const describeError = (code: string): string => descriptions[code] ?? 'The message was not delivered.';

const temporary = new Set(['20429', '30001']);
const credentials = new Set(['20003', '20005', '20404', '30002']);

/** Whether a refused message may be sent again. */
export function retryAfterRefusal(code: string, status: number): 'never' | 'backoff' | 'reauth' | 'unknown' {
  if (temporary.has(code) || status === 429 || status === 503) return 'backoff';
  // Codes from 21000 on are about the message, with any HTTP status.
  const isAboutMessage = /^2[1-9]/.test(code);
  if (credentials.has(code) || status === 401 || (status === 403 && !isAboutMessage)) return 'reauth';
  // An error at Twilio: it is unknown whether it accepted the message before.
  return status >= 500 ? 'unknown' : 'never';
}

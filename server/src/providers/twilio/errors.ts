// https://www.twilio.com/docs/api/errors
const words: Record<string, string> = {
  20003: 'Twilio does not accept the account SID and auth token.',
  20429: 'Too many requests to Twilio at once.',
  21211: 'This is not a number that can be written to.',
  21408: 'The account may not send to this country.',
  21610: 'This person has opted out by STOP.',
  21614: 'This number cannot receive SMS.',
  30001: 'Twilio’s queue for this sender is full.',
  30002: 'The account is suspended.',
  30003: 'The phone is unreachable.',
  30004: 'The message was blocked.',
  30005: 'There is no such phone any more.',
  30006: 'A landline, or a carrier that cannot be reached.',
  30007: 'The carrier filtered the message.',
  30008: 'The carrier gave no reason.',
  canceled: 'The message was cancelled at Twilio.',
};

/** What a code of Twilio's means, where Twilio itself does not say it. */
export const describeError = (code: string): string => words[code] ?? 'The message was not delivered.';

const passing = new Set(['20429', '30001']);
const credentials = new Set(['20003', '20005', '20404', '30002']);

/** What a refusal means for another attempt. */
export function retryAfterRefusal(code: string, status: number): 'never' | 'backoff' | 'reauth' | 'unknown' {
  if (passing.has(code) || status === 429 || status === 503) return 'backoff';
  // Codes from 21000 on are about the message, whatever the HTTP status.
  const isAboutMessage = /^2[1-9]/.test(code);
  if (credentials.has(code) || status === 401 || (status === 403 && !isAboutMessage)) return 'reauth';
  // Something broke at Twilio, and nobody can tell whether before or after the message was taken.
  return status >= 500 ? 'unknown' : 'never';
}

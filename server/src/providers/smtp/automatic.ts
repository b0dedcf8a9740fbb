import type { ParsedMail } from 'mailparser';
import { hasEmptySender, isFromDaemon } from './daemon.ts';
import type { MailHeaders } from './headers.ts';

const AUTOMATIC_HEADERS = [
  'list-id',
  'list-unsubscribe',
  'x-auto-reply',
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-mail-autoreply',
  'x-vacation',
];
/** Ordinary mail has it with this value. */
const NOTHING_SUPPRESSED = /^\s*none\s*$/i;
const MAX_CALENDAR_BYTES = 4_096;

const isCalendarReply = ({ attachments }: ParsedMail, headers: MailHeaders): boolean =>
  /^text\/calendar\b.{0,500}\bmethod\s?=\s?"?reply/is.test(headers.get('content-type') ?? '') ||
  attachments.some(
    ({ contentType, content }) =>
      contentType === 'text/calendar' &&
      /^METHOD:\s?REPLY\b/im.test(content.subarray(0, MAX_CALENDAR_BYTES).toString('latin1')),
  );

/**
 * Whether a program sent the mail, so that no automation may answer it (RFC 3834). A subject such as "Out of office" decides
 * nothing: people write it, too.
 */
export function isAutomatic(mail: ParsedMail, headers: MailHeaders): boolean {
  const submitted = headers.get('auto-submitted')?.split(';', 1)[0]?.trim().toLowerCase();
  const suppressed = headers.get('x-auto-response-suppress');
  return (
    (submitted !== undefined && submitted !== '' && submitted !== 'no') ||
    AUTOMATIC_HEADERS.some((name) => headers.has(name)) ||
    (suppressed !== undefined && !NOTHING_SUPPRESSED.test(suppressed)) ||
    /\b(?:bulk|list|junk|auto_reply)\b/i.test(headers.get('precedence') ?? '') ||
    hasEmptySender(headers) ||
    isFromDaemon(headers) ||
    /^multipart\/report\b/i.test(headers.get('content-type') ?? '') ||
    isCalendarReply(mail, headers)
  );
}

import type { MailHeaders } from './headers.ts';

/** `MAILER-DAEMON@…`, `post_master@…`, or the name without a domain. A domain such as postmaster.example has people. */
const DAEMON_ADDRESS = /(?:^|[\s<"'(])(?:mail(?:er)?[-_.]?daemon|post[-_.]?master)(?:@|["'>\s]*$)/i;
/** `Mail Delivery System <…>`. */
const DAEMON_NAME = /\bmail deliver[a-z]* (?:sub)?(?:system|service)\b|\bmailer[- ]daemon\b/i;

/** Whether a mail server sent the mail: to report on another mail. */
export function isFromDaemon(headers: MailHeaders): boolean {
  const from = (headers.get('from') ?? '').slice(0, 1_000);
  return DAEMON_ADDRESS.test(from) || DAEMON_NAME.test(from);
}

/** Whether the mail cannot be answered: reports have an empty sender, so that they never cause another report. */
export function hasEmptySender(headers: MailHeaders): boolean {
  const from = headers.get('from')?.trim() ?? '';
  return /^<\s*>/.test(headers.get('return-path') ?? '') || from === '' || /^<\s*>$/.test(from);
}

import { addressesIn, type RecipientReport } from './delivery-report.ts';
import type { MailHeaders } from './headers.ts';

const SUBJECT =
  /undeliver|not (?:be )?deliver|could not send|(?:error|trouble|problem)s? (?:sending|delivering|with your)|mail failure|delivery error|deliver\w* (?:\w+ )?(?:fail|status|problem|error|delay|notif|incomplete)|fail\w* (?:deliver|notice|mail)|return\w* (?:mail|message|to sender|email)|mail (?:system )?error|bounce|rejected|unzustellbar|nicht zugestellt|non remis|échec de (?:la )?remise|no (?:se ha )?(?:podido )?entregad|mancato recapito|não entregue|onbestelbaar|nie ?dostarczon|не доставлено/i;
const PHRASE =
  /(?:could not|couldn't|cannot|can't|can not|unable to|was not|wasn't|not be|not able to|failed to) (?:be )?(?:deliver|send|sent|relay|reach|accept|complet|process)|undeliver|delivery (?:\w+ ){0,4}(?:fail|error)|(?:error|trouble|problem)s? (?:sending|delivering)|user unknown|unknown user|no such (?:user|mailbox|recipient|address)|mailbox (?:\w+ ){0,3}(?:full|unavailable|not found)|over quota|host unknown|unknown (?:address|recipient|host)|address(?:es)? (?:\w+ ){0,3}(?:failed|rejected|problems)|fatal error|permanent (?:fatal )?error|(?:has|have|been|was) (?:rejected|returned|blocked|refused)|konnte nicht zugestellt|n'a pas pu être|no se pudo|non è stato possibile/i;
/** `550 5.1.1 …`, `550-…`, `#5.1.1`, `554 <…>`. */
const REPLY =
  /\b[45]\d\d[ -]#?[45]\.\d{1,3}\.\d{1,3}\b|(?:^|[\s:<("'])[45][0-5]\d[ -][A-Za-z<'"]|(?:^|[\s#(])[45]\.\d{1,3}\.\d{1,3}\b/;

const DELAYED =
  /delay|not (?:yet )?been delivered (?:yet|to)|warning\W{1,3}(?:could not send|message)|still (?:being )?(?:retr|try)|will (?:continue|keep|still) (?:\w+ )?(?:try|retry|to)|will be retried|will retry|no action is required|(?:do not|don't) need to resend/i;
const GIVEN_UP =
  /giv(?:en|ing) up|gave up|fail(?:ed|ure)|undeliver|permanent|fatal|returned mail|too long|could not be delivered|cannot be delivered|expired/i;

/** Where the copy of the bounced mail begins in the text of a report. */
const ORIGINAL_START =
  /^[-=_*# >]{0,80}(?:(?:below|here|this) (?:this line )?is a copy|(?:copy of |the |start of )?(?:your )?(?:original|unsent|returned|bounced|undelivered) (?:e-?mail|message)|message (?:header|text) follows|(?:the )?headers? (?:of|from) the|received:|return-path:|message-id:|mime-version:)/i;

/** The part of a report before the copy of the bounced mail. */
export function reportOnly(text: string): string {
  const lines = text.split('\n');
  const start = lines.findIndex((line, number) => number > 0 && ORIGINAL_START.test(line.slice(0, 200)));
  return start < 0 ? text : lines.slice(0, start).join('\n');
}

const MAX_LINE = 2_000;
const MAX_REPLY = 500;

/** The reply of a mail server in a text, with the line after it if it goes on there. */
export function replyIn(text: string): string | undefined {
  const lines = text.split('\n').map((line) => line.slice(0, MAX_LINE).trim());
  const number = lines.findIndex((line) => REPLY.test(line));
  if (number < 0) return undefined;
  const rest = /[.!>)]$/.test(lines[number] ?? '') ? '' : (lines[number + 1] ?? '');
  return `${lines[number]} ${rest}`.trim().slice(0, MAX_REPLY);
}

/** Whether the words of a mail server say that a mail was not delivered, or not yet. */
export const isAboutDelivery = (headers: MailHeaders, subject: string, text: string): boolean =>
  headers.has('x-failed-recipients') || SUBJECT.test(subject.slice(0, 500)) || PHRASE.test(text);

/** Whether something says so that no vacation note contains. */
export const isClearlyAboutDelivery = (headers: MailHeaders, subject: string, text: string): boolean =>
  headers.has('x-failed-recipients') ||
  (SUBJECT.test(subject.slice(0, 500)) && (PHRASE.test(text) || replyIn(text) !== undefined));

/** What a report in a format of its own says: sendmail before 1996, qmail, Exim, Exchange and many others. */
export function readTextReport(
  headers: MailHeaders,
  subject: string,
  text: string,
  isOwn: (address: string) => boolean,
): RecipientReport {
  const isDelayed =
    (DELAYED.test(subject.slice(0, 500)) || DELAYED.test(text)) &&
    !GIVEN_UP.test(subject.slice(0, 500)) &&
    !(GIVEN_UP.test(text) && !DELAYED.test(subject.slice(0, 500)));
  const named = addressesIn((headers.get('x-failed-recipients') ?? '').slice(0, 1_000));
  const mentioned = addressesIn(text).filter(
    (address) => !isOwn(address) && !/^(?:post.?master|mailer-daemon|abuse|support|help)@/.test(address),
  );
  return {
    // Of several addresses none is certain.
    recipients: named.length > 0 ? named : mentioned.length === 1 ? mentioned : [],
    action: isDelayed ? 'delayed' : 'failed',
    status: undefined,
    diagnostic: replyIn(text) ?? sentenceIn(text),
  };
}

/** The paragraph that says why. */
function sentenceIn(text: string): string | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => PHRASE.test(line.slice(0, MAX_LINE)));
  if (start < 0) return undefined;
  const length = lines.slice(start, start + 5).findIndex((line) => line.trim() === '');
  return lines
    .slice(start, start + (length < 0 ? 5 : length))
    .map((line) => line.trim().slice(0, MAX_REPLY))
    .join(' ')
    .slice(0, MAX_REPLY);
}

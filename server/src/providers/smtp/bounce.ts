import type { ParsedMail } from 'mailparser';
import type { AdapterChannel, InboundStatus } from '../adapter.ts';
import { clean } from '../clean.ts';
import { fieldsOf, idsIn, type MailHeaders } from './headers.ts';
import { messageIdOf, ownIdIn, ownIdInAddresses } from './own-ids.ts';

const REPORT_BYTES = 64 * 1024;
const LONGEST_WORDS = 500;

/** Whether a mail is a report of what became of another one. */
export const isDeliveryReport = (headers: MailHeaders): boolean => {
  const type = headers.get('content-type') ?? '';
  return /^multipart\/report\b/i.test(type) && /report-type="?delivery-status/i.test(type);
};

/**
 * What a report says of a message of ours: undefined where it names none, an empty list where it only says that
 * somebody is still trying.
 */
export function statusesIn(
  mail: ParsedMail,
  headers: MailHeaders,
  recipients: string,
  occurredAt: Date,
  channel: AdapterChannel,
): InboundStatus[] | undefined {
  const partOf = (types: string[]): string =>
    mail.attachments
      .find(({ contentType }) => types.includes(contentType))
      ?.content.subarray(0, REPORT_BYTES)
      .toString('utf8') ?? '';
  const report = fieldsOf(partOf(['message/delivery-status', 'message/global-delivery-status']));
  // What stands below the bounced mail's headers could look like a header, too.
  const bounced = fieldsOf(
    partOf(['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers']).split(
      /\r?\n\r?\n/,
      1,
    )[0] ?? '',
  );
  const [told] = idsIn(bounced.get('message-id') ?? headers.get('in-reply-to'));
  const messageId = (told && ownIdIn(told, channel)) ?? ownIdInAddresses(recipients, channel);
  const vendorId = told ?? (messageId && messageIdOf(messageId, channel));
  if (vendorId === undefined) return undefined;
  const action = report.get('action')?.split(/[ ;]/, 1)[0]?.toLowerCase() ?? 'failed';
  const about = {
    kind: 'status' as const,
    vendorId,
    occurredAt,
    ...(messageId === undefined ? {} : { messageId }),
  };
  if (action === 'delivered') return [{ ...about, status: 'delivered' }];
  if (action !== 'failed') return [];
  return [{ ...about, status: 'failed', error: reasonOf(report, mail.text ?? '') }];
}

/** Why a mail came back: as the report says it, or as its text quotes the server. */
function reasonOf(report: MailHeaders, text: string): { code: string; message: string } {
  const diagnostic = report.get('diagnostic-code')?.replace(/^[\w-]{1,20};\s*/, '');
  const quoted = /^.{0,200}\b[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3}\b.{0,2000}/m.exec(text)?.[0];
  const words = (diagnostic ?? quoted ?? 'The mail could not be delivered.').trim();
  const code =
    /[245]\.\d{1,3}\.\d{1,3}/.exec(report.get('status') ?? '')?.[0] ??
    /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(words)?.[0] ??
    /\b[45]\d\d\b/.exec(words)?.[0] ??
    'bounced';
  return { code, message: clean(words.slice(0, LONGEST_WORDS)) };
}

import type { ParsedMail } from 'mailparser';
import { storable } from '../../base/storable.ts';
import type { AdapterChannel, InboundStatus } from '../adapter.ts';
import { fieldsOf, idsIn, type MailHeaders } from './headers.ts';
import { messageIdOf, ownIdIn, ownIdInAddresses } from './own-ids.ts';

const REPORT_BYTES = 64 * 1024;
const MAX_REASON = 500;

/** Whether a mail is a delivery report. */
export const isDeliveryReport = (headers: MailHeaders): boolean => {
  const type = headers.get('content-type') ?? '';
  return /^multipart\/report\b/i.test(type) && /report-type="?delivery-status/i.test(type);
};

/**
 * The status of our message in a delivery report; undefined if it names none of ours, empty if the delivery is only
 * delayed.
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
  // Only the headers of the bounced mail: its body could contain lines that look like headers.
  const bounced = fieldsOf(
    partOf(['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers']).split(
      /\r?\n\r?\n/,
      1,
    )[0] ?? '',
  );
  const [bouncedId] = idsIn(bounced.get('message-id') ?? headers.get('in-reply-to'));
  const messageId = (bouncedId && ownIdIn(bouncedId, channel)) ?? ownIdInAddresses(recipients, channel);
  const vendorId = bouncedId ?? (messageId && messageIdOf(messageId, channel));
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

/** The reason from the report, or from the server's reply that its text quotes. */
function reasonOf(report: MailHeaders, text: string): { code: string; message: string } {
  const diagnostic = report.get('diagnostic-code')?.replace(/^[\w-]{1,20};\s*/, '');
  const quoted = /^.{0,200}\b[45]\d\d[ -][45]\.\d{1,3}\.\d{1,3}\b.{0,2000}/m.exec(text)?.[0];
  const reason = (diagnostic ?? quoted ?? 'The mail could not be delivered.').trim();
  const code =
    /[245]\.\d{1,3}\.\d{1,3}/.exec(report.get('status') ?? '')?.[0] ??
    /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(reason)?.[0] ??
    /\b[45]\d\d\b/.exec(reason)?.[0] ??
    'bounced';
  return { code, message: storable(reason.slice(0, MAX_REASON)) };
}

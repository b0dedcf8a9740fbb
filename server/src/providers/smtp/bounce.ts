import type { ParsedMail } from 'mailparser';
import { storable } from '../../base/storable.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { InboundStatus } from '../inbound-event.ts';
import type { VendorError } from '../vendor-failure.ts';
import { hasEmptySender, isFromDaemon } from './daemon.ts';
import {
  originalHeadersIn,
  type RecipientReport,
  recipientReportsIn,
  reportFieldsIn,
} from './delivery-report.ts';
import type { MailHeaders } from './headers.ts';
import { originalIdIn } from './original-id.ts';
import { messageIdOf, ownAddresses, ownIdIn, ownIdInAddresses } from './own-ids.ts';
import { plainCodeOf } from './reply-code.ts';
import {
  isAboutDelivery,
  isClearlyAboutDelivery,
  readTextReport,
  replyIn,
  reportOnly,
} from './text-report.ts';

const MAX_TEXT = 64 * 1024;
const MAX_RAW = 128 * 1024;
const MAX_REASON = 500;

/** A mail as the recognition of reports needs it. */
export interface ReportedMail {
  mail: ParsedMail;
  headers: MailHeaders;
  /** Its text, made from its HTML if it has no other. */
  text: string;
  body: Buffer;
  /** Every address that it was sent to. */
  recipients: string;
  occurredAt: Date;
}

const isDeliveryReport = (headers: MailHeaders): boolean => {
  const type = headers.get('content-type') ?? '';
  return /^multipart\/report\b/i.test(type) && /report-type\s?=\s?"?delivery-status/i.test(type);
};

/**
 * Whether a mail server reports on a mail. A vacation note can have an empty sender, too, and a person can write from
 * postmaster@…, so the words decide where the format does not.
 */
function isReport({ mail, headers }: ReportedMail, text: string): boolean {
  const subject = mail.subject ?? '';
  if (isDeliveryReport(headers)) return true;
  const isDaemon = isFromDaemon(headers);
  if (!isDaemon && !hasEmptySender(headers)) return false;
  if (reportFieldsIn(mail).length > 0) return true;
  const isCertain =
    isDaemon ||
    (headers.get('from') ?? '').replaceAll(/[<>\s]/g, '') === '' ||
    originalHeadersIn(mail).length > 0;
  return isCertain ? isAboutDelivery(headers, subject, text) : isClearlyAboutDelivery(headers, subject, text);
}

/**
 * The statuses of our message in a report of a mail server; undefined if the mail is no report or names no message, empty if
 * the delivery is only delayed.
 */
export function statusesIn(given: ReportedMail, channel: AdapterChannel): InboundStatus[] | undefined {
  const { mail, headers, recipients, occurredAt } = given;
  // As it was sent: old servers attach the original with wrong boundaries or none.
  const raw = given.body.subarray(0, MAX_RAW).toString('latin1');
  const sent = raw.slice(Math.max(0, raw.search(/\r?\n\r?\n/)));
  const whole = given.text.slice(0, MAX_TEXT) || sent;
  const text = reportOnly(whole);
  if (!isReport(given, text)) return undefined;
  const originalId = originalIdIn(mail, headers, [whole, sent], channel);
  const messageId = (originalId && ownIdIn(originalId, channel)) ?? ownIdInAddresses(recipients, channel);
  const vendorId = originalId ?? (messageId && messageIdOf(messageId, channel));
  if (vendorId === undefined) return undefined;
  const about = {
    kind: 'status' as const,
    vendorId,
    occurredAt,
    ...(messageId === undefined ? {} : { messageId }),
  };
  const isOwn = (address: string): boolean =>
    ownAddresses(channel).includes(address) || ownIdInAddresses(address, channel) !== undefined;
  const structured = reportFieldsIn(mail).flatMap(recipientReportsIn);
  const reports =
    structured.length > 0 ? structured : [readTextReport(headers, mail.subject ?? '', text, isOwn)];
  return reports.flatMap((report): InboundStatus[] => {
    const named = report.recipients.length === 0 ? {} : { recipients: report.recipients.map(storable) };
    if (report.action === 'delivered') return [{ ...about, ...named, status: 'delivered' }];
    if (/^(?:delayed|relayed|expanded)$/.test(report.action)) return [];
    return [{ ...about, ...named, status: 'failed', error: reasonOf(report, text) }];
  });
}

const isSpecific = (code: string | undefined): boolean => code !== undefined && !code.endsWith('.0.0');

/** The reason from the report, or from the server's reply that its text quotes. */
function reasonOf({ status, diagnostic }: RecipientReport, text: string): VendorError {
  const reason = diagnostic?.trim() || replyIn(text) || 'The mail could not be delivered.';
  const enhanced = /(?:^|[^\d.])([45]\.\d{1,3}\.\d{1,3})(?![\d.]*\d)/.exec(reason)?.[1];
  const plain = /(?:^|[^\d.])([45]\d\d)(?=[ -]|$)/.exec(reason)?.[1];
  const code =
    (isSpecific(status) ? status : undefined) ??
    enhanced ??
    status ??
    (plain === undefined ? 'bounced' : plainCodeOf(plain, reason));
  return { code, message: storable(reason.slice(0, MAX_REASON)) };
}

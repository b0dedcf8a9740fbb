import type { EmailAddress, ParsedMail } from 'mailparser';
import { sha256 } from '../../base/crypto.ts';
import { storable } from '../../base/storable.ts';
import {
  type AdapterChannel,
  type InboundEvent,
  type InboundMedia,
  type InboundMessage,
  type ProviderRequest,
  receivedAtOf,
} from '../adapter.ts';
import { isDeliveryReport, statusesIn } from './bounce.ts';
import { isAddress } from './config.ts';
import { headersOf, idsIn, type MailHeaders } from './headers.ts';
import { textOf } from './html-text.ts';
import { limitMail } from './limit-mail.ts';
import { ownAddresses, ownIdIn, ownIdInAddresses } from './own-ids.ts';

const MAX_TEXT = 500_000;
const MAX_HTML = 1_000_000;
const MAX_MEDIA = 100;
const MAX_CC = 100;

// Loaded with the first mail: it would take a tenth of the start-up time.
async function parseMime(bytes: Buffer): Promise<ParsedMail> {
  const { simpleParser } = await import('mailparser');
  return simpleParser(limitMail(bytes), {
    keepCidLinks: true,
    keepDeliveryStatus: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipHtmlToText: true,
  });
}

/** The event in a mail: a message, or the status of one of ours in a delivery report. */
export async function parseMail(request: ProviderRequest, channel: AdapterChannel): Promise<InboundEvent[]> {
  const mail = await parseMime(request.body);
  const headers = headersOf(mail.headerLines ?? []);
  const occurredAt = timeOf(headers, receivedAtOf(request));
  const recipients = ['to', 'cc', 'delivered-to', 'x-original-to', 'envelope-to', 'x-forwarded-to']
    .map((name) => headers.get(name) ?? '')
    .join(' ');
  const statuses = isDeliveryReport(headers)
    ? statusesIn(mail, headers, recipients, occurredAt, channel)
    : undefined;
  if (statuses) return statuses;

  const contact = senderOf(mail);
  // A copy of a mail of the business. Anyone can use that address as the sender, so it is not an echo either.
  if (ownAddresses(channel).includes(contact.value)) return [];
  const replyTo = [
    ...new Set([...idsIn(headers.get('in-reply-to')), ...idsIn(headers.get('references')).reverse()]),
  ];
  const replyToMessageId =
    replyTo.map((id) => ownIdIn(id, channel)).find((id) => id !== undefined) ??
    ownIdInAddresses(recipients, channel);
  const html = mail.html ? storable(mail.html) : '';
  const written = storable(mail.text ?? '')
    .slice(0, MAX_TEXT)
    .trim();
  const text = written || textOf(html.slice(0, MAX_HTML)).slice(0, MAX_TEXT);
  const message: InboundMessage = {
    kind: 'message',
    vendorId: idsIn(headers.get('message-id'))[0] ?? `sha256-${sha256(request.body).toString('hex')}`,
    occurredAt,
    contact: { type: 'email', ...contact },
    type: 'email',
    text: text === '' ? null : text,
    media: mail.attachments.slice(0, MAX_MEDIA).map(mediaOf),
    content: {
      subject: mail.subject ? storable(mail.subject) : null,
      html: html !== '' && html.length <= MAX_HTML ? html : null,
      cc: addressesOf(mail.cc).slice(0, MAX_CC),
    },
    ...(replyTo.length === 0 ? {} : { replyTo }),
    ...(replyToMessageId === undefined ? {} : { replyToMessageId }),
    ...(isAutomatic(headers) ? { isAutomatic: true } : {}),
  };
  return [message];
}

/**
 * The time of the Date header, unless it is after the arrival. The header has whole seconds, so within the second of the
 * arrival the arrival is more exact.
 */
function timeOf(headers: MailHeaders, receivedAt: Date): Date {
  const written = Date.parse(headers.get('date') ?? '');
  return written + 999 < receivedAt.getTime() && written > 0 ? new Date(written) : receivedAt;
}

type Addresses = ParsedMail['to'];

const entriesOf = (addresses: Addresses): EmailAddress[] =>
  (addresses === undefined ? [] : Array.isArray(addresses) ? addresses : [addresses])
    .flatMap(({ value }) => value)
    .flatMap((entry) => entry.group ?? [entry]);

const addressesOf = (addresses: Addresses): string[] =>
  entriesOf(addresses).flatMap(({ address }) => (address ? [storable(address.toLowerCase())] : []));

/** The contact to reply to: Reply-To may be another address than From. */
function senderOf(mail: ParsedMail): { value: string; name: string | null } {
  const sender = [...entriesOf(mail.replyTo), ...entriesOf(mail.from)].find(
    ({ address }) => address && isAddress(address),
  );
  if (!sender?.address) throw new Error('The mail has no valid sender.');
  const name = storable(sender.name || (entriesOf(mail.from)[0]?.name ?? '')).trim();
  return { value: storable(sender.address.toLowerCase()), name: name === '' ? null : name };
}

const mediaOf = ({ contentType, filename, content }: ParsedMail['attachments'][number]): InboundMedia => ({
  mimeType: contentType ? storable(contentType) : null,
  filename: filename ? storable(filename) : null,
  size: content.length,
  bytes: content,
});

/** Whether the mail was sent automatically and must not be answered automatically (RFC 3834). */
function isAutomatic(headers: MailHeaders): boolean {
  const submitted = headers.get('auto-submitted')?.split(';', 1)[0]?.trim().toLowerCase();
  return (
    (submitted !== undefined && submitted !== '' && submitted !== 'no') ||
    headers.get('return-path') === '<>' ||
    headers.has('list-id') ||
    /^(bulk|list|junk)$/i.test(headers.get('precedence') ?? '')
  );
}

import type { EmailAddress, ParsedMail } from 'mailparser';
import { sha256 } from '../../base/crypto.ts';
import { storable } from '../../base/storable.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { InboundEvent, InboundMedia, InboundMessage } from '../inbound-event.ts';
import { type ProviderRequest, receivedAtOf } from '../provider-request.ts';
import { authenticationOf } from './authentication.ts';
import { isAutomatic } from './automatic.ts';
import { statusesIn } from './bounce.ts';
import { complaintsIn } from './complaint.ts';
import { isAddress } from './config.ts';
import { addressesIn } from './delivery-report.ts';
import { fieldsOf, headersOf, idsIn, type MailHeaders } from './headers.ts';
import { textOf } from './html-text.ts';
import { ownAddresses, ownIdIn, ownIdInAddresses } from './own-ids.ts';
import { readMime } from './read-mime.ts';
import { trimReply } from './trim-reply.ts';

const MAX_TEXT = 500_000;
const MAX_HTML = 1_000_000;
const MAX_MEDIA = 100;
const MAX_CC = 100;

/** The event in a mail: a message, the status of one of ours in a report, or a complaint about one. */
export async function parseMail(request: ProviderRequest, channel: AdapterChannel): Promise<InboundEvent[]> {
  const mail = await readMime(request.body);
  const headers = headersOf(mail.headerLines ?? []);
  const occurredAt = timeOf(headers, receivedAtOf(request));
  const recipients = ['to', 'cc', 'delivered-to', 'x-original-to', 'envelope-to', 'x-forwarded-to']
    .map((name) => headers.get(name) ?? '')
    .join(' ');
  const complaints = complaintsIn(mail, headers, occurredAt, channel);
  if (complaints) return complaints;
  const html = mail.html ? storable(mail.html) : '';
  const written = storable(mail.text ?? '')
    .slice(0, MAX_TEXT)
    .trim();
  const fullText = written || (await textOf(html.slice(0, MAX_HTML))).slice(0, MAX_TEXT);
  const statuses = statusesIn(
    { mail, headers, text: fullText, body: request.body, recipients, occurredAt },
    channel,
  );
  if (statuses) return statuses;

  const own = ownAddresses(channel);
  const contact = senderOf(mail, headers);
  // Nobody could be answered. Or a copy of a mail of the business: anyone can use that address as the sender, so it is not an
  // echo either.
  if (!contact || own.includes(contact.value)) return [];
  const repliedIds = idsIn(headers.get('in-reply-to'));
  const inReplyTo = [...new Set([...repliedIds, ...idsIn(headers.get('references')).reverse()])];
  const replyToMessageId =
    inReplyTo.map((id) => ownIdIn(id, channel)).find((id) => id !== undefined) ??
    ownIdInAddresses(recipients, channel);
  const subject = mail.subject ? storable(mail.subject) : null;
  const isReply = repliedIds.length > 0 || replyToMessageId !== undefined;
  const { text, quotedText } = trimReply(fullText, subject ?? '', isReply);
  const replyTo = addressesOf(mail.replyTo).find(isAddress);
  const authentication = authenticationOf(mail.headerLines ?? []);
  const message: InboundMessage = {
    kind: 'message',
    vendorId: idsIn(headers.get('message-id'))[0] ?? `sha256-${sha256(request.body).toString('hex')}`,
    occurredAt,
    contact: { type: 'email', ...contact },
    type: 'email',
    text: text === '' ? null : text,
    media: mail.attachments.slice(0, MAX_MEDIA).map(mediaOf),
    content: {
      subject,
      html: html !== '' && html.length <= MAX_HTML ? html : null,
      cc: addressesOf(mail.cc).slice(0, MAX_CC),
      ...(quotedText === null ? {} : { quotedText }),
      ...(text === fullText ? {} : { fullText }),
      ...(replyTo === undefined || replyTo === contact.value || own.includes(replyTo) ? {} : { replyTo }),
      ...(authentication === undefined ? {} : { authentication }),
    },
    ...(inReplyTo.length === 0 ? {} : { replyTo: inReplyTo }),
    ...(replyToMessageId === undefined ? {} : { replyToMessageId }),
    ...(isAutomatic(mail, headers) ? { isAutomatic: true } : {}),
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

/** Who wrote the mail; undefined if it names nobody. Reply-To is only where answers go: anyone's address can be in it. */
function senderOf(
  mail: ParsedMail,
  headers: MailHeaders,
): { value: string; name: string | null } | undefined {
  const [first] = entriesOf(mail.from);
  const sender = entriesOf(mail.from).find(({ address }) => address && isAddress(address))?.address;
  const value = [sender ?? [], ...['sender', 'reply-to', 'return-path'].map(firstAddress(headers))].flat()[0];
  if (value === undefined) return undefined;
  const name = storable(first?.name ?? '').trim();
  return { value: storable(value.toLowerCase()), name: name === '' ? null : name };
}

const firstAddress =
  (headers: MailHeaders) =>
  (name: string): string[] =>
    addressesIn((headers.get(name) ?? '').slice(0, 1_000))
      .filter(isAddress)
      .slice(0, 1);

const MAX_NAME = 100;

/** An attached mail has no name of its own: its subject is the best one. */
function mailName(content: Buffer): string {
  const subject = fieldsOf(content.toString('utf8', 0, 8_192).split(/\r?\n\r?\n/, 1)[0] ?? '').get('subject');
  const name = (subject ?? '')
    .replaceAll(/=\?[^?]{1,40}\?[^?]\?[^?]{0,500}\?=|[\p{Cc}/\\:*?"<>|]/gu, ' ')
    .trim();
  return `${name.slice(0, MAX_NAME) || 'mail'}.eml`;
}

/** Longer ones are no ids of any mail program. */
const MAX_CONTENT_ID = 255;

const mediaOf = ({
  contentType,
  filename,
  content,
  cid,
}: ParsedMail['attachments'][number]): InboundMedia => {
  const name = filename || (contentType === 'message/rfc822' ? mailName(content) : '');
  return {
    mimeType: contentType ? storable(contentType) : null,
    filename: name ? storable(name) : null,
    size: content.length,
    ...(cid && cid.length <= MAX_CONTENT_ID ? { contentId: storable(cid) } : {}),
    bytes: content,
  };
};

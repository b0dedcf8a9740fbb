import type { AdapterChannel } from '../../adapter-channel.ts';
import type { InboundMessage, InboundStatus, SimulatedEvent } from '../../inbound-event.ts';
import { isAddress } from '../../smtp/config.ts';
import { parseMail } from '../../smtp/parse.ts';
import { isSignedMail, mailSignature, SIGNATURE_HEADER } from '../../smtp/signature.ts';
import type { SandboxShape } from '../shape.ts';

/** Mails as a mail server posts them: signed MIME. */
export const emailShape: SandboxShape = {
  async write(event, channel, url, secret) {
    const body = await mailOf(event, withMailAddress(channel));
    const headers = { 'content-type': 'message/rfc822', [SIGNATURE_HEADER]: mailSignature(body, secret) };
    return { url, headers, body, receivedAt: event.occurredAt };
  },
  verifySignature: (request, _channel, secret) => isSignedMail(request, secret),
  parse: (request, channel) => parseMail(request, withMailAddress(channel)),
};

/** A sandbox channel may have any address; mails need an email address. */
const withMailAddress = (channel: AdapterChannel): AdapterChannel =>
  isAddress(channel.address) ? channel : { ...channel, address: 'sandbox@sandbox.invalid' };

async function mailOf(event: SimulatedEvent, channel: AdapterChannel): Promise<Buffer> {
  if (event.kind === 'message') return writtenMail(event, channel);
  if (event.kind === 'status' && (event.status === 'failed' || event.status === 'delivered'))
    return deliveryReport(event, channel);
  throw new Error(`Mails do not report a ${event.kind === 'status' ? event.status : event.kind}.`);
}

function plusAddress(address: string, id: string | undefined): string {
  const [local, domain] = address.split('@');
  return id === undefined ? address : `${local}+${id}@${domain}`;
}

async function writtenMail(message: InboundMessage, { address }: AdapterChannel): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const { vendorId, contact, content, text, media, replyTo = [], replyToMessageId, isAutomatic } = message;
  const { subject, html, cc } = content as { subject?: string | null; html?: string | null; cc?: string[] };
  if (media.some(({ bytes }) => bytes === undefined))
    throw new Error('A mail must contain the bytes of its files.');
  const mail = new MailComposer({
    messageId: vendorId,
    date: message.occurredAt,
    from: { name: contact.name ?? '', address: contact.value },
    to: plusAddress(address, replyToMessageId),
    ...(cc?.length ? { cc } : {}),
    ...(subject ? { subject } : {}),
    ...(replyTo[0] === undefined ? {} : { inReplyTo: replyTo[0], references: replyTo.toReversed() }),
    text: text ?? '',
    ...(html ? { html } : {}),
    encoding: 'base64',
    attachments: media.map(({ bytes, filename, mimeType }) => ({
      content: bytes,
      filename: filename ?? false,
      contentType: mimeType ?? 'application/octet-stream',
    })),
    headers: isAutomatic ? { 'Auto-Submitted': 'auto-replied' } : {},
  });
  return mail.compile().build();
}

/** The report of a mail server about a mail that was or was not delivered. */
async function deliveryReport(status: InboundStatus, { address }: AdapterChannel): Promise<Buffer> {
  const { default: MimeNode } = await import('nodemailer/lib/mime-node');
  const { vendorId, messageId, error, occurredAt } = status;
  const hasFailed = status.status === 'failed';
  const report = new MimeNode('multipart/report; report-type=delivery-status');
  report.setHeader({
    From: 'mailer-daemon@sandbox.invalid',
    To: plusAddress(address, messageId),
    Date: occurredAt.toUTCString(),
    Subject: hasFailed ? 'Undelivered Mail Returned to Sender' : 'Delivery Status Notification',
    'Auto-Submitted': 'auto-replied',
  });
  report.createChild('text/plain').setContent(error?.message ?? 'The mail was delivered.');
  const fields = [
    'Reporting-MTA: dns; sandbox.invalid',
    '',
    `Action: ${status.status}`,
    ...(error ? [`Status: ${error.code}`, `Diagnostic-Code: smtp; ${error.message}`] : []),
  ];
  report.createChild('message/delivery-status').setContent(`${fields.join('\r\n')}\r\n`);
  report.createChild('text/rfc822-headers').setContent(`Message-ID: ${vendorId}\r\n`);
  return report.build();
}

import { finished, type Readable } from 'node:stream';
import { OutboundError } from '../../outbound/outbound-error.ts';
import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import type { OutgoingMedia, OutgoingMessage } from '../outgoing-message.ts';
import { fillVariables, templateText } from '../template-text.ts';
import { VendorFailure } from '../vendor-failure.ts';
import { bareAddress, isAddress, type SmtpConfig } from './config.ts';
import { textOf } from './html-text.ts';
import { messageIdOf, plusAddress } from './own-ids.ts';

export interface ComposedMail {
  messageId: string;
  envelope: { from: string; to: string[] };
  /** The bytes of the mail; can be read once. */
  stream: Readable;
  /** Closes the files that have not been read. */
  discard(): void;
}

const MAX_SUBJECT = 70;
const FETCH_DEADLINE_MS = 60_000;
const FETCH_BYTES = 25 * 1024 * 1024;

/** The subject of a reply: one `Re:` instead of all prefixes, in any language. */
export const replySubject = (subject: string): string =>
  `Re: ${subject.replace(/^(\s{0,3}(re|aw|antw|sv|vs|tr|rv|odp|ynt)\s{0,3}(\[\d{1,3}\])?\s{0,3}:)+/i, '').trim()}`;

/** Its own subject, or that of the mail it replies to, or the beginning of the text. */
function subjectOf({ content, template, text, threadSubject }: OutgoingMessage): string {
  if (typeof content.subject === 'string' && content.subject !== '') return content.subject;
  if (template?.header?.text) return fillVariables(template.header.text, template.variables);
  if (threadSubject) return replySubject(threadSubject);
  const [line = ''] = (template ? fillVariables(template.body, template.variables) : (text ?? ''))
    .trim()
    .split('\n', 1);
  const characters = [...line.trim().slice(0, 2 * MAX_SUBJECT + 2)];
  return characters.length <= MAX_SUBJECT ? line.trim() : `${characters.slice(0, MAX_SUBJECT - 1).join('')}…`;
}

const isMessageId = (id: string | null): id is string => id !== null && /^<[^<>\s]+>$/.test(id);

/** Writes a message as a mail. Our own files are read while it is sent; others are fetched before. */
export async function composeMail(
  message: OutgoingMessage,
  channel: AdapterChannel,
  context: AdapterContext,
): Promise<ComposedMail> {
  const config = channel.config as SmtpConfig;
  const { content, template, references, replyToVendorId } = message;
  const from = bareAddress(config.from);
  const tagged = plusAddress(message.id, channel);
  const address = channel.address.trim();
  const replyTo = tagged ?? (isAddress(address) && address.toLowerCase() !== from ? address : undefined);
  const cc = Array.isArray(content.cc)
    ? content.cc.filter((one) => typeof one === 'string' && isAddress(one))
    : [];
  const messageId = messageIdOf(message.id, channel);
  const to = message.threadReplyTo ?? message.to.value;
  const html = typeof content.html === 'string' && content.html !== '' ? content.html : undefined;
  const text = template ? templateText(template) : (message.text ?? (await textOf(html ?? '')));
  const thread = [...new Set([...references, replyToVendorId])].filter(isMessageId);
  const inReplyTo = [replyToVendorId, ...references.toReversed()].find(isMessageId);
  const fetched = await Promise.all(
    message.media.map((media) => (media.read ? undefined : fetchFile(media, context))),
  );
  const openFiles: Readable[] = [];
  const attachments = message.media.map((media, number) => {
    const bytes = fetched[number] ?? media.read?.();
    if (bytes && !Buffer.isBuffer(bytes)) openFiles.push(bytes);
    return { filename: media.filename, contentType: media.mimeType, content: bytes };
  });
  const discard = (): void => {
    for (const stream of openFiles) stream.destroy();
  };

  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const mail = new MailComposer({
    from: config.from,
    to,
    ...(cc.length === 0 ? {} : { cc }),
    ...(replyTo === undefined ? {} : { replyTo }),
    subject: subjectOf(message),
    messageId,
    date: context.now(channel),
    ...(inReplyTo === undefined ? {} : { inReplyTo, references: thread }),
    text,
    ...(html === undefined ? {} : { html }),
    attachments,
    headers: {
      ...(message.isAutomatic ? { 'Auto-Submitted': 'auto-generated' } : {}),
      ...(message.unsubscribeUrl === undefined
        ? {}
        : {
            'List-Unsubscribe': `<${message.unsubscribeUrl}>`,
            'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
          }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const stream = mail.compile().createReadStream() as Readable;
  // The composer would wait forever for the rest of a file whose stream fails.
  for (const file of openFiles) finished(file, (error) => error && stream.destroy(error));
  stream.on('error', () => {});
  return { messageId, envelope: { from: tagged ?? from, to: [to, ...cc] }, stream, discard };
}

async function fetchFile({ url }: OutgoingMedia, context: AdapterContext): Promise<Buffer> {
  const { status, body, truncated } = await context
    .request({
      url,
      method: 'GET',
      headers: {},
      deadlineMs: FETCH_DEADLINE_MS,
      maxResponseBytes: FETCH_BYTES,
    })
    .catch((error) => {
      if (!(error instanceof OutboundError)) throw error;
      throw new VendorFailure('media_unavailable', error.message, error.phase !== 'refused');
    });
  if (status !== 200)
    throw new VendorFailure(
      'media_unavailable',
      `The download of ${url} failed with HTTP ${status}.`,
      status === 429 || status >= 500,
    );
  if (truncated) throw new VendorFailure('media_too_large', `${url} has more than ${FETCH_BYTES} bytes.`);
  return body;
}

import type { Duplex } from 'node:stream';
import type { Attachment, MailParser, ParsedMail } from 'mailparser';
import { closeParts } from './close-parts.ts';
import { decodeStream, UNKNOWN_CHARSET } from './decode-text.ts';
import { limitMail } from './limit-mail.ts';

/** What the parser does not declare: how it decodes texts, and the part of a mail that it begins. */
interface ParserInternals {
  headers: Map<string, unknown>;
  headerLines: ParsedMail['headerLines'];
  decoder: { decodeStream(charset: string): Duplex };
  createNode(node: { contentType?: string | false; charset?: string | false }): unknown;
}

/** Decodes texts with wrong labels or none. */
function decodeTolerantly(parser: ParserInternals): void {
  const { decoder } = parser;
  const createNode = parser.createNode.bind(parser);
  parser.decoder = { decodeStream: (charset) => decodeStream(charset, (name) => decoder.decodeStream(name)) };
  parser.createNode = (node) => {
    if (!node.charset || /^(?:us-)?ascii$/i.test(node.charset)) node.charset = UNKNOWN_CHARSET;
    return createNode(node);
  };
}

const SHOWN = ['subject', 'to', 'from', 'cc', 'reply-to'];

/** The parts of a mail. Like `simpleParser` of the library, which decodes texts only as they are labelled. */
// Loaded with the first mail: it would take a tenth of the start-up time.
export async function readMime(bytes: Buffer): Promise<ParsedMail> {
  const library = await import('mailparser');
  // The declared options lack `ignoreEmbedded`: attached mails stay whole, as files.
  const options = {
    keepDeliveryStatus: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipHtmlToText: true,
    ignoreEmbedded: true,
  };
  const parser: MailParser = new library.MailParser(options as object);
  const internals = parser as unknown as ParserInternals;
  decodeTolerantly(internals);
  const mail = { attachments: [] as Attachment[] } as unknown as ParsedMail & Record<string, unknown>;
  return new Promise((resolve, reject) => {
    parser.on('data', (data) => {
      if (data.type === 'text') Object.assign(mail, { text: data.text, html: data.html });
      else collectFile(data, mail.attachments, reject);
    });
    parser.once('error', reject);
    parser.once('end', () => {
      mail.headerLines = internals.headerLines ?? [];
      for (const name of SHOWN)
        if (internals.headers?.has(name))
          mail[name.replace('reply-to', 'replyTo')] = internals.headers.get(name);
      resolve(mail);
    });
    parser.end(closeParts(limitMail(bytes)));
  });
}

interface AttachmentStream extends Omit<Attachment, 'content'> {
  content: NodeJS.ReadableStream;
  release(): void;
}

function collectFile(file: AttachmentStream, files: Attachment[], reject: (error: Error) => void): void {
  const chunks: Buffer[] = [];
  file.content.on('data', (chunk: Buffer) => chunks.push(chunk));
  file.content.once('error', reject);
  file.content.once('end', () => {
    files.push({ ...file, content: Buffer.concat(chunks) } as unknown as Attachment);
    file.release();
  });
}

import type { AdapterChannel } from '../adapter-channel.ts';
import type { AdapterContext } from '../adapter-context.ts';
import { isOneOf, mimeTypeOfName } from '../media-kind.ts';
import type { GraphError } from '../meta/classify-error.ts';
import {
  call,
  callOrThrow,
  download,
  FACEBOOK_GRAPH,
  FILE_DEADLINE_MS,
  type Graph,
  graphFor,
  MAX_FILE_BYTES,
  tooLarge,
} from '../meta/graph.ts';
import { idOf, textOf } from '../meta/payload.ts';
import type { OutgoingMedia } from '../outgoing-message.ts';
import { VendorFailure } from '../vendor-failure.ts';
import { type FormPart, multipart } from './multipart.ts';

/** How a message references a file. */
export type MediaReference = { id: string } | { link: string };

async function readAll({ read }: OutgoingMedia): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of read?.() ?? []) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** The only types of files that Meta takes. A text of another type, such as CSV, goes as plain text and keeps its name. */
const UPLOADED_TYPES = [
  'audio/aac',
  'audio/mp4',
  'audio/mpeg',
  'audio/amr',
  'audio/ogg',
  'audio/opus',
  'application/vnd.ms-powerpoint',
  'application/msword',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'application/pdf',
  'text/plain',
  'application/vnd.ms-excel',
  'image/jpeg',
  'image/png',
  'image/webp',
  'video/mp4',
  'video/3gpp',
];

const asUploaded = (mimeType: string): string | undefined =>
  isOneOf(mimeType, UPLOADED_TYPES) ? mimeType : mimeType.startsWith('text/') ? 'text/plain' : undefined;

/**
 * The type under which Meta takes a file. What the bytes look like may be less than the name says: an old Word document is a
 * compound file like many others, and a table in Windows' own encoding is bytes.
 */
const uploadedType = ({ mimeType, filename }: OutgoingMedia): string =>
  asUploaded(mimeType) ?? asUploaded(mimeTypeOfName(filename) ?? '') ?? mimeType;

/**
 * Uploads our own files to Meta, which need not be able to reach this server; other files are referenced by their URL.
 * A failed upload can be repeated, because the message itself has not been sent.
 */
export async function referenceMedia(
  media: OutgoingMedia,
  phoneNumberId: string,
  graph: Graph,
): Promise<{ ok: true; media: MediaReference } | { ok: false; error: GraphError }> {
  if (!media.read) return { ok: true, media: { link: media.url } };
  const type = uploadedType(media);
  const parts: FormPart[] = [
    { name: 'messaging_product', value: 'whatsapp' },
    { name: 'type', value: type },
    { name: 'file', filename: media.filename, mimeType: type, value: await readAll(media) },
  ];
  const { contentType, body } = multipart(parts);
  const answer = await call(graph, {
    method: 'POST',
    path: `${phoneNumberId}/media`,
    headers: { 'content-type': contentType },
    body,
    deadlineMs: FILE_DEADLINE_MS,
  });
  if (!answer.ok) return { ok: false, error: { ...answer.error, retry: beforeSending(answer.error.retry) } };
  const id = idOf(answer.body.id);
  if (id !== '') return { ok: true, media: { id } };
  const message = 'Meta returned no id for the file.';
  return { ok: false, error: { code: 'unreadable_answer', subcode: '', message, retry: 'backoff' } };
}

const beforeSending = (retry: GraphError['retry']): GraphError['retry'] =>
  retry === 'unknown' ? 'backoff' : retry;

/** In two steps: the first returns a URL that is valid for five minutes and also needs the token. */
export async function fetchMedia(
  { id }: Record<string, unknown>,
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<{ bytes: Buffer; mimeType: string | null; filename: string | null }> {
  const graph = graphFor(config, FACEBOOK_GRAPH, context);
  const query = { phone_number_id: String(config.phoneNumberId) };
  const { url, mime_type, file_size } = await callOrThrow(graph, {
    method: 'GET',
    path: encodeURIComponent(idOf(id)),
    query,
  }).catch(explainMissing);
  if (Number(file_size) > MAX_FILE_BYTES) throw tooLarge();
  const authorization = `Bearer ${graph.accessToken}`;
  const { bytes, mimeType } = await download(context.request, String(url), { authorization }).catch(
    explainMissing,
  );
  return { bytes, mimeType: textOf(mime_type) ?? mimeType, filename: null };
}

/** Meta's answers for a file that does not exist: its error for an unknown object, and the statuses of a download. */
const MISSING_CODES = ['100', '131052', 'http_404', 'http_410'];

function explainMissing(error: unknown): never {
  if (error instanceof VendorFailure && MISSING_CODES.includes(error.code))
    throw new VendorFailure(
      'media_gone',
      'The file no longer exists at WhatsApp, which keeps files for 30 days; ask the customer to send it again.',
    );
  throw error;
}

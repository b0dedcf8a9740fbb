import type { AdapterChannel, AdapterContext, OutgoingMedia } from '../adapter.ts';
import type { GraphError } from '../meta/classify-error.ts';
import {
  call,
  demand,
  download,
  FACEBOOK_GRAPH,
  FILE_DEADLINE_MS,
  type Graph,
  graphFor,
  MOST_FILE_BYTES,
  tooLarge,
} from '../meta/graph.ts';
import { idOf, textOf } from '../meta/payload.ts';
import { type FormPart, multipart } from './multipart.ts';

/** How a message names a file. */
export type MediaReference = { id: string } | { link: string };

async function readAll({ read }: OutgoingMedia): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of read?.() ?? []) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/**
 * A file of ours goes to Meta first, so that it need not be able to reach us; somebody else's is named by its URL.
 * Until the message itself is sent nothing has happened, whatever became of the upload: it may be repeated.
 */
export async function referTo(
  media: OutgoingMedia,
  phoneNumberId: string,
  graph: Graph,
): Promise<{ ok: true; media: MediaReference } | { ok: false; issue: GraphError }> {
  if (!media.read) return { ok: true, media: { link: media.url } };
  const parts: FormPart[] = [
    { name: 'messaging_product', value: 'whatsapp' },
    { name: 'type', value: media.mimeType },
    { name: 'file', filename: media.filename, mimeType: media.mimeType, value: await readAll(media) },
  ];
  const { contentType, body } = multipart(parts);
  const answer = await call(graph, {
    method: 'POST',
    path: `${phoneNumberId}/media`,
    headers: { 'content-type': contentType },
    body,
    deadlineMs: FILE_DEADLINE_MS,
  });
  if (!answer.ok) return { ok: false, issue: { ...answer.issue, retry: beforeSending(answer.issue.retry) } };
  const id = idOf(answer.body.id);
  if (id !== '') return { ok: true, media: { id } };
  const message = 'Meta took the file and gave no id for it.';
  return { ok: false, issue: { code: 'unreadable_answer', subcode: '', message, retry: 'backoff' } };
}

const beforeSending = (retry: GraphError['retry']): GraphError['retry'] =>
  retry === 'unknown' ? 'backoff' : retry;

/** Two steps: the first gives a URL that lives for five minutes and wants the token, too. */
export async function fetchMedia(
  { id }: Record<string, unknown>,
  { config }: AdapterChannel,
  context: AdapterContext,
): Promise<{ bytes: Buffer; mimeType: string | null; filename: string | null }> {
  const graph = graphFor(config, FACEBOOK_GRAPH, context);
  const query = { phone_number_id: String(config.phoneNumberId) };
  const { url, mime_type, file_size } = await demand(graph, {
    method: 'GET',
    path: encodeURIComponent(idOf(id)),
    query,
  });
  if (Number(file_size) > MOST_FILE_BYTES) throw tooLarge();
  const authorization = `Bearer ${graph.accessToken}`;
  const { bytes, mimeType } = await download(context.request, String(url), { authorization });
  return { bytes, mimeType: textOf(mime_type) ?? mimeType, filename: null };
}

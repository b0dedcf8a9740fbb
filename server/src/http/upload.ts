import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import multipart, { type Multipart } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError, type InvalidParamKey, invalidParam } from '../base/errors.ts';
import type { Principal } from './permissions.ts';
import type { Pace, ReceivedFile, Upload } from './route.ts';

/** The field of the form that is the file. */
export const FILE_FIELD = 'file';

/** Beside the file there is nothing to say; what is said nevertheless is small, and ignored. */
const LIMITS = { parts: 20, fields: 20, fieldSize: 1_000, headerPairs: 20 };
/** How much longer than its file a body may be. */
const ENVELOPE_BYTES = 64 * 1024;

export const PACE: Pace = { bytes: 64 * 1024, everyMs: 10_000, longestMs: 3_600_000 };
/** How long its parser may take with the end of a form that has arrived. */
const STUCK_AFTER_MS = 1_000;
/** What a refused client still sends is read for this long, so that it gets to read the refusal. */
const FAREWELL_MS = 5_000;

/** Connections over which a file is coming in. */
const uploading = new WeakSet<Socket>();
export const isUploading = (socket: Socket): boolean => uploading.has(socket);

/** Lets the routes of a scope take files and nothing else. */
export async function allowUploads(scope: FastifyInstance): Promise<void> {
  scope.removeAllContentTypeParsers();
  await scope.register(multipart);
  scope.addContentTypeParser('*', (_request, _payload, done) =>
    done(
      new ApiError('unsupported_media_type', {
        detail: `send the file as multipart/form-data, in the field "${FILE_FIELD}"`,
      }),
    ),
  );
}

const tooLarge = (maxBytes: number): ApiError =>
  new ApiError('payload_too_large', { detail: `a file may have at most ${maxBytes} bytes` });

/** Refuses what says of itself that it is too large, before any of it is read. */
export function requireFitting(request: FastifyRequest, { maxBytes }: Upload): void {
  if (Number(request.headers['content-length']) > maxBytes + ENVELOPE_BYTES) throw tooLarge(maxBytes);
}

const invalidFile = (key: InvalidParamKey, message: string): ApiError =>
  invalidParam(FILE_FIELD, key, message);

/** Runs `work` on the one file of the body. Whatever `work` does not keep of it is gone afterwards. */
export async function withFile<T>(
  request: FastifyRequest,
  upload: Upload,
  work: (file: ReceivedFile) => Promise<T>,
): Promise<T> {
  const file = await receiveFile(request, upload);
  try {
    return await work(file);
  } finally {
    await file.release();
  }
}

async function receiveFile(request: FastifyRequest, upload: Upload): Promise<ReceivedFile> {
  const { maxBytes, receive, pace = PACE } = upload;
  const { tenantId } = request.principal as Principal;
  if (!request.isMultipart()) throw invalidFile('invalid_type', 'Required');
  const stopWatching = watchPace(request, pace);
  let received: ReceivedFile | undefined;
  try {
    for await (const part of partsOf(request, maxBytes)) {
      if (part.fieldname !== FILE_FIELD) {
        if (part.type === 'file') throw invalidFile('invalid_type', 'Required; no other field can be a file');
        continue;
      }
      if (part.type === 'field') throw invalidFile('invalid_type', 'Expected a file with a filename');
      if (received) throw invalidFile('too_big', 'Send one file in a request');
      const { file: bytes, filename, mimetype: mimeType } = part;
      // A short body may have been read to its end by the time its first part is looked at.
      const refuse = (): unknown => bytes.destroy(tooLarge(maxBytes));
      if (bytes.truncated) refuse();
      else bytes.once('limit', refuse);
      received = await receive(tenantId, { filename, mimeType, bytes });
    }
    if (!received) throw invalidFile('invalid_type', 'Required');
    return received;
  } catch (error) {
    await received?.release();
    ignoreRest(request);
    throw asRefusal(error);
  } finally {
    stopWatching();
  }
}

async function* partsOf(request: FastifyRequest, maxBytes: number): AsyncGenerator<Multipart> {
  const parts = request.parts({ limits: { ...LIMITS, fileSize: maxBytes } });
  const next = () => unlessStuck(parts.next(), request.raw);
  for (let part = await next(); !part.done; part = await next()) yield part.value;
}

/** A part whose headers never end has no end for its parser either: when the body is over, so is the wait for it. */
async function unlessStuck<T>(next: Promise<T>, body: Readable): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let onEnd = (): void => {};
  const stuck = new Promise<never>((_, reject) => {
    onEnd = () => {
      timer = setTimeout(() => reject(new Error(UNEXPECTED_END)), STUCK_AFTER_MS);
    };
  });
  if (body.readableEnded) onEnd();
  else body.once('end', onEnd);
  try {
    return await Promise.race([next, stuck]);
  } finally {
    clearTimeout(timer);
    body.off('end', onEnd);
  }
}

/** Cuts off who sends too little for too long, in the words that every slow client gets. */
function watchPace({ raw, server }: FastifyRequest, pace: Pace): () => void {
  const { socket } = raw;
  uploading.add(socket);
  const startedAt = performance.now();
  let seen = socket.bytesRead;
  const timer = setInterval(() => {
    // While nothing is read, or nothing is left to read, it is us who are slow.
    const isSlow = !raw.isPaused() && !raw.complete && socket.bytesRead - seen < pace.bytes;
    seen = socket.bytesRead;
    if (!isSlow && performance.now() - startedAt < pace.longestMs) return;
    uploading.delete(socket);
    const timeout = Object.assign(new Error('too slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    (server.server as Server).emit('clientError', timeout, socket);
    socket.destroySoon();
  }, pace.everyMs);
  return () => {
    clearInterval(timer);
    uploading.delete(socket);
  };
}

/** A client that is still talking would not hear an answer that closes the connection. */
function ignoreRest({ raw }: FastifyRequest): void {
  raw.unpipe();
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), FAREWELL_MS);
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
}

/** What the parser of forms says about a body that it cannot read. */
const UNEXPECTED_END = 'Unexpected end of multipart data';
const MALFORMED = new RegExp(
  `^(${UNEXPECTED_END}|\\w+ terminated early|Multipart: Boundary not found|The needle cannot)`,
);
const BROKEN_OFF = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'FST_MP_PREMATURE_CLOSE']);
const FORM_FAULTS = new Map([
  ['FST_PARTS_LIMIT', `The form has more than ${LIMITS.parts} parts`],
  ['FST_FIELDS_LIMIT', `The form has more than ${LIMITS.fields} fields`],
  ['FST_PROTO_VIOLATION', 'The form has a field with a name that is not allowed'],
  ['FST_INVALID_JSON_FIELD_ERROR', 'The form has a field that is not the JSON it says it is'],
]);

function asRefusal(error: unknown): unknown {
  const { code = '', message } = error as Error & { code?: string };
  const issue = BROKEN_OFF.has(code)
    ? 'The body broke off'
    : MALFORMED.test(message)
      ? `The body is not valid multipart/form-data: ${message}`
      : FORM_FAULTS.get(code);
  return issue === undefined ? error : invalidParam('body', 'custom', issue);
}

import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import multipart, { type Multipart } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sha256 } from '../base/crypto.ts';
import { ApiError, type InvalidParamKey, invalidParam } from '../base/errors.ts';
import { unknownKey } from '../base/nearest.ts';
import type { Pace, ReceivedFile, Upload } from './call.ts';
import type { Principal } from './permissions.ts';

/** The field of the form that is the file. */
export const FILE_FIELD = 'file';

/** Other fields are short flags. */
const LIMITS = { parts: 20, fields: 20, fieldSize: 1_000, headerPairs: 20 };
/** How many bytes a body may have in addition to its file. */
const ENVELOPE_BYTES = 64 * 1024;

export const DEFAULT_PACE: Pace = { bytes: 64 * 1024, everyMs: 10_000, maxMs: 3_600_000 };
/** How long the parser may take after the body has ended. */
const STUCK_AFTER_MS = 1_000;
/** After an error the rest of the body is read for this long, so that the client can receive the answer. */
const DRAIN_MS = 5_000;

/** The connections with a running upload. */
const uploading = new WeakSet<Socket>();
export const isUploading = (socket: Socket): boolean => uploading.has(socket);

/** Makes the routes of a scope accept files instead of JSON. */
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

/** Refuses a body whose Content-Length is too large before it is read. */
export function requireAllowedSize(request: FastifyRequest, { maxBytes }: Upload): void {
  if (Number(request.headers['content-length']) > maxBytes + ENVELOPE_BYTES) throw tooLarge(maxBytes);
}

const invalidFile = (key: InvalidParamKey, message: string): ApiError =>
  invalidParam(FILE_FIELD, key, message);

const unknownField = (name: string, { flags = {} }: Upload): ApiError =>
  invalidParam(name, 'unrecognized_keys', unknownKey(name, [FILE_FIELD, ...Object.keys(flags)]));

/** Receives the file of the body and runs `work` with it. Deletes the file afterwards unless `work` has kept it. */
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
  const { maxBytes, receive, pace = DEFAULT_PACE } = upload;
  const { tenantId } = request.principal as Principal;
  if (!request.isMultipart()) throw invalidFile('invalid_type', 'Required');
  const stopWatching = watchPace(request, pace);
  let received: ReceivedFile | undefined;
  const flags: Record<string, boolean> = {};
  try {
    for await (const part of partsOf(request, maxBytes)) {
      if (part.fieldname !== FILE_FIELD) {
        if (part.fieldname === undefined) throw invalidFile('invalid_type', 'Required');
        // A misspelt flag must not be ignored: a file that should be private would be public.
        if (part.type === 'file' || !Object.hasOwn(upload.flags ?? {}, part.fieldname))
          throw unknownField(part.fieldname, upload);
        flags[part.fieldname] = readFlag(part.fieldname, part.value);
        continue;
      }
      if (part.type === 'field') throw invalidFile('invalid_type', 'Expected a file with a filename');
      if (received) throw invalidFile('too_big', 'Send one file in a request');
      const { file: bytes, filename, mimetype: mimeType } = part;
      // A short body may already be read completely here.
      const failTooLarge = (): unknown => bytes.destroy(tooLarge(maxBytes));
      if (bytes.truncated) failTooLarge();
      else bytes.once('limit', failTooLarge);
      received = await receive(tenantId, { filename: filename && decodeName(filename), mimeType, bytes });
    }
    if (!received) throw invalidFile('invalid_type', 'Required');
    return withFlags(received, flags);
  } catch (error) {
    await received?.release();
    drainBody(request);
    throw asInvalidParam(error);
  } finally {
    stopWatching();
  }
}

/**
 * The name as the form's author gave it: browsers write `"`, CR and LF in names as %22, %0D and %0A, and nothing else
 * (HTML, "multipart/form-data encoding algorithm").
 */
const decodeName = (name: string): string =>
  name.replaceAll(/%(22|0D|0A)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

function readFlag(name: string, value: unknown): boolean {
  if (value !== 'true' && value !== 'false')
    throw invalidParam(name, 'invalid_type', 'Must be true or false');
  return value === 'true';
}

/** A repeated request has the same flags, too. */
const withFlags = (received: ReceivedFile, flags: Record<string, boolean>): ReceivedFile =>
  Object.keys(flags).length === 0
    ? received
    : {
        ...received,
        flags,
        hash: sha256(`${received.hash.toString('hex')} ${JSON.stringify(Object.entries(flags).sort())}`),
      };

async function* partsOf(request: FastifyRequest, maxBytes: number): AsyncGenerator<Multipart> {
  const parts = request.parts({ limits: { ...LIMITS, fileSize: maxBytes } });
  const next = () => unlessStuck(parts.next(), request.raw);
  for (let part = await next(); !part.done; part = await next()) yield part.value;
}

/** The parser waits forever for a part whose headers do not end. Rejects shortly after the end of the body. */
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

/** Closes the connection of a client that is too slow, with the answer of a request timeout. */
function watchPace({ raw, server }: FastifyRequest, pace: Pace): () => void {
  const { socket } = raw;
  uploading.add(socket);
  const startedAt = performance.now();
  let seen = socket.bytesRead;
  const timer = setInterval(() => {
    // If the body is paused or complete, the server is slow and not the client.
    const isSlow = !raw.isPaused() && !raw.complete && socket.bytesRead - seen < pace.bytes;
    seen = socket.bytesRead;
    if (!isSlow && performance.now() - startedAt < pace.maxMs) return;
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

/** Reads the rest of the body: a client that is still sending would not receive the answer otherwise. */
function drainBody({ raw }: FastifyRequest): void {
  raw.unpipe();
  raw.resume();
  const timer = setTimeout(() => raw.destroy(), DRAIN_MS);
  timer.unref();
  raw.once('close', () => clearTimeout(timer));
}

/** Messages of the parser for malformed bodies. */
const UNEXPECTED_END = 'Unexpected end of multipart data';
const MALFORMED = new RegExp(
  `^(${UNEXPECTED_END}|\\w+ terminated early|Multipart: Boundary not found|The needle cannot)`,
);
const INCOMPLETE = new Set(['ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'FST_MP_PREMATURE_CLOSE']);
const FORM_ISSUES = new Map([
  ['FST_PARTS_LIMIT', `The form has more than ${LIMITS.parts} parts`],
  ['FST_FIELDS_LIMIT', `The form has more than ${LIMITS.fields} fields`],
  ['FST_PROTO_VIOLATION', 'The form has a field with a name that is not allowed'],
  ['FST_INVALID_JSON_FIELD_ERROR', 'The form has a field that is not the JSON it says it is'],
]);

function asInvalidParam(error: unknown): unknown {
  const { code = '', message } = error as Error & { code?: string };
  const issue = INCOMPLETE.has(code)
    ? 'The body is incomplete'
    : MALFORMED.test(message)
      ? `The body is not valid multipart/form-data: ${message}`
      : FORM_ISSUES.get(code);
  return issue === undefined ? error : invalidParam('body', 'custom', issue);
}

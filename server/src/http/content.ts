import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';

/** A stored file with its headers. Its content never changes. */
export interface StoredContent {
  path: string;
  size: number;
  /** The same for the same bytes. */
  etag: string;
  headers: Record<string, string>;
}

interface ContentAnswer {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  bytes?: Range;
}

/** Both ends are inclusive. */
interface Range {
  start: number;
  end: number;
}

/**
 * Sends the file or the requested range, or 304 if the client already has it. `close` is called with the status after
 * everything that can fail.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: StoredContent,
  close: (status: number) => void,
): Promise<FastifyReply> {
  const { status, headers, bytes } = answerOf(request, reply, content);
  // For HEAD the framework needs a body to keep the headers.
  const isHead = request.method === 'HEAD';
  const body = isHead ? Readable.from([]) : bytes && (await openFile(content.path)).createReadStream(bytes);
  close(status);
  return reply.code(status).headers(headers).send(body);
}

/** The file may have been deleted after its record was read. */
const openFile = (path: string): Promise<FileHandle> =>
  open(path).catch((error) => {
    throw error.code === 'ENOENT' ? new ApiError('file_not_found', { cause: error }) : error;
  });

function answerOf(request: FastifyRequest, reply: FastifyReply, content: StoredContent): ContentAnswer {
  const { size } = content;
  const tag = `"${content.etag}"`;
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const headers = { ...content.headers, etag: tag, 'accept-ranges': 'bytes' };
  if (matchesTag(ifNoneMatch, tag)) return { status: 304, headers };
  // If the client has a part of another version, it needs the whole file.
  const requested = ifRange === undefined || ifRange === tag ? rangeOf(range, size) : undefined;
  if (requested === 'beyond') {
    reply.header('content-range', `bytes */${size}`);
    throw new ApiError('range_not_satisfiable', { detail: `the file has ${size} bytes` });
  }
  const bytes = requested ?? { start: 0, end: size - 1 };
  const length = { 'content-length': String(bytes.end - bytes.start + 1) };
  if (!requested) return { status: 200, headers: { ...headers, ...length }, bytes };
  const contentRange = { 'content-range': `bytes ${bytes.start}-${bytes.end}/${size}` };
  return { status: 206, headers: { ...headers, ...length, ...contentRange }, bytes };
}

const matchesTag = (condition: string | undefined, tag: string): boolean =>
  condition !== undefined &&
  (condition.trim() === '*' || condition.split(',').some((one) => one.trim().replace(/^W\//, '') === tag));

const RANGE = /^bytes=(\d*)-(\d*)$/;

/** An invalid range or several ranges mean the whole file, as RFC 9110 allows. A file has at least one byte. */
function rangeOf(header: string | undefined, size: number): Range | 'beyond' | undefined {
  const [, first, last] = RANGE.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || first + last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'beyond' : { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (start >= size) return 'beyond';
  return start <= end ? { start, end } : undefined;
}

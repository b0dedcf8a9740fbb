import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';

/** A file that can be sent as it is stored, and what is said about it. Its content never changes. */
export interface StoredContent {
  path: string;
  size: number;
  /** Names the content: the same bytes, the same tag. */
  etag: string;
  headers: Record<string, string>;
}

/** How an answer goes out: its status, its headers, and which bytes of the file it carries, if any. */
interface Sending {
  status: 200 | 206 | 304;
  headers: Record<string, string>;
  bytes?: Range;
}

/** The first and the last byte. */
interface Range {
  start: number;
  end: number;
}

/**
 * Sends the bytes, or the range of them that is asked for; to a client that has them already, that it has. Everything
 * that can fail has happened when `close` is told the status.
 */
export async function sendContent(
  request: FastifyRequest,
  reply: FastifyReply,
  content: StoredContent,
  close: (status: number) => void,
): Promise<FastifyReply> {
  const { status, headers, bytes } = sendingOf(request, reply, content);
  // To HEAD, the framework answers with the headers of what would be sent, and that must not be nothing.
  const isHead = request.method === 'HEAD';
  const body = isHead ? Readable.from([]) : bytes && (await openFile(content.path)).createReadStream(bytes);
  close(status);
  return reply.code(status).headers(headers).send(body);
}

/** Deleted since its record was read, or lost by whoever keeps the folder. */
const openFile = (path: string): Promise<FileHandle> =>
  open(path).catch((error) => {
    throw error.code === 'ENOENT' ? new ApiError('file_not_found', { cause: error }) : error;
  });

function sendingOf(request: FastifyRequest, reply: FastifyReply, content: StoredContent): Sending {
  const { size } = content;
  const tag = `"${content.etag}"`;
  const { range, 'if-range': ifRange, 'if-none-match': ifNoneMatch } = request.headers;
  const headers = { ...content.headers, etag: tag, 'accept-ranges': 'bytes' };
  if (names(ifNoneMatch, tag)) return { status: 304, headers };
  // A client that has a part of something else needs all of this.
  const asked = ifRange === undefined || ifRange === tag ? rangeOf(range, size) : undefined;
  if (asked === 'beyond') {
    reply.header('content-range', `bytes */${size}`);
    throw new ApiError('range_not_satisfiable', { detail: `the file has ${size} bytes` });
  }
  const bytes = asked ?? { start: 0, end: size - 1 };
  const length = { 'content-length': String(bytes.end - bytes.start + 1) };
  if (!asked) return { status: 200, headers: { ...headers, ...length }, bytes };
  const place = { 'content-range': `bytes ${bytes.start}-${bytes.end}/${size}` };
  return { status: 206, headers: { ...headers, ...length, ...place }, bytes };
}

const names = (condition: string | undefined, tag: string): boolean =>
  condition !== undefined &&
  (condition.trim() === '*' || condition.split(',').some((one) => one.trim().replace(/^W\//, '') === tag));

const RANGE = /^bytes=(\d*)-(\d*)$/;

/** What is no range, or several, asks for all of it, as RFC 9110 allows. A file has at least one byte. */
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

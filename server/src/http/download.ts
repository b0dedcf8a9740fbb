import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file that is generated while it is sent. */
export interface Download {
  /** Under which it is saved; if left out it is shown. */
  filename?: string;
  pieces: AsyncIterable<string>;
}

/** Streams the pieces. A later error closes the connection, so that an incomplete file does not look complete. */
export function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  mediaType: string,
  { filename, pieces }: Download,
): FastifyReply {
  reply.type(`${mediaType}; charset=utf-8`).header('cache-control', 'no-store');
  if (filename !== undefined) reply.header('content-disposition', `attachment; filename="${filename}"`);
  return reply.send(Readable.from(request.method === 'HEAD' ? [] : pieces));
}

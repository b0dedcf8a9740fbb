import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file that is made while it is sent. */
export interface Download {
  filename: string;
  pieces: AsyncIterable<string>;
}

/** Sends the pieces as they come. What fails after the first cuts the connection: half a file must not look whole. */
export function sendDownload(
  request: FastifyRequest,
  reply: FastifyReply,
  mediaType: string,
  { filename, pieces }: Download,
): FastifyReply {
  reply.type(`${mediaType}; charset=utf-8`).headers({
    'content-disposition': `attachment; filename="${filename}"`,
    'cache-control': 'no-store',
  });
  return reply.send(Readable.from(request.method === 'HEAD' ? [] : pieces));
}

import { constants } from 'node:zlib';
import compress from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

const FROM_BYTES = 2_048;
/** The default, 11, takes seconds for what 4 does in milliseconds. */
const BROTLI_QUALITY = 4;

/**
 * Lets the routes of a scope be compressed, and take compressed bodies, where they ask for it. Not for the whole
 * server: the plugin costs every route that it knows of a seventh of a small request, also those that never ask.
 */
export async function allowCompression(scope: FastifyInstance): Promise<void> {
  await scope.register(compress, {
    global: false,
    threshold: FROM_BYTES,
    encodings: ['br', 'gzip'],
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
  });
}

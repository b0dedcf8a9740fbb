import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';

/** Said with every answer about version 2: since when it is deprecated, when it ended, and what came after it. */
const HEADERS = {
  deprecation: '@1785542400',
  sunset: 'Mon, 02 Nov 2026 00:00:00 GMT',
  link: '</docs>; rel="successor-version"',
};

export const isSunset = (url: string): boolean => /^\/v2(?:[/?#]|$)/.test(url);

/** Version 2 is past its last day of service, whatever its path and whoever asks. */
export function findSunset(request: FastifyRequest, reply: FastifyReply): ApiError | undefined {
  if (!isSunset(request.url)) return undefined;
  reply.headers(HEADERS);
  return new ApiError('api_version_sunset', {
    detail: 'version 2 ended on 1 November 2026; use the operations under /v3, which /docs describes',
  });
}

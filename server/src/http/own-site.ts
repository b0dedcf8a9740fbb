import type { FastifyRequest } from 'fastify';
import { ApiError } from '../base/errors.ts';

type Relation = 'own' | 'foreign' | 'unknown';

/**
 * Whether a page of this server sent the request. Browsers that do not say so (`Sec-Fetch-Site`, on https and localhost)
 * send the origin of the page. A page under another name for this server has another host and no cookie of ours.
 */
function relationOf({ headers }: FastifyRequest, baseUrl: string): Relation {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' ? 'own' : 'foreign';
  const { origin } = headers;
  if (origin === undefined) return 'unknown';
  if (origin === new URL(baseUrl).origin) return 'own';
  return URL.canParse(origin) && new URL(origin).host === headers.host ? 'own' : 'foreign';
}

const foreign = (): ApiError =>
  new ApiError('forbidden', {
    detail: 'a request with a session cookie must come from a page of this server',
  });

export const isSafe = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

/** Throws for a request with a cookie that another site could have sent. */
export function requireOwnSite(request: FastifyRequest, baseUrl: string): void {
  if (!isSafe(request) && relationOf(request, baseUrl) !== 'own') throw foreign();
}

/**
 * Throws for a login that another site is known to have sent. Programs say nothing and are allowed, and so are addresses that
 * somebody has typed.
 */
export function refuseForeignSite(request: FastifyRequest, baseUrl: string): void {
  const isTyped = isSafe(request) && request.headers['sec-fetch-site'] === 'none';
  if (!isTyped && relationOf(request, baseUrl) === 'foreign') throw foreign();
}

const TENANT_HEADER = 'parley-tenant';

/**
 * The tenant that a request with a cookie is for. Changes must name it in a header, which a form of another site cannot send.
 * Links, such as those of files and streams, have it in the URL.
 */
export function tenantOf(request: FastifyRequest): string | undefined {
  const header = request.headers[TENANT_HEADER];
  if (typeof header === 'string' && header !== '') return header.toLowerCase();
  if (!isSafe(request))
    throw new ApiError('forbidden', { detail: 'send the header "Parley-Tenant: <tenantId>"' });
  const { tenantId } = request.query as { tenantId?: unknown };
  return typeof tenantId === 'string' && tenantId !== '' ? tenantId.toLowerCase() : undefined;
}

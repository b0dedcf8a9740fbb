import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Principal } from './permissions.ts';
import { documented, type RouteSpec } from './route.ts';

/** What the house says about a version of the API that is on its way out. */
export interface Retirement {
  /** Its first path segment, such as `v2`. */
  name: string;
  deprecatedAt: Date;
  /** From this moment on it is not served; null as long as nobody has set one. */
  endsAt: Date | null;
  clock: Clock;
  /** Told of every call that a good token makes, also after the end. */
  count(principal: Principal, operation: string): void;
}

export interface RetiringVersion {
  /** Whether a path belongs to it. */
  has(path: string): boolean;
  /** Says with an answer what will become of the version, and what comes after it. Gives an error once it is over. */
  announce(request: FastifyRequest, reply: FastifyReply, spec: RouteSpec | undefined): ApiError | undefined;
  count(principal: Principal, spec: RouteSpec): void;
}

/** Where a client that knows no better may read on. */
const REFERENCE = '/docs';

const inWords = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** The last day of something that ends at midnight, as people write it. */
export const lastDayBefore = (end: Date): string => inWords.format(end.getTime() - 1);

/** The address of the same thing in the version that follows; an id that cannot be one leads nowhere. */
function linkTo(successor: string | undefined, params: unknown): string {
  const path = successor?.replace(/^\S+ /, '') ?? REFERENCE;
  const given = params as Record<string, string>;
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name as string);
  if (!names.every((name) => isUuid(given[name] ?? ''))) return REFERENCE;
  return path.replaceAll(/:([^/]+)/g, (_, name: string) => given[name] as string);
}

export function retiringVersion({ name, deprecatedAt, endsAt, clock, count }: Retirement): RetiringVersion {
  const paths = new RegExp(`^/${name}(?:[/?#]|$)`);
  const headers = {
    deprecation: `@${deprecatedAt.getTime() / 1000}`,
    ...(endsAt === null ? {} : { sunset: endsAt.toUTCString() }),
  };
  return {
    has: (path) => paths.test(path),
    announce(request, reply, spec) {
      reply.headers(headers);
      reply.header('link', `<${linkTo(spec?.successor, request.params)}>; rel="successor-version"`);
      if (endsAt === null || clock.real() < endsAt) return undefined;
      const way = spec?.successor === undefined ? 'the operations under /v3' : documented(spec.successor);
      return new ApiError('api_version_sunset', {
        detail: `${name} ended on ${lastDayBefore(endsAt)}; use ${way}, which ${REFERENCE} describes`,
      });
    },
    count: (principal, spec) => count(principal, `${spec.method} ${documented(spec.path)}`),
  };
}

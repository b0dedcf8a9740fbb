import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { lazy } from '../base/lazy.ts';
import type { Principal } from './permissions.ts';
import { documented, type RouteSpec } from './route.ts';

/** When a deprecated version of the API ends. */
export interface Retirement {
  /** Its first path segment, such as `v2`. */
  name: string;
  deprecatedAt: Date;
  /** The version is not served from this time on; null if no end is set. */
  endsAt: Date | null;
  clock: Clock;
  /** Called for every call with a valid token, also after the end. */
  count(principal: Principal, operation: string): void;
}

export interface RetiringVersion {
  /** Whether a path belongs to it. */
  has(path: string): boolean;
  /** Adds the headers about the deprecation and the successor. Returns an error after the end of the version. */
  announce(request: FastifyRequest, reply: FastifyReply, spec: RouteSpec | undefined): ApiError | undefined;
  count(principal: Principal, spec: RouteSpec): void;
}

const REFERENCE = '/docs';

/** At its first use: to create it takes 5 ms. */
const dateFormat = lazy(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }));

/** The last day before an end at midnight, such as 31 December 2027. */
export const lastDayBefore = (end: Date): string => dateFormat().format(end.getTime() - 1);

/** The URL of the same resource in the next version, or of the reference if an id is not valid. */
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
      const successor =
        spec?.successor === undefined ? 'the operations under /v3' : documented(spec.successor);
      return new ApiError('api_version_sunset', {
        detail: `${name} ended on ${lastDayBefore(endsAt)}; use ${successor}, which ${REFERENCE} describes`,
      });
    },
    count: (principal, spec) => count(principal, `${spec.method} ${documented(spec.path)}`),
  };
}

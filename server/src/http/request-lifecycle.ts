import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Activity } from '../base/activity.ts';
import { ApiError } from '../base/errors.ts';
import type { Metrics, RouteStats } from './metrics.ts';
import type { Principal } from './permissions.ts';
import type { Session } from './sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    /** The session of a caller of routes about the own account, or of somebody who acts as the operator. */
    session: Session | undefined;
    /** The bytes of a JSON body. They are parsed after the caller is authorized. */
    rawBody: Buffer | undefined;
    /** When the request arrived; 0 before `open` and after `close`. */
    startedAt: number;
    /** The id of a token of ours that has expired or was revoked. */
    refusedTokenId: string | undefined;
    /** One of too many requests with invalid tokens from one address. */
    isBackedOff: boolean;
    /** The metrics of the route. */
    stats: RouteStats | undefined;
  }
}

/**
 * What happens for every request. Routes call this directly and not through hooks of the framework: four hooks take a
 * quarter of the time of a small request.
 */
export interface RequestLifecycle {
  /** Begins a request. Returns an error if it must be answered with one before authentication. */
  open(request: FastifyRequest, reply: FastifyReply): ApiError | undefined;
  /** Counts and logs the answer. Only the first call has an effect. */
  close(request: FastifyRequest, reply: FastifyReply, status: number): void;
}

/** A browser must not execute or cache answers, or show them in a frame. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** Answered also while the process is shutting down. */
const ALWAYS_ANSWERED = '/livez';

/** Almost always the first header. Node would build the object of all headers on first access. */
function hasHost(rawHeaders: readonly string[]): boolean {
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') return true;
  return false;
}

const withoutHost = (): ApiError =>
  new ApiError('invalid_body_params', {
    invalidParams: { Host: { key: 'custom', message: 'HTTP/1.1 needs the header Host' } },
  });

interface LifecycleDeps {
  log: Logger;
  metrics: Pick<Metrics, 'route'>;
  activity: Activity;
  /** True while the process is shutting down. */
  isDraining: () => boolean;
}

export function requestLifecycle({ log, metrics, activity, isDraining }: LifecycleDeps): RequestLifecycle {
  const unknownRoute = metrics.route('any', 'other');
  const logsSuccesses = log.isLevelEnabled('debug');
  return {
    open(request, reply) {
      if (request.startedAt > 0) return undefined;
      request.startedAt = performance.now();
      activity.begin((request.stats ?? unknownRoute).name);
      reply.headers(HEADERS);
      reply.header('x-request-id', request.id);
      if (isDraining() && request.routeOptions.url !== ALWAYS_ANSWERED)
        return new ApiError('service_unavailable', { detail: 'the server is shutting down, try again' });
      if (request.raw.httpVersion === '1.1' && !hasHost(request.raw.rawHeaders)) return withoutHost();
      return undefined;
    },
    close(request, reply, status) {
      if (!(request.startedAt > 0)) return;
      const ms = performance.now() - request.startedAt;
      request.startedAt = 0;
      // Also for requests that began before the shutdown: their connections would keep the process alive.
      if (isDraining()) reply.header('connection', 'close');
      const stats = request.stats ?? unknownRoute;
      activity.end(stats.name);
      stats.observe(status, ms);
      // Too many invalid tokens have one line a minute: see back-off.ts.
      if (status >= 400 && !request.isBackedOff)
        log[status >= 500 ? 'warn' : 'info'](describeRequest(request, status, ms), 'request');
      else if (logsSuccesses) log.debug(describeRequest(request, status, ms), 'request');
    },
  };
}

const idOf = (principal: Principal | undefined, type: Principal['caller']['type']): string | undefined =>
  principal?.caller.type === type ? principal.caller.id : undefined;

const describeRequest = (request: FastifyRequest, status: number, ms: number) => ({
  requestId: request.id,
  tenantId: request.principal?.tenantId,
  tokenId: request.refusedTokenId ?? idOf(request.principal, 'token'),
  userId: idOf(request.principal, 'user'),
  personId: request.session?.personId,
  address: request.ip,
  method: request.method,
  route: request.is404 ? 'unknown' : request.routeOptions.url,
  status,
  ms: Math.round(ms * 10) / 10,
});

/** The same as hooks, for routes whose speed does not matter. */
export function attachLifecycle(scope: FastifyInstance, { open, close }: RequestLifecycle): void {
  scope.addHook('onRequest', (request, reply, done) => done(open(request, reply)));
  scope.addHook('onSend', (request, reply, payload, done) => {
    close(request, reply, reply.statusCode);
    done(null, payload);
  });
}

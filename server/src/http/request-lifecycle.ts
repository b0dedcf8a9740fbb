import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../base/errors.ts';
import type { Metrics, RouteStats } from './metrics.ts';
import type { Principal } from './permissions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    principal: Principal | undefined;
    /** The bytes of a JSON body, until the operation is allowed to look at them. */
    rawBody: Buffer | undefined;
    /** When it arrived; 0 before that, and once its answer is noted. */
    startedAt: number;
    /** Where requests of its route are counted. */
    stats: RouteStats | undefined;
  }
}

/**
 * What happens to every request, whatever it asks for. Routes call this themselves instead of through hooks of the
 * framework: four hooks cost a small request a quarter of its time.
 */
export interface RequestLifecycle {
  /** Begins a request, once; gives the error that it is to be answered with before anyone asks who is calling. */
  open(request: FastifyRequest, reply: FastifyReply): ApiError | undefined;
  /** Notes, counts and logs that its answer is ready. Only the first call counts. */
  close(request: FastifyRequest, reply: FastifyReply, status: number): void;
}

/** The API answers nothing that a browser should run, keep or show in a frame. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
};

/** Liveness is about the process, not about whether it takes requests. */
const ALWAYS_ANSWERED = '/livez';

interface LifecycleDeps {
  log: Logger;
  metrics: Pick<Metrics, 'route'>;
  /** True while the process is shutting down. */
  isDraining: () => boolean;
}

export function requestLifecycle({ log, metrics, isDraining }: LifecycleDeps): RequestLifecycle {
  const elsewhere = metrics.route('any', 'other');
  const logsSuccesses = log.isLevelEnabled('debug');
  return {
    open(request, reply) {
      if (request.startedAt > 0) return undefined;
      request.startedAt = performance.now();
      reply.headers(HEADERS);
      reply.header('x-request-id', request.id);
      if (isDraining() && request.routeOptions.url !== ALWAYS_ANSWERED)
        return new ApiError('service_unavailable', { detail: 'the server is shutting down, try again' });
      return undefined;
    },
    close(request, reply, status) {
      if (!(request.startedAt > 0)) return;
      const ms = performance.now() - request.startedAt;
      request.startedAt = 0;
      // Also for requests that were under way when the shutdown began: their connections would keep the process alive.
      if (isDraining()) reply.header('connection', 'close');
      (request.stats ?? elsewhere).observe(status, ms);
      if (status >= 400) log[status >= 500 ? 'warn' : 'info'](described(request, status, ms), 'request');
      else if (logsSuccesses) log.debug(described(request, status, ms), 'request');
    },
  };
}

const described = (request: FastifyRequest, status: number, ms: number) => ({
  requestId: request.id,
  tenantId: request.principal?.tenantId,
  method: request.method,
  route: request.is404 ? 'unknown' : request.routeOptions.url,
  status,
  ms: Math.round(ms * 10) / 10,
});

/** The same for routes that are not part of the API's table: there it is a matter of convenience, not of speed. */
export function attachLifecycle(scope: FastifyInstance, { open, close }: RequestLifecycle): void {
  scope.addHook('onRequest', (request, reply, done) => done(open(request, reply)));
  scope.addHook('onSend', (request, reply, payload, done) => {
    close(request, reply, reply.statusCode);
    done(null, payload);
  });
}

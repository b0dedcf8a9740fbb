import type { FastifyInstance } from 'fastify';
import { sameSecret } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { authorizationOf, bearerOf } from './authenticate.ts';
import type { BackOff } from './back-off.ts';
import { refuseToken } from './guards.ts';
import type { Metrics } from './metrics.ts';

export interface MetricsRouteDeps {
  metrics: Pick<Metrics, 'contentType' | 'text'>;
  /** Required as a Bearer token, if set. */
  metricsToken?: string | undefined;
  backOff: BackOff;
}

/** `GET /metrics` for Prometheus. */
export async function metricsRoute(
  scope: FastifyInstance,
  { metrics, metricsToken, backOff }: MetricsRouteDeps,
): Promise<void> {
  scope.get('/metrics', async (request, reply) => {
    if (metricsToken !== undefined) {
      const given = authorizationOf(request.raw.rawHeaders);
      if (given === undefined || !sameSecret(bearerOf(given), metricsToken)) {
        const error = new ApiError('unauthorized', { detail: 'send PARLEY_METRICS_TOKEN as Bearer' });
        throw refuseToken(request, reply, error, backOff);
      }
    }
    reply.type(metrics.contentType);
    return metrics.text();
  });
}

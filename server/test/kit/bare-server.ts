import type { FastifyInstance } from 'fastify';
import { createActivity } from '../../src/base/activity.ts';
import { createLog } from '../../src/base/log.ts';
import { auditLog } from '../../src/http/audit.ts';
import { cookieJar } from '../../src/http/cookies.ts';
import { idempotency } from '../../src/http/idempotency.ts';
import { metrics } from '../../src/http/metrics.ts';
import { peopleRateLimit, rateLimit } from '../../src/http/rate-limit.ts';
import type { Route } from '../../src/http/route.ts';
import { addRoutes } from '../../src/http/router.ts';
import { type HttpServerOptions, httpServer } from '../../src/http/server.ts';
import { channelAccess } from '../../src/people/channel-access.ts';
import { findSessions } from '../../src/people/find-session.ts';
import { cleanUp } from './clean-up.ts';
import { OPERATOR_TOKEN, type TestServer } from './server.ts';

/** Only the HTTP layer, with routes of the test, and with the authentication and the database of a whole server. */
export async function useBareServer(
  { system, clock, keys, logged }: TestServer,
  routes: Route[],
  options: Partial<HttpServerOptions> = {},
): Promise<FastifyInstance> {
  const { db, app } = system;
  const counted = metrics();
  const log = createLog({
    level: 'trace',
    json: true,
    destination: { write: (line) => void logged.push(line) },
  });
  const baseUrl = () => 'https://parley.test';
  const { app: server, lifecycle } = await httpServer({
    log,
    corsOrigins: [],
    metrics: counted,
    activity: createActivity(),
    isDraining: () => false,
    ...options,
  });
  cleanUp(() => server.close());
  await addRoutes(
    server,
    {
      db,
      lifecycle,
      metrics: counted,
      authenticator: app.authenticator,
      rateLimit: rateLimit(db),
      idempotency: idempotency(db, clock, keys),
      people: {
        sessions: findSessions(db, { setTime() {} }, log),
        rateLimit: peopleRateLimit(db),
        sessionCookie: cookieJar('parley', baseUrl),
        loginCookie: cookieJar('parley-login', baseUrl),
        baseUrl,
      },
      audit: auditLog(db, log),
      channelAccess,
      operatorToken: OPERATOR_TOKEN,
      backOff: { tenant: { fail: () => 0 }, operator: { fail: () => 0 } },
    },
    routes,
  );
  await server.ready();
  return server;
}

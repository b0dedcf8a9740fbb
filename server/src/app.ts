import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { accessRoutes } from './access/routes.ts';
import { findPrincipal } from './access/tenants.ts';
import { attributeRoutes } from './attributes/routes.ts';
import type { Clock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import { channelGates } from './channels/channel.ts';
import { providerRoute } from './channels/provider-route.ts';
import { channelRoutes } from './channels/routes.ts';
import { chatRoutes } from './chats/routes.ts';
import { contactRoutes } from './contacts/routes.ts';
import type { Database } from './db/database.ts';
import type { Hints } from './engine/hints.ts';
import type { Publisher } from './engine/publish.ts';
import { documentedEvents } from './event-catalogue.ts';
import { adapters } from './handlers.ts';
import { type Authenticator, authenticator } from './http/authenticate.ts';
import { allowCompression } from './http/compression.ts';
import { healthRoutes } from './http/health-routes.ts';
import { idempotency } from './http/idempotency.ts';
import type { Metrics } from './http/metrics.ts';
import { openapiDocument } from './http/openapi.ts';
import { withWebhooks } from './http/openapi-webhooks.ts';
import { rateLimit } from './http/rate-limit.ts';
import { receiveAt } from './http/reception.ts';
import { reference } from './http/reference.ts';
import { addRoutes } from './http/register.ts';
import type { Route } from './http/route.ts';
import { httpServer } from './http/server.ts';
import { labelRoutes } from './labels/routes.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import { userRoutes } from './users/routes.ts';
import { version } from './version.ts';
import { webhookRoutes } from './webhooks/routes.ts';

export interface AppNeeds {
  db: Database;
  clock: Clock;
  keys: Keys;
  hints: Hints;
  publisher: Publisher;
  log: Logger;
  metrics: Metrics;
  policy: OutboundPolicy;
  operatorToken: string;
  corsOrigins: string[];
  isDraining: () => boolean;
}

export interface App {
  server: FastifyInstance;
  routes: readonly Route[];
  authenticator: Authenticator;
  /** Housekeeping that one process does now and then. */
  sweep(): Promise<void>;
}

/** The table of contents: every module of the API by name. */
function apiRoutes(
  needs: AppNeeds & { authenticator: Authenticator; findGate: ReturnType<typeof channelGates> },
) {
  return [
    ...accessRoutes(needs),
    ...channelRoutes({ ...needs, adapters }),
    ...contactRoutes(needs),
    ...labelRoutes(needs),
    ...attributeRoutes(needs),
    ...chatRoutes(needs),
    ...webhookRoutes({ ...needs, version }),
    ...userRoutes(needs),
    ...healthRoutes(needs),
  ];
}

/** Every contract of the API, for those who only want to read them: none is ever called. */
export const contracts = (): readonly Route[] => apiRoutes({} as never);

/** What the API says of itself. */
export const apiDocument = (routes: readonly Route[]): object =>
  withWebhooks(openapiDocument(routes, ['/v3/', '/admin/'], version), documentedEvents);

export async function createApp(needs: AppNeeds): Promise<App> {
  const { db, clock, keys, log } = needs;
  const { app: server, desk } = await httpServer(needs);
  const tokens = authenticator(keys.tokens, (tokenId, tenantId) =>
    findPrincipal(db.byKey, tokenId, tenantId),
  );
  const findGate = channelGates(db, keys);
  const answers = idempotency(db, clock, keys);
  const routes = apiRoutes({ ...needs, authenticator: tokens, findGate });
  await addRoutes(
    server,
    {
      db,
      desk,
      metrics: needs.metrics,
      authenticator: tokens,
      rateLimit: rateLimit(db),
      idempotency: answers,
      operatorToken: needs.operatorToken,
    },
    routes,
  );
  await server.register(async (scope) => {
    receiveAt(scope, desk);
    await allowCompression(scope);
    await scope.register(providerRoute, { ...needs, adapters, findGate });
    await scope.register(reference, { v3: apiDocument(routes) });
    scope.get('/metrics', async (_request, reply) => {
      reply.type(needs.metrics.contentType);
      return needs.metrics.text();
    });
  });
  log.debug({ routes: routes.length }, 'app ready');
  return { server, routes, authenticator: tokens, sweep: answers.sweep };
}

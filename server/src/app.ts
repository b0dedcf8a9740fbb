import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { type Arrivals, clockArrivals } from './access/advance-clock.ts';
import { clockRoutes } from './access/clock-routes.ts';
import { accessRoutes } from './access/routes.ts';
import { findPrincipal } from './access/tenants.ts';
import { type V2Usage, v2Usage } from './access/v2-usage.ts';
import { attributeRoutes } from './attributes/routes.ts';
import { automationRoutes } from './automations/routes.ts';
import { cancelRunsOfChats } from './automations/runs/run.ts';
import type { TenantClock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import { campaignRoutes } from './campaigns/routes.ts';
import { channelCredentials, vendorCredentials } from './channels/channel.ts';
import { failedRequestRoutes } from './channels/failed-request-routes.ts';
import { providerRoute } from './channels/provider-route.ts';
import { channelRoutes } from './channels/routes.ts';
import { sandboxRoutes } from './channels/sandbox-routes.ts';
import { chatRoutes } from './chats/routes.ts';
import { contactRoutes } from './contacts/routes.ts';
import type { Database } from './db/database.ts';
import type { Publisher } from './engine/outbox.ts';
import type { Notifier, WakeUps } from './engine/wakeups.ts';
import { documentedEvents } from './event-catalogue.ts';
import { eventRoutes } from './events/routes.ts';
import { type EventStreams, eventStreams } from './events/streams.ts';
import { fileRoutes } from './files/routes.ts';
import type { FileStore } from './files/store.ts';
import { type Authenticator, authenticator } from './http/authenticate.ts';
import { allowCompression } from './http/compression.ts';
import { healthRoutes } from './http/health-routes.ts';
import { idempotency } from './http/idempotency.ts';
import type { Metrics } from './http/metrics.ts';
import { openapiDocument } from './http/openapi.ts';
import { withWebhooks } from './http/openapi-webhooks.ts';
import { rateLimit } from './http/rate-limit.ts';
import { type Documents, reference } from './http/reference.ts';
import { attachLifecycle } from './http/request-lifecycle.ts';
import type { Route } from './http/route.ts';
import { addRoutes } from './http/router.ts';
import { httpServer } from './http/server.ts';
import { labelRoutes } from './labels/routes.ts';
import { messageRoutes } from './messages/routes.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import type { Adapter, AdapterContext } from './providers/adapter.ts';
import { adapters } from './queues.ts';
import { templateRoutes } from './templates/routes.ts';
import { userRoutes } from './users/routes.ts';
import { v2Document, v2Routes } from './v2/routes.ts';
import { v2Version } from './v2/version.ts';
import { version } from './version.ts';
import { webhookRoutes } from './webhooks/routes.ts';

export interface AppDeps {
  db: Database;
  clock: TenantClock;
  keys: Keys;
  wakeUps: WakeUps & Notifier;
  publisher: Publisher;
  log: Logger;
  metrics: Metrics;
  policy: OutboundPolicy;
  store: FileStore;
  /** The vendors that channels can have. */
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
  maxFileBytes: number;
  baseUrl: () => string;
  operatorToken: string;
  corsOrigins: string[];
  /** The last day of version 2, or `never`. */
  v2Sunset: string;
  isDraining: () => boolean;
}

export interface App {
  server: FastifyInstance;
  routes: readonly Route[];
  authenticator: Authenticator;
  streams: EventStreams;
  /** Housekeeping that one process does now and then. */
  sweep(): Promise<void>;
  /** Writes down what this process has counted; done every few seconds, and before it ends. */
  flush(): Promise<void>;
}

/** The table of contents: every module of the API by name. */
function apiRoutes(
  deps: AppDeps & {
    authenticator: Authenticator;
    findCredentials: ReturnType<typeof channelCredentials>;
    streams: EventStreams;
    usage: V2Usage;
    arrivals: Arrivals;
  },
) {
  return [
    ...accessRoutes(deps),
    ...clockRoutes(deps),
    ...channelRoutes({ ...deps, beforeRemoval: cancelRunsOfChats }),
    ...sandboxRoutes(deps),
    ...failedRequestRoutes(deps),
    ...contactRoutes(deps),
    ...labelRoutes(deps),
    ...attributeRoutes(deps),
    ...chatRoutes({ ...deps, beforeRemoval: cancelRunsOfChats }),
    ...templateRoutes(deps),
    ...messageRoutes(deps),
    ...webhookRoutes({ ...deps, version }),
    ...eventRoutes(deps),
    ...userRoutes(deps),
    ...fileRoutes(deps),
    ...automationRoutes(deps),
    ...campaignRoutes(deps),
    ...v2Routes(deps),
    ...healthRoutes(deps),
  ];
}

/** Every contract of the API, for those who only want to read them: none is ever called. */
export const contracts = (): readonly Route[] => apiRoutes({ adapters } as never);

/** What each version of the API says of itself. */
export const apiDocuments = (routes: readonly Route[]): Documents => ({
  v3: {
    path: '/openapi.json',
    document: withWebhooks(
      openapiDocument(routes, ['/v3/', '/admin/'], {
        title: 'Parley API',
        version,
        description: 'Customer conversations over WhatsApp, SMS, email and Instagram.',
      }),
      documentedEvents,
    ),
  },
  v2: { path: '/openapi-v2.json', document: v2Document(routes) },
});

export async function createApp(deps: AppDeps): Promise<App> {
  const { db, clock, keys, log } = deps;
  const { app: server, lifecycle } = await httpServer(deps);
  const tokens = authenticator(
    keys.tokens,
    (tokenId, tenantId) => findPrincipal(db.byKey, tokenId, tenantId, clock),
    keys.earlierTokens,
  );
  const findCredentials = channelCredentials(db.byKey, keys);
  const findVendorCredentials = vendorCredentials(db.byKey, keys);
  const answers = idempotency(db, clock, keys);
  const usage = v2Usage(db, clock);
  const streams = eventStreams(deps);
  const arrivals = clockArrivals(deps.wakeUps);
  const routes = apiRoutes({ ...deps, authenticator: tokens, findCredentials, usage, streams, arrivals });
  await addRoutes(
    server,
    {
      db,
      lifecycle,
      metrics: deps.metrics,
      authenticator: tokens,
      rateLimit: rateLimit(db),
      idempotency: answers,
      operatorToken: deps.operatorToken,
      retiring: v2Version({ ...deps, usage }),
    },
    routes,
  );
  await server.register(async (scope) => {
    attachLifecycle(scope, lifecycle);
    await allowCompression(scope);
    await scope.register(providerRoute, { ...deps, findCredentials, findVendorCredentials });
    await scope.register(reference, { documents: apiDocuments(routes) });
    scope.get('/metrics', async (_request, reply) => {
      reply.type(deps.metrics.contentType);
      return deps.metrics.text();
    });
  });
  log.debug({ routes: routes.length }, 'app ready');
  return { server, routes, authenticator: tokens, streams, sweep: answers.sweep, flush: usage.flush };
}

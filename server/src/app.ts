import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { clockArrivals } from './access/advance-clock.ts';
import { findPrincipal } from './access/tenants.ts';
import { noteTokenUsed, removeExpiredTokens } from './access/tokens.ts';
import { loadProgressedRuns } from './automations/runs/run.ts';
import { sweepSilencedEvents } from './automations/triggers/explain.ts';
import type { Activity } from './base/activity.ts';
import type { ExtraVariables } from './base/config.ts';
import { lazy } from './base/lazy.ts';
import { loadProgress } from './campaigns/announce-progress.ts';
import type { InFlightLimits } from './channels/bytes-in-flight.ts';
import { channelCredentials, signerCredentials, vendorCredentials } from './channels/credentials.ts';
import { removeOldRequests } from './channels/failed-requests.ts';
import { providerRoute } from './channels/provider-route.ts';
import { unsubscribePage } from './contacts/unsubscribe-page.ts';
import type { Loaders } from './events/receive-announcements.ts';
import { type EventStreams, eventStreams } from './events/streams.ts';
import type { Api, Settings } from './http/api.ts';
import { auditLog } from './http/audit.ts';
import { type Authenticator, authenticator } from './http/authenticate.ts';
import { backOff } from './http/back-off.ts';
import { allowCompression } from './http/compression.ts';
import { consolePages } from './http/console.ts';
import { cookieJar } from './http/cookies.ts';
import { guardsOf } from './http/guards.ts';
import { idempotency } from './http/idempotency.ts';
import type { Metrics } from './http/metrics.ts';
import { metricsRoute } from './http/metrics-route.ts';
import { peopleRateLimit, rateLimit, sweepPeopleWindows } from './http/rate-limit.ts';
import { type Documents, reference } from './http/reference.ts';
import { attachLifecycle } from './http/request-lifecycle.ts';
import type { Route } from './http/route.ts';
import { addRoutes, type RouterDeps } from './http/router.ts';
import { httpServer } from './http/server.ts';
import { mcpRoute } from './mcp/http-route.ts';
import { loadQueuedMessages } from './messages/message-event.ts';
import { loadNotifications, sweepNotifications } from './notifications/notification.ts';
import type { OutboundClient } from './outbound/client.ts';
import { channelAccess } from './people/channel-access.ts';
import { sweepFailures } from './people/failures.ts';
import { findSessions } from './people/find-session.ts';
import { sweepLinks } from './people/links.ts';
import { createOidc, type OidcSettings } from './people/oidc.ts';
import { createPasswords, type ScryptCost } from './people/passwords.ts';
import { sweepSessions } from './people/session.ts';
import type { SystemMailChannel } from './people/system-mail.ts';
import { adapters } from './providers/adapters.ts';
import { v2Api } from './v2/api.ts';
import { type ApiDeps, v3Api } from './v3-api.ts';
import { version } from './version.ts';

/** This file and the built program lie equally deep, so both find the folder docs/ of the repository. */
const GUIDES = fileURLToPath(new URL('../../docs/', import.meta.url));
/** What `console/build.js` writes. */
const CONSOLE = fileURLToPath(new URL('../../console/dist/', import.meta.url));

/** How people log in. */
export interface PeopleSettings {
  hasPasswordLogin?: boolean;
  oidc?: OidcSettings;
  systemMail?: SystemMailChannel;
  /** Less in tests. */
  scryptCost?: ScryptCost;
}

export interface AppDeps
  extends Omit<
    ApiDeps,
    | 'authenticator'
    | 'findCredentials'
    | 'streams'
    | 'arrivals'
    | 'sessions'
    | 'passwords'
    | 'hasPasswordLogin'
    | 'oidc'
    | 'systemMail'
  > {
  outbound: OutboundClient;
  people?: PeopleSettings | undefined;
  metrics: Metrics;
  inFlightLimits?: InFlightLimits;
  trustedProxies?: string[];
  metricsToken?: string | undefined;
  /** The metrics have a port of their own. */
  hasMetricsPort?: boolean;
  /** Whether assistants can connect; they can by default. */
  hasMcp?: boolean;
  /** How long failed requests and expired tokens are kept. */
  retentionDays: number;
  activity: Activity;
  operatorToken: string;
  corsOrigins: string[];
  /** Where the built console is, if elsewhere. */
  consoleFolder?: string | undefined;
  /** The settings of versions of the API that have any. */
  apiSettings: Settings;
  /** For a process that only processes queues: health checks and metrics, and nothing else. */
  isHealthOnly: boolean;
}

export interface App {
  server: FastifyInstance;
  routes: readonly Route[];
  authenticator: Authenticator;
  streams: EventStreams;
  /** Housekeeping that one process does now and then. */
  sweep(): Promise<void>;
  /** Stores what this process has counted; done every few seconds, and before it ends. */
  flush(): Promise<void>;
}

const DAY_MS = 24 * 3600_000;
/** Who reads the data of stream-only events. */
const streamOnlyLoaders: Loaders = {
  'message.queued': loadQueuedMessages,
  'notification.created': loadNotifications,
  'campaign.progressed': loadProgress,
  'automation.run_progressed': loadProgressedRuns,
};
/** The routes of a process that only processes queues. */
const HEALTH_PATHS: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/** Every version of the API. A version ends by deleting its folder and its entry here. */
const apis: readonly Api<ApiDeps>[] = [v3Api, v2Api];

/** The configuration variables of all versions. */
export const apiVariables: ExtraVariables = Object.assign({}, ...apis.map(({ variables }) => variables));

/** What the operator should know about versions, such as when one ends. */
export const describeApis = (settings: Settings, now: Date): { name: string; text: string }[] =>
  apis.flatMap(({ name, describe }) => (describe ? [{ name, text: describe(settings, now) }] : []));

/** Every route of every version, for readers of contracts only: none is ever called. */
export const contracts = (): readonly Route[] =>
  apis.flatMap((api) => api.create({ adapters } as never, {}).routes);

/** The OpenAPI document of each version, by its name. Both together take 80 ms to create. */
export const apiDocuments = (routes: readonly Route[]): Documents =>
  Object.fromEntries(
    apis.map((api) => [api.name, { path: api.documentPath, create: lazy(() => api.document(routes)) }]),
  );

export async function createApp(deps: AppDeps): Promise<App> {
  const { db, clock, keys, log } = deps;
  const { app: server, lifecycle } = await httpServer(deps);
  const tokens = authenticator(
    keys.tokens,
    (tokenId, tenantId) => {
      const tenant = db.forTenant(tenantId);
      return findPrincipal(tenant.byKey, tokenId, clock, (lastUsedAt) =>
        noteTokenUsed(tenant, tokenId, lastUsedAt).catch((err) =>
          log.debug({ err }, 'could not note a token'),
        ),
      );
    },
    keys.earlierTokens,
  );
  const sessions = findSessions(db, clock, log);
  const audit = auditLog(db, log);
  const { hasPasswordLogin = true, oidc, systemMail, scryptCost } = deps.people ?? {};
  const findCredentials = channelCredentials(db.byKey, keys);
  const findVendorCredentials = vendorCredentials(db.byKey, keys);
  const findSigners = signerCredentials(db.byKey, keys);
  const answers = idempotency(db, clock, keys);
  const streams = eventStreams({ ...deps, loaders: streamOnlyLoaders });
  const invalidTokens = { tenant: backOff(log, 'tenant'), operator: backOff(log, 'operator') };
  const arrivals = clockArrivals(deps.wakeUps);
  const apiDeps: ApiDeps = {
    ...deps,
    authenticator: tokens,
    sessions,
    passwords: createPasswords(scryptCost),
    hasPasswordLogin,
    oidc: oidc && createOidc(oidc, deps),
    systemMail,
    findCredentials,
    streams,
    arrivals,
  };
  const running = apis.map((api) => api.create(apiDeps, deps.apiSettings));
  const routes = running
    .flatMap((api) => api.routes)
    .filter(({ spec }) => !deps.isHealthOnly || HEALTH_PATHS.has(spec.path));
  const retiring = running.flatMap((api) => api.retiring ?? [])[0];
  const routerDeps: RouterDeps = {
    db,
    lifecycle,
    metrics: deps.metrics,
    authenticator: tokens,
    rateLimit: rateLimit(db),
    idempotency: answers,
    people: {
      sessions,
      rateLimit: peopleRateLimit(db),
      sessionCookie: cookieJar('parley', deps.baseUrl),
      loginCookie: cookieJar('parley-login', deps.baseUrl),
      baseUrl: deps.baseUrl,
    },
    audit,
    channelAccess,
    operatorToken: deps.operatorToken,
    backOff: invalidTokens,
    ...(retiring ? { retiring } : {}),
  };
  await addRoutes(server, routerDeps, routes);
  await server.register(async (scope) => {
    attachLifecycle(scope, lifecycle);
    await allowCompression(scope);
    if (!deps.isHealthOnly) {
      await scope.register(providerRoute, { ...deps, findCredentials, findVendorCredentials, findSigners });
      await scope.register(unsubscribePage, { db, keys });
      await scope.register(reference, {
        documents: apiDocuments(routes),
        baseUrl: deps.baseUrl,
        guidesFolder: GUIDES,
      });
      if (deps.hasMcp !== false)
        await scope.register(mcpRoute, {
          ...deps,
          routes,
          admitToken: guardsOf(routerDeps).token,
          rateLimit: routerDeps.rateLimit,
          version,
        });
      await scope.register(consolePages, { folder: deps.consoleFolder ?? CONSOLE, baseUrl: deps.baseUrl });
    }
    if (!deps.hasMetricsPort)
      await scope.register(metricsRoute, { ...deps, backOff: invalidTokens.operator });
  });
  log.debug({ routes: routes.length }, 'app ready');
  return {
    server,
    routes,
    authenticator: tokens,
    streams,
    async sweep() {
      await answers.sweep();
      await sweepPeopleWindows(db);
      await sweepFailures(db);
      await sweepSessions(db);
      const now = clock.real();
      const before = new Date(now.getTime() - deps.retentionDays * DAY_MS);
      await sweepLinks(db, before);
      const removed = {
        failedRequests: await removeOldRequests(db, before),
        notifications: await sweepNotifications(db, before),
        silencedEvents: await sweepSilencedEvents(db, before),
        // Tokens expire by the time of day, whatever a test does with the clock.
        expiredTokens: await removeExpiredTokens(db, {
          before: new Date(Date.now() - deps.retentionDays * DAY_MS),
          now: new Date(),
        }),
      };
      if (Object.values(removed).some((count) => count > 0)) log.info(removed, 'removed what has expired');
    },
    async flush() {
      await Promise.all([audit.flush(), ...running.map((api) => api.flush?.())]);
    },
  };
}

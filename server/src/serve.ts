import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { apiVariables, describeApis, type PeopleSettings } from './app.ts';
import { createActivity } from './base/activity.ts';
import { systemClock } from './base/clock.ts';
import { type Config, readConfig } from './base/config.ts';
import { keysFrom } from './base/crypto.ts';
import { OperatorError } from './base/errors.ts';
import type { Logger } from './base/log.ts';
import { banner, configTable, firstLoginText, help } from './cli-text.ts';
import { requireSuitable } from './db/check-server.ts';
import { fillDemo } from './demo/fill-demo.ts';
import { workInDemo } from './demo/work-in-demo.ts';
import { examine } from './doctor.ts';
import { backOff } from './http/back-off.ts';
import { metricsRoute } from './http/metrics-route.ts';
import { attachLifecycle } from './http/request-lifecycle.ts';
import { httpServer } from './http/server.ts';
import { createDemo, createFirstLogin } from './installation.ts';
import { outboundPolicy } from './outbound/addresses.ts';
import { portError } from './ports.ts';
import { MIGRATIONS, prepareDatabase } from './prepare-database.ts';
import { rotateKey } from './rotate-key.ts';
import type { Storage } from './storage.ts';
import { connectionsNeeded, type System, startSystem } from './system.ts';
import type { Role } from './system-options.ts';
import { version } from './version.ts';

const DEMO_PICTURE = fileURLToPath(new URL('../assets/cargo-bike.png', import.meta.url));
/** How long running work may take after SIGTERM. */
const GRACE_MS = 20_000;
/** After this time the process exits in any case. */
const FORCED_EXIT_MS = 25_000;

export type Environment = Record<string, string | undefined>;

/** The configuration with the variables of all versions of the API. */
export const readAll = (env: Environment): Config => readConfig(env, apiVariables);

/** Commands that answer and end. They return the exit code. */
export const commands = {
  help: () => {
    console.log(help(apiVariables));
    return 0;
  },
  config: (env: Environment) => {
    console.log(configTable(readAll(env), env, apiVariables));
    return 0;
  },
  async doctor(env: Environment, role: Role) {
    const { lines, isHealthy } = await examine(readAll(env), role, MIGRATIONS);
    console.log(lines.join('\n'));
    return isHealthy ? 0 : 1;
  },
};

interface ServeDeps {
  env: Environment;
  role: Role;
  /** The database was just restored from a backup. */
  isAfterRestore: boolean;
  secretKey: string;
  operatorToken: string;
  log: Logger;
}

/** Serves requests and works, as the role says, until a signal stops the process. */
export async function serveOn(
  storage: Storage,
  { env, role, isAfterRestore, secretKey, operatorToken, log }: ServeDeps,
): Promise<void> {
  const config = readAll(env);
  const keys = keysFrom(secretKey, config.PARLEY_SECRET_KEY_PREVIOUS);
  const connections = { api: config.PARLEY_API_CONNECTIONS, worker: config.PARLEY_WORKER_CONNECTIONS };
  if (!storage.isSoleProcess)
    await requireSuitable(
      storage.connection,
      connectionsNeeded(role, { ...connections, search: config.PARLEY_SEARCH_CONNECTIONS }),
    );
  await prepareDatabase(storage.connection, keys, log, isAfterRestore);
  let { PORT: port } = config;
  const baseUrl = (): string =>
    config.PARLEY_BASE_URL ??
    `http://${config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST}:${port}`;
  const policy = outboundPolicy({
    host: config.HOST,
    isProduction: config.isProduction,
    allowHosts: config.PARLEY_OUTBOUND_ALLOW_HOSTS,
  });
  const system = await startSystem({
    connection: storage.connection,
    clock: systemClock,
    keys,
    log,
    policy,
    filesFolder: join(config.PARLEY_DATA_DIR, 'files'),
    maxFileBytes: config.PARLEY_FILE_BYTES,
    fileUrlMs: config.PARLEY_FILE_URL_TTL,
    maxKeptMailboxes: config.PARLEY_IDLE_MAILBOXES,
    baseUrl,
    operatorToken,
    corsOrigins: config.PARLEY_CORS_ORIGINS,
    apiSettings: config.extra,
    retentionDays: config.PARLEY_RETENTION_DAYS,
    auditDays: config.PARLEY_AUDIT_DAYS,
    people: peopleSettings(config),
    connections,
    role,
    isSoleProcess: storage.isSoleProcess,
    timers: true,
    onLoss: reviver(storage.revive, log),
    searches: { connections: config.PARLEY_SEARCH_CONNECTIONS },
    trustedProxies: config.PARLEY_TRUSTED_PROXIES,
    metricsToken: config.PARLEY_METRICS_TOKEN,
    hasMetricsPort: config.PARLEY_METRICS_PORT !== undefined,
    hasMcp: config.PARLEY_MCP,
  });
  const metricsServer = await startMetrics(config, system, log).catch(async (error) => {
    await system.stop(0);
    throw error;
  });
  stopOnSignal(log, async () => {
    await system.stop(GRACE_MS);
    await metricsServer?.close();
    await storage.stop();
  });
  if (keys.earlierTokens.length > 0)
    system.inBackground(async ({ db }, isStopping) => {
      const values = await rotateKey(db, keys, isStopping);
      if (!isStopping()) log.info({ values }, 'everything is encrypted with the present secret key');
    });
  if (role === 'worker') {
    const url = await listenForHealth(system.app.server, config, log);
    log.info({ url, version, role }, 'working');
    return;
  }
  await system.app.server.listen({ host: config.HOST, port: config.PORT }).catch((error) => {
    throw portError(error, config);
  });
  ({ port } = system.app.server.server.address() as { port: number });
  const demo = config.PARLEY_DEMO
    ? await createDemo(system.db, { keys, policy, authenticator: system.app.authenticator })
    : undefined;
  const firstLogin = await createFirstLogin(system.db, baseUrl());
  const consoleUrl = firstLogin?.url ?? `${baseUrl()}/console`;
  if (!demo && firstLogin) console.log(firstLoginText(consoleUrl));
  if (demo)
    console.log(
      banner({
        baseUrl: baseUrl(),
        consoleUrl,
        dataDir: config.PARLEY_DATA_DIR,
        database: storage.isSoleProcess,
        apis: describeApis(config.extra, systemClock.real()),
        ...demo,
      }),
    );
  log.info({ url: baseUrl(), docs: `${baseUrl()}/docs`, version, role }, 'listening');
  if (config.PARLEY_DEMO)
    system.inBackground(async (deps, isStopping) => {
      const picture = DEMO_PICTURE;
      if (await fillDemo({ ...deps, picture })) log.info('created conversations in the demo tenant');
      await workInDemo(deps, isStopping);
    });
}

const peopleSettings = (config: Config): PeopleSettings => ({
  hasPasswordLogin: config.PARLEY_PASSWORD_LOGIN,
  ...(config.PARLEY_SYSTEM_MAIL_CHANNEL === undefined
    ? {}
    : { systemMail: config.PARLEY_SYSTEM_MAIL_CHANNEL }),
  ...(config.PARLEY_OIDC_ISSUER === undefined
    ? {}
    : {
        oidc: {
          issuer: config.PARLEY_OIDC_ISSUER,
          clientId: config.PARLEY_OIDC_CLIENT_ID as string,
          clientSecret: config.PARLEY_OIDC_CLIENT_SECRET,
          autoJoin: config.PARLEY_OIDC_AUTO_JOIN,
        },
      }),
});

/** Serves the metrics on a port of their own, if there is one, in every role. */
async function startMetrics(
  { HOST: host, PARLEY_METRICS_PORT: port, PARLEY_METRICS_TOKEN: metricsToken, PORT }: Config,
  { metrics }: System,
  log: Logger,
): Promise<FastifyInstance | undefined> {
  if (port === undefined) return undefined;
  if (port === PORT && port !== 0)
    throw new OperatorError('PARLEY_METRICS_PORT is the same as PORT. Leave it out, or choose another one.');
  const { app, lifecycle } = await httpServer({
    log,
    corsOrigins: [],
    metrics,
    activity: createActivity(),
    isDraining: () => false,
  });
  attachLifecycle(app, lifecycle);
  await app.register(metricsRoute, { metrics, metricsToken, backOff: backOff(log, 'operator') });
  await app.listen({ host, port }).catch((error) => {
    throw portError(error, { HOST: host, PORT: port, variable: 'PARLEY_METRICS_PORT' });
  });
  log.info({ port: (app.server.address() as { port: number }).port }, 'serving metrics');
  return app;
}

/** Health checks never keep a worker from working: if the port is taken, as by an API process beside it, any other will do. */
async function listenForHealth(server: FastifyInstance, config: Config, log: Logger): Promise<string> {
  const listen = (port: number): Promise<string> => server.listen({ host: config.HOST, port });
  return listen(config.PORT).catch((error) => {
    log.warn({ err: error }, `port ${config.PORT} is taken; the health checks of this worker get another`);
    return listen(0);
  });
}

/** Restarts the embedded database, one attempt at a time. */
function reviver(revive: () => Promise<void>, log: Logger): () => void {
  let reviving = false;
  return () => {
    if (reviving) return;
    reviving = true;
    revive()
      .catch((error) => log.error({ err: error }, 'the database could not be restarted'))
      .finally(() => {
        reviving = false;
      });
  };
}

function stopOnSignal(log: Logger, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), FORCED_EXIT_MS).unref();
    stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ err: error }, 'could not stop cleanly');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

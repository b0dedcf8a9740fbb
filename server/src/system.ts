import { adapterContext } from './adapter-context.ts';
import { type App, createApp } from './app.ts';
import { createActivity } from './base/activity.ts';
import { type Clock, tenantClock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import { ApiError } from './base/errors.ts';
import { createFileUrls } from './base/file-urls.ts';
import { newId } from './base/ids.ts';
import { startWatchdog } from './base/watchdog.ts';
import { countFailingChannels } from './channels/health.ts';
import { createKeptMailboxes, type KeptMailboxes } from './channels/kept-mailboxes.ts';
import { clientConfig } from './db/client-config.ts';
import { watchClock } from './db/clock-watch.ts';
import { type Database, openDatabase } from './db/database.ts';
import { countDeadlocks } from './db/deadlocks.ts';
import { ensurePartitions } from './db/partitions.ts';
import type { SearchLimits } from './db/searches.ts';
import type { TenantHooks } from './db/tenant.ts';
import { inBackground, repeat } from './engine/background.ts';
import { publishEvents } from './engine/outbox.ts';
import { pausableShards } from './engine/pausable-shards.ts';
import { createShards, LEASE_MS } from './engine/shards.ts';
import { createWakeUps, listenForWakeUps, type WakeUps } from './engine/wakeups.ts';
import { createWorker, type Worker } from './engine/worker.ts';
import { createAnnouncer } from './events/announce.ts';
import { abandonUploads } from './files/removals.ts';
import { type FileStore, fileStore } from './files/store.ts';
import { removeExpired } from './housekeeping.ts';
import { type Metrics, metrics } from './http/metrics.ts';
import { writeCheck } from './http/write-check.ts';
import { requireWritable } from './installation.ts';
import { measureQueues } from './measure-queues.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import { type OutboundClient, outboundClient } from './outbound/client.ts';
import { refusalLog } from './outbound/refusal-log.ts';
import type { AdapterContext } from './providers/adapter-context.ts';
import { type Adapters, adapters as everyAdapter } from './providers/adapters.ts';
import { bindQueues } from './queues.ts';
import { createTaskPool } from './sandboxed/task-pool.ts';
import type { Role, SystemOptions } from './system-options.ts';
import { SOCKETS } from './webhooks/queues.ts';

/** What tasks beside requests and queues need. */
interface OperationDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps;
  adapters: Adapters;
  context: AdapterContext;
  policy: OutboundPolicy;
  store: FileStore;
  baseUrl: () => string;
}

export interface System {
  db: Database;
  app: App;
  /** Present unless this process only answers requests. */
  worker: Worker | undefined;
  metrics: Metrics;
  /** Runs a task once, beside everything else. Stopping waits for it. */
  inBackground(task: (deps: OperationDeps, isStopping: () => boolean) => Promise<void>): void;
  /** Finishes what runs, within `graceMs`, and closes everything. */
  stop(graceMs: number): Promise<void>;
}

/** The program of worker threads, which bin/build.js makes; dist/ is beside src/. */
export const TASK_PROGRAM = new URL('../dist/task-threads.js', import.meta.url);
const CONNECTIONS = { api: 20, worker: 12 };
const SEARCHES: SearchLimits = { connections: 8, timeoutMs: 5_000 };
const READERS = 2;
const CLOCK_MS = 5_000;
const HOUSEKEEPING_MS = 3600_000;
const FLUSH_MS = 5_000;
const FILE_URL_MS = 7 * 24 * 3600_000;
const KEPT_MAILBOXES = 200;
const MAILBOX_SWEEP_MS = 1_000;

/** How many connections a process of this role opens at most, with the one that listens. */
export const connectionsNeeded = (
  role: Role,
  { api, worker, search }: { api: number; worker: number; search: number },
): number => api + READERS + (role === 'api' ? 0 : worker) + (role === 'worker' ? 0 : search) + 1;

/** Puts the parts together on a migrated database. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { connection, log, isSoleProcess, connections = CONNECTIONS } = options;
  const searches = { ...SEARCHES, ...options.searches };
  const { adapters = everyAdapter } = options;
  const clock = tenantClock(options.clock);
  const onLoss = options.onLoss ?? (() => {});
  const processId = newId();
  const wakeUps = createWakeUps({ db: () => db, sender: processId, isSoleProcess });
  const wake: TenantHooks['wake'] = (queue, orderingKey, tenantId) =>
    wakeUps.wake(queue.name, queue.shardOf(orderingKey, tenantId), orderingKey);
  const follow: TenantHooks['follow'] = (queue, orderingKey, tenantId) =>
    wakeUps.follow(queue.name, queue.shardOf(orderingKey, tenantId), orderingKey);
  const fileUrls = createFileUrls({ ...options, clock, ttlMs: options.fileUrlMs ?? FILE_URL_MS });
  const hooks: TenantHooks = {
    now: clock.now,
    fileUrl: fileUrls.sign,
    publish: publishEvents,
    announce: createAnnouncer(wakeUps, clock.now),
    wake,
    follow,
  };
  const writes = writeCheck(() => requireWritable(db));
  const shared = {
    connection,
    ...(options.databaseWaitMs !== undefined && { waitMs: options.databaseWaitMs }),
    onLoss,
    onUnwritable: writes.failed,
  };
  const apiOptions = { ...shared, applicationName: 'parley api' };
  const workerOptions = {
    ...shared,
    applicationName: 'parley worker',
    poolSize: connections.worker,
    readers: 0,
  };
  const db: Database = openDatabase(
    {
      ...apiOptions,
      poolSize: connections.api,
      // So that it takes two tenants to delay a third.
      transactionsPerTenant: Math.max(2, connections.api >> 1),
      readers: READERS,
      searches,
    },
    hooks,
  );
  const workerDb = options.role === 'api' ? undefined : openDatabase(workerOptions, hooks);
  // One machine has one clock: a sole process has its database beside it.
  const watch =
    'correct' in options.clock && !isSoleProcess ? watchClock({ db, clock: options.clock, log }) : undefined;
  await watch?.measure();
  const outbound: OutboundClient = outboundClient({
    ...options.policy,
    ...options.outbound,
    // Tenants may share a receiver. Their calls of all queues together must not use up its connections.
    perOrigin: 4 * SOCKETS,
    onRefusal: refusalLog(log),
  });
  const report = metrics(options.metricsCacheMs === undefined ? {} : { cacheMs: options.metricsCacheMs });
  const activity = createActivity();
  const watchdog = startWatchdog({ log, activity });
  report.watchEventLoop(watchdog.delay);
  const store = fileStore(options.filesFolder);
  const tasks = createTaskPool(options.taskProgram ?? TASK_PROGRAM);
  report.watchTasks(tasks.stats);
  let isDraining = false;
  const contextOn = (on: Database) => adapterContext({ ...options, clock, db: on, outbound, files: store });
  const operationDeps = { ...options, clock, db, adapters, wakeUps, store, context: contextOn(db) };
  let worker: Worker | undefined;
  const app = await createApp({
    ...operationDeps,
    outbound,
    tasks,
    fileUrls,
    metrics: report,
    activity,
    isDraining: () => isDraining,
    readiness: [
      writes.requireWritable,
      () => requireProgress(findStuckWrites(options.timers ? worker : undefined) ?? watchdog.findStall()),
      ...(watch ? [watch.requireRight] : []),
    ],
    isHealthOnly: options.role === 'worker',
  });

  const shards =
    workerDb && pausableShards(createShards(workerDb, processId), watch?.isRight ?? (() => true));
  let keptMailboxes: KeptMailboxes | undefined;
  if (workerDb && shards) {
    keptMailboxes = createKeptMailboxes({
      db: workerDb,
      wakeUps,
      log,
      owns: shards.owns,
      maxKept: options.maxKeptMailboxes ?? KEPT_MAILBOXES,
    });
    const bound = bindQueues({
      ...operationDeps,
      countIgnored: report.countIgnored,
      countFailed: report.countFailed,
      db: workerDb,
      outbound,
      tasks,
      context: contextOn(workerDb),
      keptMailboxes,
    });
    const { timers, settledMs } = options;
    const running = createWorker({
      db: workerDb,
      shards,
      queues: bound,
      wakeUps,
      clock,
      log,
      timers,
      activity,
      settledMs,
    });
    worker = running;
    report.watchQueues(() => measureQueues(workerDb, bound, running, clock.real()));
    if (isSoleProcess) await abandonUploads(workerDb);
    await running.start({ isSoleProcess });
  }
  report.watchChannels(() => countFailingChannels(db));
  report.watchDeadlocks(() => countDeadlocks(db));
  const background: { stop(): Promise<void> }[] = [];
  if (options.timers) {
    const listening = listenForWakeUps(
      clientConfig(workerOptions),
      processId,
      (queue, shard, orderingKey) => {
        worker?.wake(queue, shard, orderingKey);
        wakeUps.relay(queue, orderingKey);
      },
    );
    background.push(
      { stop: listening.close },
      repeat(FLUSH_MS, app.flush, log),
      repeat(MAILBOX_SWEEP_MS, async () => keptMailboxes?.sweep(), log),
      ...(watch ? [repeat(CLOCK_MS, watch.measure, log)] : []),
      repeat(
        HOUSEKEEPING_MS,
        async () => {
          await ensurePartitions(db, clock.real());
          await app.sweep();
          // One process is enough, and the first shard has one owner.
          if (!shards?.owns(0)) return;
          await removeExpired(db, clock.real(), options, log);
        },
        log,
      ),
    );
  }

  return {
    db,
    app,
    worker,
    metrics: report,
    inBackground(task) {
      background.push(inBackground((isStopping) => task(operationDeps, isStopping), log));
    },
    async stop(graceMs) {
      isDraining = true;
      app.streams.end();
      // A connection that has sent nothing, or half a request, counts as busy for as long as its client likes.
      const cut = setTimeout(() => app.server.server.closeAllConnections(), graceMs);
      await Promise.all([app.server.close(), worker?.stop(graceMs), ...background.map((one) => one.stop())]);
      clearTimeout(cut);
      await keptMailboxes?.close();
      await tasks.close();
      await app.flush().catch((error) => log.warn({ err: error }, 'the last counts could not be stored'));
      watchdog.stop();
      await outbound.close();
      await wakeUps.close();
      await Promise.all([db.close(), workerDb?.close()]);
    },
  };
}

function requireProgress(stall: string | undefined): void {
  if (stall !== undefined) throw new ApiError('service_unavailable', { detail: stall });
}

/** Heartbeats are written every three seconds. If none was stored for as long as a lease lasts, writes are stuck. */
function findStuckWrites(worker: Worker | undefined): string | undefined {
  const ageMs = worker?.heartbeatAgeMs() ?? 0;
  return ageMs > LEASE_MS
    ? `nothing could be written to the database for ${Math.round(ageMs / 1000)} seconds`
    : undefined;
}

import type { Logger } from 'pino';
import { adapterContext } from './adapter-context.ts';
import { type App, createApp } from './app.ts';
import { type Clock, type RealClock, tenantClock } from './base/clock.ts';
import type { Keys } from './base/crypto.ts';
import { newId } from './base/ids.ts';
import { countFailingChannels } from './channels/health.ts';
import { type Connection, clientConfig, type Database, openDatabase } from './db/database.ts';
import { ensurePartitions } from './db/partitions.ts';
import { dropOldPartitions } from './db/retention.ts';
import { type Publisher, publisher } from './engine/outbox.ts';
import { inBackground, repeat, type Worker, worker } from './engine/runner.ts';
import { shards } from './engine/shards.ts';
import { listenForWakeUps, type WakeUps, wakeUps } from './engine/wakeups.ts';
import { abandonUploads } from './files/removals.ts';
import { fileStore } from './files/store.ts';
import { metrics } from './http/metrics.ts';
import type { OutboundPolicy } from './outbound/addresses.ts';
import { type OutboundClient, outboundClient } from './outbound/client.ts';
import type { Lookup } from './outbound/connector.ts';
import type { Adapter, AdapterContext } from './providers/adapter.ts';
import { adapters as everyAdapter, queues } from './queues.ts';
import { SOCKETS } from './webhooks/deliver.ts';

export type Role = 'api' | 'worker' | 'all';

export interface SystemOptions {
  connection: Connection;
  /** The time of day; test tenants have clocks of their own beside it. */
  clock: RealClock;
  keys: Keys;
  log: Logger;
  policy: OutboundPolicy;
  /** Where uploaded files are kept: one folder for all processes on this database. */
  filesFolder: string;
  maxFileBytes: number;
  /** What public URLs begin with; asked for when one is read. */
  baseUrl: () => string;
  operatorToken: string;
  corsOrigins: string[];
  /** The last day of version 2, or `never`. */
  v2Sunset: string;
  /** How long events and deliveries are kept. */
  retentionDays: number;
  role: Role;
  /** Nobody else can be working on this database, so all work is taken at once. */
  isSoleProcess: boolean;
  /** Without timers nothing happens by itself: tests move the clock and call `worker.settle()`. */
  timers: boolean;
  /** How names are resolved and whose certificates are trusted, where that is not the system's affair. */
  outbound?: { lookup?: Lookup; ca?: string };
  /** The vendors that channels can have; those of handlers.ts when left out. */
  adapters?: ReadonlyMap<string, Adapter>;
  /** How many connections to the database there are at most, for requests and for work. */
  connections?: { api: number; worker: number };
  /** How long one attempt at a delivery may take; 15 seconds when left out. */
  deliveryDeadlineMs?: number;
  /** How long one attempt at sending a message may take; 30 seconds when left out. */
  sendDeadlineMs?: number;
  /** Told when a connection to the database is lost. */
  onLoss?: (error: unknown) => void;
}

/** What operations need that are called by no request and no work list. */
export interface OperationDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  wakeUps: WakeUps;
  publisher: Publisher;
  adapters: ReadonlyMap<string, Adapter>;
  context: AdapterContext;
  policy: OutboundPolicy;
  baseUrl: () => string;
}

export interface System {
  db: Database;
  app: App;
  /** Present unless this process only answers requests. */
  worker: Worker | undefined;
  /** Does something once, beside everything else, with what operations need. Stopping waits for it. */
  inBackground(task: (deps: OperationDeps, isStopping: () => boolean) => Promise<void>): void;
  /** Finishes what is under way, within `graceMs`, and lets go of everything. */
  stop(graceMs: number): Promise<void>;
}

const CONNECTIONS = { api: 20, worker: 12 };
const READERS = 2;
const HOUSEKEEPING_MS = 3600_000;
const FLUSH_MS = 5_000;

/** Puts the parts together on a migrated database. */
export async function startSystem(options: SystemOptions): Promise<System> {
  const { connection, log, connections = CONNECTIONS } = options;
  const clock = tenantClock(options.clock);
  const onLoss = options.onLoss ?? (() => {});
  const hasWorker = options.role !== 'api';
  const db = openDatabase({
    connection,
    applicationName: 'parley api',
    poolSize: connections.api,
    readers: READERS,
    onLoss,
  });
  const workerDatabase = {
    connection,
    applicationName: 'parley worker',
    poolSize: connections.worker,
    readers: 0,
    onLoss,
  };
  const workerDb = hasWorker ? openDatabase(workerDatabase) : undefined;
  const wakeUp = wakeUps(db, options.isSoleProcess);
  const outbound: OutboundClient = outboundClient({
    ...options.policy,
    ...options.outbound,
    perOrigin: SOCKETS,
  });
  const report = metrics();
  const store = fileStore(options.filesFolder);
  let draining = false;
  const publish = publisher(clock, wakeUp);
  const { adapters = everyAdapter } = options;
  const contextOn = (on: Database) => adapterContext({ ...options, clock, db: on, outbound, files: store });
  const app = await createApp({
    ...options,
    clock,
    db,
    adapters,
    context: contextOn(db),
    wakeUps: wakeUp,
    publisher: publish,
    store,
    metrics: report,
    isDraining: () => draining,
  });

  const ownShards = workerDb && shards(workerDb, newId());
  let running: Worker | undefined;
  const background: { stop(): Promise<void> }[] = [];
  if (workerDb && ownShards) {
    const deps = {
      ...options,
      clock,
      db: workerDb,
      wakeUps: wakeUp,
      publisher: publish,
      outbound,
      store,
      adapters,
      context: contextOn(workerDb),
    };
    const list = queues(deps);
    const lanes = worker({
      db: workerDb,
      shards: ownShards,
      queues: list,
      wakeUps: wakeUp,
      clock,
      log,
      timers: options.timers,
    });
    running = lanes;
    report.watchWork(async () => {
      const failures = new Map(lanes.failures().map((entry) => [entry.list, entry.failures]));
      const now = clock.real();
      return Promise.all(
        list.map(async ({ list: { name, depth } }) => {
          const row = await workerDb.find(depth, [now]);
          const oldestSeconds = row?.oldest ? Math.max(0, (now.getTime() - row.oldest.getTime()) / 1000) : 0;
          return { list: name, due: row?.due ?? 0, oldestSeconds, failures: failures.get(name) ?? 0 };
        }),
      );
    });
    if (options.isSoleProcess) await abandonUploads(workerDb);
    await lanes.start({ isSoleProcess: options.isSoleProcess });
  }
  report.watchChannels(() => countFailingChannels(db));
  if (options.timers) {
    const listening = listenForWakeUps(clientConfig(workerDatabase), (list, shard, lane) => {
      running?.wake(list, shard, lane);
      wakeUp.pass(list, lane);
    });
    background.push({ stop: listening.close });
  }
  if (options.timers)
    background.push(
      repeat(FLUSH_MS, app.flush, log),
      repeat(
        HOUSEKEEPING_MS,
        async () => {
          await ensurePartitions(db, new Date());
          await app.sweep();
          // One process is enough, and the first shard has one owner.
          if (!ownShards?.owns(0)) return;
          const dropped = await dropOldPartitions(db, new Date(), options.retentionDays);
          if (dropped.length > 0) log.info({ dropped }, 'what is past its retention is forgotten');
        },
        log,
      ),
    );

  return {
    db,
    app,
    worker: running,
    inBackground(task) {
      const deps = {
        ...options,
        clock,
        adapters,
        context: contextOn(db),
        db,
        wakeUps: wakeUp,
        publisher: publish,
      };
      background.push(inBackground((isStopping) => task(deps, isStopping), log));
    },
    async stop(graceMs) {
      draining = true;
      app.streams.end();
      // A connection that has sent nothing, or half a request, counts as busy for as long as its client likes.
      const cut = setTimeout(() => app.server.server.closeAllConnections(), graceMs);
      await Promise.all([app.server.close(), running?.stop(graceMs), ...background.map((one) => one.stop())]);
      clearTimeout(cut);
      await app.flush().catch((error) => log.warn({ err: error }, 'the last calls of v2 are not counted'));
      await outbound.close();
      await wakeUp.close();
      await Promise.all([db.close(), workerDb?.close()]);
    },
  };
}

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { LoopDelay } from '../base/watchdog.ts';

/** The metrics of one route. */
export interface RouteStats {
  /** Such as `GET /v3/me`. */
  readonly name: string;
  observe(status: number, ms: number): void;
}

/** What the worker reports about a queue. */
export interface QueueReport {
  queue: string;
  due: number;
  oldestSeconds: number;
  failures: number;
}

/** What the pool of worker threads for untrusted texts reports. */
interface TaskReport {
  threads: number;
  busy: number;
  waiting: number;
  killed: Readonly<Record<string, number>>;
}

/** Why a valid request of a vendor changes nothing: no channel has the number, or the channel does not import history. */
type IgnoredReason = 'not_connected' | 'history';

export interface Metrics {
  /** Called once per route, so that counting a request is only a few additions. */
  route(method: string, path: string): RouteStats;
  /** Sets the source of the figures about queues, read at each scrape. */
  watchQueues(report: () => Promise<QueueReport[]>): void;
  /** Sets the source of the figures about worker threads. */
  watchTasks(report: () => TaskReport): void;
  /** Sets the function that counts the deadlocks in the database, called at each scrape. */
  watchDeadlocks(count: () => Promise<number>): void;
  /** Sets the source of the delays of the event loop. */
  watchEventLoop(delay: () => LoopDelay): void;
  /** Counts a request of a vendor, or a part of one, that is valid and changes nothing. */
  countIgnored(provider: string, reason: IgnoredReason): void;
  /** Counts a message that was not sent, or did not arrive. */
  countFailed(kind: string, reason: string): void;
  /** Sets the function that counts the channels that cannot send, called at each scrape. */
  watchChannels(countFailing: () => Promise<number>): void;
  readonly contentType: string;
  text(): Promise<string>;
}

const NO_TASKS: TaskReport = { threads: 0, busy: 0, waiting: 0, killed: {} };
/** A timer that nobody needs: once an hour. */
const UNUSED_PRECISION_MS = 3600_000;
const BUCKETS_MS = [1, 5, 10, 50, 100, 500, 1000, 5000];
const DURATION = 'parley_http_request_duration_seconds';

interface Series {
  labels: string;
  /** Not cumulative: each request counts in the first bucket that fits. */
  buckets: number[];
  count: number;
  sumMs: number;
}

/** How long an answer is used again: each takes a dozen statements, and anyone may ask. */
const CACHE_MS = 5_000;

export function metrics({ cacheMs = CACHE_MS }: { cacheMs?: number } = {}): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const series: Series[] = [];
  // Its delays of the event loop include the pause of its timer; ours do not.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: UNUSED_PRECISION_MS });
  for (const name of registry.getMetricsAsArray().map((metric) => metric.name))
    if (name.startsWith('nodejs_eventloop_lag')) registry.removeSingleMetric(name);
  const loopDelay = new Gauge({
    name: 'parley_event_loop_delay_seconds',
    help: 'How late timers of this process were in the last minute.',
    labelNames: ['quantile'],
    registers,
  });
  const due = new Gauge({
    name: 'parley_queue_due',
    help: 'Rows of a queue that are due; an ordering key counts for at most 1000.',
    labelNames: ['queue'],
    registers,
  });
  const oldest = new Gauge({
    name: 'parley_queue_oldest_seconds',
    help: 'How long the oldest due row of a queue has waited.',
    labelNames: ['queue'],
    registers,
  });
  const failures = new Counter({
    name: 'parley_queue_failures_total',
    help: 'Attempts at work that failed in this process.',
    labelNames: ['queue'],
    registers,
  });
  const failingChannels = new Gauge({
    name: 'parley_channels_failing',
    help: 'Channels whose vendor refuses their credentials, so that nothing is sent over them.',
    registers,
  });
  const ignored = new Counter({
    name: 'parley_vendor_requests_ignored_total',
    help: 'Signed requests of vendors for numbers that no channel has, and history that is not imported.',
    labelNames: ['provider', 'reason'],
    registers,
  });
  const failedMessages = new Counter({
    name: 'parley_messages_failed_total',
    help: 'Messages that could not be sent or did not arrive, by the kind of channel and by the reason.',
    labelNames: ['kind', 'reason'],
    registers,
  });
  const threads = new Gauge({
    name: 'parley_task_threads',
    help: 'Worker threads for untrusted texts (mails, Liquid, conditions) in this process, by state.',
    labelNames: ['state'],
    registers,
  });
  const waitingTasks = new Gauge({
    name: 'parley_tasks_waiting',
    help: 'Untrusted texts that wait for a worker thread.',
    registers,
  });
  const killedThreads = new Counter({
    name: 'parley_task_threads_killed_total',
    help: 'Worker threads that were ended because a text took too long (expired) or too much memory (crashed).',
    labelNames: ['reason'],
    registers,
  });
  let tasks: (() => TaskReport) | undefined;
  let cached: { at: number; text: Promise<string> } | undefined;
  const deadlocks = new Counter({
    name: 'parley_database_deadlocks_total',
    help: 'Transactions that PostgreSQL ended because they waited for each other, since its statistics were reset.',
    registers,
  });
  let countDeadlocks: () => Promise<number> = async () => 0;
  let countFailing: () => Promise<number> = async () => 0;
  let report: () => Promise<QueueReport[]> = async () => [];
  let delay = (): LoopDelay => ({ p50: 0, p99: 0, max: 0 });

  return {
    route(method, path) {
      const byStatus = new Map<number, Series>();
      return {
        name: `${method} ${path}`,
        observe(status, ms) {
          let one = byStatus.get(status);
          if (!one) {
            const labels = `method="${method}",route="${path}",status="${status}"`;
            one = { labels, buckets: BUCKETS_MS.map(() => 0), count: 0, sumMs: 0 };
            byStatus.set(status, one);
            series.push(one);
          }
          one.count += 1;
          one.sumMs += ms;
          const bucket = BUCKETS_MS.findIndex((limit) => ms <= limit);
          if (bucket >= 0) one.buckets[bucket] = (one.buckets[bucket] as number) + 1;
        },
      };
    },
    watchQueues(given) {
      report = given;
    },
    watchTasks(given) {
      tasks = given;
    },
    watchDeadlocks(given) {
      countDeadlocks = given;
    },
    watchEventLoop(given) {
      delay = given;
    },
    countIgnored(provider, reason) {
      ignored.inc({ provider, reason });
    },
    countFailed(kind, reason) {
      failedMessages.inc({ kind, reason });
    },
    watchChannels(given) {
      countFailing = given;
    },
    contentType: registry.contentType,
    text() {
      if (cached && performance.now() - cached.at < cacheMs) return cached.text;
      const fresh = { at: performance.now(), text: collect() };
      cached = fresh;
      // A failure is not kept.
      fresh.text.catch(() => {
        if (cached === fresh) cached = undefined;
      });
      return fresh.text;
    },
  };

  async function collect(): Promise<string> {
    // If the database cannot be reached, the metrics of the process are still reported.
    const rows = await report().catch(() => []);
    failingChannels.set(await countFailing().catch(() => 0));
    deadlocks.reset();
    deadlocks.inc(await countDeadlocks().catch(() => 0));
    const { p50, p99, max } = delay();
    loopDelay.set({ quantile: '0.5' }, p50 / 1000);
    loopDelay.set({ quantile: '0.99' }, p99 / 1000);
    loopDelay.set({ quantile: '1' }, max / 1000);
    failures.reset();
    for (const row of rows) {
      due.set({ queue: row.queue }, row.due);
      oldest.set({ queue: row.queue }, row.oldestSeconds);
      failures.inc({ queue: row.queue }, row.failures);
    }
    const { threads: started, busy, waiting, killed } = tasks?.() ?? NO_TASKS;
    threads.set({ state: 'busy' }, busy);
    threads.set({ state: 'idle' }, started - busy);
    waitingTasks.set(waiting);
    killedThreads.reset();
    for (const [reason, count] of Object.entries(killed)) killedThreads.inc({ reason }, count);
    return `${await registry.metrics()}${durationText(series)}`;
  }
}

/** The histogram of requests. Not prom-client's, which took 14 µs of the 60 µs of a request. */
function durationText(series: readonly Series[]): string {
  const lines = series.flatMap(({ labels, buckets, count, sumMs }) => {
    let sum = 0;
    return [
      ...BUCKETS_MS.map((limit, index) => {
        sum += buckets[index] as number;
        return `${DURATION}_bucket{le="${limit / 1000}",${labels}} ${sum}`;
      }),
      `${DURATION}_bucket{le="+Inf",${labels}} ${count}`,
      `${DURATION}_sum{${labels}} ${sumMs / 1000}`,
      `${DURATION}_count{${labels}} ${count}`,
    ];
  });
  return [
    `# HELP ${DURATION} How long requests took until their answer was ready, by route and status.`,
    `# TYPE ${DURATION} histogram`,
    ...lines,
    '',
  ].join('\n');
}

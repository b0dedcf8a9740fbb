import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';

/** What is counted of one route. */
export interface RouteStats {
  observe(status: number, ms: number): void;
}

/** What the engine tells about a work list. */
export interface WorkReport {
  list: string;
  due: number;
  oldestSeconds: number;
  failures: number;
}

export interface Metrics {
  /** Made once a route; counting is then a few additions. */
  route(method: string, path: string): RouteStats;
  /** Names whoever can tell about the work lists; asked each time someone looks. */
  watchWork(report: () => Promise<WorkReport[]>): void;
  /** Names whoever can tell how many channels cannot send; asked each time someone looks. */
  watchChannels(countFailing: () => Promise<number>): void;
  readonly contentType: string;
  text(): Promise<string>;
}

const BUCKETS_MS = [1, 5, 10, 50, 100, 500, 1000, 5000];
const DURATION = 'parley_http_request_duration_seconds';

interface Series {
  labels: string;
  /** Not yet summed up: each request counts in the first bucket it fits into. */
  buckets: number[];
  count: number;
  sumMs: number;
}

export function metrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const series: Series[] = [];
  collectDefaultMetrics({ register: registry });
  const due = new Gauge({
    name: 'parley_work_due',
    help: 'Rows of a work list that are due; a lane counts for at most 1000.',
    labelNames: ['list'],
    registers,
  });
  const oldest = new Gauge({
    name: 'parley_work_oldest_seconds',
    help: 'How long the oldest due row of a work list has waited.',
    labelNames: ['list'],
    registers,
  });
  const failures = new Counter({
    name: 'parley_work_failures_total',
    help: 'Attempts at work that failed in this process.',
    labelNames: ['list'],
    registers,
  });
  const failingChannels = new Gauge({
    name: 'parley_channels_failing',
    help: 'Channels whose vendor refuses their credentials, so that nothing is sent over them.',
    registers,
  });
  let countFailing: () => Promise<number> = async () => 0;
  let report: () => Promise<WorkReport[]> = async () => [];

  return {
    route(method, path) {
      const byStatus = new Map<number, Series>();
      return {
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
    watchWork(given) {
      report = given;
    },
    watchChannels(given) {
      countFailing = given;
    },
    contentType: registry.contentType,
    async text() {
      // While the database is out of reach the process can still tell about itself.
      const rows = await report().catch(() => []);
      failingChannels.set(await countFailing().catch(() => 0));
      failures.reset();
      for (const row of rows) {
        due.set({ list: row.list }, row.due);
        oldest.set({ list: row.list }, row.oldestSeconds);
        failures.inc({ list: row.list }, row.failures);
      }
      return `${await registry.metrics()}${durationText(series)}`;
    },
  };
}

/** The histogram of requests. Counted by hand: prom-client's took 14 µs of a request that takes 60 in all. */
function durationText(series: readonly Series[]): string {
  const lines = series.flatMap(({ labels, buckets, count, sumMs }) => {
    let summed = 0;
    return [
      ...BUCKETS_MS.map((limit, index) => {
        summed += buckets[index] as number;
        return `${DURATION}_bucket{le="${limit / 1000}",${labels}} ${summed}`;
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

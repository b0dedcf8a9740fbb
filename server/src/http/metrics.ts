import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface HttpMetrics {
  observe(method: string, route: string, status: number, ms: number): void;
}

/** What the engine tells about a work list. */
export interface WorkReport {
  list: string;
  due: number;
  oldestSeconds: number;
  failures: number;
}

export interface Metrics {
  http: HttpMetrics;
  /** Names whoever can tell about the work lists; asked each time someone looks. */
  watchWork(report: () => Promise<WorkReport[]>): void;
  readonly contentType: string;
  text(): Promise<string>;
}

const BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export function metrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'How long requests took, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers,
  });
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
  let report: () => Promise<WorkReport[]> = async () => [];

  return {
    http: {
      observe: (method, route, status, ms) => duration.observe({ method, route, status }, ms / 1000),
    },
    watchWork(given) {
      report = given;
    },
    contentType: registry.contentType,
    async text() {
      // While the database is out of reach the process can still tell about itself.
      const rows = await report().catch(() => []);
      failures.reset();
      for (const row of rows) {
        due.set({ list: row.list }, row.due);
        oldest.set({ list: row.list }, row.oldestSeconds);
        failures.inc({ list: row.list }, row.failures);
      }
      return registry.metrics();
    },
  };
}

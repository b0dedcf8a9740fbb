import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export interface HttpMetrics {
  observe(method: string, route: string, status: number, ms: number): void;
}

export interface Metrics {
  registry: Registry;
  http: HttpMetrics;
}

const BUCKETS_SECONDS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export function metrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'parley_http_request_duration_seconds',
    help: 'How long requests took, by route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return {
    registry,
    http: {
      observe: (method, route, status, ms) => duration.observe({ method, route, status }, ms / 1000),
    },
  };
}

/** What the engine tells about its work lists, asked when someone looks. */
export interface WorkReport {
  list: string;
  due: number;
  oldestSeconds: number;
  failures: number;
}

export function addWorkMetrics(registry: Registry, report: () => Promise<WorkReport[]>): void {
  const shared = { labelNames: ['list'], registers: [registry] };
  const oldest = new Gauge({
    name: 'parley_work_oldest_seconds',
    help: 'How long the oldest due row of a work list has waited.',
    ...shared,
  });
  const failures = new Counter({
    name: 'parley_work_failures_total',
    help: 'Attempts at work that failed in this process.',
    ...shared,
  });
  new Gauge({
    name: 'parley_work_due',
    help: 'Rows of a work list that are due; a lane counts for at most 1000.',
    ...shared,
    async collect() {
      const rows = await report();
      failures.reset();
      for (const row of rows) {
        this.set({ list: row.list }, row.due);
        oldest.set({ list: row.list }, row.oldestSeconds);
        failures.inc({ list: row.list }, row.failures);
      }
    },
  });
}

import { invalidParam } from '../base/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { WebhookStats } from './schema.ts';
import { requireWebhook } from './webhook.ts';

const HOUR_MS = 3600_000;
const lengths = { hour: HOUR_MS, day: 24 * HOUR_MS } as const;
export const statIntervals = ['hour', 'day'] as const;
const DEFAULT_INTERVALS = { hour: 24, day: 30 } as const;
const MAX_INTERVALS = 200;

interface StatRow {
  start: Date;
  delivered: number;
  failed: number;
  pending: number;
  p50: number | null;
  p95: number | null;
}

const readStats = statement<[webhookId: string, from: Date, until: Date, seconds: number], StatRow>(
  'deliveries.stats',
  // The time of a delivery is that of its last attempt. Both are read by indexes: of the webhook, and of the delivery.
  `select to_timestamp(floor(extract(epoch from d.created_at) / $4::int) * $4::int) as start,
          count(*) filter (where d.status = 'delivered')::int as delivered,
          count(*) filter (where d.status in ('failed', 'cancelled'))::int as failed,
          count(*) filter (where d.status = 'pending')::int as pending,
          percentile_cont(0.5) within group (order by a.ms) as p50,
          percentile_cont(0.95) within group (order by a.ms) as p95
     from deliveries d
     left join lateral (
       select (t.timings ->> 'totalMs')::float8 as ms from attempts t
        where t.delivery_id = d.id and (t.tenant_id = d.tenant_id) is true order by t.number desc limit 1) a on true
    where d.webhook_id = $1 and d.tenant_id = $tenant and d.created_at >= $2 and d.created_at < $3
    group by 1 order by 1`,
);

interface StatsQuery {
  interval?: 'hour' | 'day';
  from?: string;
  to?: string;
}

/** How a webhook has done, per hour or day in UTC. */
export async function webhookStats(
  db: TenantDatabase,
  webhookId: string,
  { interval = 'hour', from, to }: StatsQuery,
): Promise<WebhookStats> {
  const webhook = await requireWebhook(db.byKey, webhookId);
  const length = lengths[interval];
  // Also what is created now.
  const end = to === undefined ? new Date(db.now.getTime() + 1) : new Date(to);
  const first =
    from === undefined
      ? new Date(end.getTime() - (DEFAULT_INTERVALS[interval] - 1) * length)
      : new Date(from);
  const startMs = Math.floor(first.getTime() / length) * length;
  const count = Math.ceil((end.getTime() - startMs) / length);
  if (end < first) throw invalidParam('to', 'custom', 'Must be after from');
  if (count > MAX_INTERVALS)
    throw invalidParam('from', 'too_big', `At most ${MAX_INTERVALS} intervals, this would be ${count}`);
  const rows = await db.search((reader) =>
    reader.all(readStats, [webhook.id, new Date(startMs), end, length / 1000]),
  );
  const byStart = new Map(rows.map((row) => [row.start.getTime(), row]));
  const rounded = (ms: number | null | undefined): number | null =>
    ms === null || ms === undefined ? null : Math.round(ms * 10) / 10;
  return {
    interval,
    intervals: Array.from({ length: count }, (_, index) => {
      const start = startMs + index * length;
      const row = byStart.get(start);
      return {
        start: timestamp(new Date(start)),
        delivered: row?.delivered ?? 0,
        failed: row?.failed ?? 0,
        pending: row?.pending ?? 0,
        p50Ms: rounded(row?.p50),
        p95Ms: rounded(row?.p95),
      };
    }),
  };
}

import { batch } from '../base/batch.ts';
import type { Clock } from '../base/clock.ts';
import { storable } from '../base/storable.ts';
import type { Database } from '../db/database.ts';
import { type ParameterOf, type RowOf, rowSet } from '../db/rows.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantQueryable } from '../db/tenant.ts';
import { HELD } from '../engine/queue.ts';
import type { OutboundResponse } from '../outbound/exchange.ts';
import type { OutboundTimings } from '../outbound/outbound-error.ts';

/**
 * Under load a batch waits until it is worth its commit: for one client, recording a result takes 110 µs in a batch of
 * 15, 85 in one of 30, 70 in one of 64 and 62 in one of 128, commit included. After a batch of at most 4 there is no
 * load, and the next result is stored at once.
 */
const RECORD_BATCH = { maxBatch: 300, maxConcurrent: 1, collect: { above: 4, items: 128, ms: 20 } };
const MAX_STORED_BODY_BYTES = 1024;

interface AttemptedDelivery {
  id: string;
  tenant_id: string;
  webhook_id: string;
  /** How many attempts the row had when it was claimed. If it has another number by now, the result is not stored. */
  attempts: number;
  url: string;
}

export interface DeliveryResult {
  delivery: AttemptedDelivery;
  startedAt: Date;
  status: 'delivered' | 'pending' | 'failed';
  dueAt: Date | null;
  timings: OutboundTimings | null;
  response: OutboundResponse | null;
  error: string | null;
}

const results = rowSet({
  now: 'timestamptz',
  id: 'uuid',
  tenant_id: 'uuid',
  attempts: 'int',
  status: 'text',
  due_at: 'timestamptz?',
  started_at: 'timestamptz',
  timings: 'jsonb',
  response_status: 'int?',
  response_headers: 'jsonb?',
  response_body: 'text?',
  error: 'text?',
  webhook_id: 'uuid',
  url: 'text',
});
/** SQL that records results; with `where` for the rows of the deliveries. */
const recordText = (where: string): string =>
  // A webhook's row is locked before the rows of its deliveries, as everywhere, and only if its health changes: that is
  // why the second update refers to the first. A delivery that was cancelled during the attempt stays cancelled unless
  // it was received; the attempt is stored in any case.
  `with results as (select * from ${results.from(1, 'r')}),
   noted as (
     update webhooks w set failing_since = case when h.is_healthy then null else h.since end
       from (select webhook_id, tenant_id, bool_or(status = 'delivered') as is_healthy, min(started_at) as since
               from results group by webhook_id, tenant_id order by webhook_id) h
      where w.id = h.webhook_id and w.tenant_id = h.tenant_id and (w.failing_since is not null) = h.is_healthy
     returning w.id),
   counted as (
     update deliveries d set attempts = r.attempts + 1, updated_at = r.now,
            status = case when d.due_at is not null or r.status = 'delivered' then r.status else d.status end,
            due_at = case when d.due_at is not null then r.due_at end
       from results r
      where d.id = r.id and d.tenant_id = r.tenant_id and d.attempts = r.attempts
        and (d.due_at is not null or d.status = 'cancelled') and (select count(*) from noted) >= 0${where}
     returning d.id)
   insert into attempts (delivery_id, tenant_id, number, started_at, timings, response_status, response_headers,
                         response_body, error, url)
   select r.id, r.tenant_id, r.attempts + 1, r.started_at, r.timings, r.response_status,
          r.response_headers, r.response_body, r.error, r.url
     from results r join counted using (id)`;
/** With the ids as a parameter, PostgreSQL expects a few rows and reads these deliveries; without, it read all of a young partition. */
const recordAttempts = systemStatement<[results: ParameterOf<typeof results>, ids: string[]]>(
  'deliveries.record',
  recordText(' and r.id = any ($2::uuid[])'),
);
/** For one result: with its id as a parameter, PostgreSQL prepares to update one partition and not each of them. */
const recordAttempt = systemStatement<[results: ParameterOf<typeof results>, id: string]>(
  'deliveries.record_one',
  recordText(' and d.id = $2'),
);
const cancelRow = statement<[id: string, now: Date]>(
  'deliveries.cancel',
  // The webhook was disabled or deleted, or the event was gone, when the row was read; the webhook may be active again.
  `update deliveries d set status = 'cancelled', due_at = null, updated_at = $2
    where d.id = $1 and d.tenant_id = $tenant and d.due_at is not null and not (
      exists (select 1 from webhooks w where w.id = d.webhook_id and w.tenant_id = $tenant and w.status <> 'disabled')
      and exists (select 1 from visible_events e where e.id = d.event_id and e.tenant_id = $tenant))`,
);
const holdRow = statement<[id: string, webhookId: string, now: Date]>(
  'deliveries.hold',
  // A transaction that activates the webhook either commits first, and then nothing is held, or it finds the held row.
  `with paused as (
     select 1 from webhooks where id = $2 and tenant_id = $tenant and status = 'inactive' for share)
   update deliveries set due_at = ${HELD}, updated_at = $3
    where id = $1 and tenant_id = $tenant and due_at is not null and exists (select 1 from paused)`,
);

/**
 * Creates a function that stores the result of an attempt, in a batch with others that ended at about the same time, and
 * resolves when it is committed. While a batch is being committed, the next one collects.
 */
export const createAttemptRecorder = (
  db: Database,
  clock: Clock,
): ((result: DeliveryResult) => Promise<void>) =>
  batch<DeliveryResult, void>(
    async (ended) => {
      const rows = rowsOf(ended, clock);
      const [first, ...others] = rows;
      if (first && others.length === 0) await db.run(recordAttempt, [results.encode(rows), first.id]);
      else await db.run(recordAttempts, [results.encode(rows), rows.map(({ id }) => id)]);
      return [];
    },
    RECORD_BATCH,
    ({ delivery }) => delivery.tenant_id,
  );

/** Cancels a delivery whose webhook is deleted or disabled, or whose event is no longer stored. */
export async function cancelDelivery(db: TenantQueryable, id: string): Promise<void> {
  await db.run(cancelRow, [id, db.now]);
}

/** Holds a delivery for as long as its webhook is paused. */
export async function holdDelivery(db: TenantQueryable, id: string, webhookId: string): Promise<void> {
  await db.run(holdRow, [id, webhookId, db.now]);
}

/** Rounds to a hundredth of a millisecond. */
const rounded = (ms: number | null): number | null => ms && Math.round(ms * 100) / 100;

const roundedTimings = (timings: OutboundTimings) => ({
  lookupMs: rounded(timings.lookupMs),
  connectMs: rounded(timings.connectMs),
  tlsMs: rounded(timings.tlsMs),
  waitMs: rounded(timings.waitMs),
  readMs: rounded(timings.readMs),
  totalMs: rounded(timings.totalMs),
});

/** The headers themselves, unless one of them has to be replaced: a copy took 2 of a delivery's 200 µs. */
const storableHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.values(headers).every((value) => storable(value) === value)
    ? headers
    : Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, storable(value)]));

function rowsOf(unsorted: DeliveryResult[], clock: Clock): RowOf<typeof results>[] {
  // Rows are always locked in the order of their ids. Two results of one attempt count once.
  const sorted = [
    ...new Map(unsorted.toReversed().map((result) => [result.delivery.id, result])).values(),
  ].sort((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
  // Written out: a claimed delivery has many more columns, and to spread it would copy them all.
  return sorted.map(({ delivery, status, dueAt, startedAt, timings, response, error }) => ({
    now: clock.now(delivery.tenant_id),
    id: delivery.id,
    tenant_id: delivery.tenant_id,
    webhook_id: delivery.webhook_id,
    attempts: delivery.attempts,
    url: delivery.url,
    status,
    due_at: dueAt,
    started_at: startedAt,
    timings: timings ? roundedTimings(timings) : {},
    response_status: response?.status,
    response_headers: response && storableHeaders(response.headers),
    response_body: response && storable(response.body.subarray(0, MAX_STORED_BODY_BYTES).toString('utf8')),
    error: error && storable(error),
  }));
}

import { type Clock, timesOf } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { storable } from '../db/storable.ts';
import { HELD } from '../engine/queue.ts';
import type { OutboundResponse } from '../outbound/exchange.ts';
import type { OutboundTimings } from '../outbound/outbound-error.ts';

const BATCH = 300;
/**
 * Under load a batch waits until it is worth its commit: for one client, recording a result takes 110 µs in a batch of
 * 15, 85 in one of 30, 70 in one of 64 and 62 in one of 128, commit included.
 */
const WORTH_A_COMMIT = 128;
const GATHER_MS = 20;
/** A batch of so few says that there is no load: the next result is written as soon as it is there. */
const FEW = 4;
const BODY_KEPT_BYTES = 1024;

interface AttemptedDelivery {
  id: string;
  tenant_id: string;
  webhook_id: string;
  /** How many attempts the row had when it was claimed: if it has another number now, this result does not count. */
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

const recordAttempts = statement<
  [
    nows: string[],
    ids: string[],
    tenantIds: string[],
    attempts: number[],
    statuses: string[],
    dueAt: (Date | null)[],
    startedAt: string[],
    timings: string[],
    responseStatuses: (number | null)[],
    responseHeaders: (string | null)[],
    responseBodies: (string | null)[],
    errors: (string | null)[],
    webhookIds: string[],
    urls: string[],
  ]
>(
  'deliveries.record',
  // A webhook's row is locked before its deliveries' rows, here as everywhere, and only when its health changes: that
  // is why the second update asks for the first. A delivery that was cancelled while it was under way stays so, unless
  // it arrived; the attempt was made in any case.
  `with results as (
     select * from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::int[], $5::text[], $6::timestamptz[],
                          $7::timestamptz[], $8::text[], $9::int[], $10::text[], $11::text[], $12::text[],
                          $13::uuid[], $14::text[])
       as r (now, id, tenant_id, attempts, status, due_at, started_at, timings, response_status, response_headers,
             response_body, error, webhook_id, url)),
   noted as (
     update webhooks w set failing_since = case when h.is_well then null else h.since end
       from (select webhook_id, tenant_id, bool_or(status = 'delivered') as is_well, min(started_at) as since
               from results group by webhook_id, tenant_id) h
      where w.id = h.webhook_id and w.tenant_id = h.tenant_id and (w.failing_since is not null) = h.is_well
     returning w.id),
   counted as (
     update deliveries d set attempts = r.attempts + 1, updated_at = r.now,
            status = case when d.due_at is not null or r.status = 'delivered' then r.status else d.status end,
            due_at = case when d.due_at is not null then r.due_at end
       from results r
      where d.id = r.id and d.tenant_id = r.tenant_id and d.attempts = r.attempts
        and (d.due_at is not null or d.status = 'cancelled') and (select count(*) from noted) >= 0
     returning d.id)
   insert into attempts (delivery_id, tenant_id, number, started_at, timings, response_status, response_headers,
                         response_body, error, url)
   select r.id, r.tenant_id, r.attempts + 1, r.started_at, r.timings::jsonb, r.response_status,
          r.response_headers::jsonb, r.response_body, r.error, r.url
     from results r join counted using (id)`,
);
const cancelDelivery = statement<[id: string, tenantId: string, now: Date]>(
  'deliveries.cancel',
  // It was seen that the webhook or the event is gone; the webhook may be alive again by now.
  `update deliveries d set status = 'cancelled', due_at = null, updated_at = $3
    where d.id = $1 and d.tenant_id = $2 and d.due_at is not null and not (
      exists (select 1 from webhooks w where w.id = d.webhook_id and w.tenant_id = $2 and w.status <> 'disabled')
      and exists (select 1 from events e where e.id = d.event_id and e.tenant_id = $2))`,
);

const holdDelivery = statement<[id: string, tenantId: string, webhookId: string, now: Date]>(
  'deliveries.hold',
  // Whoever makes the webhook active meanwhile either comes first, and then nothing is held, or finds it held.
  `with paused as (
     select 1 from webhooks where id = $3 and tenant_id = $2 and status = 'inactive' for share)
   update deliveries set due_at = ${HELD}, updated_at = $4
    where id = $1 and tenant_id = $2 and due_at is not null and exists (select 1 from paused)`,
);

export interface Recorder {
  /** Resolves once the attempt is committed, together with others that ended at about the same time. */
  attempt(result: DeliveryResult): Promise<void>;
  /** Gives up a delivery whose webhook is deleted or disabled, or whose event is no longer kept. */
  cancel(delivery: { id: string; tenant_id: string }): Promise<void>;
  /** Keeps a delivery back for as long as its webhook is paused. */
  hold(delivery: { id: string; tenant_id: string; webhook_id: string }): Promise<void>;
}

interface Waiting {
  result: DeliveryResult;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** Writes results in batches: while one batch is being committed, the next one gathers. */
export function recorder(db: Database, clock: Clock): Recorder {
  let waiting: Waiting[] = [];
  let writing = false;
  /** Ends the pause in which a batch gathers. */
  let go: (() => void) | undefined;

  async function flush(): Promise<number> {
    const batch = waiting.slice(0, BATCH);
    waiting = waiting.slice(BATCH);
    try {
      await db.run(
        recordAttempts,
        parametersOf(
          batch.map(({ result }) => result),
          clock,
        ),
      );
      for (const { resolve } of batch) resolve();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    return batch.length;
  }

  const gathered = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, GATHER_MS);
      go = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  async function write(): Promise<void> {
    writing = true;
    while (waiting.length > 0) {
      const written = await flush();
      if (written > FEW && waiting.length < WORTH_A_COMMIT) await gathered();
    }
    writing = false;
  }

  return {
    attempt: (result) =>
      new Promise((resolve, reject) => {
        waiting.push({ result, resolve, reject });
        if (!writing) void write();
        else if (waiting.length === WORTH_A_COMMIT) go?.();
      }),
    async cancel({ id, tenant_id }) {
      await db.run(cancelDelivery, [id, tenant_id, clock.now(tenant_id)]);
    },
    async hold({ id, tenant_id, webhook_id }) {
      await db.run(holdDelivery, [id, tenant_id, webhook_id, clock.now(tenant_id)]);
    },
  };
}

/** To a hundredth of a millisecond: what is finer is noise. */
const rounded = (ms: number | null): number | null => ms && Math.round(ms * 100) / 100;

const timingsJson = (timings: OutboundTimings): string =>
  JSON.stringify({
    lookupMs: rounded(timings.lookupMs),
    connectMs: rounded(timings.connectMs),
    tlsMs: rounded(timings.tlsMs),
    waitMs: rounded(timings.waitMs),
    readMs: rounded(timings.readMs),
    totalMs: rounded(timings.totalMs),
  });

/** As JSON. Only what JSON writes as a code, such as NUL or half a character, can be something PostgreSQL refuses. */
function storableJson(headers: Record<string, string>): string {
  const json = JSON.stringify(headers);
  if (!json.includes('\\u')) return json;
  return JSON.stringify(
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, storable(value)])),
  );
}

function parametersOf(unsorted: DeliveryResult[], clock: Clock) {
  // Rows are always locked in the order of their ids. Two results of one attempt count once, like everywhere.
  const results = [
    ...new Map(unsorted.toReversed().map((result) => [result.delivery.id, result])).values(),
  ].sort((a, b) => (a.delivery.id < b.delivery.id ? -1 : 1));
  return [
    timesOf(
      clock,
      results.map(({ delivery }) => delivery.tenant_id),
    ),
    results.map(({ delivery }) => delivery.id),
    results.map(({ delivery }) => delivery.tenant_id),
    results.map(({ delivery }) => delivery.attempts),
    results.map((result) => result.status),
    results.map((result) => result.dueAt),
    results.map((result) => result.startedAt.toISOString()),
    results.map((result) => (result.timings ? timingsJson(result.timings) : '{}')),
    results.map((result) => result.response?.status ?? null),
    results.map((result) => result.response && storableJson(result.response.headers)),
    results.map(
      (result) =>
        result.response && storable(result.response.body.subarray(0, BODY_KEPT_BYTES).toString('utf8')),
    ),
    results.map((result) => result.error && storable(result.error)),
    results.map(({ delivery }) => delivery.webhook_id),
    results.map(({ delivery }) => delivery.url),
  ] as Parameters<NonNullable<typeof recordAttempts.types>>[0];
}

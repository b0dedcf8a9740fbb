import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { batch } from '../base/batch.ts';
import { type Clock, timesOf } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/outbox.ts';
import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { type Work, work } from '../engine/runner.ts';
import type { OutboundClient } from '../outbound/client.ts';
import type { OutboundResponse } from '../outbound/exchange.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { disableWebhook, hasFailedTooLong } from './disable.ts';
import { DELIVERIES_LIST } from './match.ts';
import { keyOf, signedHeaders } from './payload.ts';
import { type DeliveryResult, recorder } from './record.ts';
import { nextAttempt, retryAfterMs } from './schedule.ts';
import { bodyOf, SENT_COLUMNS, SENT_FROM, type SentRow } from './sent.ts';
import { SECRET } from './webhook.ts';

const DEADLINE_MS = 15_000;
const RESPONSE_BYTES = 64 * 1024;
/** Also the most connections to one origin: what tenants share there must not be one tenant's to fill. */
export const SOCKETS = 256;
const SOCKETS_PER_WEBHOOK = 32;
const SECRETS_KEPT = 10_000;
/** What was read longer ago is read again before it is sent: the webhook may be gone, paused or elsewhere by now. */
const STALE_MS = 1_000;
const GONE = 410;

/** What a webhook says about how it is called, and whether. */
interface WebhookState {
  /** Null when the webhook is gone. */
  url: string | null;
  webhook_status: string | null;
  failing_since: Date | null;
  /** As they are kept, in hexadecimal digits. */
  secret: string;
  old_secret: string | null;
  old_secret_until: Date | null;
}
interface DeliveryRow extends QueueRow, SentRow, WebhookState {
  webhook_id: string;
  attempts: number;
  earlier_attempts: number;
}
type Sendable = DeliveryRow & { url: string; type: string };

const STATE_COLUMNS = `w.url, w.status as webhook_status, w.failing_since,
  encode(w.secret_encrypted, 'hex') as secret, encode(w.old_secret_encrypted, 'hex') as old_secret, w.old_secret_until`;

const deliveries = declareQueue<DeliveryRow>({
  name: DELIVERIES_LIST,
  table: 'deliveries',
  lane: 'webhook_id',
  order: 'due_at, sequence',
  due: 'due_at',
  listed: 'due_at is not null',
  // The rows of a lane come in order, because lanes can only be gone through one after the other. Its webhook is looked
  // up once for all of them.
  claimMany: `select l.lane, d.* from unnest($1::smallint[], $2::uuid[], $4::int[]) as l (shard, lane, wanted)
     left join webhooks w on w.id = l.lane
    cross join lateral (
      select d.id, d.webhook_id, d.attempts, d.earlier_attempts, ${SENT_COLUMNS}, ${STATE_COLUMNS}
        from ${SENT_FROM}
       where d.shard = l.shard and d.webhook_id = l.lane and d.due_at <= $3 and d.id not in (select unnest($5::uuid[]))
         and d.tenant_id = coalesce(w.tenant_id, d.tenant_id)
       order by d.due_at, d.sequence limit l.wanted) d`,
  batch: 1,
  perLane: SOCKETS_PER_WEBHOOK,
  atOnce: SOCKETS,
});
const readState = statement<
  [ids: string[], tenantIds: string[], attempts: number[], nows: string[]],
  WebhookState & { id: string }
>(
  'deliveries.read_again',
  // With OFFSET each is looked up by its key. Otherwise the planner, which counts a row for each partition of the
  // deliveries, may read all webhooks of the tenant instead.
  `select d.id, ${STATE_COLUMNS}
     from unnest($1::uuid[], $2::uuid[], $3::int[], $4::timestamptz[]) as r (id, tenant_id, attempts, now)
    cross join lateral (
      select id, tenant_id, webhook_id from deliveries
       where id = r.id and tenant_id = r.tenant_id and attempts = r.attempts and due_at <= r.now offset 0) d
     left join lateral (
       select * from webhooks where id = d.webhook_id and tenant_id = d.tenant_id offset 0) w on true`,
);
/** When everything is late, much is read again: then every delivery would cost a statement more. */
const READ_TOGETHER = { maxBatch: 100, underWay: 2 };

interface DeliverDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  outbound: OutboundClient;
  publisher: Publisher;
  log: Logger;
  version: string;
  /** How long one attempt may take in all; shorter in tests. */
  deliveryDeadlineMs?: number;
}

/** Sends what is due to webhooks, signed, and records every attempt. */
export function deliver(deps: DeliverDeps): Work {
  const { db, clock, keys, outbound, version, deliveryDeadlineMs: deadlineMs = DEADLINE_MS } = deps;
  const record = recorder(db, clock);
  const signingKeys = new LRUCache<string, Buffer>({ max: SECRETS_KEPT });
  const signingKeyOf = (encrypted: string): Buffer => {
    let key = signingKeys.get(encrypted);
    if (!key) {
      key = keyOf(keys.decrypt(Buffer.from(encrypted, 'hex'), SECRET));
      signingKeys.set(encrypted, key);
    }
    return key;
  };

  /** The secrets in force: while a rotation is under way, the old one too. */
  const secretsOf = ({ secret, old_secret, old_secret_until }: Sendable, at: Date): string[] =>
    old_secret !== null && old_secret_until !== null && old_secret_until > at
      ? [secret, old_secret]
      : [secret];

  function send(row: Sendable, startedAt: Date): Promise<OutboundResponse> {
    const body = bodyOf(row);
    const keysInForce = secretsOf(row, startedAt).map(signingKeyOf);
    return outbound.request({
      url: row.url,
      method: 'POST',
      // Receivers compare the time with their own, whatever that of the tenant is.
      headers: signedHeaders(version, row.event_id, clock.real(), body, keysInForce),
      body,
      deadlineMs,
      maxResponseBytes: RESPONSE_BYTES,
    });
  }

  async function attempt(row: Sendable): Promise<DeliveryResult> {
    const startedAt = clock.now(row.tenant_id);
    const failed = (askedMs: number, outcome: Pick<DeliveryResult, 'timings' | 'response' | 'error'>) => {
      const made = row.attempts + 1 - row.earlier_attempts;
      const isGone = outcome.response?.status === GONE;
      const dueAt = isGone ? null : nextAttempt(made, clock.now(row.tenant_id), askedMs, Math.random());
      const status = dueAt === null ? ('failed' as const) : ('pending' as const);
      return { delivery: row, startedAt, status, dueAt, ...outcome };
    };
    try {
      const response = await send(row, startedAt);
      const { status, headers, timings } = response;
      // Written out: results and headers that were put together by spreading cost about 40 of a delivery's 220 µs.
      if (status >= 200 && status < 300)
        return { delivery: row, startedAt, status: 'delivered', dueAt: null, timings, response, error: null };
      const error = `The receiver answered ${status}; only 2xx counts as received.`;
      return failed(retryAfterMs(headers['retry-after'], clock.real()), { timings, response, error });
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const { message, timings = null } = error;
      return failed(0, { timings, response: null, error: message });
    }
  }

  const stateOf = batch<DeliveryRow, WebhookState | undefined>(async (rows) => {
    const found = await db.all(readState, [
      rows.map((row) => row.id),
      rows.map((row) => row.tenant_id),
      rows.map((row) => row.attempts),
      timesOf(
        clock,
        rows.map((row) => row.tenant_id),
      ),
    ]);
    const states = new Map(found.map(({ id, ...state }) => [id, state]));
    return rows.map((row) => states.get(row.id));
  }, READ_TOGETHER);

  const isStale = (row: DeliveryRow): boolean => performance.now() - (row.readAt ?? 0) >= STALE_MS;

  /** The row as it is now; undefined when it is no longer due. */
  async function readAgain(row: DeliveryRow): Promise<DeliveryRow | undefined> {
    const state = await stateOf(row);
    return state && { ...row, ...state };
  }

  return work(deliveries, async ([claimed]) => {
    const row = claimed && isStale(claimed) ? await readAgain(claimed) : claimed;
    if (!row) return 'ok';
    if (row.url === null || row.type === null || row.webhook_status === 'disabled') {
      await record.cancel(row);
      return 'ok';
    }
    if (row.webhook_status === 'inactive') {
      await record.hold(row);
      return 'ok';
    }
    const result = await attempt(row as Sendable);
    const stored = record.attempt(result);
    if (result.status === 'delivered') return { outcome: 'ok', stored };
    await stored;
    if (result.response?.status === GONE)
      await disableWebhook(db, row.tenant_id, row.webhook_id, 'gone', deps);
    else if (hasFailedTooLong(row.failing_since, result.startedAt))
      await disableWebhook(db, row.tenant_id, row.webhook_id, 'failing', deps);
    return 'failing';
  });
}

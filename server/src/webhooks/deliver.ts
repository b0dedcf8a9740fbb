import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import { type WorkRow, workList } from '../engine/work-list.ts';
import { type Work, work } from '../engine/worker.ts';
import type { OutboundClient } from '../outbound/client.ts';
import type { OutboundResponse } from '../outbound/exchange.ts';
import { OutboundError } from '../outbound/outbound-error.ts';
import { DELIVERIES_LIST } from './match.ts';
import { keyOf, payloadOf, signatureHeaders } from './payload.ts';
import { type DeliveryResult, recorder } from './record.ts';
import { nextAttempt, retryAfterMs } from './schedule.ts';
import { SECRET } from './webhook.ts';

const DEADLINE_MS = 15_000;
const RESPONSE_BYTES = 64 * 1024;
const SOCKETS = 256;
const SOCKETS_PER_WEBHOOK = 32;
const SECRETS_KEPT = 10_000;

interface DeliveryRow extends WorkRow {
  attempts: number;
  sequence: number;
  event_id: string;
  type: string | null;
  event_created_at: Date;
  channel_id: string | null;
  data: string;
  /** Null when the webhook is gone. */
  url: string | null;
  webhook_status: string | null;
  secret_encrypted: Buffer;
  v2_type: string | null;
}

const deliveries = workList<DeliveryRow>({
  name: DELIVERIES_LIST,
  table: 'deliveries',
  lane: 'webhook_id',
  order: 'due_at, sequence',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select d.id, d.tenant_id, d.attempts, d.sequence, d.event_id, e.type, e.created_at as event_created_at,
                 e.channel_id, e.data, w.url, w.status as webhook_status, w.secret_encrypted, w.v2_type
            from deliveries d
            left join events e on e.id = d.event_id and e.tenant_id = d.tenant_id
            left join webhooks w on w.id = d.webhook_id and w.tenant_id = d.tenant_id
           where d.slot = $1 and d.webhook_id = $2 and d.due_at <= $3 order by d.due_at, d.sequence limit $4`,
  batch: 1,
  perLane: SOCKETS_PER_WEBHOOK,
  atOnce: SOCKETS,
});

interface DeliverNeeds {
  db: Database;
  clock: Clock;
  keys: Keys;
  outbound: OutboundClient;
  version: string;
}

/** Sends what is due to webhooks, signed, and records every attempt. */
export function deliver({ db, clock, keys, outbound, version }: DeliverNeeds): Work {
  const record = recorder(db, clock);
  const signingKeys = new LRUCache<string, Buffer>({ max: SECRETS_KEPT });
  const signingKeyOf = (sealed: Buffer): Buffer => {
    const name = sealed.toString('latin1');
    let key = signingKeys.get(name);
    if (!key) {
      key = keyOf(keys.decrypt(sealed, SECRET));
      signingKeys.set(name, key);
    }
    return key;
  };

  function send(row: DeliveryRow, url: string, startedAt: Date): Promise<OutboundResponse> {
    const body = payloadOf({
      id: row.event_id,
      type: row.type as string,
      createdAt: row.event_created_at,
      tenantId: row.tenant_id,
      channelId: row.channel_id,
      sequence: row.sequence,
      data: row.data,
      v2Type: row.v2_type,
    });
    return outbound.request({
      url,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': `Parley/${version}`,
        ...signatureHeaders(signingKeyOf(row.secret_encrypted), row.event_id, startedAt, body),
      },
      body,
      deadlineMs: DEADLINE_MS,
      maxResponseBytes: RESPONSE_BYTES,
    });
  }

  async function attempt(row: DeliveryRow, url: string): Promise<DeliveryResult> {
    const startedAt = clock.now();
    const made = row.attempts + 1;
    const failed = (askedMs: number) => {
      const dueAt = nextAttempt(made, clock.now(), askedMs, Math.random());
      return { status: dueAt === null ? ('failed' as const) : ('pending' as const), dueAt };
    };
    const base = { id: row.id, tenantId: row.tenant_id, attempts: row.attempts, startedAt };
    try {
      const response = await send(row, url, startedAt);
      const isSuccess = response.status >= 200 && response.status < 300;
      return {
        ...base,
        ...(isSuccess
          ? { status: 'delivered', dueAt: null }
          : failed(retryAfterMs(response.headers['retry-after'], clock.now()))),
        response,
        error: isSuccess ? null : `The receiver answered ${response.status}; only 2xx counts as received.`,
      };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { ...base, ...failed(0), response: null, error: error.message };
    }
  }

  return work(deliveries, async ([row]) => {
    if (!row) return 'ok';
    if (row.url === null || row.webhook_status !== 'active' || row.type === null) {
      await record.cancel(row);
      return 'ok';
    }
    const result = await attempt(row, row.url);
    await record.attempt(result);
    return result.status === 'delivered' ? 'ok' : 'failing';
  });
}

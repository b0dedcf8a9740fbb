import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { HELD } from '../engine/queue.ts';
import type { CanRead } from '../http/permissions.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { unsignedHeaders } from './payload.ts';
import { findMissingScope } from './read-scopes.ts';
import {
  deliveryStatuses,
  type FoundDelivery,
  type WebhookDelivery,
  type WebhookDeliveryWithAttempts,
} from './schema.ts';
import { bodyOf, joinEvent, type SentRow, sentColumns } from './sent.ts';

export interface DeliveryRow {
  id: string;
  webhook_id: string;
  event_id: string;
  event_type: string;
  sequence: number;
  status: WebhookDelivery['status'];
  attempts: number;
  next_attempt_at: Date | null;
  created_at: Date;
  updated_at: Date;
}

type Attempt = WebhookDeliveryWithAttempts['attempts'][number];

interface AttemptRow {
  number: number;
  started_at: Date;
  url: string | null;
  timings: Partial<Attempt['timings']>;
  response_status: number | null;
  response_headers: Record<string, string>;
  response_body: string;
  error: string | null;
}

/** A delivery that is due now has no time in `due_at`: it is due since its last change. One that is held is not due. */
export const DELIVERY_COLUMNS = `d.id, d.webhook_id, d.event_id, d.event_type, d.sequence, d.status, d.attempts,
  case when d.due_at < ${HELD} then greatest(d.due_at, d.updated_at) end as next_attempt_at,
  d.created_at, d.updated_at`;

const deliveryById = statement<[id: string], DeliveryRow & SentRow>(
  'deliveries.by_id',
  `select ${DELIVERY_COLUMNS}, d.tenant_id, ${sentColumns('d', 'w')} from deliveries d ${joinEvent('d')}
     left join webhooks w on w.id = d.webhook_id and w.tenant_id = d.tenant_id
    where d.id = $1 and d.tenant_id = $tenant`,
);
const attemptsOf = statement<[deliveryId: string], AttemptRow>(
  'deliveries.attempts',
  `select number, started_at, url, timings, response_status, response_headers, response_body, error
     from attempts where delivery_id = $1 and tenant_id = $tenant order by number`,
);

export const presentDelivery = (row: DeliveryRow): WebhookDelivery => ({
  id: row.id,
  webhookId: row.webhook_id,
  eventId: row.event_id,
  eventType: row.event_type,
  sequence: row.sequence,
  status: row.status,
  attemptCount: row.attempts,
  nextAttemptAt: timestampOrNull(row.next_attempt_at),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const NO_TIMINGS: Attempt['timings'] = {
  lookupMs: null,
  connectMs: null,
  tlsMs: null,
  waitMs: null,
  readMs: null,
  totalMs: null,
};

const presentAttempt = (row: AttemptRow, eventId: string, version: string): Attempt => ({
  number: row.number,
  startedAt: timestamp(row.started_at),
  timings: { ...NO_TIMINGS, ...row.timings },
  request: { url: row.url, headers: unsignedHeaders(version, eventId, row.started_at) },
  response:
    row.response_status === null
      ? null
      : { status: row.response_status, headers: row.response_headers, body: row.response_body },
  error: row.error,
});

/** Returns a delivery with all its attempts. The body is built from the event, which does not change. */
export async function requireDelivery(
  db: TenantReader,
  deliveryId: string,
  version: string,
  canRead: CanRead,
): Promise<WebhookDeliveryWithAttempts> {
  const row = isUuid(deliveryId) ? await db.find(deliveryById, [deliveryId]) : undefined;
  if (!row) throw new ApiError('webhook_delivery_not_found');
  const attempts = await db.all(attemptsOf, [deliveryId]);
  return {
    ...presentDelivery(row),
    requestBody:
      row.type === null || findMissingScope(row.type, canRead) ? null : bodyOf({ ...row, type: row.type }),
    attempts: attempts.map((attempt) => presentAttempt(attempt, row.event_id, version)),
  };
}

export const deliveryFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'd.id' },
    eventType: { type: 'string', sql: 'd.event_type' },
    status: { type: 'enum', sql: 'd.status', values: deliveryStatuses },
    createdAt: { type: 'time', sql: 'd.created_at' },
    updatedAt: { type: 'time', sql: 'd.updated_at' },
  },
  names: ['d.event_type'],
  id: 'd.id',
};
const COUNT_CAP = 10_000;

/** The deliveries of one webhook. */
export const deliverySource = (webhookId: string): SearchSource => ({
  select: DELIVERY_COLUMNS,
  from: 'deliveries d',
  tenantColumn: 'd.tenant_id',
  where: (bind) => `d.webhook_id = ${bind(webhookId)}`,
  countCap: COUNT_CAP,
});

interface FoundRow extends DeliveryRow {
  response_status: number | null;
  total_ms: number | null;
}

export const presentFoundDelivery = (row: FoundRow): FoundDelivery => ({
  ...presentDelivery(row),
  responseStatus: row.response_status,
  totalMs: row.total_ms,
});

/** SQL of the last attempt of a delivery. */
const ofLastAttempt = (column: string): string =>
  `select ${column} from attempts a where a.delivery_id = d.id and (a.tenant_id = d.tenant_id) is true
    order by a.number desc limit 1`;
const RESPONSE_STATUS = ofLastAttempt('a.response_status');

/** What deliveries of all webhooks can be searched by. */
export const foundDeliveryFields: Searchable = {
  ...deliveryFields,
  fields: {
    ...deliveryFields.fields,
    webhookId: { type: 'uuid', sql: 'd.webhook_id' },
    eventId: { type: 'uuid', sql: 'd.event_id' },
    responseStatus: { type: 'number', sql: `(${RESPONSE_STATUS})`, nullable: true },
  },
};

/** The deliveries of all webhooks of a tenant. An index leads to those of a webhook, in the order of creation. */
export const allDeliverySource: SearchSource = {
  select: `${DELIVERY_COLUMNS}, (${RESPONSE_STATUS}) as response_status,
    (${ofLastAttempt(`(a.timings ->> 'totalMs')::float8`)}) as total_ms`,
  from: 'webhooks w join deliveries d on d.webhook_id = w.id and (d.tenant_id = w.tenant_id) is true',
  tenantColumn: 'w.tenant_id',
  countCap: COUNT_CAP,
};

import type { Clock } from '../base/clock.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { EventType } from '../engine/event-types.ts';
import { AT_ONCE } from '../engine/queue.ts';
import { publishNumbered, type SequencedEvent } from '../engine/sequencer.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { timestamp } from '../http/schema.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, presentDelivery } from './deliveries.ts';
import { insertNew, subscriptions, typesOf, wakeAfterCommit } from './match.ts';
import type { ApiWebhook, RecoveryResult, WebhookDelivery } from './schema.ts';
import { requireWebhook } from './webhook.ts';

export interface ReplayDeps {
  clock: Clock;
  wakeUps: WakeUps;
}

/** How many deliveries one call makes due, so that it stays within seconds; the answer says where to go on. */
const AT_MOST = 10_000;

/** A test is for the webhook that was tested, and for no other. */
const isForAll = (type: EventType): boolean => type !== 'webhook.test';

/** Due at once, and with the whole schedule before it again. */
const DUE_AGAIN = `status = 'pending', due_at = ${AT_ONCE}, earlier_attempts = d.attempts`;

const oneDelivery = statement<[id: string, tenantId: string], DeliveryRow>(
  'deliveries.one',
  `select ${DELIVERY_COLUMNS} from deliveries d where d.id = $1 and d.tenant_id = $2`,
);
const lockDelivery = statement<
  [id: string, tenantId: string],
  { id: string; webhook_id: string; status: string; webhook_status: string | null; has_event: boolean }
>(
  'deliveries.lock',
  `select d.id, d.webhook_id, d.status, w.status as webhook_status,
          exists (select 1 from events e where e.id = d.event_id and e.tenant_id = d.tenant_id) as has_event
     from deliveries d left join webhooks w on w.id = d.webhook_id and w.tenant_id = d.tenant_id
    where d.id = $1 and d.tenant_id = $2 for update of d`,
);
const repeat = statement<[ids: string[], tenantId: string, now: Date]>(
  'deliveries.repeat',
  `update deliveries d set ${DUE_AGAIN}, updated_at = $3 where d.id = any ($1::uuid[]) and d.tenant_id = $2`,
);
const lockWebhook = statement<[id: string, tenantId: string], { status: ApiWebhook['status'] }>(
  'webhooks.lock',
  'select status from webhooks where id = $1 and tenant_id = $2 for update',
);
interface MissedRow extends SequencedEvent {
  created_at: Date;
  delivery_id: string | null;
}
const missed = statement<
  [tenantId: string, webhookId: string, since: Date, until: Date | null, lines: string, limit: number],
  MissedRow
>(
  'deliveries.missed',
  // A delivery is made after its event, but by another clock: a day is more than those differ.
  `select e.id, e.tenant_id, e.type, e.channel_id, e.sequence, e.created_at, d.id as delivery_id
     from events e
     left join deliveries d on d.event_id = e.id and d.tenant_id = $1 and d.webhook_id = $2
                           and d.created_at >= $3::timestamptz - interval '1 day'
    where e.tenant_id = $1 and e.created_at >= $3 and ($4::timestamptz is null or e.created_at < $4)
      and e.sequence is not null and (d.id is null or d.status in ('failed', 'cancelled'))
      and exists (select 1 from json_to_recordset($5::json) as line (types text[], channels uuid[])
                   where e.type = any (line.types) and (line.channels is null or e.channel_id = any (line.channels)))
    order by e.created_at, e.id limit $6`,
);

const notActive = (status: string): ApiError =>
  new ApiError('conflict', { detail: `the webhook is ${status}; make it active first` });

async function requireActive(tx: Tx, tenantId: string, webhookId: string): Promise<void> {
  const webhook = isUuid(webhookId) ? await tx.find(lockWebhook, [webhookId, tenantId]) : undefined;
  if (!webhook) throw new ApiError('api_webhook_not_found');
  if (webhook.status !== 'active') throw notActive(webhook.status);
}

const requireOne = async (tx: Tx, tenantId: string, id: string): Promise<WebhookDelivery> =>
  presentDelivery((await tx.find(oneDelivery, [id, tenantId])) as DeliveryRow);

/** Sends `webhook.test` to one webhook, whatever it subscribes to, in the way of every event. */
export async function testWebhook(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  { clock, wakeUps }: ReplayDeps,
): Promise<WebhookDelivery> {
  await requireActive(tx, tenantId, webhookId);
  const webhook = await requireWebhook(tx, tenantId, webhookId);
  const now = clock.now(tenantId);
  const event = await publishNumbered(
    tx,
    tenantId,
    { type: 'webhook.test', channelId: null, contactId: null, chatId: null, data: webhook },
    now,
  );
  const [id] = await insertNew(tx, tenantId, [{ event, webhookId: webhook.id }], { wakeUps, now });
  return requireOne(tx, tenantId, id as string);
}

/** Makes a finished delivery due again, under the same id and with the same bytes. */
export async function retryDelivery(
  tx: Tx,
  tenantId: string,
  deliveryId: string,
  { clock, wakeUps }: ReplayDeps,
): Promise<WebhookDelivery> {
  const row = isUuid(deliveryId) ? await tx.find(lockDelivery, [deliveryId, tenantId]) : undefined;
  if (!row) throw new ApiError('webhook_delivery_not_found');
  if (row.webhook_status === null) throw new ApiError('conflict', { detail: 'the webhook is deleted' });
  if (row.webhook_status !== 'active') throw notActive(row.webhook_status);
  if (row.status === 'pending')
    throw new ApiError('conflict', { detail: 'the delivery is still pending, its next attempt is to come' });
  if (!row.has_event)
    throw new ApiError('conflict', { detail: 'the event is no longer kept, so there is nothing to send' });
  await tx.run(repeat, [[row.id], tenantId, clock.now(tenantId)]);
  wakeAfterCommit(tx, tenantId, wakeUps, [row.webhook_id]);
  return requireOne(tx, tenantId, row.id);
}

/**
 * Makes due, in order, every event of a time range that the webhook subscribes to today and has not received: those
 * whose delivery failed or was cancelled, and those that came while it was paused, disabled or not yet there.
 */
export async function recoverDeliveries(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  range: { since: string; until?: string },
  { clock, wakeUps }: ReplayDeps,
): Promise<RecoveryResult> {
  const now = clock.now(tenantId);
  const since = new Date(range.since);
  const until = range.until === undefined ? null : new Date(range.until);
  if (since > now) throw invalidParam('since', 'custom', 'Must not be in the future');
  if (until !== null && until <= since) throw invalidParam('until', 'custom', 'Must be after since');
  await requireActive(tx, tenantId, webhookId);
  const id = webhookId.toLowerCase();
  const lines = (await tx.all(subscriptions, [tenantId]))
    .filter((line) => line.webhook_id === id)
    .map((line) => ({ types: typesOf(line.type_pattern).filter(isForAll), channels: line.channel_ids }));
  // On young tables the planner expects few rows and compares each event with each delivery.
  await tx.query('set local enable_nestloop = off', []);
  const found = await tx.all(missed, [tenantId, id, since, until, JSON.stringify(lines), AT_MOST]);
  const known = found.flatMap(({ delivery_id }) => (delivery_id === null ? [] : [delivery_id]));
  const unknown = found.filter(({ delivery_id }) => delivery_id === null);
  await tx.run(repeat, [known, tenantId, now]);
  await insertNew(
    tx,
    tenantId,
    unknown.map((event) => ({ event, webhookId: id })),
    { wakeUps, now },
  );
  wakeAfterCommit(tx, tenantId, wakeUps, [id]);
  const last = found.length === AT_MOST ? found.at(-1) : undefined;
  return { count: found.length, nextSince: last ? timestamp(last.created_at) : null };
}

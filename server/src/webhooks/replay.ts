import { ApiError, invalidParam } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import { publishNumbered, type SequencedEvent } from '../engine/sequencer.ts';
import { timestamp } from '../http/schema.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, presentDelivery } from './deliveries.ts';
import { insertDeliveries, subscriptions, typesOf } from './match.ts';
import { deliveriesQueue } from './queues.ts';
import type { ApiWebhook, RecoveryResult, WebhookDelivery } from './schema.ts';
import { requireWebhook } from './webhook.ts';

/** How many deliveries one call makes due, so that it takes seconds at most; the answer says where to continue. */
const MAX_RECOVERED = 10_000;

/** A test event is for the tested webhook only. */
const isForAll = (type: EventType): boolean => type !== 'webhook.test';

/** Due now, and with all attempts of the schedule again. */
const DUE_AGAIN = `status = 'pending', due_at = ${DUE_NOW}, earlier_attempts = d.attempts`;

const oneDelivery = statement<[id: string], DeliveryRow>(
  'deliveries.one',
  `select ${DELIVERY_COLUMNS} from deliveries d where d.id = $1 and d.tenant_id = $tenant`,
);
const lockDelivery = statement<
  [id: string],
  { id: string; webhook_id: string; status: string; webhook_status: string | null; has_event: boolean }
>(
  'deliveries.lock',
  `select d.id, d.webhook_id, d.status, w.status as webhook_status,
          exists (select 1 from visible_events e where e.id = d.event_id and e.tenant_id = d.tenant_id) as has_event
     from deliveries d left join webhooks w on w.id = d.webhook_id and w.tenant_id = d.tenant_id
    where d.id = $1 and d.tenant_id = $tenant for no key update of d`,
);
const repeat = statement<[ids: string[], now: Date]>(
  'deliveries.repeat',
  `with chosen as (
     select id from deliveries where id = any ($1::uuid[]) and tenant_id = $tenant order by id for no key update)
   update deliveries d set ${DUE_AGAIN}, updated_at = $2 from chosen where d.id = chosen.id and d.tenant_id = $tenant`,
);
export const lockWebhook = statement<[id: string], { status: ApiWebhook['status'] }>(
  'webhooks.lock',
  'select status from webhooks where id = $1 and tenant_id = $tenant for no key update',
);
interface MissedRow extends SequencedEvent {
  created_at: Date;
  delivery_id: string | null;
}
const missed = statement<
  [webhookId: string, since: Date, until: Date | null, subscriptions: string, limit: number],
  MissedRow
>(
  'deliveries.missed',
  // A delivery is created after its event, but by the clock of another process: a day is more than clocks differ.
  `select e.id, e.tenant_id, e.type, e.channel_id, e.sequence, e.created_at, d.id as delivery_id
     from visible_events e
     left join deliveries d on d.event_id = e.id and d.tenant_id = $tenant and d.webhook_id = $1
                           and d.created_at >= $2::timestamptz - interval '1 day'
    where e.tenant_id = $tenant and e.created_at >= $2 and ($3::timestamptz is null or e.created_at < $3)
      and e.sequence is not null and (d.id is null or d.status in ('failed', 'cancelled'))
      and exists (select 1 from json_to_recordset($4::json) as s (types text[], channels uuid[])
                   where e.type = any (s.types) and (s.channels is null or e.channel_id = any (s.channels)))
    order by e.created_at, e.id limit $5`,
);

export const notActive = (status: string): ApiError =>
  new ApiError('conflict', { detail: `the webhook is ${status}; make it active first` });

async function requireActive(tx: TenantTx, webhookId: string): Promise<void> {
  const webhook = isUuid(webhookId) ? await tx.find(lockWebhook, [webhookId]) : undefined;
  if (!webhook) throw new ApiError('api_webhook_not_found');
  if (webhook.status !== 'active') throw notActive(webhook.status);
}

const requireOne = async (tx: TenantTx, id: string): Promise<WebhookDelivery> =>
  presentDelivery((await tx.find(oneDelivery, [id])) as DeliveryRow);

/** Sends `webhook.test` to one webhook, independent of its subscriptions, in the same way as every event. */
export async function testWebhook(tx: TenantTx, webhookId: string): Promise<WebhookDelivery> {
  const webhook = await requireWebhook(tx, webhookId);
  // The tenant's counter is locked before the webhook, as everywhere.
  const event = await publishNumbered(tx, {
    type: 'webhook.test',
    channelId: null,
    contactId: null,
    chatId: null,
    data: webhook,
  });
  await requireActive(tx, webhook.id);
  const [id] = insertDeliveries(tx, [{ event, webhookId: webhook.id }]);
  return requireOne(tx, id as string);
}

/** Makes deliveries due again that have ended. The caller has locked them and their webhook. */
export async function repeatDeliveries(tx: TenantTx, webhookId: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.run(repeat, [ids, tx.now]);
  tx.wake(deliveriesQueue, webhookId);
}

/** Makes a finished delivery due again, under the same id and with the same bytes. */
export async function retryDelivery(tx: TenantTx, deliveryId: string): Promise<WebhookDelivery> {
  const row = isUuid(deliveryId) ? await tx.find(lockDelivery, [deliveryId]) : undefined;
  if (!row) throw new ApiError('webhook_delivery_not_found');
  if (row.webhook_status === null) throw new ApiError('conflict', { detail: 'the webhook is deleted' });
  if (row.webhook_status !== 'active') throw notActive(row.webhook_status);
  if (row.status === 'pending')
    throw new ApiError('conflict', { detail: 'the delivery is still pending, its next attempt is to come' });
  if (!row.has_event)
    throw new ApiError('conflict', { detail: 'the event is no longer stored, so there is nothing to send' });
  await tx.run(repeat, [[row.id], tx.now]);
  tx.wake(deliveriesQueue, row.webhook_id);
  return requireOne(tx, row.id);
}

/**
 * Makes due, in order, every event of a time range that matches the webhook's present subscriptions and that it has not
 * received: those whose delivery failed or was cancelled, and those published while it was paused, disabled or did not
 * exist yet.
 */
export async function recoverDeliveries(
  tx: TenantTx,
  webhookId: string,
  range: { since: string; until?: string },
): Promise<RecoveryResult> {
  const since = new Date(range.since);
  const until = range.until === undefined ? null : new Date(range.until);
  if (since > tx.now) throw invalidParam('since', 'custom', 'Must not be in the future');
  if (until !== null && until <= since) throw invalidParam('until', 'custom', 'Must be after since');
  await requireActive(tx, webhookId);
  const id = webhookId.toLowerCase();
  const wanted = (await tx.all(subscriptions, []))
    .filter(({ webhook_id }) => webhook_id === id)
    .map(({ type_pattern, channel_ids }) => ({
      types: typesOf(type_pattern).filter(isForAll),
      channels: channel_ids,
    }));
  // On new tables the planner expects few rows and would compare each event with each delivery.
  await tx.query('set local enable_nestloop = off', []);
  const found = await tx.all(missed, [id, since, until, JSON.stringify(wanted), MAX_RECOVERED]);
  const known = found.flatMap(({ delivery_id }) => (delivery_id === null ? [] : [delivery_id]));
  const unknown = found.filter(({ delivery_id }) => delivery_id === null);
  await tx.run(repeat, [known, tx.now]);
  insertDeliveries(
    tx,
    unknown.map((event) => ({ event, webhookId: id })),
  );
  tx.wake(deliveriesQueue, id);
  const last = found.length === MAX_RECOVERED ? found.at(-1) : undefined;
  return { count: found.length, nextSince: last ? timestamp(last.created_at) : null };
}

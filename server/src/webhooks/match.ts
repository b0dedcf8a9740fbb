import { type EventType, eventTypes } from '../base/events.ts';
import { newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { PublishedEvent } from '../engine/outbox.ts';
import { DUE_NOW, shardOf } from '../engine/queue.ts';
import type { Consequences, SequencedEvent } from '../engine/sequencer.ts';
import { deliveriesQueue } from './queues.ts';

interface Subscription {
  webhook_id: string;
  type_pattern: string | null;
  channel_ids: string[] | null;
}

/** The entries of `events` of every active webhook of a tenant. */
export const subscriptions = statement<[], Subscription>(
  'webhooks.subscriptions',
  // A kind stands for all channels of it, also those created later.
  `select w.id as webhook_id, e.type_pattern,
          case when e.channel_kinds is null then e.channel_ids
               else array(select c.id from visible_channels c
                           where c.tenant_id = $tenant and c.kind = any (e.channel_kinds)) || coalesce(e.channel_ids, '{}')
          end as channel_ids
     from webhooks w join webhook_events e on e.webhook_id = w.id
    where w.tenant_id = $tenant and w.status = 'active'`,
);
const insertRows = statement<
  [
    now: Date,
    ids: string[],
    webhookIds: string[],
    shards: number[],
    eventIds: string[],
    types: string[],
    sequences: number[],
  ]
>(
  'deliveries.insert',
  `insert into deliveries (id, tenant_id, webhook_id, shard, event_id, event_type, sequence, status, due_at,
                           created_at, updated_at)
   select d.id, $tenant, d.webhook_id, d.shard, d.event_id, d.type, d.sequence, 'pending', ${DUE_NOW}, $1, $1
     from unnest($2::uuid[], $3::uuid[], $4::smallint[], $5::uuid[], $6::text[], $7::bigint[])
       as d (id, webhook_id, shard, event_id, type, sequence)`,
);

const matchesType = (pattern: string | null, type: string): boolean =>
  pattern === null || pattern === type || (pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1)));

/** The types of stored events that a pattern matches. */
export const typesOf = (pattern: string | null): EventType[] =>
  eventTypes.filter((type) => matchesType(pattern, type));

/** Whether a pattern matches any type of these. */
export const isKnownPattern = (pattern: string, types: readonly string[] = eventTypes): boolean =>
  types.some((type) => matchesType(pattern, type));

/** Whether a subscription matches an event. With channels, only events of those; without, all events. */
export const matches = (
  { type_pattern, channel_ids }: Pick<Subscription, 'type_pattern' | 'channel_ids'>,
  event: Pick<SequencedEvent, 'type' | 'channel_id'>,
): boolean =>
  matchesType(type_pattern, event.type) &&
  (channel_ids === null || (event.channel_id !== null && channel_ids.includes(event.channel_id)));

interface NewDelivery {
  event: Pick<SequencedEvent, 'id' | 'type' | 'sequence'>;
  webhookId: string;
}

/** Inserts deliveries that are due now, and returns their ids. */
export function insertDeliveries(tx: TenantTx, deliveries: readonly NewDelivery[]): string[] {
  if (deliveries.length === 0) return [];
  const ids = deliveries.map(() => newId());
  tx.enqueue(insertRows, [
    tx.now,
    ids,
    deliveries.map(({ webhookId }) => webhookId),
    deliveries.map(({ webhookId }) => shardOf(webhookId, tx.tenantId)),
    deliveries.map(({ event }) => event.id),
    deliveries.map(({ event }) => event.type),
    deliveries.map(({ event }) => event.sequence),
  ]);
  for (const webhookId of new Set(deliveries.map((delivery) => delivery.webhookId)))
    tx.wake(deliveriesQueue, webhookId);
  return ids;
}

/** Subscriber of all events: creates one delivery for each webhook with a subscription that matches. */
export async function createDeliveries(tx: TenantTx, events: PublishedEvent[]): Promise<Consequences> {
  const subscribed = await tx.all(subscriptions, []);
  const matching: { event: PublishedEvent; webhookId: string }[] = [];
  // Loops, because a copied event and four arrays for each took 4 of a delivery's 200 µs.
  for (const event of events) {
    const webhookIds = new Set<string>();
    for (const one of subscribed) if (matches(one, event)) webhookIds.add(one.webhook_id);
    for (const webhookId of webhookIds) matching.push({ event, webhookId });
  }
  return {
    rows: matching.length,
    write(sequences) {
      const deliveries: NewDelivery[] = [];
      for (const { event, webhookId } of matching) {
        const sequence = sequences.get(event.id);
        if (sequence !== undefined)
          deliveries.push({ event: { id: event.id, type: event.type, sequence }, webhookId });
      }
      insertDeliveries(tx, deliveries);
    },
  };
}

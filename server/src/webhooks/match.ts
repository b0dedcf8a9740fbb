import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { type EventType, eventTypes } from '../engine/event-types.ts';
import { AT_ONCE, shardOf } from '../engine/queue.ts';
import type { Reaction, SequencedEvent } from '../engine/sequencer.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { kindOfV2Type } from './v2-types.ts';

export const DELIVERIES_LIST = 'deliveries';

interface Subscription {
  webhook_id: string;
  type_pattern: string | null;
  channel_ids: string[] | null;
}

/** The lines of every active webhook of a tenant. */
export const subscriptions = statement<[tenantId: string], Subscription>(
  'webhooks.subscriptions',
  // One made through version 2 is for the channels of a kind, whichever those are by now.
  `select w.id as webhook_id, e.type_pattern,
          case when w.v2_type is null then e.channel_ids
               else array(select c.id from channels c
                           where c.tenant_id = $1 and c.kind = ${kindOfV2Type('w.v2_type')}
                             and (e.channel_ids is null or c.id = any (e.channel_ids))) end as channel_ids
     from webhooks w join webhook_events e on e.webhook_id = w.id
    where w.tenant_id = $1 and w.status = 'active'`,
);
const insertDeliveries = statement<
  [
    tenantId: string,
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
   select d.id, $1, d.webhook_id, d.shard, d.event_id, d.type, d.sequence, 'pending', ${AT_ONCE}, $2, $2
     from unnest($3::uuid[], $4::uuid[], $5::smallint[], $6::uuid[], $7::text[], $8::bigint[])
       as d (id, webhook_id, shard, event_id, type, sequence)`,
);

const matchesType = (pattern: string | null, type: string): boolean =>
  pattern === null || pattern === type || (pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1)));

/** The types that a subscription asks for. */
export const typesOf = (pattern: string | null): EventType[] =>
  eventTypes.filter((type) => matchesType(pattern, type));

/** Whether a subscription could ever match. */
export const isKnownPattern = (pattern: string): boolean => typesOf(pattern).length > 0;

/** With channels named, only events of those; without, events of every channel and of none. */
export const matches = (
  { type_pattern, channel_ids }: Pick<Subscription, 'type_pattern' | 'channel_ids'>,
  event: Pick<SequencedEvent, 'type' | 'channel_id'>,
): boolean =>
  matchesType(type_pattern, event.type) &&
  (channel_ids === null || (event.channel_id !== null && channel_ids.includes(event.channel_id)));

/** An event and a webhook that is to hear of it. */
interface NewDelivery {
  event: Pick<SequencedEvent, 'id' | 'type' | 'sequence'>;
  webhookId: string;
}

/** Makes deliveries that are due at once, and gives their ids. */
export async function insertNew(
  tx: Tx,
  tenantId: string,
  made: NewDelivery[],
  { wakeUps, now }: { wakeUps: WakeUps; now: Date },
): Promise<string[]> {
  if (made.length === 0) return [];
  const ids = made.map(() => newId());
  await tx.write(insertDeliveries, [
    tenantId,
    now,
    ids,
    made.map(({ webhookId }) => webhookId),
    made.map(({ webhookId }) => shardOf(webhookId, tenantId)),
    made.map(({ event }) => event.id),
    made.map(({ event }) => event.type),
    made.map(({ event }) => event.sequence),
  ]);
  wakeAfterCommit(
    tx,
    tenantId,
    wakeUps,
    made.map(({ webhookId }) => webhookId),
  );
  return ids;
}

/** Says, once it is true, that something is due for these webhooks. */
export function wakeAfterCommit(tx: Tx, tenantId: string, wakeUps: WakeUps, webhookIds: string[]): void {
  tx.afterCommit(() => {
    for (const webhookId of new Set(webhookIds))
      wakeUps.give(DELIVERIES_LIST, shardOf(webhookId, tenantId), webhookId);
  });
}

/** Makes a delivery for every webhook that asked for an event, once however many of its lines match. */
export function createDeliveries(wakeUps: WakeUps, clock: Clock): Reaction {
  return async (tx, tenantId, events) => {
    const subscribed = await tx.all(subscriptions, [tenantId]);
    if (subscribed.length === 0) return;
    const made = events.flatMap((event) =>
      [...new Set(subscribed.filter((line) => matches(line, event)).map((line) => line.webhook_id))].map(
        (webhookId) => ({
          event,
          webhookId,
        }),
      ),
    );
    await insertNew(tx, tenantId, made, { wakeUps, now: clock.now(tenantId) });
  };
}

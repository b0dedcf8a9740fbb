import type { NewEvent } from '../base/events.ts';
import { newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantHooks, TenantTx } from '../db/tenant.ts';
import { declareQueue, type QueueRow, shardOf } from './queue.ts';
import { untilItSucceeds } from './retry.ts';

/** An event that is to be numbered. */
export interface PublishedEvent extends QueueRow {
  type: string;
  channel_id: string | null;
  contact_id: string | null;
  chat_id: string | null;
  /** The automation run that caused it. */
  origin_run_id: string | null;
  facts: Record<string, unknown> | null;
  created_at: Date;
}

/** The most events that one transaction numbers. */
export const MAX_EVENTS = 500;

/** The queue of events without a number, which the sequencer handles. */
export const eventsQueue = declareQueue<PublishedEvent>({
  name: 'events',
  purpose: 'number events; create their deliveries and runs in the same transaction',
  table: 'events',
  view: 'visible_events',
  orderingKey: 'tenant_id',
  order: ['position'],
  due: null,
  listed: (row) => `${row}.sequence is null`,
  columns: 'q.type, q.channel_id, q.contact_id, q.chat_id, q.origin_run_id, q.facts, q.created_at',
  rowsPerCall: MAX_EVENTS,
  callsPerKey: 1,
  callsPerProcess: 8,
  retry: untilItSucceeds,
});

/** The parameters of {@link insertEvent}. */
export type EventRow = [
  id: string,
  shard: number,
  now: Date,
  type: string,
  channelId: string | null,
  contactId: string | null,
  chatId: string | null,
  data: string,
  originRunId: string | null,
  facts: string | null,
  sequence: number | null,
];

/** For one event, as most changes publish one: with arrays PostgreSQL takes twice as long. */
export const insertEvent = statement<EventRow>(
  'events.insert_one',
  `insert into events (id, tenant_id, shard, created_at, type, channel_id, contact_id, chat_id, data, origin_run_id, facts,
                       sequence)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
);
const insertEvents = statement<
  [
    shard: number,
    now: Date,
    ids: string[],
    types: string[],
    channelIds: (string | null)[],
    contactIds: (string | null)[],
    chatIds: (string | null)[],
    data: string[],
    originRunIds: (string | null)[],
    facts: (string | null)[],
    sequences: (number | null)[],
  ]
>(
  'events.insert',
  `insert into events (id, tenant_id, shard, created_at, type, channel_id, contact_id, chat_id, data, origin_run_id, facts,
                       sequence)
   select e.id, $tenant, $1, $2, e.type, e.channel_id, e.contact_id, e.chat_id, e.data, e.origin_run_id, e.facts, e.sequence
     from unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::uuid[], $10::jsonb[],
                 $11::bigint[])
       with ordinality as e (id, type, channel_id, contact_id, chat_id, data, origin_run_id, facts, sequence, number)
    order by e.number`,
);

const factsOf = ({ facts }: NewEvent): string | null => (facts ? JSON.stringify(facts) : null);

/** An event as it is stored, with its data as they are now. */
export const eventRow = (
  event: NewEvent,
  { tenantId, now }: { tenantId: string; now: Date },
  sequence: number | null,
): EventRow => [
  newId(),
  shardOf(tenantId, tenantId),
  now,
  event.type,
  event.channelId,
  event.contactId,
  event.chatId,
  JSON.stringify(event.data),
  event.originRunId ?? null,
  factsOf(event),
  sequence,
];

/** The same event for subscribers. */
export const publishedEventOf = (row: EventRow, tenantId: string): PublishedEvent => {
  const [id, , createdAt, type, channelId, contactId, chatId, , originRunId, facts] = row;
  return {
    id,
    tenant_id: tenantId,
    type,
    channel_id: channelId,
    contact_id: contactId,
    chat_id: chatId,
    origin_run_id: originRunId,
    facts: facts === null ? null : JSON.parse(facts),
    created_at: createdAt,
  };
};

/** Stores events in the caller's transaction, in their order. */
export function insertEventRows(tx: Pick<TenantTx, 'enqueue'>, rows: readonly EventRow[]): void {
  const [first, ...others] = rows;
  if (!first) return;
  if (others.length === 0) {
    tx.enqueue(insertEvent, first);
    return;
  }
  const [, shard, now] = first;
  tx.enqueue(insertEvents, [
    shard,
    now,
    rows.map(([id]) => id),
    rows.map(([, , , type]) => type),
    rows.map(([, , , , channelId]) => channelId),
    rows.map(([, , , , , contactId]) => contactId),
    rows.map(([, , , , , , chatId]) => chatId),
    rows.map(([, , , , , , , data]) => data),
    rows.map(([, , , , , , , , originRunId]) => originRunId),
    rows.map(([, , , , , , , , , facts]) => facts),
    rows.map(([, , , , , , , , , , sequence]) => sequence),
  ]);
}

/** Stores events in the caller's transaction, and wakes the sequencer with the commit. */
export const publishEvents: TenantHooks['publish'] = (tx, events) => {
  if (events.length === 0) return;
  insertEventRows(
    tx,
    events.map((event) => eventRow(event, tx, null)),
  );
  tx.wake(eventsQueue, tx.tenantId);
};

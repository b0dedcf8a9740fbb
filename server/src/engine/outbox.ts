import type { NewEvent } from '../base/events.ts';
import { newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantHooks } from '../db/tenant.ts';
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

type EventRow = [
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
  ]
>(
  'events.insert',
  `insert into events (id, tenant_id, shard, created_at, type, channel_id, contact_id, chat_id, data, origin_run_id, facts)
   select e.id, $tenant, $1, $2, e.type, e.channel_id, e.contact_id, e.chat_id, e.data, e.origin_run_id, e.facts
     from unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::uuid[], $10::jsonb[])
       with ordinality as e (id, type, channel_id, contact_id, chat_id, data, origin_run_id, facts, number)
    order by e.number`,
);

const factsOf = ({ facts }: NewEvent): string | null => (facts ? JSON.stringify(facts) : null);

/** The parameters of {@link insertEvent}. */
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

/** Stores events in the caller's transaction, and wakes the sequencer with the commit. */
export const publishEvents: TenantHooks['publish'] = (tx, events) => {
  const [first, ...others] = events;
  if (!first) return;
  if (others.length === 0) tx.enqueue(insertEvent, eventRow(first, tx, null));
  else
    tx.enqueue(insertEvents, [
      shardOf(tx.tenantId, tx.tenantId),
      tx.now,
      events.map(() => newId()),
      events.map((event) => event.type),
      events.map((event) => event.channelId),
      events.map((event) => event.contactId),
      events.map((event) => event.chatId),
      events.map((event) => JSON.stringify(event.data)),
      events.map((event) => event.originRunId ?? null),
      events.map(factsOf),
    ]);
  tx.wake(eventsQueue, tx.tenantId);
};

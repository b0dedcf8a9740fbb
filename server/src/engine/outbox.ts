import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { EventType } from './event-types.ts';
import { shardOf } from './queue.ts';
import type { WakeUps } from './wakeups.ts';

export interface NewEvent {
  type: EventType;
  channelId: string | null;
  contactId: string | null;
  chatId: string | null;
  /** The resource as the API returns it. */
  data: unknown;
  /** The automation run whose doing it is. */
  originRunId?: string;
  /** What reactions need and the data does not say, such as which labels were added. Nobody outside sees it. */
  facts?: Record<string, unknown>;
}

type EventRow = [
  id: string,
  tenantId: string,
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

/** Most changes publish one event, for which arrays would take PostgreSQL twice as long. */
export const insertEvent = statement<EventRow>(
  'events.insert_one',
  `insert into events (id, tenant_id, shard, created_at, type, channel_id, contact_id, chat_id, data, origin_run_id, facts,
                       sequence)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
);
const insertEvents = statement<
  [
    tenantId: string,
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
   select e.id, $1, $2, $3, e.type, e.channel_id, e.contact_id, e.chat_id, e.data, e.origin_run_id, e.facts
     from unnest($4::uuid[], $5::text[], $6::uuid[], $7::uuid[], $8::uuid[], $9::text[], $10::uuid[], $11::jsonb[])
       with ordinality as e (id, type, channel_id, contact_id, chat_id, data, origin_run_id, facts, number)
    order by e.number`,
);

export interface Publisher {
  /**
   * Publishes events in the caller's transaction: they exist exactly if its change does. The caller holds the row lock
   * of what changed, so positions are drawn in the order of the changes.
   */
  publish(tx: Tx, tenantId: string, events: NewEvent[]): Promise<void>;
}

export const SEQUENCER_LIST = 'events';

const factsOf = ({ facts }: NewEvent): string | null => (facts ? JSON.stringify(facts) : null);

/** A row of {@link insertEvent}. */
export const eventRow = (tenantId: string, event: NewEvent, now: Date, sequence: number | null): EventRow => [
  newId(),
  tenantId,
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

export function publisher(clock: Clock, wakeUps: WakeUps): Publisher {
  return {
    async publish(tx, tenantId, events) {
      const [first, ...others] = events;
      if (!first) return;
      const now = clock.now(tenantId);
      const shard = shardOf(tenantId, tenantId);
      if (others.length === 0) await tx.write(insertEvent, eventRow(tenantId, first, now, null));
      else
        await tx.write(insertEvents, [
          tenantId,
          shard,
          now,
          events.map(() => newId()),
          events.map((event) => event.type),
          events.map((event) => event.channelId),
          events.map((event) => event.contactId),
          events.map((event) => event.chatId),
          events.map((event) => JSON.stringify(event.data)),
          events.map((event) => event.originRunId ?? null),
          events.map(factsOf),
        ]);
      tx.afterCommit(() => wakeUps.give(SEQUENCER_LIST, shard, tenantId));
    },
  };
}

import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { EventType } from './event-types.ts';
import type { Hints } from './hints.ts';
import { slotOf } from './work-list.ts';

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

const insertEvents = statement<
  [
    tenantId: string,
    slot: number,
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
  `insert into events (id, tenant_id, slot, created_at, type, channel_id, contact_id, chat_id, data, origin_run_id, facts)
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

export function publisher(clock: Clock, hints: Hints): Publisher {
  return {
    async publish(tx, tenantId, events) {
      if (events.length === 0) return;
      const slot = slotOf(tenantId, tenantId);
      await tx.withCommit(insertEvents, [
        tenantId,
        slot,
        clock.now(tenantId),
        events.map(() => newId()),
        events.map((event) => event.type),
        events.map((event) => event.channelId),
        events.map((event) => event.contactId),
        events.map((event) => event.chatId),
        events.map((event) => JSON.stringify(event.data)),
        events.map((event) => event.originRunId ?? null),
        events.map((event) => (event.facts ? JSON.stringify(event.facts) : null)),
      ]);
      tx.afterCommit(() => hints.give(SEQUENCER_LIST, slot, tenantId));
    },
  };
}

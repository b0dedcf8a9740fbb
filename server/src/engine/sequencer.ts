import type { Database, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { eventRow, insertEvent, type NewEvent, SEQUENCER_LIST } from './outbox.ts';
import { declareQueue, type QueueRow } from './queue.ts';
import { type Work, work } from './runner.ts';

/** An event that has just got its number. */
export interface SequencedEvent {
  id: string;
  tenant_id: string;
  type: string;
  channel_id: string | null;
  contact_id: string | null;
  chat_id: string | null;
  /** The automation run whose doing it is. */
  origin_run_id: string | null;
  facts: Record<string, unknown> | null;
  sequence: number;
}

/** What follows from events, written in the transaction that numbers them. */
export type Reaction = (tx: Tx, tenantId: string, events: SequencedEvent[]) => Promise<void>;

const unsequenced = declareQueue<QueueRow>({
  name: SEQUENCER_LIST,
  table: 'events',
  lane: 'tenant_id',
  order: 'position',
  listed: 'sequence is null',
  claim: `select id, tenant_id from events
           where shard = $1 and tenant_id = $2 and sequence is null and $3::timestamptz is not null order by position limit $4`,
  batch: 500,
  perLane: 1,
  atOnce: 8,
});

const SEQUENCED = `e.id, e.tenant_id, e.type, e.channel_id, e.contact_id, e.chat_id, e.origin_run_id, e.facts,
  e.sequence`;

const raiseCounter = statement<[tenantId: string, count: number], { sequence: number }>(
  'events.raise_counter',
  `insert into tenant_counters (tenant_id, sequence) values ($1, $2)
   on conflict (tenant_id) do update set sequence = tenant_counters.sequence + excluded.sequence returning sequence`,
);
const number = statement<[tenantId: string, ids: string[]], SequencedEvent>(
  'events.number',
  `with raised as (
     insert into tenant_counters as t (tenant_id, sequence) values ($1, cardinality($2::uuid[]))
     on conflict (tenant_id) do update set sequence = t.sequence + excluded.sequence returning sequence)
   update events e set sequence = r.sequence - cardinality($2::uuid[]) + n.number
     from raised r cross join unnest($2::uuid[]) with ordinality as n (id, number)
    where e.id = n.id and e.tenant_id = $1 and e.sequence is null
   returning ${SEQUENCED}`,
);

/**
 * Publishes an event that has its number at once and from which nothing follows: the caller says whom it is for. The
 * tenant's counter is locked until the caller's transaction ends.
 */
export async function publishNumbered(
  tx: Tx,
  tenantId: string,
  event: NewEvent,
  now: Date,
): Promise<Pick<SequencedEvent, 'id' | 'type' | 'sequence'>> {
  const { sequence } = (await tx.find(raiseCounter, [tenantId, 1])) as { sequence: number };
  const row = eventRow(tenantId, event, now, sequence);
  await tx.run(insertEvent, row);
  return { id: row[0], type: event.type, sequence };
}

/**
 * Numbers a tenant's events in the order of their positions and writes what follows from them, in one transaction.
 * The counter's row lock makes commit order equal sequence order, so whoever reads `sequence > last` misses nothing.
 */
export function sequencer(db: Database, reactions: Reaction[]): Work {
  return work(unsequenced, async (rows) => {
    const tenantId = (rows[0] as QueueRow).tenant_id;
    await db.transaction(async (tx) => {
      const ids = rows.map((row) => row.id);
      const events = await tx.all(number, [tenantId, ids]);
      // Fewer than asked for: a worker that had lost its lease numbered them already. Numbers may be left out.
      if (events.length === 0) return;
      events.sort((a, b) => a.sequence - b.sequence);
      // What they ask at the same time makes one round trip.
      await Promise.all(reactions.map((reaction) => reaction(tx, tenantId, events)));
    });
    return 'ok';
  });
}

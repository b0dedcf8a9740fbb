import type { NewEvent } from '../base/events.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { EVENTS_QUEUE_NAME, eventRow, insertEvent } from './outbox.ts';
import { declareQueue, type QueueRow } from './queue.ts';
import { untilItSucceeds } from './retry.ts';
import type { Outcome } from './scheduler.ts';

/** An event that was just numbered. */
export interface SequencedEvent {
  id: string;
  tenant_id: string;
  type: string;
  channel_id: string | null;
  contact_id: string | null;
  chat_id: string | null;
  /** The automation run that caused it. */
  origin_run_id: string | null;
  facts: Record<string, unknown> | null;
  sequence: number;
}

export const eventsQueue = declareQueue<QueueRow>({
  name: EVENTS_QUEUE_NAME,
  purpose: 'number events; create their deliveries and runs in the same transaction',
  table: 'events',
  orderingKey: 'tenant_id',
  order: ['position'],
  due: null,
  listed: (row) => `${row}.sequence is null`,
  rowsPerCall: 500,
  callsPerKey: 1,
  callsPerProcess: 8,
  retry: untilItSucceeds,
});

const SEQUENCED = `e.id, e.tenant_id, e.type, e.channel_id, e.contact_id, e.chat_id, e.origin_run_id, e.facts,
  e.sequence`;

const raiseCounter = statement<[count: number], { sequence: number }>(
  'events.raise_counter',
  `insert into tenant_counters (tenant_id, sequence) values ($tenant, $1)
   on conflict (tenant_id) do update set sequence = tenant_counters.sequence + excluded.sequence returning sequence`,
);
const numberEvents = statement<[ids: string[]], SequencedEvent>(
  'events.number',
  `with raised as (
     insert into tenant_counters as t (tenant_id, sequence) values ($tenant, cardinality($1::uuid[]))
     on conflict (tenant_id) do update set sequence = t.sequence + excluded.sequence returning sequence)
   update events e set sequence = r.sequence - cardinality($1::uuid[]) + n.number
     from raised r cross join unnest($1::uuid[]) with ordinality as n (id, number)
    where e.id = n.id and e.tenant_id = $tenant and e.sequence is null
   returning ${SEQUENCED}`,
);

/**
 * Publishes an event with a number immediately and without subscribers: the caller creates its deliveries. The tenant's
 * counter is locked until the caller's transaction ends.
 */
export async function publishNumbered(
  tx: TenantTx,
  event: NewEvent,
): Promise<Pick<SequencedEvent, 'id' | 'type' | 'sequence'>> {
  const { sequence } = (await tx.find(raiseCounter, [1])) as { sequence: number };
  const row = eventRow(event, tx, sequence);
  await tx.run(insertEvent, row);
  return { id: row[0], type: event.type, sequence };
}

/** Writes the consequences of events in the transaction that numbers them. */
export type Subscriber = (tx: TenantTx, events: SequencedEvent[]) => Promise<void>;

interface SequencerDeps {
  db: Database;
  subscribers: readonly Subscriber[];
}

/**
 * Numbers a tenant's events in the order of their positions and calls the subscribers, in one transaction.
 * The counter's row lock makes commit order equal sequence order, so a reader of `sequence > last` misses nothing.
 */
export async function sequenceEvents({ db, subscribers }: SequencerDeps, rows: QueueRow[]): Promise<Outcome> {
  const tenantId = (rows[0] as QueueRow).tenant_id;
  await db.forTenant(tenantId).transaction(async (tx) => {
    const events = await tx.all(numberEvents, [rows.map((row) => row.id)]);
    // A worker that had lost its lease may have numbered some of them. Gaps in the numbers are allowed.
    if (events.length === 0) return;
    events.sort((a, b) => a.sequence - b.sequence);
    // Concurrently, so that their statements share round trips.
    await Promise.all(subscribers.map((subscribe) => subscribe(tx, events)));
  });
  return 'ok';
}

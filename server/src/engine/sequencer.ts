import type { NewEvent } from '../base/events.ts';
import type { Database } from '../db/database.ts';
import { isForeignKeyViolation, isStatementTimeout } from '../db/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import { type BatchSizes, createBatchSizes } from './batch-sizes.ts';
import { eventRow, eventsQueue, insertEvent, MAX_EVENTS, type PublishedEvent } from './outbox.ts';
import type { Outcome } from './scheduler.ts';

/** An event with its number. */
export interface SequencedEvent extends PublishedEvent {
  sequence: number;
}

/**
 * The most rows that subscribers write in one transaction: 2,000 deliveries take about 60 ms. The events of a tenant with a
 * thousand webhooks are numbered two at a time.
 */
const MAX_ROWS = 2_000;
/** The foreign key of a counter to its tenant. */
const COUNTER_OF_TENANT = 'tenant_counters_tenant_id_fkey';
/** After this many transactions other tenants continue. */
const TRANSACTIONS_PER_CALL = 8;

const raiseCounter = statement<[count: number], { sequence: number }>(
  'events.raise_counter',
  `insert into tenant_counters (tenant_id, sequence) values ($tenant, $1)
   on conflict (tenant_id) do update set sequence = tenant_counters.sequence + excluded.sequence returning sequence`,
);
const numberEvents = statement<[ids: string[]], { id: string; sequence: number }>(
  'events.number',
  // Nothing happens for a tenant that is deleted or being deleted. The conditions besides the id are written so that no
  // index matches them: while events wait for numbers, an index by tenant or of events without a number leads to all of
  // them, once for each id.
  `with raised as (
     insert into tenant_counters as t (tenant_id, sequence)
     select id, cardinality($1::uuid[]) from visible_tenants where id = $tenant
     on conflict (tenant_id) do update set sequence = t.sequence + excluded.sequence returning sequence)
   update visible_events e set sequence = r.sequence - cardinality($1::uuid[]) + n.number
     from raised r cross join unnest($1::uuid[]) with ordinality as n (id, number)
    where e.id = n.id and (e.tenant_id = $tenant) is true and num_nulls(e.sequence) = 1
   returning e.id, e.sequence`,
);

const deleteOrphans = statement<[ids: string[]]>(
  'events.delete_orphans',
  // A transaction that began before the tenant was deleted may have published them after. While it is being deleted, the
  // job deletes them.
  `delete from events where id = any ($1::uuid[]) and tenant_id = $tenant and sequence is null
      and not exists (select 1 from tenants where id = $tenant)`,
);
const lockCounter = statement(
  'tenant_counters.lock',
  'select 1 from tenant_counters where tenant_id = $tenant for no key update',
);

/**
 * Waits until nothing of the tenant is being numbered, and keeps others from it until the transaction ends. A
 * transaction that deletes a tenant or its events does this first: numbering locks the counter, then events.
 */
export async function stopNumbering(tx: TenantTx): Promise<void> {
  await tx.run(lockCounter, []);
}

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

/** What follows from events for a subscriber. */
export interface Consequences {
  /** How many rows `write` writes. */
  rows: number;
  /**
   * Enqueues the statements that write them, with the numbers of the events by their ids; an event without one belongs to
   * somebody else. Called only if the rows of all subscribers fit into one transaction.
   */
  write(sequences: ReadonlyMap<string, number>): void;
}

/**
 * Decides what follows from events, in the transaction that numbers them. It reads and inserts, and waits for no row:
 * as long as the tenant's counter is locked, no other event of the tenant gets a number.
 */
export type Subscriber = (tx: TenantTx, events: PublishedEvent[]) => Promise<Consequences>;

export interface SequencerDeps {
  db: Database;
  subscribers: readonly Subscriber[];
  /** How many events of a tenant fit into one transaction. */
  batchSizes: BatchSizes;
}

/** What the sequencer of a process remembers. */
export const createSequencerState = (): BatchSizes => createBatchSizes(MAX_EVENTS);

/** Rolls the transaction back. */
class TooManyRows {
  readonly rows: number;
  constructor(rows: number) {
    this.rows = rows;
  }
}

/** Numbers events in the order of their positions and writes what follows, in one transaction. Returns how many rows. */
async function numberBatch(
  tenant: TenantDatabase,
  events: PublishedEvent[],
  subscribers: readonly Subscriber[],
): Promise<number> {
  const ids = events.map(({ id }) => id);
  return tenant.transaction(async (tx) => {
    // At the same time, so that their statements share round trips; the counter is locked first.
    const [numbered, ...consequences] = await Promise.all([
      tx.all(numberEvents, [ids]),
      ...subscribers.map((subscribe) => subscribe(tx, events)),
    ]);
    // A worker that had lost its lease may have numbered them, or the tenant is deleted. Gaps in the numbers are allowed.
    if (numbered.length === 0) {
      tx.enqueue(deleteOrphans, [ids]);
      return 0;
    }
    const rows = consequences.reduce((sum, one) => sum + one.rows, 0);
    if (rows > MAX_ROWS && events.length > 1) throw new TooManyRows(rows);
    const sequences = new Map(numbered.map(({ id, sequence }) => [id, sequence]));
    for (const { write } of consequences) write(sequences);
    return rows;
  });
}

/**
 * Numbers a tenant's events. The counter's row lock makes commit order equal sequence order, so a reader of
 * `sequence > last` misses nothing. A batch that writes too many rows or takes too long is rolled back and repeated with
 * fewer events, down to a single one.
 */
export async function sequenceEvents(
  { db, subscribers, batchSizes }: SequencerDeps,
  rows: PublishedEvent[],
): Promise<Outcome> {
  const tenantId = (rows[0] as PublishedEvent).tenant_id;
  const tenant = db.forTenant(tenantId);
  let done = 0;
  for (let count = 0; count < TRANSACTIONS_PER_CALL && done < rows.length; count += 1) {
    const size = batchSizes.of(tenantId);
    const events = rows.slice(done, done + size);
    try {
      const written = await numberBatch(tenant, events, subscribers);
      done += events.length;
      if (written <= MAX_ROWS / 2) batchSizes.set(tenantId, size * 2);
    } catch (error) {
      if (error instanceof TooManyRows)
        batchSizes.set(tenantId, Math.floor((events.length * MAX_ROWS) / error.rows));
      else if (isStatementTimeout(error) && events.length > 1)
        batchSizes.set(tenantId, Math.floor(events.length / 2));
      // The tenant was deleted meanwhile: the next transaction numbers nothing.
      else if (!isForeignKeyViolation(error, COUNTER_OF_TENANT)) throw error;
    }
  }
  if (done < rows.length) tenant.autocommit.wake(eventsQueue, tenantId);
  return 'ok';
}

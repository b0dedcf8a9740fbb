import { eraseSomeRuns } from '../automations/runs/erase-runs.ts';
import { moveSomeRuns } from '../automations/runs/move-runs.ts';
import { cancelRunsOfChats } from '../automations/runs/run.ts';
import { removeSomeChats } from '../chats/remove-chats.ts';
import { weeklyTables } from '../db/partitions.ts';
import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { eraseSomeEvents } from '../engine/erase-events.ts';
import { moveSomeEvents } from '../engine/move-events.ts';
import { stopNumbering } from '../engine/sequencer.ts';
import { eraseSomeMessages } from '../messages/erase-messages.ts';
import { moveSomeMessages } from '../messages/move-messages.ts';
import { moveSomeNotes, NOTES_OF_MERGED } from '../notes/move-notes.ts';
import { eraseDeliveriesOf } from '../webhooks/erase-deliveries.ts';
import type { RemovalKind } from './schema.ts';

/** A part of a deletion, or of merging two contacts, done in batches. */
export interface RemovalStep {
  /** Removes at most `limit` rows and returns how many; fewer than `limit` means that none is left. */
  remove(tx: TenantTx, subjectId: string, limit: number): Promise<number>;
  /** How many rows there are, up to `limit`. */
  count(tx: TenantTx, subjectId: string, limit: number): Promise<number>;
}

/** So many rows are deleted at once, in the transaction of the request: it takes about 100 ms. */
const FEW_ROWS = 1_000;

/** The condition mentions the subject ($2) also where the tenant is the subject. */
const SUBJECT = '$2::uuid is not null';

function counting(name: string, from: string, where: string): RemovalStep['count'] {
  const countRows = removalStatement<[limit: number, subjectId: string], { count: number }>(
    `${name}_count`,
    `select count(*)::int as count from (select 1 from ${from} where ${where} and ${SUBJECT} limit $1) counted`,
  );
  return async (tx, subjectId, limit) => (await tx.find(countRows, [limit, subjectId]))?.count ?? 0;
}

/** Deletes the rows `x` of a table. */
function rowsOf(kind: RemovalKind, table: string, where: string, joins = ''): RemovalStep {
  const name = `${kind}.${table}`;
  const from = `${table} x ${joins}`;
  // In a table of weeks, every week may have a row with this ctid, and it may be another tenant's.
  const own = weeklyTables.some((one) => one === table) ? 'and tenant_id = $tenant' : '';
  const deleteRows = removalStatement<[limit: number, subjectId: string]>(
    name,
    `delete from ${table} where ctid = any (array(
       select x.ctid from ${from} where ${where} and ${SUBJECT} limit $1)) ${own}`,
  );
  return {
    remove: (tx, subjectId, limit) => tx.run(deleteRows, [limit, subjectId]),
    count: counting(name, from, where),
  };
}

const lockPendingDeliveries = removalStatement<[eventIds: string[]]>(
  'delete_tenant.lock_deliveries',
  `select id from deliveries where event_id = any ($1::uuid[]) and tenant_id = $tenant and due_at is not null
    order by id for update`,
);
const deleteEvents = removalStatement<[ids: string[]]>(
  'delete_tenant.events',
  `with sent as (
     delete from deliveries where event_id = any ($1::uuid[]) and tenant_id = $tenant returning id),
   tried as (delete from attempts where delivery_id = any (array(select id from sent))),
   silenced as (delete from silenced_events where event_id = any ($1::uuid[]) and tenant_id = $tenant)
   delete from events where id = any ($1::uuid[]) and tenant_id = $tenant`,
);

/** Deletes events of a tenant with their deliveries, which have no index by tenant, and the attempts of those. */
function eventsOf(condition: 'sequence is null' | 'sequence is not null'): RemovalStep {
  const name = `delete_tenant.events_${condition.replaceAll(' ', '_')}`;
  const where = `tenant_id = $tenant and ${condition}`;
  const someEvents = removalStatement<[limit: number, subjectId: string], { id: string }>(
    name,
    `select id from events where ${where} and ${SUBJECT} limit $1`,
  );
  return {
    async remove(tx, subjectId, limit) {
      await stopNumbering(tx);
      const ids = (await tx.all(someEvents, [limit, subjectId])).map(({ id }) => id);
      if (ids.length === 0) return 0;
      // Waits for attempts that are being recorded: the next statement sees them.
      await tx.run(lockPendingDeliveries, [ids]);
      await tx.run(deleteEvents, [ids]);
      return ids.length;
    },
    count: counting(name, 'events', where),
  };
}

/** Deletes deliveries of a tenant whose events have expired before them, with their attempts. */
function deliveriesWithoutEvents(): RemovalStep {
  const name = 'delete_tenant.deliveries';
  const from = 'deliveries x join webhooks w on w.id = x.webhook_id and w.tenant_id = $tenant';
  const where = 'x.tenant_id = $tenant';
  const deleteDeliveries = removalStatement<[limit: number, subjectId: string]>(
    name,
    `with batch as materialized (select x.id from ${from} where ${where} and ${SUBJECT} limit $1),
     tried as (delete from attempts where delivery_id = any (array(select id from batch)))
     delete from deliveries where id = any (array(select id from batch)) and tenant_id = $tenant`,
  );
  return {
    remove: (tx, subjectId, limit) => tx.run(deleteDeliveries, [limit, subjectId]),
    // They are few, and the others are counted as events.
    count: async () => 0,
  };
}

const newEvents = eventsOf('sequence is null');
const numberedEvents = eventsOf('sequence is not null');

const OF_TENANT = 'x.tenant_id = $tenant';
const OF_CHANNEL = 'x.channel_id = $2 and x.tenant_id = $tenant';
const OF_CONTACT = 'x.contact_id = $2 and x.tenant_id = $tenant';
/** For tables with an index by channel only. */
const CHANNELS_OF_TENANT = 'join channels c on c.id = x.channel_id and c.tenant_id = $tenant';

const eventsOfContact: RemovalStep = {
  async remove(tx, contactId, limit) {
    const { deleted, erasedIds } = await eraseSomeEvents(tx, contactId, limit);
    await eraseDeliveriesOf(tx, erasedIds);
    return deleted + erasedIds.length;
  },
  count: counting('delete_contact.events', 'events x', `${OF_CONTACT} and x.type <> 'contact.deleted'`),
};
const messagesOfContact: RemovalStep = {
  remove: eraseSomeMessages,
  count: counting('delete_contact.messages', 'messages x', OF_CONTACT),
};
const runsOfContact: RemovalStep = {
  remove: eraseSomeRuns,
  count: counting('delete_contact.automation_runs', 'automation_runs x', OF_CONTACT),
};
const theContact = rowsOf('delete_contact', 'contacts', 'x.id = $2 and x.tenant_id = $tenant');

/** The steps of each deletion, in order: what refers to a row is deleted before it. The subject itself comes last. */
export const removalSteps: Record<RemovalKind, readonly RemovalStep[]> = {
  delete_tenant: [
    newEvents,
    numberedEvents,
    deliveriesWithoutEvents(),
    rowsOf('delete_tenant', 'messages', OF_TENANT),
    rowsOf('delete_tenant', 'automation_runs', OF_TENANT),
    rowsOf(
      'delete_tenant',
      'recipients',
      'true',
      'join campaigns c on c.id = x.campaign_id and c.tenant_id = $tenant',
    ),
    rowsOf('delete_tenant', 'campaigns', OF_TENANT),
    rowsOf('delete_tenant', 'notes', OF_TENANT),
    rowsOf('delete_tenant', 'notifications', OF_TENANT),
    rowsOf('delete_tenant', 'chats', OF_TENANT),
    rowsOf('delete_tenant', 'contacts', OF_TENANT),
    rowsOf('delete_tenant', 'vendor_messages', 'true', CHANNELS_OF_TENANT),
    rowsOf('delete_tenant', 'sandbox_outbox', 'true', CHANNELS_OF_TENANT),
    rowsOf('delete_tenant', 'inbound', 'true', CHANNELS_OF_TENANT),
    rowsOf(
      'delete_tenant',
      'import_issues',
      'true',
      'join imports i on i.id = x.import_id and i.tenant_id = $tenant',
    ),
    rowsOf('delete_tenant', 'files', OF_TENANT),
    rowsOf('delete_tenant', 'automations', OF_TENANT),
    rowsOf('delete_tenant', 'message_templates', OF_TENANT),
    rowsOf('delete_tenant', 'labels', OF_TENANT),
    rowsOf('delete_tenant', 'idempotency_keys', OF_TENANT),
    rowsOf('delete_tenant', 'rate_windows', OF_TENANT),
    rowsOf('delete_tenant', 'audit_entries', OF_TENANT),
    rowsOf('delete_tenant', 'run_replies', OF_TENANT),
    rowsOf('delete_tenant', 'held_rows', OF_TENANT),
    rowsOf('delete_tenant', 'chat_changes', OF_TENANT),
    rowsOf('delete_tenant', 'report_figures', OF_TENANT),
    rowsOf('delete_tenant', 'report_marks', OF_TENANT),
    // Again: a transaction that had begun before may have published some.
    newEvents,
    numberedEvents,
    rowsOf('delete_tenant', 'tenants', 'x.id = $tenant'),
  ],
  delete_channel: [
    rowsOf('delete_channel', 'messages', OF_CHANNEL),
    {
      remove: (tx, channelId, limit) => removeSomeChats(tx, channelId, limit, cancelRunsOfChats),
      count: counting('delete_channel.chats', 'chats x', OF_CHANNEL),
    },
    rowsOf('delete_channel', 'vendor_messages', OF_CHANNEL),
    rowsOf('delete_channel', 'sandbox_outbox', OF_CHANNEL),
    rowsOf('delete_channel', 'inbound', OF_CHANNEL),
    rowsOf(
      'delete_channel',
      'recipients',
      'c.channel_id = $2',
      'join campaigns c on c.id = x.campaign_id and c.tenant_id = $tenant',
    ),
    rowsOf('delete_channel', 'campaigns', OF_CHANNEL),
    rowsOf('delete_channel', 'channels', 'x.id = $2 and x.tenant_id = $tenant'),
  ],
  delete_contact: [
    eventsOfContact,
    runsOfContact,
    messagesOfContact,
    rowsOf('delete_contact', 'recipients', OF_CONTACT),
    // Again: while the rest waited for a message that was being sent, or for a run, their events were published. They are few.
    { ...eventsOfContact, count: async () => 0 },
    theContact,
  ],
  // What is removed from the merged contact is moved to the other one.
  merge_contacts: [
    { remove: moveSomeMessages, count: messagesOfContact.count },
    {
      remove: moveSomeNotes,
      count: counting('merge_contacts.notes', NOTES_OF_MERGED, 'k.id = $2 and k.tenant_id = $tenant'),
    },
    { remove: moveSomeRuns, count: runsOfContact.count },
    // Last: a status of a message that was not moved yet is an event about the merged contact.
    {
      remove: moveSomeEvents,
      count: counting('merge_contacts.events', 'events x', OF_CONTACT),
    },
    theContact,
  ],
};

/** Whether there is more to delete than fits into one short transaction. */
export async function hasManyRows(tx: TenantTx, kind: RemovalKind, subjectId: string): Promise<boolean> {
  let count = 0;
  for (const step of new Set(removalSteps[kind])) {
    count += await step.count(tx, subjectId, FEW_ROWS + 1 - count);
    if (count > FEW_ROWS) return true;
  }
  return false;
}

/** Deletes everything in this transaction. For few rows. */
export async function removeNow(tx: TenantTx, kind: RemovalKind, subjectId: string): Promise<void> {
  for (const step of removalSteps[kind]) while ((await step.remove(tx, subjectId, FEW_ROWS)) === FEW_ROWS);
}

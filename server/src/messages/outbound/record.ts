import { takeOverChats } from '../../automations/runs/take-over.ts';
import { batch } from '../../base/batch.ts';
import { type Clock, timesOf } from '../../base/clock.ts';
import type { NewEvent } from '../../base/events.ts';
import { groupBy } from '../../base/group-by.ts';
import { storable } from '../../base/storable.ts';
import { isByPerson, updateReplied } from '../../chats/new-messages.ts';
import { type PersonColumns, personColumns, personOf } from '../../contacts/contact.ts';
import type { Database } from '../../db/database.ts';
import { type ParameterOf, type RowOf, rowSet } from '../../db/rows.ts';
import { statement, systemStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { OWN_COLUMNS, type OwnMessageRow } from '../message.ts';
import { messageEvent } from '../message-event.ts';
import { messagesQueue } from '../queues.ts';
import type { Message } from '../schema.ts';
import { statusRank } from '../status.ts';
import { isWaiting } from './outgoing.ts';
import type { SendOutcome } from './retry-policy.ts';

const BATCH = { maxBatch: 300, maxConcurrent: 1 };

/** A message in the queue, as it was when it was claimed. */
interface ClaimedMessage {
  id: string;
  tenant_id: string;
  channel_id: string;
  /** How many attempts had ended: if there are more by now, the result of this one does not count. */
  attempts: number;
}

/**
 * Whether a message that is selected by its id is still in the queue. Written so that no index of the queue can serve:
 * if the planner has seen the queue empty, it would read all of it instead of looking up the id.
 */
const isQueued = (row: string): string => `num_nulls(${row}.due_at) = 0`;

const markSending = systemStatement<
  [nows: string[], ids: string[], tenantIds: string[], attempts: number[]],
  { id: string }
>(
  'messages.mark_sending',
  // If two processes try to send the same message, one of them finds it still waiting.
  `update visible_messages m set sending_at = r.now
     from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::int[]) as r (now, id, tenant_id, attempts)
    where m.id = r.id and m.tenant_id = r.tenant_id and m.attempts = r.attempts and m.sending_at is null
      and ${isQueued('m')}
   returning m.id`,
);
/** The message $2 of the tenant, if no attempt began after the $3 that ended. */
const isUnsent = (row: string): string =>
  `${row}.id = $2 and ${row}.tenant_id = $tenant and ${row}.attempts = $3 and ${row}.sending_at is null and ${isQueued(row)}`;
const SCHEDULED = `(select s.*, ${isByPerson('s')} as by_person from messages s) n`;
const markScheduled = statement<
  [now: Date, id: string, attempts: number],
  { chat_id: string; is_of_user: boolean }
>(
  'messages.mark_scheduled',
  // The tenant of a message and of its chat are the same.
  `with chat as (${updateReplied(SCHEDULED, isUnsent('n'), 1)} returning c.id)
   update visible_messages m set sending_at = $1, timestamp = $1 from chat where ${isUnsent('m')}
   returning m.chat_id, m.author = 'user' as is_of_user`,
);

const holdChannels = systemStatement<[ids: string[]]>(
  'messages.hold_channels',
  'select 1 from visible_channels where id = any ($1::uuid[]) order by id for key share',
);
const byRank = Object.entries(statusRank)
  .sort(([, a], [, b]) => a - b)
  .map(([status]) => `'${status}'`);
const statusOfRank = (rank: string): string => `(array[${byRank.join(', ')}])[${rank} + 1]`;

interface RecordedRow extends OwnMessageRow, PersonColumns {
  tenant_id: string;
  outcome: SendOutcome['kind'];
  is_sensitive: boolean;
  has_more: boolean;
}
const endedAttempts = rowSet({
  now: 'timestamptz',
  id: 'uuid',
  tenant_id: 'uuid',
  channel_id: 'uuid',
  attempts: 'int',
  outcome: 'text',
  due_at: 'timestamptz?',
  vendor_id: 'text?',
  rank: 'smallint',
  error: 'jsonb?',
});
const recordOutcomes = systemStatement<[attempts: ParameterOf<typeof endedAttempts>], RecordedRow>(
  'messages.record_outcomes',
  // A status that came before the vendor's answer was stored with the vendor's id, and counts now. The tenants of what is
  // joined are compared so that no index can serve, which could lead to all chats of the tenant.
  `with results as (select * from ${endedAttempts.from(1, 'r')}),
   known as (
     insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
     select r.channel_id, r.tenant_id, r.vendor_id, r.id, r.rank, r.now
       from results r join visible_channels c on c.id = r.channel_id and c.tenant_id = r.tenant_id
      where r.vendor_id is not null order by r.channel_id, r.vendor_id
     on conflict (channel_id, vendor_id) do update
       set message_id = coalesce(v.message_id, excluded.message_id),
           status_rank = greatest(v.status_rank, excluded.status_rank)
     returning channel_id, vendor_id, status_rank, pending),
   applied as (
     select r.*, case r.outcome when 'sent' then ${statusOfRank('coalesce(k.status_rank, r.rank)')}
                                when 'failed' then 'failed' end as status, k.pending
       from results r left join known k on k.channel_id = r.channel_id and k.vendor_id = r.vendor_id)
   update visible_messages m
      set status = coalesce(t.status, m.status), vendor_id = coalesce(t.vendor_id, m.vendor_id), due_at = t.due_at,
          sending_at = case when t.outcome = 'unknown' then m.sending_at end,
          attempts = m.attempts + case when t.outcome in ('unknown', 'postponed', 'quiet') then 0 else 1 end,
          scheduled_at = case when t.outcome = 'quiet' then t.due_at else m.scheduled_at end,
          timestamp = case when t.outcome = 'quiet' then t.due_at else m.timestamp end,
          error = case when t.status = 'failed' then coalesce(t.error, t.pending) end, updated_at = t.now
     from applied t, chats k, contacts p, handles h
    where m.id = t.id and m.tenant_id = t.tenant_id and m.attempts = t.attempts and ${isQueued('m')}
      and k.id = m.chat_id and (k.tenant_id = m.tenant_id) is true
      and p.id = m.contact_id and (p.tenant_id = m.tenant_id) is true
      and h.id = k.handle_id and (h.tenant_id = m.tenant_id) is true
   returning ${OWN_COLUMNS}, ${personColumns('p', 'h')}, m.tenant_id, t.outcome, k.is_sensitive,
     exists (select 1 from messages n where n.chat_id = m.chat_id and ${isWaiting('n')} and n.id <> m.id) as has_more`,
);

/** The events of a message that was waiting to be sent. */
function eventsOf(row: RecordedRow, tx: TenantTx): NewEvent[] {
  const event = (status: Exclude<Message['status'], 'queued'>): NewEvent =>
    messageEvent(`message.${status}`, { ...row, status, person: personOf(row) }, row.is_sensitive, tx);
  if (!['sent', 'failed'].includes(row.outcome) || row.status === 'queued') return [];
  if (row.status === 'sent' || row.status === 'failed') return [event(row.status)];
  return [event('sent'), event(row.status)];
}

function dueAfter(outcome: SendOutcome): Date | '-infinity' | null {
  if (outcome.kind === 'again') return outcome.at ?? '-infinity';
  if (outcome.kind === 'postponed') return outcome.at;
  return outcome.kind === 'unknown' || outcome.kind === 'quiet' ? outcome.until : null;
}

interface EndedAttempt {
  message: ClaimedMessage;
  outcome: SendOutcome;
}

const rowOf = ({ message, outcome }: EndedAttempt, clock: Clock): RowOf<typeof endedAttempts> => ({
  now: clock.now(message.tenant_id),
  // Written out: a claimed message has many more columns, and to spread it would copy them all.
  id: message.id,
  tenant_id: message.tenant_id,
  channel_id: message.channel_id,
  attempts: message.attempts,
  outcome: outcome.kind,
  due_at: dueAfter(outcome),
  vendor_id: outcome.kind === 'sent' ? storable(outcome.vendorId) : null,
  rank: outcome.kind === 'sent' ? statusRank[outcome.status] : 0,
  error: outcome.kind === 'failed' ? storableError(outcome.error) : null,
});

export interface SendRecorder {
  /** Commits that the vendor is about to be called; false if another process did, or the message is deleted. */
  begin(message: ClaimedMessage, isScheduled: boolean): Promise<boolean>;
  /** Commits the outcome of an attempt with its events. */
  end(attempt: EndedAttempt): Promise<void>;
}

const byId = (a: ClaimedMessage, b: ClaimedMessage): number => (a.id < b.id ? -1 : 1);

/** Stores the attempts of many messages in one statement, and wakes the queue if more messages wait in their chats. */
export function createSendRecorder(db: Database, clock: Clock): SendRecorder {
  const begin = batch(
    async (messages: ClaimedMessage[]): Promise<boolean[]> => {
      const sorted = messages.toSorted(byId);
      const tenantIds = sorted.map(({ tenant_id }) => tenant_id);
      const rows = await db.all(markSending, [
        timesOf(clock, tenantIds),
        sorted.map(({ id }) => id),
        tenantIds,
        sorted.map(({ attempts }) => attempts),
      ]);
      const begun = new Set(rows.map(({ id }) => id));
      return messages.map(({ id }) => begun.has(id));
    },
    BATCH,
    ({ tenant_id }) => tenant_id,
  );

  const end = batch(
    async (all: EndedAttempt[]): Promise<undefined[]> => {
      const ended = all.toSorted((a, b) => byId(a.message, b.message));
      const messages = ended.map(({ message }) => message);
      await db.systemTransaction(async (tx) => {
        // In one round trip: channels that still exist are locked until what refers to them is written.
        const [, recorded] = await Promise.all([
          tx.run(holdChannels, [[...new Set(messages.map(({ channel_id }) => channel_id))]]),
          tx.all(recordOutcomes, [endedAttempts.encode(ended.map((attempt) => rowOf(attempt, clock)))]),
        ]);
        for (const [tenantId, rows] of groupBy(recorded, (row) => row.tenant_id)) {
          const tenant = tx.forTenant(tenantId);
          tenant.publish(...rows.flatMap((row) => eventsOf(row, tenant)));
          for (const channelId of new Set(rows.filter((row) => row.has_more).map((row) => row.channel_id)))
            tenant.wake(messagesQueue, channelId);
        }
      });
      return [];
    },
    BATCH,
    ({ message }) => message.tenant_id,
  );

  return {
    async begin(message, isScheduled) {
      if (!isScheduled) return begin(message);
      return db.forTenant(message.tenant_id).transaction(async (tx) => {
        const row = await tx.find(markScheduled, [tx.now, message.id, message.attempts]);
        // A person who wrote in advance answers now. The chat is locked, and nothing that locks a run locks this message.
        if (row?.is_of_user) await takeOverChats(tx, [row.chat_id]);
        return row !== undefined;
      });
    },
    end,
  };
}

const storableError = ({ code, message }: { code: string; message: string }) => ({
  code: storable(code),
  message: storable(message),
});

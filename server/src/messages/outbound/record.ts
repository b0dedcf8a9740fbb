import { batch } from '../../base/batch.ts';
import { type Clock, timesOf } from '../../base/clock.ts';
import { groupBy } from '../../base/group-by.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { storable } from '../../db/storable.ts';
import type { NewEvent, Publisher } from '../../engine/outbox.ts';
import { MESSAGE_COLUMNS, type MessageRow, presentMessage, withoutContent } from '../message.ts';
import type { Message } from '../schema.ts';
import { statusRank } from '../status.ts';
import type { Outcome } from './retry-policy.ts';

const TOGETHER = { maxBatch: 300, underWay: 1 };

/** A message on the list, as it was when it was read. */
export interface ListedMessage {
  id: string;
  tenant_id: string;
  channel_id: string;
  /** How many attempts had ended: if there are more by now, what this one says does not count. */
  attempts: number;
}

/**
 * Whether a message that is known by its id is still on the list. Said so that no index of the list could serve: where the
 * planner has seen the list empty it would read all of it instead of looking for the id.
 */
const isListed = (name: string): string => `num_nulls(${name}.due_at) = 0`;

const markSending = statement<
  [nows: string[], ids: string[], tenantIds: string[], attempts: number[]],
  { id: string }
>(
  'messages.mark_sending',
  // Of two who believe that the message is theirs to send, one finds it still waiting.
  `update messages m set sending_at = r.now
     from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::int[]) as r (now, id, tenant_id, attempts)
    where m.id = r.id and m.tenant_id = r.tenant_id and m.attempts = r.attempts and m.sending_at is null
      and ${isListed('m')}
   returning m.id`,
);
const markScheduled = statement<[now: Date, id: string, tenantId: string, attempts: number], { id: string }>(
  'messages.mark_scheduled',
  // As a reply does when it is written: it is read now, and the latest.
  `with chat as (
     update chats c set unread_count = 0, marked_unread = false, read_at = $1, updated_at = $1,
            latest_message_id = case when c.latest_message_at > $1 then c.latest_message_id else m.id end,
            latest_message_at = greatest(c.latest_message_at, $1)
       from messages m
      where m.id = $2 and m.tenant_id = $3 and m.attempts = $4 and m.sending_at is null and ${isListed('m')}
        and c.id = m.chat_id and c.tenant_id = m.tenant_id
     returning c.id)
   update messages m set sending_at = $1, timestamp = $1 from chat
    where m.id = $2 and m.tenant_id = $3 and m.attempts = $4 and m.sending_at is null and ${isListed('m')}
   returning m.id`,
);

const holdChannels = statement<[ids: string[]]>(
  'messages.hold_channels',
  'select 1 from channels where id = any ($1::uuid[]) order by id for key share',
);
const byRank = Object.entries(statusRank)
  .sort(([, a], [, b]) => a - b)
  .map(([status]) => `'${status}'`);
const STATUS_OF = (rank: string): string => `(array[${byRank.join(', ')}])[${rank} + 1]`;

/** Whether a message waits to be sent, in the words of the index of what waits in a chat. */
export const waits = (name: string): string => `coalesce(${name}.due_at, 'infinity') < 'infinity'`;

interface RecordedRow extends MessageRow {
  tenant_id: string;
  outcome: Outcome['kind'];
  is_sensitive: boolean;
  has_more: boolean;
}
const recordOutcomes = statement<
  [
    nows: string[],
    ids: string[],
    tenantIds: string[],
    channelIds: string[],
    attempts: number[],
    outcomes: string[],
    dueAt: (string | null)[],
    vendorIds: (string | null)[],
    ranks: number[],
    errors: (string | null)[],
  ],
  RecordedRow
>(
  'messages.record_outcomes',
  // What the vendor told of the message before it answered has waited at its id, and counts at once. The chat's tenant is
  // said so that no index serves, which could lead to all chats of the tenant.
  `with results as (
     select * from unnest($1::timestamptz[], $2::uuid[], $3::uuid[], $4::uuid[], $5::int[], $6::text[],
                          $7::timestamptz[], $8::text[], $9::smallint[], $10::text[])
       as r (now, id, tenant_id, channel_id, attempts, outcome, due_at, vendor_id, rank, error)),
   known as (
     insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
     select r.channel_id, r.tenant_id, r.vendor_id, r.id, r.rank, r.now
       from results r join channels c on c.id = r.channel_id and c.tenant_id = r.tenant_id
      where r.vendor_id is not null order by r.channel_id, r.vendor_id
     on conflict (channel_id, vendor_id) do update
       set message_id = coalesce(v.message_id, excluded.message_id),
           status_rank = greatest(v.status_rank, excluded.status_rank)
     returning channel_id, vendor_id, status_rank, pending),
   told as (
     select r.*, case r.outcome when 'sent' then ${STATUS_OF('coalesce(k.status_rank, r.rank)')}
                                when 'failed' then 'failed' end as status, k.pending
       from results r left join known k on k.channel_id = r.channel_id and k.vendor_id = r.vendor_id)
   update messages m
      set status = coalesce(t.status, m.status), vendor_id = coalesce(t.vendor_id, m.vendor_id), due_at = t.due_at,
          sending_at = case when t.outcome = 'unknown' then m.sending_at end,
          attempts = m.attempts + case when t.outcome in ('unknown', 'postponed') then 0 else 1 end,
          error = case when t.status = 'failed' then coalesce(t.error::jsonb, t.pending) end, updated_at = t.now
     from told t, chats k
    where m.id = t.id and m.tenant_id = t.tenant_id and m.attempts = t.attempts and ${isListed('m')}
      and k.id = m.chat_id and (k.tenant_id = m.tenant_id) is true
   returning ${MESSAGE_COLUMNS}, m.tenant_id, t.outcome, k.is_sensitive,
     exists (select 1 from messages n where n.chat_id = m.chat_id and ${waits('n')} and n.id <> m.id) as has_more`,
);

/** What is told of a message that went from waiting to where it is. */
function eventsOf(row: RecordedRow): NewEvent[] {
  const event = (status: Exclude<Message['status'], 'queued'>): NewEvent => {
    const message = presentMessage({ ...row, status });
    return {
      type: `message.${status}`,
      channelId: row.channel_id,
      contactId: row.contact_id,
      chatId: row.chat_id,
      data: row.is_sensitive ? withoutContent(message) : message,
    };
  };
  if (!['sent', 'failed'].includes(row.outcome) || row.status === 'queued') return [];
  if (row.status === 'sent' || row.status === 'failed') return [event(row.status)];
  return [event('sent'), event(row.status)];
}

const AT_ONCE = '-infinity';

function dueAfter(outcome: Outcome): string | null {
  if (outcome.kind === 'again') return outcome.at?.toISOString() ?? AT_ONCE;
  if (outcome.kind === 'postponed') return outcome.at.toISOString();
  return outcome.kind === 'unknown' ? outcome.until.toISOString() : null;
}

export interface Ended {
  message: ListedMessage;
  outcome: Outcome;
}

export interface SendRecorder {
  /** Commits that the vendor is about to be called; false when somebody else did, or the message is gone. */
  begin(message: ListedMessage, isScheduled: boolean): Promise<boolean>;
  /** Commits what became of an attempt, and tells of it. True when more waits in the same chat. */
  end(ended: Ended): Promise<boolean>;
}

const byId = (a: ListedMessage, b: ListedMessage): number => (a.id < b.id ? -1 : 1);

/** Writes what happens to messages on their way out, many at a time. */
export function sendRecorder(db: Database, clock: Clock, { publish }: Publisher): SendRecorder {
  const begin = batch(async (messages: ListedMessage[]): Promise<boolean[]> => {
    const sorted = messages.toSorted(byId);
    const rows = await db.all(markSending, [
      timesOf(
        clock,
        sorted.map(({ tenant_id }) => tenant_id),
      ),
      sorted.map(({ id }) => id),
      sorted.map(({ tenant_id }) => tenant_id),
      sorted.map(({ attempts }) => attempts),
    ]);
    const begun = new Set(rows.map(({ id }) => id));
    return messages.map(({ id }) => begun.has(id));
  }, TOGETHER);

  const end = batch(async (all: Ended[]): Promise<boolean[]> => {
    const ended = all.toSorted((a, b) => byId(a.message, b.message));
    const messages = ended.map(({ message }) => message);
    const outcomes = ended.map(({ outcome }) => outcome);
    const rows = await db.transaction(async (tx) => {
      // Sent together: the channels that are still there stay until what refers to them is written.
      const [, recorded] = await Promise.all([
        tx.run(holdChannels, [[...new Set(messages.map(({ channel_id }) => channel_id))]]),
        tx.all(recordOutcomes, [
          timesOf(
            clock,
            messages.map(({ tenant_id }) => tenant_id),
          ),
          messages.map(({ id }) => id),
          messages.map(({ tenant_id }) => tenant_id),
          messages.map(({ channel_id }) => channel_id),
          messages.map(({ attempts }) => attempts),
          outcomes.map(({ kind }) => kind),
          outcomes.map(dueAfter),
          outcomes.map((outcome) => (outcome.kind === 'sent' ? storable(outcome.vendorId) : null)),
          outcomes.map((outcome) => (outcome.kind === 'sent' ? statusRank[outcome.status] : 0)),
          outcomes.map((outcome) => (outcome.kind === 'failed' ? storableError(outcome.error) : null)),
        ]),
      ]);
      for (const [tenantId, some] of groupBy(recorded, (row) => row.tenant_id))
        await publish(tx, tenantId, some.flatMap(eventsOf));
      return recorded;
    });
    const more = new Set(rows.filter((row) => row.has_more).map(({ id }) => id));
    return all.map(({ message }) => more.has(message.id));
  }, TOGETHER);

  return {
    begin: async (message, isScheduled) =>
      isScheduled
        ? (await db.find(markScheduled, [
            clock.now(message.tenant_id),
            message.id,
            message.tenant_id,
            message.attempts,
          ])) !== undefined
        : begin(message),
    end,
  };
}

/** Made storable before it becomes JSON, where a NUL is an escape that PostgreSQL refuses as well. */
const storableError = ({ code, message }: { code: string; message: string }): string =>
  JSON.stringify({ code: storable(code), message: storable(message) });

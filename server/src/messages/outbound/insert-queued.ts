import { isByPerson, updateReplied } from '../../chats/new-messages.ts';
import { type ParameterOf, rowSet } from '../../db/rows.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { DUE_NOW } from '../../engine/queue.ts';
import type { MessageRow } from '../message.ts';
import { messagesQueue } from '../queues.ts';

/** The automation run that sends a message, and the number of its step: a step sends once. */
export interface MessageOrigin {
  runId: string;
  runStep: number;
  campaignId: string | null;
}

const queuedMessages = rowSet({
  id: 'uuid',
  chat_id: 'uuid',
  channel_id: 'uuid',
  contact_id: 'uuid',
  author: 'text',
  author_id: 'uuid?',
  author_name: 'text?',
  purpose: 'text',
  type: 'text',
  text: 'text?',
  media: 'jsonb',
  content: 'jsonb',
  reply_to_message_id: 'uuid?',
  scheduled_at: 'timestamptz?',
  shard: 'smallint',
  run_id: 'uuid?',
  run_step: 'int?',
  campaign_id: 'uuid?',
});
/** The newest reply of each chat. A scheduled one counts when it is sent. */
const NEWEST_REPLIES = `(select q.chat_id, max(q.id::text)::uuid as id, bool_or(${isByPerson('q')}) as by_person
      from queued q where q.scheduled_at is null group by q.chat_id) n`;
const insertMany = statement<[now: Date, chatIds: string[], messages: ParameterOf<typeof queuedMessages>]>(
  'messages.insert_queued',
  `with queued as (select * from ${queuedMessages.from(3, 'q')}),
   replied as (${updateReplied(NEWEST_REPLIES, 'c.id = any ($2::uuid[])', 1)})
   insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, author_id, author_name, purpose, type, text,
                         media, content, status, reply_to_message_id, timestamp, scheduled_at, shard, due_at, run_id, run_step, campaign_id,
                         created_at, updated_at)
   select q.id, $tenant, q.chat_id, q.channel_id, q.contact_id, 'outbound', q.author, q.author_id, q.author_name, q.purpose, q.type, q.text, q.media,
          q.content, 'queued', q.reply_to_message_id, coalesce(q.scheduled_at, $1), q.scheduled_at, q.shard,
          coalesce(q.scheduled_at, ${DUE_NOW}), q.run_id, q.run_step, q.campaign_id, $1, $1
     from queued q order by q.id`,
);

/** For one message, as requests send one: with rows as JSON, PostgreSQL takes longer. */
const insertOne = statement<
  [
    now: Date,
    id: string,
    chatId: string,
    channelId: string,
    contactId: string,
    author: string,
    authorId: string | null,
    authorName: string | null,
    purpose: string,
    type: string,
    text: string | null,
    media: string,
    content: string,
    replyToMessageId: string | null,
    scheduledAt: Date | null,
    shard: number,
    runId: string | null,
    runStep: number | null,
    campaignId: string | null,
  ]
>(
  'messages.insert_one_queued',
  `with replied as (${updateReplied(
    `(select $2::uuid as id, $3::uuid as chat_id, ${isByPerson('a')} as by_person from (select $6::text as author) a) n`,
    'c.id = $3 and $15::timestamptz is null',
    1,
  )})
   insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, author_id, author_name, purpose, type, text,
                         media, content, status, reply_to_message_id, timestamp, scheduled_at, shard, due_at, run_id, run_step, campaign_id,
                         created_at, updated_at)
   values ($2, $tenant, $3, $4, $5, 'outbound', $6, $7, $8, $9, $10, $11, $12::jsonb, $13::jsonb, 'queued', $14,
           coalesce($15, $1), $15, $16, coalesce($15, ${DUE_NOW}), $17, $18, $19, $1, $1)`,
);

interface QueuedMessage {
  row: MessageRow;
  origin: MessageOrigin | undefined;
}

/** Stores messages that are to be sent, and what they change in their chats, with the next statement. */
export function insertQueued(tx: TenantTx, messages: readonly QueuedMessage[]): void {
  const [first] = messages;
  if (!first) return;
  const shardOf = ({ channel_id }: MessageRow): number => messagesQueue.shardOf(channel_id, tx.tenantId);
  if (messages.length > 1) {
    const rows = messages.map(({ row, origin }) => ({
      ...row,
      scheduled_at: row.scheduled_at as Date | null,
      shard: shardOf(row),
      run_id: origin?.runId,
      run_step: origin?.runStep,
      campaign_id: origin?.campaignId,
    }));
    tx.enqueue(insertMany, [tx.now, messages.map(({ row }) => row.chat_id), queuedMessages.encode(rows)]);
    return;
  }
  const { row, origin } = first;
  tx.enqueue(insertOne, [
    tx.now,
    row.id,
    row.chat_id,
    row.channel_id,
    row.contact_id,
    row.author,
    row.author_id,
    row.author_name,
    row.purpose,
    row.type,
    row.text,
    JSON.stringify(row.media),
    JSON.stringify(row.content),
    row.reply_to_message_id,
    row.scheduled_at as Date | null,
    shardOf(row),
    origin?.runId ?? null,
    origin?.runStep ?? null,
    origin?.campaignId ?? null,
  ]);
}

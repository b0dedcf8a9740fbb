import { groupBy } from '../../base/group-by.ts';
import type { LockedChat } from '../../chats/find-or-create.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { ChannelConfig, ChannelKind } from '../../providers/adapter.ts';
import { replyWindowMs } from '../../providers/capabilities.ts';
import type { MessageRow } from '../message.ts';
import { keepMedia, type ReceivedMessage } from './media.ts';
import { newAnswerAt, nextChatState } from './next-chat-state.ts';

const countUnread = statement<
  [tenantId: string, chatIds: string[], since: Date[]],
  { chat_id: string; unread: number }
>(
  'messages.count_unread',
  `select n.chat_id, count(*)::int as unread from unnest($2::uuid[], $3::timestamptz[]) as n (chat_id, since)
     join messages m on m.tenant_id = $1 and m.chat_id = n.chat_id and m.sender = 'inbound' and m.timestamp > n.since
    group by n.chat_id`,
);

const store = statement<
  [
    tenantId: string,
    channelId: string,
    now: Date,
    chatIds: string[],
    unread: number[],
    latestIds: string[],
    latestTimes: Date[],
    openUntil: (Date | null)[],
    reopens: boolean[],
    answeredAt: (Date | null)[],
    messageIds: string[],
    messageChats: string[],
    messageContacts: string[],
    senders: string[],
    types: string[],
    texts: (string | null)[],
    media: string[],
    contents: string[],
    vendorIds: string[],
    replied: (string | null)[],
    timestamps: Date[],
    automatic: boolean[],
  ]
>(
  'messages.store_inbound',
  `with changed as (
     update chats c set status = case when n.reopens then 'open' else c.status end,
            snoozed_until = case when not n.reopens then c.snoozed_until end,
            due_at = case when not n.reopens then c.due_at end, unread_count = c.unread_count + n.unread,
            marked_unread = c.marked_unread and n.answered_at is null, read_at = coalesce(n.answered_at, c.read_at),
            latest_message_id = n.latest_id, latest_message_at = n.latest_at, open_until = n.open_until, updated_at = $3
       from unnest($4::uuid[], $5::int[], $6::uuid[], $7::timestamptz[], $8::timestamptz[], $9::boolean[], $10::timestamptz[])
         as n (chat_id, unread, latest_id, latest_at, open_until, reopens, answered_at)
      where c.id = n.chat_id and c.tenant_id = $1)
   insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                         status, vendor_id, reply_to_message_id, timestamp, is_automatic, created_at, updated_at)
   select m.id, $1, m.chat_id, $2, m.contact_id, m.sender, case m.sender when 'inbound' then 'contact' else 'user' end,
          m.type, m.text, m.media::jsonb, m.content::jsonb, case m.sender when 'inbound' then 'delivered' else 'sent' end,
          m.vendor_id, m.replied, m.at, m.is_automatic, $3, $3
     from unnest($11::uuid[], $12::uuid[], $13::uuid[], $14::text[], $15::text[], $16::text[], $17::text[], $18::text[],
                 $19::text[], $20::uuid[], $21::timestamptz[], $22::boolean[])
       as m (id, chat_id, contact_id, sender, type, text, media, content, vendor_id, replied, at, is_automatic)`,
);

export interface ReceivingChannel {
  id: string;
  tenantId: string;
  kind: ChannelKind;
  config: ChannelConfig;
}

/** A message that is being stored, as it came and as it will be. */
export interface NewMessage {
  told: ReceivedMessage;
  row: MessageRow & { timestamp: Date };
}

export type TouchedChat = LockedChat & { reopens: boolean };

/** Writes new messages with their files, and what they make of their chats. */
export async function storeNew(
  tx: Tx,
  channel: ReceivingChannel,
  fresh: NewMessage[],
  chats: Map<string, LockedChat>,
  now: Date,
): Promise<TouchedChat[]> {
  if (fresh.length === 0) return [];
  const { tenantId } = channel;
  const perChat = groupBy(
    fresh.map(({ row }) => row),
    (row) => row.chat_id,
  );
  const byId = new Map([...chats.values()].map((chat) => [chat.id, chat]));
  const touched = [...byId.values()].filter((chat) => perChat.has(chat.id));
  const rowsOf = (chat: LockedChat) => perChat.get(chat.id) as NewMessage['row'][];
  const stillUnread = await countStillUnread(tx, tenantId, touched, rowsOf);
  const windowMs = replyWindowMs(channel.kind, channel.config);
  const changes = touched.map((chat) =>
    nextChatState(chat, rowsOf(chat), windowMs, stillUnread.get(chat.id)),
  );
  await tx.write(store, [
    tenantId,
    channel.id,
    now,
    changes.map((change) => change.chatId),
    changes.map((change) => change.unread),
    changes.map((change) => change.latestId),
    changes.map((change) => change.latestAt),
    changes.map((change) => change.openUntil),
    changes.map((change) => change.reopens),
    changes.map((change) => change.answeredAt),
    fresh.map(({ row }) => row.id),
    fresh.map(({ row }) => row.chat_id),
    fresh.map(({ row }) => row.contact_id),
    fresh.map(({ row }) => row.sender),
    fresh.map(({ row }) => row.type),
    fresh.map(({ row }) => row.text),
    fresh.map(({ row }) => JSON.stringify(row.media)),
    fresh.map(({ row }) => JSON.stringify(row.content)),
    fresh.map(({ row }) => row.vendor_id as string),
    fresh.map(({ row }) => row.reply_to_message_id),
    fresh.map(({ row }) => row.timestamp),
    fresh.map(({ told }) => told.isAutomatic === true),
  ]);
  const withMedia = fresh.filter(({ told }) => told.media.length > 0);
  await keepMedia(
    tx,
    channel,
    withMedia.map(({ told, row }) => ({ id: row.id, media: told.media })),
    now,
  );
  return touched.map((chat, at) => ({ ...chat, reopens: changes[at]?.reopens ?? false }));
}

/** How many stored messages came after an answer that is only heard of now. Mostly none: then nothing is asked. */
async function countStillUnread(
  tx: Tx,
  tenantId: string,
  chats: LockedChat[],
  rowsOf: (chat: LockedChat) => NewMessage['row'][],
): Promise<Map<string, number>> {
  const asked = chats.flatMap((chat) => {
    const answeredAt = newAnswerAt(chat, rowsOf(chat));
    const mayBeUnread = chat.unread_count > 0 && (chat.latest_message_at ?? 0) > (answeredAt ?? 0);
    return answeredAt !== null && mayBeUnread ? [{ id: chat.id, answeredAt }] : [];
  });
  if (asked.length === 0) return new Map();
  const rows = await tx.all(countUnread, [
    tenantId,
    asked.map(({ id }) => id),
    asked.map(({ answeredAt }) => answeredAt),
  ]);
  return new Map(rows.map((row) => [row.chat_id, row.unread]));
}

import { groupBy } from '../base/group-by.ts';
import { newId } from '../base/ids.ts';
import { chatsForEvents } from '../chats/chat.ts';
import type { LockedChat } from '../chats/find-or-create.ts';
import { keyOf } from '../contacts/add-handles.ts';
import { contactEvents } from '../contacts/contact.ts';
import { type SubscriptionChange, setSubscriptions } from '../contacts/subscriptions.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { NewEvent, Publisher } from '../engine/publish.ts';
import type { ChannelConfig, ChannelKind } from '../providers/adapter.ts';
import { replyWindowMs } from '../providers/capabilities.ts';
import { chatAfter, newAnswerAt } from './chat-after.ts';
import { type ChatsWith, chatsWith, peerOf } from './chats-with.ts';
import { nameReplied } from './find-replied.ts';
import type { MessageRow } from './message.ts';
import { messageEvent } from './message-event.ts';
import { moveOn, statusOfRank } from './receive-statuses.ts';
import { entryOfReceived, keepMedia, type ReceivedMessage } from './received-media.ts';
import { statusRank } from './status.ts';

const claimVendorIds = statement<
  [channelId: string, tenantId: string, vendorIds: string[], messageIds: string[], now: Date],
  { message_id: string; status_rank: number; parked: MessageRow['error'] }
>(
  'messages.claim_vendor_ids',
  // Whoever comes first gives the vendor's id its message; for everyone after, the message is somebody else's.
  `insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
   select $1, $2, n.vendor_id, n.message_id, 0, $5 from unnest($3::text[], $4::uuid[]) as n (vendor_id, message_id)
    order by n.vendor_id
   on conflict (channel_id, vendor_id) do update set message_id = coalesce(v.message_id, excluded.message_id)
   returning message_id, status_rank, parked`,
);

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

const END_OF_TIME_MS = Date.UTC(9999, 11);

export interface ReceivingChannel {
  id: string;
  tenantId: string;
  kind: ChannelKind;
  config: ChannelConfig;
}

interface NewMessage {
  told: ReceivedMessage;
  row: MessageRow & { timestamp: Date };
}

/**
 * Stores messages that people wrote, and what the business wrote elsewhere: each once, however often the vendor sends
 * it, in its chat, with its events. New people get a contact and a chat first.
 */
export async function receiveMessages(
  tx: Tx,
  channel: ReceivingChannel,
  received: ReceivedMessage[],
  now: Date,
  publisher: Publisher,
  baseUrl = '',
): Promise<void> {
  const { tenantId } = channel;
  const seen = new Set<string>();
  const once = received
    .filter(({ vendorId }) => !seen.has(vendorId) && seen.add(vendorId))
    .map((message) => ({ ...message, peer: peerOf(message.peer) }));
  if (once.length === 0) return;
  const found = await chatsWith(tx, channel, once, now);
  const { chats } = found;

  const candidates = found.written.map((told) => ({ told, row: rowOf(told, channel, chats, baseUrl, now) }));
  const claimed = await tx.all(claimVendorIds, [
    channel.id,
    tenantId,
    candidates.map(({ told }) => told.vendorId),
    candidates.map(({ row }) => row.id),
    now,
  ]);
  const claims = new Map(claimed.map((claim) => [claim.message_id, claim]));
  const fresh = candidates.filter(({ row }) => claims.has(row.id));
  await nameReplied(tx, channel, fresh);
  const touched = await storeNew(tx, channel, fresh, chats, now);

  const reopened = touched.filter((chat) => chat.status !== 'open' && chat.reopens).map((chat) => chat.id);
  const sensitive = new Set(touched.filter((chat) => chat.is_sensitive).map((chat) => chat.id));
  await publisher.publish(tx, tenantId, [
    ...(await eventsOfChats(tx, channel, found, reopened)),
    ...fresh.map(({ told, row }) =>
      messageEvent(
        told.kind === 'echo' ? 'message.echo' : 'message.received',
        row,
        sensitive.has(row.chat_id),
      ),
    ),
    ...(await setSubscriptions(tx, tenantId, subscriptionsIn(fresh), now)),
  ]);
  // How far an echo has come may have been told before the echo itself.
  const parked = fresh.flatMap(({ row }) => {
    const { status_rank: rank, parked: error } = claims.get(row.id) ?? { status_rank: 0, parked: null };
    const isFurther = row.sender === 'outbound' && rank > statusRank.sent;
    return isFurther ? [{ messageId: row.id, status: statusOfRank(rank), error, vendorId: null }] : [];
  });
  await moveOn(tx, channel, parked, now, publisher);
}

type TouchedChat = LockedChat & { reopens: boolean };

/** Writes new messages with their files, and what they make of their chats. */
async function storeNew(
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
  const changes = touched.map((chat) => chatAfter(chat, rowsOf(chat), windowMs, stillUnread.get(chat.id)));
  await tx.run(store, [
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

function rowOf(
  message: ReceivedMessage,
  channel: ReceivingChannel,
  chats: Map<string, LockedChat>,
  baseUrl: string,
  now: Date,
): NewMessage['row'] {
  const chat = chats.get(keyOf(message.peer));
  if (!chat) throw new Error('The chat of an inbound message was deleted while it was being stored.');
  // PostgreSQL would keep the year 10000, but nobody could read it back, nor anything after it in the chat.
  const ms = message.occurredAt.getTime();
  if (!(ms >= 0 && ms < END_OF_TIME_MS))
    throw new Error('An inbound message says that it was written at a time that cannot be.');
  const isEcho = message.kind === 'echo';
  return {
    id: newId(),
    chat_id: chat.id,
    channel_id: channel.id,
    contact_id: chat.contact_id,
    sender: isEcho ? 'outbound' : 'inbound',
    author: isEcho ? 'user' : 'contact',
    type: message.type,
    text: message.text,
    media: message.media.map((media) => entryOfReceived(media, baseUrl)),
    content: message.content,
    status: isEcho ? 'sent' : 'delivered',
    error: null,
    vendor_id: message.vendorId,
    reply_to_message_id: null,
    timestamp: message.occurredAt,
    scheduled_at: null,
    edited_at: null,
    deleted_at: null,
    created_at: now,
    updated_at: now,
  };
}

/** What the writers said about being written to, the oldest first. */
const subscriptionsIn = (fresh: NewMessage[]): SubscriptionChange[] =>
  fresh
    .flatMap(({ told: { subscription, peer, occurredAt }, row }) =>
      subscription ? [{ contactId: row.contact_id, handle: peer, subscription, at: occurredAt }] : [],
    )
    .sort((a, b) => a.at.getTime() - b.at.getTime());

async function eventsOfChats(
  tx: Tx,
  channel: ReceivingChannel,
  { newContacts, changedContacts, newChats }: ChatsWith<ReceivedMessage>,
  reopened: string[],
): Promise<NewEvent[]> {
  if (newContacts.length + changedContacts.length + newChats.length + reopened.length === 0) return [];
  const chats = await chatsForEvents(tx, channel.tenantId, [...newChats, ...reopened]);
  return [
    ...(await contactEvents(tx, channel.tenantId, newContacts, ['contact.created'])),
    ...(await contactEvents(tx, channel.tenantId, changedContacts, ['contact.updated'])),
    ...chats.map(
      (chat): NewEvent => ({
        type: newChats.includes(chat.id) ? 'chat.created' : 'chat.status_changed',
        facts: { trigger: 'chat_opened' },
        channelId: channel.id,
        contactId: chat.contactId,
        chatId: chat.id,
        data: chat,
      }),
    ),
  ];
}

import { groupBy } from '../base/group-by.ts';
import { newId } from '../base/ids.ts';
import { chatsForEvents } from '../chats/chat.ts';
import { createChats, type LockedChat, lockChatsOf } from '../chats/find-or-create.ts';
import { findContacts } from '../contacts/contact.ts';
import { createPeople } from '../contacts/find-or-create.ts';
import { vendorHandle } from '../contacts/handles.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { NewEvent, Publisher } from '../engine/publish.ts';
import type { ChannelConfig, ChannelKind, InboundMessage, Peer } from '../providers/adapter.ts';
import { replyWindowMs } from '../providers/capabilities.ts';
import { type MessageRow, presentMessage, withoutContent } from './message.ts';

const claimVendorIds = statement<
  [channelId: string, tenantId: string, vendorIds: string[], messageIds: string[], now: Date],
  { message_id: string }
>(
  'messages.claim_vendor_ids',
  // Whoever comes first gives the vendor's id its message; for everyone after, the message is somebody else's.
  `insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
   select $1, $2, n.vendor_id, n.message_id, 0, $5 from unnest($3::text[], $4::uuid[]) as n (vendor_id, message_id)
    order by n.vendor_id
   on conflict (channel_id, vendor_id) do update set message_id = coalesce(v.message_id, excluded.message_id)
   returning message_id`,
);

const receivedBefore = statement<[channelId: string, vendorIds: string[]], { vendor_id: string }>(
  'messages.received_before',
  'select vendor_id from vendor_messages where channel_id = $1 and vendor_id = any ($2::text[]) and message_id is not null',
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
    messageIds: string[],
    messageChats: string[],
    messageContacts: string[],
    types: string[],
    texts: (string | null)[],
    vendorIds: string[],
    timestamps: Date[],
  ]
>(
  'messages.store_inbound',
  `with changed as (
     update chats c set status = 'open', snoozed_until = null, due_at = null, unread_count = c.unread_count + n.unread, latest_message_id = n.latest_id,
            latest_message_at = n.latest_at, open_until = n.open_until, updated_at = $3
       from unnest($4::uuid[], $5::int[], $6::uuid[], $7::timestamptz[], $8::timestamptz[])
         as n (chat_id, unread, latest_id, latest_at, open_until)
      where c.id = n.chat_id and c.tenant_id = $1)
   insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                         status, vendor_id, timestamp, created_at, updated_at)
   select m.id, $1, m.chat_id, $2, m.contact_id, 'inbound', 'contact', m.type, m.text, '[]', '{}', 'delivered',
          m.vendor_id, m.at, $3, $3
     from unnest($9::uuid[], $10::uuid[], $11::uuid[], $12::text[], $13::text[], $14::text[], $15::timestamptz[])
       as m (id, chat_id, contact_id, type, text, vendor_id, at)`,
);

const END_OF_TIME_MS = Date.UTC(9999, 11);

export interface ReceivingChannel {
  id: string;
  tenantId: string;
  kind: ChannelKind;
  config: ChannelConfig;
}

/** What a run of new messages does to one chat. Pure: unread counts what came after the last look, latest only moves forward. */
export function chatAfter(chat: LockedChat, messages: MessageRow[], windowMs: number | null) {
  let latestId = chat.latest_message_id;
  let latestAt = chat.latest_message_at;
  let openUntil = chat.open_until;
  let unread = 0;
  for (const { id, timestamp } of messages as (MessageRow & { timestamp: Date })[]) {
    if (chat.read_at === null || timestamp > chat.read_at) unread += 1;
    if (
      latestAt === null ||
      timestamp > latestAt ||
      (timestamp.getTime() === latestAt.getTime() && id > (latestId ?? ''))
    ) {
      latestId = id;
      latestAt = timestamp;
    }
    if (windowMs !== null) {
      const until = new Date(timestamp.getTime() + windowMs);
      if (openUntil === null || until > openUntil) openUntil = until;
    }
  }
  return { chatId: chat.id, unread, latestId: latestId as string, latestAt: latestAt as Date, openUntil };
}

/**
 * Stores messages that people wrote: each once, however often the vendor sends it, in its chat, with its events. New
 * people get a contact and a chat first.
 */
export async function receiveMessages(
  tx: Tx,
  channel: ReceivingChannel,
  received: InboundMessage[],
  now: Date,
  { publish }: Publisher,
): Promise<void> {
  const { tenantId } = channel;
  const seen = new Set<string>();
  const written = received
    .filter(({ vendorId }) => !seen.has(vendorId) && seen.add(vendorId))
    .map((message) => ({ ...message, peer: inOurSpelling(message.peer) }));
  if (written.length === 0) return;
  const { inbound, chats, newContacts, newChats } = await chatsWith(tx, channel, written, now);

  const candidates = inbound.map((message) => rowOf(message, channel, chats, now));
  const claimed = await tx.all(claimVendorIds, [
    channel.id,
    tenantId,
    candidates.map((row) => row.vendor_id as string),
    candidates.map((row) => row.id),
    now,
  ]);
  const ours = new Set(claimed.map((row) => row.message_id));
  const fresh = candidates.filter((row) => ours.has(row.id));
  const perChat = groupBy(fresh, (row) => row.chat_id);
  const touched = [...chats.values()].filter((chat) => perChat.has(chat.id));
  const changes = touched.map((chat) =>
    chatAfter(chat, perChat.get(chat.id) as MessageRow[], replyWindowMs(channel.kind, channel.config)),
  );
  if (fresh.length > 0)
    await tx.run(store, [
      tenantId,
      channel.id,
      now,
      changes.map((change) => change.chatId),
      changes.map((change) => change.unread),
      changes.map((change) => change.latestId),
      changes.map((change) => change.latestAt),
      changes.map((change) => change.openUntil),
      fresh.map((row) => row.id),
      fresh.map((row) => row.chat_id),
      fresh.map((row) => row.contact_id),
      fresh.map((row) => row.type),
      fresh.map((row) => row.text),
      fresh.map((row) => row.vendor_id as string),
      fresh.map((row) => row.timestamp as Date),
    ]);

  const reopened = touched.filter((chat) => chat.status !== 'open').map((chat) => chat.id);
  const sensitive = new Set(touched.filter((chat) => chat.is_sensitive).map((chat) => chat.id));
  await publish(tx, tenantId, [
    ...(await eventsOfNew(tx, channel, newContacts, newChats, reopened)),
    ...fresh.map((row): NewEvent => {
      const message = presentMessage(row);
      return {
        type: 'message.received',
        channelId: channel.id,
        contactId: row.contact_id,
        chatId: row.chat_id,
        data: sensitive.has(row.chat_id) ? withoutContent(message) : message,
      };
    }),
  ]);
}

const inOurSpelling = (peer: Peer): Peer => ({ ...peer, value: vendorHandle(peer.type, peer.value) });

/** The locked chat of every person who wrote, by handle; who and what was new. */
async function chatsWith(tx: Tx, channel: ReceivingChannel, written: InboundMessage[], now: Date) {
  const people = new Map(written.map(({ peer }) => [peer.value, peer]));
  const type = (written[0] as InboundMessage).peer.type;
  const { id: channelId, tenantId } = channel;
  const chats = new Map<string, LockedChat>();
  const lock = async (values: string[]): Promise<void> => {
    for (const chat of await lockChatsOf(tx, tenantId, channelId, type, values))
      chats.set(chat.handle_value, chat);
  };
  await lock([...people.keys()]);
  const fromStrangers = written.filter(({ peer }) => !chats.has(peer.value));
  if (fromStrangers.length === 0) return { inbound: written, chats, newContacts: [], newChats: [] };
  // A message that was here before came in a chat that is deleted: its repetition does not bring anyone back.
  const vendorIds = fromStrangers.map(({ vendorId }) => vendorId);
  const before = new Set((await tx.all(receivedBefore, [channel.id, vendorIds])).map((row) => row.vendor_id));
  const inbound = written.filter(({ peer, vendorId }) => chats.has(peer.value) || !before.has(vendorId));
  const writing = new Set(inbound.map(({ peer }) => peer.value));
  const strangers = [...people.values()].filter(({ value }) => writing.has(value) && !chats.has(value));
  if (strangers.length === 0) return { inbound, chats, newContacts: [], newChats: [] };
  const values = strangers.map((person) => person.value);
  const newContacts = await createPeople(tx, tenantId, strangers, now);
  const newChats = await createChats(tx, tenantId, channelId, type, values, now);
  await lock(values);
  return { inbound, chats, newContacts, newChats };
}

function rowOf(
  message: InboundMessage,
  channel: ReceivingChannel,
  chats: Map<string, LockedChat>,
  now: Date,
): MessageRow {
  const chat = chats.get(message.peer.value);
  if (!chat) throw new Error('The chat of an inbound message was deleted while it was being stored.');
  // PostgreSQL would keep the year 10000, but nobody could read it back, nor anything after it in the chat.
  const ms = message.occurredAt.getTime();
  if (!(ms >= 0 && ms < END_OF_TIME_MS))
    throw new Error('An inbound message says that it was written at a time that cannot be.');
  return {
    id: newId(),
    chat_id: chat.id,
    channel_id: channel.id,
    contact_id: chat.contact_id,
    sender: 'inbound',
    author: 'contact',
    type: message.type,
    text: message.text,
    media: [],
    content: {},
    status: 'delivered',
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

async function eventsOfNew(
  tx: Tx,
  channel: ReceivingChannel,
  newContacts: string[],
  newChats: string[],
  reopened: string[],
): Promise<NewEvent[]> {
  if (newContacts.length + newChats.length + reopened.length === 0) return [];
  const contacts = await findContacts(tx, channel.tenantId, newContacts);
  const chats = await chatsForEvents(tx, channel.tenantId, [...newChats, ...reopened]);
  return [
    ...contacts.map(
      (contact): NewEvent => ({
        type: 'contact.created',
        channelId: null,
        contactId: contact.id,
        chatId: null,
        data: contact,
      }),
    ),
    ...chats.map(
      (chat): NewEvent => ({
        type: newChats.includes(chat.id) ? 'chat.created' : 'chat.status_changed',
        channelId: channel.id,
        contactId: chat.contactId,
        chatId: chat.id,
        data: chat,
      }),
    ),
  ];
}

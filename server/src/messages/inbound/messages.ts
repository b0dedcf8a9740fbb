import { newId } from '../../base/ids.ts';
import { chatsForEvents } from '../../chats/chat.ts';
import type { LockedChat } from '../../chats/find-or-create.ts';
import { type SubscriptionChange, setSubscriptions } from '../../contacts/consent/subscriptions.ts';
import { contactEvents } from '../../contacts/contact.ts';
import { keyOf } from '../../contacts/handles/add.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { NewEvent, Publisher } from '../../engine/outbox.ts';
import type { MessageRow } from '../message.ts';
import { messageEvent } from '../message-event.ts';
import { statusRank } from '../status.ts';
import { nameReplied } from './find-replied.ts';
import { entryOfReceived, type ReceivedMessage } from './media.ts';
import { normalizeContact, type ResolvedChats, resolveChats } from './resolve-chats.ts';
import { moveOn, statusOfRank } from './statuses.ts';
import { type NewMessage, type ReceivingChannel, storeNew } from './store-messages.ts';

const claimVendorIds = statement<
  [channelId: string, tenantId: string, vendorIds: string[], messageIds: string[], now: Date],
  { message_id: string; status_rank: number; pending: MessageRow['error'] }
>(
  'messages.claim_vendor_ids',
  // Whoever comes first gives the vendor's id its message; for everyone after, the message is somebody else's.
  `insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
   select $1, $2, n.vendor_id, n.message_id, 0, $5 from unnest($3::text[], $4::uuid[]) as n (vendor_id, message_id)
    order by n.vendor_id
   on conflict (channel_id, vendor_id) do update set message_id = coalesce(v.message_id, excluded.message_id)
   returning message_id, status_rank, pending`,
);

const END_OF_TIME_MS = Date.UTC(9999, 11);

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
    .map((message) => ({ ...message, contact: normalizeContact(message.contact) }));
  if (once.length === 0) return;
  const found = await resolveChats(tx, channel, once, now);
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
  const pending = fresh.flatMap(({ row }) => {
    const { status_rank: rank, pending: error } = claims.get(row.id) ?? { status_rank: 0, pending: null };
    const isFurther = row.sender === 'outbound' && rank > statusRank.sent;
    return isFurther ? [{ messageId: row.id, status: statusOfRank(rank), error, vendorId: null }] : [];
  });
  await moveOn(tx, channel, pending, now, publisher);
}

function rowOf(
  message: ReceivedMessage,
  channel: ReceivingChannel,
  chats: Map<string, LockedChat>,
  baseUrl: string,
  now: Date,
): NewMessage['row'] {
  const chat = chats.get(keyOf(message.contact));
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
    .flatMap(({ told: { subscription, contact, occurredAt }, row }) =>
      subscription ? [{ contactId: row.contact_id, handle: contact, subscription, at: occurredAt }] : [],
    )
    .sort((a, b) => a.at.getTime() - b.at.getTime());

async function eventsOfChats(
  tx: Tx,
  channel: ReceivingChannel,
  { newContacts, changedContacts, newChats }: ResolvedChats<ReceivedMessage>,
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

import type { NewEvent } from '../../base/events.ts';
import { newId } from '../../base/ids.ts';
import { chatsForEvents } from '../../chats/chat.ts';
import type { LockedChat } from '../../chats/find-or-create.ts';
import { type SubscriptionChange, setSubscriptions } from '../../contacts/consent/subscriptions.ts';
import { contactEvents } from '../../contacts/contact.ts';
import { keyOf } from '../../contacts/handles/owners.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { MessageRow } from '../message.ts';
import { messageEvent } from '../message-event.ts';
import { statusRank } from '../status.ts';
import { setRepliedMessages } from './find-replied.ts';
import { entryOfReceived, type ReceivedMessage } from './media.ts';
import { normalizeContact, type ResolvedChats, resolveChats } from './resolve-chats.ts';
import { advanceStatuses, statusOfRank } from './statuses.ts';
import { type NewMessage, type ReceivingChannel, storeNewMessages } from './store-messages.ts';

const claimVendorIds = statement<
  [channelId: string, vendorIds: string[], messageIds: string[], now: Date],
  { message_id: string; status_rank: number; pending: MessageRow['error'] }
>(
  'messages.claim_vendor_ids',
  // The first one to insert a vendor's id sets its message. All later ones get that message back and store nothing.
  `insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
   select $1, $tenant, n.vendor_id, n.message_id, 0, $4 from unnest($2::text[], $3::uuid[]) as n (vendor_id, message_id)
    order by n.vendor_id
   on conflict (channel_id, vendor_id) do update set message_id = coalesce(v.message_id, excluded.message_id)
   returning message_id, status_rank, pending`,
);

const MAX_TIME_MS = Date.UTC(9999, 11);

/**
 * Stores messages of customers, and those that the business wrote elsewhere: each once, however often the vendor sends
 * it, in its chat, with its events. New senders get a contact and a chat first.
 */
export async function receiveMessages(
  tx: TenantTx,
  channel: ReceivingChannel,
  messages: ReceivedMessage[],
  baseUrl = '',
): Promise<void> {
  const seen = new Set<string>();
  const unique = messages
    .filter(({ vendorId }) => !seen.has(vendorId) && seen.add(vendorId))
    .map((message) => ({ ...message, contact: normalizeContact(message.contact) }));
  if (unique.length === 0) return;
  const resolved = await resolveChats(tx, channel.id, unique);
  const { chats } = resolved;

  const candidates = resolved.written.map((received) => ({
    received,
    row: rowOf(received, channel.id, chats, baseUrl, tx.now),
  }));
  const claimed = await tx.all(claimVendorIds, [
    channel.id,
    candidates.map(({ received }) => received.vendorId),
    candidates.map(({ row }) => row.id),
    tx.now,
  ]);
  const claims = new Map(claimed.map((claim) => [claim.message_id, claim]));
  const created = candidates.filter(({ row }) => claims.has(row.id));
  await setRepliedMessages(tx, channel.id, created);
  const touched = await storeNewMessages(tx, channel, created, chats);

  const reopened = touched.filter((chat) => chat.status !== 'open' && chat.reopens).map((chat) => chat.id);
  const sensitive = new Set(touched.filter((chat) => chat.is_sensitive).map((chat) => chat.id));
  tx.publish(
    ...(await chatEvents(tx, channel.id, resolved, reopened)),
    ...created.map(({ received, row }) =>
      messageEvent(
        received.kind === 'echo' ? 'message.echo' : 'message.received',
        row,
        sensitive.has(row.chat_id),
      ),
    ),
    ...(await setSubscriptions(tx, subscriptionsIn(created))),
  );
  // The status of an echo may have come before the echo itself.
  const pending = created.flatMap(({ row }) => {
    const { status_rank: rank, pending: error } = claims.get(row.id) ?? { status_rank: 0, pending: null };
    const isFurther = row.sender === 'outbound' && rank > statusRank.sent;
    return isFurther ? [{ messageId: row.id, status: statusOfRank(rank), error, vendorId: null }] : [];
  });
  await advanceStatuses(tx, pending);
}

function rowOf(
  message: ReceivedMessage,
  channelId: string,
  chats: Map<string, LockedChat>,
  baseUrl: string,
  now: Date,
): NewMessage['row'] {
  const chat = chats.get(keyOf(message.contact));
  if (!chat) throw new Error('The chat of an inbound message was deleted while it was being stored.');
  // PostgreSQL stores the year 10000, but JavaScript cannot read it back.
  const ms = message.occurredAt.getTime();
  if (!(ms >= 0 && ms < MAX_TIME_MS)) throw new Error('The timestamp of an inbound message is out of range.');
  const isEcho = message.kind === 'echo';
  return {
    id: newId(),
    chat_id: chat.id,
    channel_id: channelId,
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

/** The opt-outs and opt-ins in these messages, the oldest first. */
const subscriptionsIn = (messages: NewMessage[]): SubscriptionChange[] =>
  messages
    .flatMap(({ received: { subscription, contact, occurredAt }, row }) =>
      subscription ? [{ contactId: row.contact_id, handle: contact, subscription, at: occurredAt }] : [],
    )
    .sort((a, b) => a.at.getTime() - b.at.getTime());

async function chatEvents(
  tx: TenantTx,
  channelId: string,
  { newContacts, changedContacts, newChats }: ResolvedChats<ReceivedMessage>,
  reopened: string[],
): Promise<NewEvent[]> {
  if (newContacts.length + changedContacts.length + newChats.length + reopened.length === 0) return [];
  const chats = await chatsForEvents(tx, [...newChats, ...reopened]);
  return [
    ...(await contactEvents(tx, newContacts, ['contact.created'])),
    ...(await contactEvents(tx, changedContacts, ['contact.updated'])),
    ...chats.map(
      (chat): NewEvent => ({
        type: newChats.includes(chat.id) ? 'chat.created' : 'chat.status_changed',
        facts: { trigger: 'chat_opened' },
        channelId,
        contactId: chat.contactId,
        chatId: chat.id,
        data: chat,
      }),
    ),
  ];
}

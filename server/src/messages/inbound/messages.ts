import { takeOverChats } from '../../automations/runs/take-over.ts';
import type { NewEvent } from '../../base/events.ts';
import { groupBy } from '../../base/group-by.ts';
import { newId } from '../../base/ids.ts';
import { chatsForEvents } from '../../chats/chat.ts';
import type { LockedChat } from '../../chats/find-or-create.ts';
import { queueProfiles } from '../../chats/tasks.ts';
import { consentEvents } from '../../contacts/consent/consents.ts';
import { contactEvents, personOf } from '../../contacts/contact.ts';
import { fillNames } from '../../contacts/fill-names.ts';
import { keyOf } from '../../contacts/handles/owners.ts';
import { clearUndeliverable } from '../../contacts/handles/undeliverable.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { messageEvent } from '../message-event.ts';
import type { QueueDeps } from '../outbound/queue.ts';
import { statusRank } from '../status.ts';
import { confirmOptOuts, recordOptOuts } from './consent-words.ts';
import { asImported } from './contacts.ts';
import { setRepliedMessages } from './find-replied.ts';
import { entryOfReceived, type ReceivedMessage } from './media.ts';
import { notAhead } from './not-ahead.ts';
import { renewIds } from './renew-ids.ts';
import { replacePlaceholders } from './replace-placeholders.ts';
import { normalizeContact, type ResolvedChats, resolveChats } from './resolve-chats.ts';
import { advanceStatuses, statusOfRank } from './statuses.ts';
import { type NewMessage, type ReceivingChannel, storeNewMessages } from './store-messages.ts';

const MAX_TIME_MS = Date.UTC(9999, 11);

/**
 * Stores messages of customers, and those that the business wrote elsewhere: each once, however often the vendor sends
 * it, in its chat, with its events. New senders get a contact and a chat first. Messages that are imported have no events:
 * nothing reacts to them, and nothing of them is unread.
 */
export async function receiveMessages(
  tx: TenantTx,
  channel: ReceivingChannel,
  messages: ReceivedMessage[],
  deps: QueueDeps,
  { isImport = false } = {},
): Promise<void> {
  const unique = uniqueOf(messages).map((message) => ({
    ...message,
    messageId: newId(),
    contact: normalizeContact(message.contact),
  }));
  if (unique.length === 0) return;
  const found = await renewIds(tx, channel.id, await resolveChats(tx, channel.id, unique, isImport));
  const { chats } = found;
  const resolved = {
    ...found,
    changedContacts: [...found.changedContacts, ...(await nameContacts(tx, found))],
  };

  const candidates = resolved.written.map((received) => ({
    received,
    row: rowOf(received, channel.id, chats, tx.now),
  }));
  const claims = new Map(found.claims.map((claim) => [claim.message_id, claim]));
  const created = candidates.filter(({ row }) => claims.has(row.id));
  await setRepliedMessages(tx, channel.id, created);
  // Before anything can react to the messages.
  const optOuts = await recordOptOuts(tx, isImport ? [] : created, channel.kind);
  const standbyIds = created.flatMap(({ received, row }) => (received.isStandby ? [row.id] : []));
  const commentIds = created.flatMap(({ row }) => (row.type === 'comment' ? [row.id] : []));
  const noReplies = new Set([...optOuts.ids, ...standbyIds, ...commentIds]);
  const touched = await storeNewMessages(tx, channel, created, chats, noReplies, isImport);
  if (isImport) {
    const stored = new Set(created.map(({ received }) => received.vendorId));
    const known = unique.filter(({ vendorId }) => !stored.has(vendorId));
    await replacePlaceholders(tx, channel.id, known);
    tx.publish(...(await chatEvents(tx, channel.id, resolved, [])).map(asImported));
    return;
  }
  if (channel.kind === 'instagram')
    queueProfiles(
      tx,
      channel.id,
      touched.map(({ id }) => id),
    );
  await takeOverChats(
    tx,
    touched.filter((chat) => chat.isReplied).map((chat) => chat.id),
  );

  const reopened = touched.filter((chat) => chat.status !== 'open' && chat.reopens);
  const assigned = new Set(touched.filter((chat) => chat.is_assigned).map((chat) => chat.id));
  const sensitive = new Set(touched.filter((chat) => chat.is_sensitive).map((chat) => chat.id));
  const reachable = await clearUndeliverable(
    tx,
    touched.filter((chat) => chat.is_undeliverable && chat.reopens).map((chat) => chat.handle_id),
    [channel.kind],
  );
  // Nothing answers STOP but its confirmation, and nobody what another app answers.
  const silenceOf = ({ received, row }: NewMessage): NewEvent['facts'] =>
    optOuts.ids.has(row.id)
      ? { triggerAutomations: false, isOptOut: true }
      : received.isStandby
        ? { triggerAutomations: false }
        : received.isAutomatic
          ? { triggerAutomations: false, isAutomatic: true }
          : undefined;
  /** Of what messages open or create: the first of those that may be answered, or else why none of them may. */
  const factsOfFirst = (messages: readonly NewMessage[] = []): NewEvent['facts'] => {
    const received = messages.filter((message) => message.received.kind === 'message');
    const first = received.find((message) => silenceOf(message) === undefined) ?? received[0] ?? messages[0];
    return first && { messageId: first.row.id, ...silenceOf(first) };
  };
  const perChat = groupBy(created, ({ row }) => row.chat_id);
  const perContact = groupBy(created, ({ row }) => row.contact_id);
  tx.publish(
    ...(await chatEvents(
      tx,
      channel.id,
      { ...resolved, changedContacts: [...resolved.changedContacts, ...reachable] },
      reopened,
      (chatId) => factsOfFirst(perChat.get(chatId)),
      (contactId) => factsOfFirst(perContact.get(contactId)),
    )),
    ...(await consentEvents(tx, optOuts.changed)),
    ...created.map((message) => {
      const { received, row } = message;
      const type = received.kind === 'echo' ? 'message.echo' : 'message.received';
      const event = messageEvent(type, row, sensitive.has(row.chat_id), tx);
      const facts = silenceOf(message) ?? event.facts;
      // Notifications need not look for somebody then: reading the chat again took 20 of 690 us of PostgreSQL per message.
      const isUnassigned = type === 'message.received' && !assigned.has(row.chat_id);
      return { ...event, facts: isUnassigned ? { ...facts, isUnassigned } : facts };
    }),
  );
  await confirmOptOuts(tx, optOuts.unsubscribed, channel, deps);
  // The status of an echo may have come before the echo itself.
  const pending = created.flatMap(({ row }) => {
    const { status_rank: rank, pending: error } = claims.get(row.id) ?? { status_rank: 0, pending: null };
    const isFurther = row.sender === 'outbound' && rank > statusRank.sent;
    return isFurther ? [{ messageId: row.id, status: statusOfRank(rank), error, vendorId: null }] : [];
  });
  await advanceStatuses(tx, pending);
}

/** Each message once, as it came first. The file of an imported message may come after it. */
function uniqueOf(messages: readonly ReceivedMessage[]): ReceivedMessage[] {
  const unique = new Map<string, ReceivedMessage>();
  for (const message of messages) {
    const { imported, media } = unique.get(message.vendorId) ?? {};
    if (!media) unique.set(message.vendorId, message);
    else if (imported && media.length === 0 && message.media.length > 0)
      unique.set(message.vendorId, { ...message, imported });
  }
  return [...unique.values()];
}

/** Names the contacts that have no name yet as their profile does, and returns their ids. */
async function nameContacts(
  tx: TenantTx,
  { written, chats, newContacts }: ResolvedChats<ReceivedMessage>,
): Promise<string[]> {
  const names = new Map<string, string>();
  for (const { contact } of written) {
    const chat = chats.get(keyOf(contact));
    if (chat && contact.name && !chat.first_name && !chat.last_name) names.set(chat.contact_id, contact.name);
  }
  const filled = names.size === 0 ? [] : await fillNames(tx, names);
  for (const { id, ...name } of filled)
    for (const chat of chats.values()) if (chat.contact_id === id) Object.assign(chat, name);
  return filled.map(({ id }) => id).filter((id) => !newContacts.includes(id));
}

function rowOf(
  message: ReceivedMessage & { messageId: string },
  channelId: string,
  chats: Map<string, LockedChat>,
  now: Date,
): NewMessage['row'] {
  const chat = chats.get(keyOf(message.contact));
  if (!chat) throw new Error('The chat of an inbound message was deleted while it was being stored.');
  // PostgreSQL stores the year 10000, but JavaScript cannot read it back.
  const ms = message.occurredAt.getTime();
  if (!(ms >= 0 && ms < MAX_TIME_MS)) throw new Error('The timestamp of an inbound message is out of range.');
  const isEcho = message.kind === 'echo';
  return {
    id: message.messageId,
    chat_id: chat.id,
    channel_id: channelId,
    contact_id: chat.contact_id,
    sender: isEcho ? 'outbound' : 'inbound',
    author: isEcho ? 'user' : 'contact',
    author_id: null,
    author_name: null,
    purpose: 'service',
    is_automatic: message.isAutomatic === true,
    type: message.type,
    text: message.text,
    media: message.media.map(entryOfReceived),
    content: message.isStandby ? { ...message.content, isStandby: true } : message.content,
    status: isEcho ? (message.imported?.status ?? 'sent') : 'delivered',
    error: null,
    vendor_id: message.vendorId,
    reply_to_message_id: null,
    timestamp: notAhead(message.occurredAt, now),
    scheduled_at: null,
    edited_at: null,
    deleted_at: null,
    created_at: now,
    updated_at: now,
    person: personOf(chat),
  };
}

async function chatEvents(
  tx: TenantTx,
  channelId: string,
  { newContacts, changedContacts, newChats }: ResolvedChats<ReceivedMessage>,
  reopened: readonly Pick<LockedChat, 'id' | 'status'>[],
  factsOfChat: (chatId: string) => NewEvent['facts'] = () => undefined,
  factsOfContact: (contactId: string) => NewEvent['facts'] = () => undefined,
): Promise<NewEvent[]> {
  if (newContacts.length + changedContacts.length + newChats.length + reopened.length === 0) return [];
  const chats = await chatsForEvents(tx, [...newChats, ...reopened.map(({ id }) => id)]);
  const closed = new Set(reopened.filter(({ status }) => status === 'closed').map(({ id }) => id));
  return [
    ...(await contactEvents(tx, newContacts, ['contact.created'])).map((event) => ({
      ...event,
      facts: { ...event.facts, ...factsOfContact(event.contactId as string) },
    })),
    ...(await contactEvents(tx, [...new Set(changedContacts)], ['contact.updated'])),
    ...chats.map(
      (chat): NewEvent => ({
        type: newChats.includes(chat.id) ? 'chat.created' : 'chat.status_changed',
        facts: {
          trigger: 'chat_opened',
          ...(closed.has(chat.id) ? { change: 'reopened' } : {}),
          ...factsOfChat(chat.id),
        },
        channelId,
        contactId: chat.contactId,
        chatId: chat.id,
        data: chat,
      }),
    ),
  ];
}

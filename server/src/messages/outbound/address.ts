import { ApiError, invalidParam } from '../../base/errors.ts';
import { findHeldChannel, unknownChannelIssue } from '../../channels/channel.ts';
import type { ChangeDeps } from '../../chats/change-chat.ts';
import { chatsForEvents } from '../../chats/chat.ts';
import { createChats } from '../../chats/find-or-create.ts';
import { startChat } from '../../chats/start-chat.ts';
import { findContacts } from '../../contacts/contact.ts';
import { createContacts } from '../../contacts/find-or-create.ts';
import { validateHandle } from '../../contacts/handles/validate.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { ChannelKind, Handle, HandleType } from '../../providers/adapter.ts';
import { capabilities } from '../../providers/capabilities.ts';

const chatWith = statement<
  [tenantId: string, channelId: string, type: string, value: string],
  { id: string }
>(
  'messages.chat_with',
  `select k.id from handles h join chats k on k.tenant_id = h.tenant_id and k.channel_id = $2 and k.handle_id = h.id
    where h.tenant_id = $1 and h.type = $3 and h.value = $4`,
);

/** WhatsApp's own ids of people begin with a country and a point, which no number does. */
const WHATSAPP_ID = /^[A-Z]{2}\.\w/;

/** The person that `to` means, in our spelling. */
function validateRecipient(to: string, kind: ChannelKind): Handle {
  const [usual] = capabilities[kind].handles as [HandleType];
  const type = kind === 'whatsapp' && WHATSAPP_ID.test(to) ? 'whatsapp_id' : usual;
  const { value, issue } = validateHandle(type, to);
  if (issue) throw invalidParam('to', issue.key, issue.message);
  return { type, value };
}

/** The chat with whoever has this handle; somebody new becomes a contact first. */
async function chatWithHandle(
  tx: Tx,
  tenantId: string,
  channelId: string,
  { type, value }: Handle,
  { clock, publisher }: ChangeDeps,
): Promise<string> {
  const find = () => tx.find(chatWith, [tenantId, channelId, type, value]);
  const known = await find();
  if (known) return known.id;
  const now = clock.now(tenantId);
  const newContacts = await createContacts(tx, tenantId, [{ type, value, name: null }], now);
  const newChats = await createChats(tx, tenantId, channelId, [{ type, value }], now);
  const contacts = await findContacts(tx, tenantId, newContacts);
  const chats = await chatsForEvents(tx, tenantId, newChats);
  await publisher.publish(tx, tenantId, [
    ...contacts.map((contact) => ({
      type: 'contact.created' as const,
      channelId: null,
      contactId: contact.id,
      chatId: null,
      data: contact,
    })),
    ...chats.map((chat) => ({
      type: 'chat.created' as const,
      channelId,
      contactId: chat.contactId,
      chatId: chat.id,
      data: chat,
    })),
  ]);
  const chat = newChats[0] ?? (await find())?.id;
  // Somebody made it at the same time, and deleted it again.
  if (chat === undefined) throw new ApiError('conflict', { detail: 'the chat was deleted meanwhile' });
  return chat;
}

/** The chat of a message to a contact or to somebody named by a handle, made where there is none. */
export async function addressMessage(
  tx: Tx,
  tenantId: string,
  { channelId, contactId, to }: { channelId: string; contactId?: string; to?: string },
  deps: ChangeDeps,
): Promise<string> {
  if ((contactId === undefined) === (to === undefined))
    throw invalidParam('contactId', 'custom', 'Needs either `contactId` or `to`');
  if (contactId !== undefined) return (await startChat(tx, tenantId, { contactId, channelId }, deps)).id;
  const channel = await findHeldChannel(tx, tenantId, channelId);
  if (!channel) throw new ApiError('invalid_body_params', { invalidParams: unknownChannelIssue(channelId) });
  return chatWithHandle(tx, tenantId, channel.id, validateRecipient(to as string, channel.kind), deps);
}

import { ApiError, invalidParam } from '../../base/errors.ts';
import { findHeldChannel, unknownChannel } from '../../channels/channel.ts';
import { chatsForEvents } from '../../chats/chat.ts';
import { createChats } from '../../chats/find-or-create.ts';
import { startChat } from '../../chats/start-chat.ts';
import { contactEvents } from '../../contacts/contact.ts';
import { createContacts } from '../../contacts/create-contacts.ts';
import { findSpellings } from '../../contacts/handles/spellings.ts';
import { validateHandle } from '../../contacts/handles/validate.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { capabilities } from '../../providers/capabilities.ts';
import type { ChannelKind, Handle, HandleType } from '../../providers/kinds.ts';

const chatWith = statement<[channelId: string, type: string, value: string], { id: string }>(
  'messages.chat_with',
  `select k.id from handles h join visible_chats k on k.handle_id = h.id and (k.tenant_id = h.tenant_id and k.channel_id = $1) is true
    where h.tenant_id = $tenant and h.type = $2 and h.value = $3`,
);

/** WhatsApp's own user ids begin with a country code and a point, which no phone number does. */
const WHATSAPP_ID = /^[A-Z]{2}\.\w/;

/** The handle that `to` names, as we store it. */
function validateRecipient(to: string, kind: ChannelKind): Handle {
  const [usual] = capabilities[kind].handles as [HandleType];
  const type = kind === 'whatsapp' && WHATSAPP_ID.test(to) ? 'whatsapp_id' : usual;
  const { value, issue } = validateHandle(type, to);
  if (issue) throw invalidParam('to', issue.key, issue.message);
  return { type, value };
}

/** The chat with the owner of an address. If the address is new, a contact and a chat are created. */
export async function findOrCreateChat(
  tx: TenantTx,
  channelId: string,
  to: string,
  { isClosed = false }: { isClosed?: boolean } = {},
): Promise<string> {
  const channel = await findHeldChannel(tx, channelId);
  if (!channel) throw unknownChannel(channelId);
  const given = validateRecipient(to, channel.kind);
  const { type, value } = (await findSpellings(tx, [given], channel.id))(given);
  const find = () => tx.find(chatWith, [channel.id, type, value]);
  const known = await find();
  if (known) return known.id;
  const newContacts = await createContacts(tx, [{ type, value, name: null }]);
  const newChats = await createChats(tx, channel.id, [{ type, value }], { isClosed });
  const contacts = await contactEvents(tx, newContacts, ['contact.created']);
  const chats = await chatsForEvents(tx, newChats);
  tx.publish(
    ...contacts,
    ...chats.map((chat) => ({
      type: 'chat.created' as const,
      channelId: channel.id,
      contactId: chat.contactId,
      chatId: chat.id,
      data: chat,
    })),
  );
  const chatId = newChats[0] ?? (await find())?.id;
  // Another transaction created it at the same time and deleted it again.
  if (chatId === undefined) throw new ApiError('conflict', { detail: 'the chat was deleted meanwhile' });
  return chatId;
}

/** The chat of a message to a contact or to a handle, created if it does not exist. */
export async function addressMessage(
  tx: TenantTx,
  { channelId, contactId, to }: { channelId: string; contactId?: string; to?: string },
): Promise<string> {
  if ((contactId === undefined) === (to === undefined))
    throw invalidParam('contactId', 'custom', 'Either `contactId` or `to` is required');
  if (contactId !== undefined) return (await startChat(tx, { contactId, channelId })).id;
  return findOrCreateChat(tx, channelId, to as string);
}

import { ApiError, invalidParam } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { faultOfUnknownChannel, findHeldChannel } from '../channels/channel.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { ChannelKind, HandleType } from '../providers/adapter.ts';
import type { ChangeNeeds } from './change-chat.ts';
import { chatsForEvents, requireChat } from './chat.ts';
import type { Chat } from './schema.ts';

/** By which handles a person is reached on each kind of channel, the best first. */
export const reachedBy: Record<ChannelKind, readonly HandleType[]> = {
  whatsapp: ['phone_number', 'whatsapp_id'],
  sms: ['phone_number'],
  email: ['email'],
  instagram: ['instagram_id'],
};

// Held until the transaction ends: nobody deletes them before the chat refers to them.
const holdContact = statement<[id: string, tenantId: string], { id: string }>(
  'chats.hold_contact',
  'select id from contacts where id = $1 and tenant_id = $2 for key share',
);
const holdHandle = statement<[contactId: string, tenantId: string, types: readonly string[]], { id: string }>(
  'chats.hold_handle',
  `select id from handles where contact_id = $1 and tenant_id = $2 and type = any ($3::text[])
    order by array_position($3::text[], type), is_primary desc, created_at, id limit 1 for key share`,
);
const chatOver = statement<[channelId: string, tenantId: string, handleId: string], { id: string }>(
  'chats.over',
  'select id from chats where tenant_id = $2 and channel_id = $1 and handle_id = $3',
);
const insertChat = statement<
  [id: string, tenantId: string, channelId: string, contactId: string, handleId: string, now: Date],
  { id: string }
>(
  'chats.insert_one',
  `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
   values ($1, $2, $3, $4, $5, 'open', $6, $6)
   on conflict (tenant_id, channel_id, handle_id) do nothing returning id`,
);

/**
 * The chat with a contact on a channel, made and told of where there is none yet. Of many who ask at once one makes
 * it, and all get the same.
 */
export async function startChat(
  tx: Tx,
  tenantId: string,
  { contactId, channelId }: { contactId: string; channelId: string },
  { clock, publisher }: ChangeNeeds,
): Promise<Chat> {
  const channel = await findHeldChannel(tx, tenantId, channelId);
  if (!channel)
    throw new ApiError('invalid_body_params', { invalidParams: faultOfUnknownChannel(channelId) });
  const contact = await tx.find(holdContact, [contactId, tenantId]);
  if (!contact) throw new ApiError('contact_not_found');
  const types = reachedBy[channel.kind];
  const handle = await tx.find(holdHandle, [contact.id, tenantId, types]);
  if (!handle)
    throw invalidParam(
      'contactId',
      'custom',
      `The contact has no handle of the type ${types.join(' or ')}, by which people are reached on ${channel.kind}`,
    );
  for (;;) {
    const known = await tx.find(chatOver, [channel.id, tenantId, handle.id]);
    if (known) return requireChat(tx, tenantId, known.id);
    const made = await tx.find(insertChat, [
      newId(),
      tenantId,
      channel.id,
      contact.id,
      handle.id,
      clock.now(tenantId),
    ]);
    // Somebody else made it meanwhile: it is there now, unless it has been deleted again.
    if (!made) continue;
    const [data] = await chatsForEvents(tx, tenantId, [made.id]);
    await publisher.publish(tx, tenantId, [
      {
        type: 'chat.created',
        channelId: channel.id,
        contactId: contact.id,
        chatId: made.id,
        data,
      },
    ]);
    return requireChat(tx, tenantId, made.id);
  }
}

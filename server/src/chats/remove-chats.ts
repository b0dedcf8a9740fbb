import { isUuid } from '../base/ids.ts';
import { removalStatement, statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { recountChat } from '../reports/marks.ts';
import { chatsForEvents } from './chat.ts';

const lockToDelete = statement<[id: string], { id: string; channel_id: string; contact_id: string }>(
  'chats.lock_to_delete',
  'select id, channel_id, contact_id from visible_chats where id = $1 and tenant_id = $tenant for update',
);

const someChats = removalStatement<[channelId: string, limit: number], { id: string }>(
  'chats.some_of_channel',
  'select id from chats where channel_id = $1 and tenant_id = $tenant order by id limit $2 for update',
);
const deleteChats = statement<[ids: string[]]>(
  'chats.delete_many',
  'delete from chats where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/** Deletes chats that nothing refers to any more. */
export async function deleteMergedChats(tx: TenantTx, ids: string[]): Promise<void> {
  await tx.run(deleteChats, [ids]);
}

/** What other modules do before chats are deleted, in the same transaction: they end the automation runs in them. */
export type BeforeChatRemoval = (tx: TenantTx, chatIds: string[]) => Promise<void>;

/** Deletes a chat with its messages, and returns whether it existed. The contact stays. */
export async function removeChat(
  tx: TenantTx,
  chatId: string,
  beforeRemoval: BeforeChatRemoval,
): Promise<boolean> {
  const chat = isUuid(chatId) ? await tx.find(lockToDelete, [chatId]) : undefined;
  if (!chat) return false;
  const [data] = await chatsForEvents(tx, [chat.id]);
  await recountChat(tx, chat.id);
  await beforeRemoval(tx, [chat.id]);
  await tx.run(deleteChats, [[chat.id]]);
  tx.publish({
    type: 'chat.deleted',
    channelId: chat.channel_id,
    contactId: chat.contact_id,
    chatId: chat.id,
    data,
  });
  return true;
}

/** Deletes at most `limit` chats of a channel with their messages, and returns how many. */
export async function removeSomeChats(
  tx: TenantTx,
  channelId: string,
  limit: number,
  beforeRemoval: BeforeChatRemoval,
): Promise<number> {
  const ids = (await tx.all(someChats, [channelId, limit])).map(({ id }) => id);
  if (ids.length === 0) return 0;
  await beforeRemoval(tx, ids);
  await tx.run(deleteChats, [ids]);
  return ids.length;
}

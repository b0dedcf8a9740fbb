import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const CHATS_AT_ONCE = 2_000;

const deleteSome = statement<[channelId: string, tenantId: string, limit: number]>(
  'chats.delete_of_channel',
  `delete from chats where tenant_id = $2 and id = any (array(
     select id from chats where channel_id = $1 and tenant_id = $2 limit $3))`,
);

/**
 * Deletes all chats of a channel with their messages. A few thousand at a time, because a statement has its time: the
 * cascade removes some 300,000 messages a second, and a channel may have had many millions.
 */
export async function removeChatsOf(tx: Tx, tenantId: string, channelId: string): Promise<void> {
  while ((await tx.run(deleteSome, [channelId, tenantId, CHATS_AT_ONCE])) > 0);
}

import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const CHATS_PER_STATEMENT = 2_000;

const someChats = statement<[channelId: string, limit: number], { id: string }>(
  'chats.some_of_channel',
  'select id from chats where channel_id = $1 and tenant_id = $tenant order by id limit $2 for update',
);
const deleteChats = statement<[ids: string[]]>(
  'chats.delete_many',
  'delete from chats where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/** What other modules do before chats are deleted, in the same transaction: they end the automation runs in them. */
export type BeforeChatRemoval = (tx: TenantTx, chatIds: string[]) => Promise<void>;

/**
 * Deletes all chats of a channel with their messages, a few thousand per statement because of the statement timeout:
 * the cascade removes about 300,000 messages a second, and a channel may have many millions.
 */
export async function removeChatsOf(
  tx: TenantTx,
  channelId: string,
  beforeRemoval: BeforeChatRemoval,
): Promise<void> {
  for (;;) {
    const ids = (await tx.all(someChats, [channelId, CHATS_PER_STATEMENT])).map(({ id }) => id);
    if (ids.length === 0) return;
    await beforeRemoval(tx, ids);
    await tx.run(deleteChats, [ids]);
  }
}

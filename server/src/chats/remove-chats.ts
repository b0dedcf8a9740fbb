import type { Clock } from '../base/clock.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const CHATS_AT_ONCE = 2_000;

const someChats = statement<[channelId: string, tenantId: string, limit: number], { id: string }>(
  'chats.some_of_channel',
  'select id from chats where channel_id = $1 and tenant_id = $2 limit $3 for update',
);
const deleteChats = statement<[ids: string[], tenantId: string]>(
  'chats.delete_many',
  'delete from chats where id = any ($1::uuid[]) and tenant_id = $2',
);

export interface EndingDeps {
  clock: Clock;
  /** What else ends with chats, in the same transaction. */
  beforeRemoval(tx: Tx, tenantId: string, chatIds: string[], now: Date): Promise<void>;
}

/**
 * Deletes all chats of a channel with their messages. A few thousand at a time, because a statement has its time: the
 * cascade removes some 300,000 messages a second, and a channel may have had many millions.
 */
export async function removeChatsOf(
  tx: Tx,
  tenantId: string,
  channelId: string,
  { clock, beforeRemoval }: EndingDeps,
): Promise<void> {
  for (;;) {
    const ids = (await tx.all(someChats, [channelId, tenantId, CHATS_AT_ONCE])).map(({ id }) => id);
    if (ids.length === 0) return;
    await beforeRemoval(tx, tenantId, ids, clock.now(tenantId));
    await tx.run(deleteChats, [ids, tenantId]);
  }
}

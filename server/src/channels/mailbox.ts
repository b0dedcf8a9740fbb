import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { AT_ONCE, realShardOf } from '../engine/queue.ts';

// The same mailbox goes on where it was read to; another one has other ids of mails.
const listMailbox = statement<
  [channelId: string, tenantId: string, isSame: boolean, shard: number, now: Date]
>(
  'mailboxes.list',
  `insert into mailboxes (id, tenant_id, shard, due_at, created_at) values ($1, $2, $4, ${AT_ONCE}, $5)
   on conflict (id, tenant_id) do update set due_at = ${AT_ONCE}, attempts = 0, error = null,
     uid_validity = case when $3 then mailboxes.uid_validity end, uid = case when $3 then mailboxes.uid end`,
);
const strikeMailbox = statement<[channelId: string, tenantId: string]>(
  'mailboxes.strike',
  'delete from mailboxes where id = $1 and tenant_id = $2',
);

/** Lists the mailbox that a channel is to be asked for from now on, and strikes one that it no longer has. */
export async function keepMailbox(
  tx: Tx,
  tenantId: string,
  channelId: string,
  before: string | undefined,
  after: string | undefined,
  now: Date,
): Promise<void> {
  if (after !== undefined)
    await tx.run(listMailbox, [channelId, tenantId, before === after, realShardOf(channelId), now]);
  else if (before !== undefined) await tx.run(strikeMailbox, [channelId, tenantId]);
}

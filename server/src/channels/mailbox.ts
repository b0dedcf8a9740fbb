import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import { mailboxesQueue } from './queues.ts';

// The same mailbox is read on from where it was; another mailbox has other ids.
const queueMailbox = statement<[channelId: string, isSame: boolean, shard: number, now: Date]>(
  'mailboxes.queue',
  `insert into mailboxes (id, tenant_id, shard, due_at, created_at) values ($1, $tenant, $3, ${DUE_NOW}, $4)
   on conflict (id, tenant_id) do update set due_at = ${DUE_NOW}, attempts = 0, error = null,
     uid_validity = case when $2 then mailboxes.uid_validity end, uid = case when $2 then mailboxes.uid end`,
);
const deleteMailbox = statement<[channelId: string], { problem: string | null }>(
  'mailboxes.delete',
  'delete from mailboxes where id = $1 and tenant_id = $tenant returning problem',
);

/**
 * Queues the mailbox of a channel for reading, or removes it if the channel no longer has one. Returns the problem of a mailbox that
 * was removed.
 */
export async function updateMailbox(
  tx: TenantTx,
  channelId: string,
  before: string | undefined,
  after: string | undefined,
): Promise<string | null> {
  if (after !== undefined)
    await tx.run(queueMailbox, [
      channelId,
      before === after,
      mailboxesQueue.shardOf(channelId, tx.tenantId),
      tx.now,
    ]);
  else if (before !== undefined) return (await tx.find(deleteMailbox, [channelId]))?.problem ?? null;
  return null;
}

import { newId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import { systemStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import { systemMailsQueue } from './queues.ts';

/** The email channel over which the installation itself writes to people. */
export interface SystemMailChannel {
  tenantId: string;
  channelId: string;
}

const insertMail = systemStatement<
  [
    id: string,
    channelId: string,
    tenantId: string,
    kind: string,
    email: string,
    userId: string | null,
    userTenantId: string | null,
    shard: number,
    now: Date,
  ],
  { id: string }
>(
  'system_mails.insert',
  `insert into system_mails (id, tenant_id, channel_id, kind, email, user_id, user_tenant_id, shard, due_at, created_at)
   select $1, c.tenant_id, c.id, $4, $5, $6, $7, $8, ${DUE_NOW}, $9 from visible_channels c
    where c.id = $2 and c.tenant_id = $3 and c.kind = 'email'
   returning id`,
);

interface NewSystemMail {
  kind: 'invitation' | 'reset';
  email: string;
  user?: { id: string; tenantId: string };
}

/**
 * Queues a mail, and returns false if there is no channel for it. The link is made when the mail is sent: it is stored nowhere, not
 * even while the mail waits. What is asked for an address that nobody has takes the same time.
 */
export async function queueSystemMail(
  tx: Pick<TenantTx, 'storeAndWake'>,
  channel: SystemMailChannel | undefined,
  { kind, email, user }: NewSystemMail,
): Promise<boolean> {
  if (!channel) return false;
  const { tenantId, channelId } = channel;
  const stored = await tx.storeAndWake(
    insertMail,
    [
      newId(),
      channelId,
      tenantId,
      kind,
      email,
      user?.id ?? null,
      user?.tenantId ?? null,
      systemMailsQueue.shardOf(channelId, tenantId),
      new Date(nowMs()),
    ],
    [[systemMailsQueue, channelId, tenantId]],
  );
  return stored.length > 0;
}

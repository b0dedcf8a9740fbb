import { type Static, Type } from 'typebox';
import { newId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import type { Queryable } from '../db/queryable.ts';
import { systemStatement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import { Nullable, OneOf, Uuid } from '../http/schema.ts';
import { systemMailsQueue } from './queues.ts';

/** The email channel over which the installation itself writes to people. */
export interface SystemMailChannel {
  tenantId: string;
  channelId: string;
}

export const SystemMailState = Type.Object(
  {
    status: OneOf(
      ['none', 'working', 'unchecked', 'failing', 'missing'],
      'Whether mails can be sent. `none`: no channel is chosen, so admins copy links. `unchecked`: nothing was sent over it yet. `failing`: it cannot send. `missing`: the chosen channel does not exist or is not for email',
    ),
    tenantId: Nullable(Uuid('The tenant of the channel')),
    channelId: Nullable(Uuid()),
    problem: Nullable(Type.String({ description: 'Why it is failing; otherwise null' })),
  },
  {
    title: 'SystemMailState',
    description:
      'The channel that mails invitations and links for new passwords (`PARLEY_SYSTEM_MAIL_CHANNEL`)',
  },
);
export type SystemMailState = Static<typeof SystemMailState>;

const channelHealth = systemStatement<
  [id: string, tenantId: string],
  { health: 'unchecked' | 'healthy' | 'degraded' | 'failing'; problem: string | null }
>(
  'system_mails.channel_health',
  `select health, problem from visible_channels where id = $1 and tenant_id = $2 and kind = 'email'`,
);

/** Whether mails with links can be sent. */
export async function readSystemMailState(
  db: Pick<Queryable | TenantReader, 'find'>,
  channel: SystemMailChannel | undefined,
): Promise<SystemMailState> {
  if (!channel) return { status: 'none', tenantId: null, channelId: null, problem: null };
  const row = await db.find(channelHealth, [channel.channelId, channel.tenantId]);
  if (!row) return { status: 'missing', ...channel, problem: null };
  const { health, problem } = row;
  const isFailing = health === 'failing';
  const status = isFailing ? 'failing' : health === 'unchecked' ? 'unchecked' : 'working';
  return { status, ...channel, problem: isFailing ? problem : null };
}

/** What a tenant may know of it: nothing about channels of others. */
export const stateForTenant = (state: SystemMailState, tenantId: string): SystemMailState =>
  state.tenantId === tenantId ? state : { ...state, tenantId: null, channelId: null, problem: null };

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

import type { Logger } from 'pino';
import type { NewEvent } from '../base/events.ts';
import { storable } from '../base/storable.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantDatabase, TenantTx } from '../db/tenant.ts';
import type { SendResult } from '../providers/outgoing-message.ts';
import { CHANNEL_COLUMNS, type ChannelRow, presentChannel } from './channel.ts';
import type { Channel } from './schema.ts';

const updateHealth = statement<
  [id: string, health: string, problem: string | null, now: Date],
  ChannelRow & { was: Channel['health'] }
>(
  'channels.update_health',
  `with before as (select health as was from visible_channels where id = $1 and tenant_id = $tenant for no key update)
   update visible_channels set health = $2, problem = $3, problem_cause = null, updated_at = $4 from before
    where id = $1 and tenant_id = $tenant and (health <> $2 or problem is distinct from $3)
   returning ${CHANNEL_COLUMNS}, was`,
);
const storeReport = statement<
  [id: string, health: string, problem: string | null, cause: string, now: Date],
  ChannelRow & { was: Channel['health'] }
>(
  'channels.report_health',
  // A warning does not hide that the channel fails, and good news is only about its own cause.
  `with before as (
     select health as was, problem_cause as cause from visible_channels where id = $1 and tenant_id = $tenant for no key update)
   update visible_channels set health = $2, problem = $3, problem_cause = case when $2 <> 'healthy' then $4 end, updated_at = $5
     from before
    where id = $1 and tenant_id = $tenant and (health <> $2 or problem is distinct from $3)
      and case $2 when 'failing' then true when 'degraded' then was <> 'failing' or cause = $4 else cause = $4 end
   returning ${CHANNEL_COLUMNS}, was`,
);
const lockHealth = statement<[id: string], Pick<ChannelRow, 'health' | 'problem'>>(
  'channels.lock_health',
  'select health, problem from visible_channels where id = $1 and tenant_id = $tenant for no key update',
);
const mailboxProblem = statement<[id: string], { problem: string }>(
  'mailboxes.problem',
  'select problem from mailboxes where id = $1 and tenant_id = $tenant and problem is not null',
);
const countFailing = systemStatement<[], { count: number }>(
  'channels.count_failing',
  `select count(*)::int as count from visible_channels where health = 'failing'`,
);

/**
 * Sets whether the vendor accepts the credentials of a channel, and if not, why. A change has one event and one log line. A
 * channel that can send stays failing while its mailbox cannot be read.
 */
export async function setHealth(
  db: TenantDatabase,
  channelId: string,
  health: Channel['health'],
  problem: string | null,
  log: Logger,
): Promise<void> {
  await db.transaction((tx) => changeHealth(tx, channelId, health, problem, log));
}

/** What an attempt to send says about a channel: a refusal of its credentials, or that they work. */
export async function noteSendResult(
  db: TenantDatabase,
  { id, health }: { id: string; health: Channel['health'] },
  result: SendResult,
  log: Logger,
): Promise<void> {
  if (result.ok && health === 'failing') await setHealth(db, id, 'healthy', null, log);
  if (result.ok && health === 'unchecked') await db.transaction((tx) => endUnchecked(tx, id, log));
  if (!result.ok && result.retry === 'reauth') await setHealth(db, id, 'failing', result.error.message, log);
}

/** Ends a problem of a channel; one that was found later stays. */
export async function endProblem(
  tx: TenantTx,
  channelId: string,
  problem: string,
  log: Logger,
): Promise<void> {
  const row = await tx.find(lockHealth, [channelId]);
  if (row?.problem === problem) await changeHealth(tx, channelId, 'healthy', null, log);
}

/** A check found no problem, or a message was sent. Neither says anything about a problem that was found meanwhile. */
export async function endUnchecked(tx: TenantTx, channelId: string, log: Logger): Promise<void> {
  const row = await tx.find(lockHealth, [channelId]);
  if (row?.health === 'unchecked') await changeHealth(tx, channelId, 'healthy', null, log);
}

async function changeHealth(
  tx: TenantTx,
  channelId: string,
  wanted: Channel['health'],
  problem: string | null,
  log: Logger,
): Promise<void> {
  const other = wanted === 'healthy' ? await tx.find(mailboxProblem, [channelId]) : undefined;
  const health = other ? 'failing' : wanted;
  const storedProblem = other?.problem ?? (problem && storable(problem));
  const row = await tx.find(updateHealth, [channelId, health, storedProblem, tx.now]);
  if (!row || row.was === health) return;
  tx.publish(healthChanged(row));
  tx.afterCommit(() => {
    const line = { tenantId: tx.tenantId, channelId };
    if (health === 'failing') log.warn({ ...line, problem: storedProblem }, 'channel is failing');
    else log.info(line, row.was === 'unchecked' ? 'channel is healthy' : 'channel is healthy again');
  });
}

/** Stores what the vendor says about a channel. A change of its health has one event. */
export async function reportHealth(
  tx: TenantTx,
  channelId: string,
  { health, problem, cause }: { health: Channel['health']; problem: string | null; cause: string },
): Promise<void> {
  const row = await tx.find(storeReport, [channelId, health, problem && storable(problem), cause, tx.now]);
  if (row && row.was !== health) tx.publish(healthChanged(row));
}

/** Why a channel is degraded by its mailbox: the server refuses a mail, or has refused it so often that it was left out. */
export type MailCause = 'mail_refused' | 'mail_left_out';

/** The server hands the mail out now. Or somebody changed the settings, and knows what was left out. */
export async function endMailProblems(
  tx: TenantTx,
  channelId: string,
  causes: readonly MailCause[] = ['mail_refused', 'mail_left_out'],
): Promise<void> {
  for (const cause of causes) await reportHealth(tx, channelId, { health: 'healthy', problem: null, cause });
}

const healthChanged = (row: ChannelRow): NewEvent => ({
  type: 'channel.health_changed',
  channelId: row.id,
  contactId: null,
  chatId: null,
  data: presentChannel(row),
});

/** How many channels of all tenants cannot send. */
export async function countFailingChannels(db: Pick<Queryable, 'find'>): Promise<number> {
  return (await db.find(countFailing, []))?.count ?? 0;
}

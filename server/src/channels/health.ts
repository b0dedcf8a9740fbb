import type { Logger } from 'pino';
import { storable } from '../base/storable.ts';
import type { Queryable } from '../db/database.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { CHANNEL_COLUMNS, type ChannelRow, presentChannel } from './channel.ts';
import type { Channel } from './schema.ts';

const updateHealth = statement<
  [id: string, health: string, problem: string | null, now: Date],
  ChannelRow & { was: Channel['health'] }
>(
  'channels.update_health',
  `with before as (select health as was from visible_channels where id = $1 and tenant_id = $tenant for no key update)
   update visible_channels set health = $2, problem = $3, updated_at = $4 from before
    where id = $1 and tenant_id = $tenant and (health <> $2 or problem is distinct from $3)
   returning ${CHANNEL_COLUMNS}, was`,
);
const countFailing = systemStatement<[], { count: number }>(
  'channels.count_failing',
  `select count(*)::int as count from visible_channels where health = 'failing'`,
);

/** Sets whether a channel can send, and if not, why. A change has one event and one log line. */
export async function setHealth(
  db: TenantDatabase,
  channelId: string,
  health: Channel['health'],
  problem: string | null,
  log: Logger,
): Promise<void> {
  await db.transaction(async (tx) => {
    const storedProblem = problem && storable(problem);
    const row = await tx.find(updateHealth, [channelId, health, storedProblem, tx.now]);
    if (!row || row.was === health) return;
    tx.publish({
      type: 'channel.health_changed',
      channelId,
      contactId: null,
      chatId: null,
      data: presentChannel(row),
    });
    tx.afterCommit(() => {
      const line = { tenantId: tx.tenantId, channelId };
      if (health === 'failing') log.warn({ ...line, problem: storedProblem }, 'channel is failing');
      else log.info(line, 'channel is healthy again');
    });
  });
}

/** How many channels of all tenants cannot send. */
export async function countFailingChannels(db: Pick<Queryable, 'find'>): Promise<number> {
  return (await db.find(countFailing, []))?.count ?? 0;
}

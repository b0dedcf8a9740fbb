import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Database, Queryable } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { storable } from '../db/storable.ts';
import type { Publisher } from '../engine/outbox.ts';
import { CHANNEL_COLUMNS, type ChannelRow, presentChannel } from './channel.ts';
import type { Channel } from './schema.ts';

const updateHealth = statement<
  [id: string, tenantId: string, health: string, problem: string | null, now: Date],
  ChannelRow & { was: Channel['health'] }
>(
  'channels.update_health',
  `with before as (select health as was from channels where id = $1 and tenant_id = $2 for no key update)
   update channels set health = $3, problem = $4, updated_at = $5 from before
    where id = $1 and tenant_id = $2 and (health <> $3 or problem is distinct from $4)
   returning ${CHANNEL_COLUMNS}, was`,
);
const countFailing = statement<[], { count: number }>(
  'channels.count_failing',
  `select count(*)::int as count from channels where health = 'failing'`,
);

export interface HealthDeps {
  clock: Clock;
  publisher: Publisher;
  log: Logger;
}

/** Notes that a channel no longer sends, and why, or that it does again. A change is told and logged once. */
export async function setHealth(
  db: Database,
  tenantId: string,
  channelId: string,
  health: Channel['health'],
  problem: string | null,
  { clock, publisher, log }: HealthDeps,
): Promise<void> {
  await db.transaction(async (tx) => {
    const words = problem && storable(problem);
    const row = await tx.find(updateHealth, [channelId, tenantId, health, words, clock.now(tenantId)]);
    if (!row || row.was === health) return;
    await publisher.publish(tx, tenantId, [
      {
        type: 'channel.health_changed',
        channelId,
        contactId: null,
        chatId: null,
        data: presentChannel(row),
      },
    ]);
    tx.afterCommit(() => {
      if (health === 'failing') log.warn({ tenantId, channelId, problem: words }, 'channel is failing');
      else log.info({ tenantId, channelId }, 'channel is healthy again');
    });
  });
}

/** How many channels of all tenants cannot send. */
export async function countFailingChannels(db: Pick<Queryable, 'find'>): Promise<number> {
  return (await db.find(countFailing, []))?.count ?? 0;
}

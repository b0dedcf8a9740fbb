import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Publisher } from '../engine/outbox.ts';
import { cancelWaiting } from './waiting.ts';
import { requireWebhook } from './webhook.ts';

const PATIENCE_MS = 5 * 24 * 3600_000;
/**
 * There were attempts in between, too, as any schedule has them. Without these, five days prove nothing: the server may
 * have slept, or its clock may have jumped.
 */
const FAILED_MEANWHILE = `exists (
  select 1 from deliveries d
   where d.webhook_id = w.id and d.tenant_id = w.tenant_id and d.created_at >= w.failing_since - interval '1 day'
     and exists (
       select 1 from attempts a where a.delivery_id = d.id and a.tenant_id = d.tenant_id
          and a.started_at between w.failing_since + interval '1 day' and $3::timestamptz - interval '1 day'
       offset 0))`;

const disableGone = statement<[id: string, tenantId: string, now: Date]>(
  'webhooks.disable_gone',
  `update webhooks set status = 'disabled', updated_at = $3
    where id = $1 and tenant_id = $2 and status = 'active'`,
);
const disableFailing = statement<[id: string, tenantId: string, now: Date, failingBefore: Date]>(
  'webhooks.disable_failing',
  `update webhooks w set status = 'disabled', updated_at = $3
    where w.id = $1 and w.tenant_id = $2 and w.status = 'active' and w.failing_since <= $4 and ${FAILED_MEANWHILE}`,
);

const failingBefore = (now: Date): Date => new Date(now.getTime() - PATIENCE_MS);

/** Whether it is time to ask the database if a webhook should be disabled. */
export const hasFailedTooLong = (failingSince: Date | null, now: Date): boolean =>
  failingSince !== null && failingSince <= failingBefore(now);

interface DisableDeps {
  clock: Clock;
  publisher: Publisher;
  log: Logger;
}

/**
 * Disables a webhook whose receiver said that it is gone, or from which nothing but failures came for five days:
 * cancels what waits for it and tells the tenant's other webhooks, once.
 */
export async function disableWebhook(
  db: Database,
  tenantId: string,
  webhookId: string,
  why: 'gone' | 'failing',
  { clock, publisher, log }: DisableDeps,
): Promise<void> {
  await db.transaction(async (tx) => {
    const now = clock.now(tenantId);
    const changed =
      why === 'gone'
        ? await tx.run(disableGone, [webhookId, tenantId, now])
        : await tx.run(disableFailing, [webhookId, tenantId, now, failingBefore(now)]);
    if (changed === 0) return;
    await cancelWaiting(tx, tenantId, webhookId, now);
    const data = await requireWebhook(tx, tenantId, webhookId);
    await publisher.publish(tx, tenantId, [
      { type: 'webhook.disabled', channelId: null, contactId: null, chatId: null, data },
    ]);
    tx.afterCommit(() => log.warn({ tenantId, webhookId, why }, 'webhook disabled'));
  });
}

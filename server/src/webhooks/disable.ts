import type { Logger } from 'pino';
import { statement } from '../db/statement.ts';
import type { TenantDatabase } from '../db/tenant.ts';
import { cancelPending } from './pending.ts';
import { requireWebhook } from './webhook.ts';

/** How long a webhook may fail without a success. */
const MAX_FAILING_MS = 5 * 24 * 3600_000;
/**
 * SQL: attempts were made also during the days between. Without them, five days prove nothing: the server may have been
 * stopped, or its clock may have jumped. $2 is the current time.
 */
const FAILED_MEANWHILE = `exists (
  select 1 from deliveries d
   where d.webhook_id = w.id and d.tenant_id = w.tenant_id and d.created_at >= w.failing_since - interval '1 day'
     and exists (
       select 1 from attempts a where a.delivery_id = d.id and a.tenant_id = d.tenant_id
          and a.started_at between w.failing_since + interval '1 day' and $2::timestamptz - interval '1 day'
       offset 0))`;

const disableGone = statement<[id: string, now: Date]>(
  'webhooks.disable_gone',
  `update webhooks set status = 'disabled', updated_at = $2
    where id = $1 and tenant_id = $tenant and status = 'active'`,
);
const disableFailing = statement<[id: string, now: Date, failingBefore: Date]>(
  'webhooks.disable_failing',
  `update webhooks w set status = 'disabled', updated_at = $2
    where w.id = $1 and w.tenant_id = $tenant and w.status = 'active' and w.failing_since <= $3 and ${FAILED_MEANWHILE}`,
);

const failingBefore = (now: Date): Date => new Date(now.getTime() - MAX_FAILING_MS);

/** Whether a webhook has failed for so long that the database should be asked whether to disable it. */
export const hasFailedTooLong = (failingSince: Date | null, now: Date): boolean =>
  failingSince !== null && failingSince <= failingBefore(now);

/**
 * Disables a webhook whose receiver answered 410, or that only failed for five days: cancels its pending deliveries and
 * publishes `webhook.disabled` once.
 */
export async function disableWebhook(
  db: TenantDatabase,
  webhookId: string,
  reason: 'gone' | 'failing',
  log: Logger,
): Promise<void> {
  await db.transaction(async (tx) => {
    const changed =
      reason === 'gone'
        ? await tx.run(disableGone, [webhookId, tx.now])
        : await tx.run(disableFailing, [webhookId, tx.now, failingBefore(tx.now)]);
    if (changed === 0) return;
    await cancelPending(tx, webhookId);
    const data = await requireWebhook(tx, webhookId);
    tx.publish({ type: 'webhook.disabled', channelId: null, contactId: null, chatId: null, data });
    tx.afterCommit(() => log.warn({ tenantId: tx.tenantId, webhookId, reason }, 'webhook disabled'));
  });
}

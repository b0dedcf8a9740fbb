import { type Statement, statement } from '../db/statement.ts';
import type { TenantQueryable } from '../db/tenant.ts';
import { DUE_NOW, HELD, shardOf, withHeld } from '../engine/queue.ts';

type ChangePending = Statement<[webhookId: string, shards: number[], now: Date], never>;

/** Changes the deliveries of a webhook that wait for an attempt. */
const changePending = (name: string, change: string, which: string): ChangePending =>
  statement(
    name,
    // Locked in the order of their ids, as where results are recorded.
    `with chosen as (
       select id from deliveries where shard = any ($2::smallint[]) and webhook_id = $1 and tenant_id = $tenant and ${which}
        order by id for no key update)
     update deliveries d set ${change}, updated_at = $3
       from chosen where d.id = chosen.id and d.tenant_id = $tenant`,
  );
const cancel = changePending(
  'deliveries.cancel_pending',
  `status = 'cancelled', due_at = null`,
  'due_at is not null',
);
const hold = changePending('deliveries.hold_pending', `due_at = ${HELD}`, 'due_at is not null');
const resume = changePending('deliveries.resume_held', `due_at = ${DUE_NOW}`, `due_at = ${HELD}`);

async function run(tx: TenantQueryable, change: ChangePending, webhookId: string): Promise<void> {
  await tx.run(change, [webhookId, withHeld(shardOf(webhookId, tx.tenantId)), tx.now]);
}

/** Cancels the pending deliveries of a webhook that is deleted or disabled. They are sent only if requested again. */
export const cancelPending = (tx: TenantQueryable, webhookId: string): Promise<void> =>
  run(tx, cancel, webhookId);

/** Holds the pending deliveries of a paused webhook until it is active again. */
export const holdPending = (tx: TenantQueryable, webhookId: string): Promise<void> =>
  run(tx, hold, webhookId);

/** Makes the held deliveries of a webhook that is active again due now, in order. */
export const resumeHeld = (tx: TenantQueryable, webhookId: string): Promise<void> =>
  run(tx, resume, webhookId);

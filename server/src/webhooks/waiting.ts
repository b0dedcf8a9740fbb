import type { Queryable } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { AT_ONCE, HELD, shardOf } from '../engine/queue.ts';

/** Changes the deliveries of a webhook that wait for an attempt. */
const changeWaiting = (name: string, change: string, which: string) =>
  statement<[webhookId: string, tenantId: string, shard: number, now: Date]>(
    name,
    `update deliveries set ${change}, updated_at = $4
      where shard = $3 and webhook_id = $1 and tenant_id = $2 and ${which}`,
  );
const cancel = changeWaiting(
  'webhooks.cancel_waiting',
  `status = 'cancelled', due_at = null`,
  'due_at is not null',
);
const hold = changeWaiting('webhooks.hold_waiting', `due_at = ${HELD}`, 'due_at is not null');
const resume = changeWaiting('webhooks.resume_waiting', `due_at = ${AT_ONCE}`, `due_at = ${HELD}`);

type Change = (tx: Pick<Queryable, 'run'>, tenantId: string, webhookId: string, now: Date) => Promise<void>;
const running =
  (change: typeof cancel): Change =>
  async (tx, tenantId, webhookId, now) => {
    await tx.run(change, [webhookId, tenantId, shardOf(webhookId, tenantId), now]);
  };

/** What waits for a webhook that is deleted or disabled is never sent, unless someone asks for it again. */
export const cancelWaiting = running(cancel);
/** What waits for a webhook that is paused goes on waiting until it is active again. */
export const holdWaiting = running(hold);
/** What waited for a webhook to be active again is due at once, in order. */
export const resumeWaiting = running(resume);

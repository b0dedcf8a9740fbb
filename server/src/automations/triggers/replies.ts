import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { PublishedEvent } from '../../engine/outbox.ts';
import { DUE_NOW, shardOf } from '../../engine/queue.ts';
import type { Outcome } from '../../engine/scheduler.ts';
import type { Consequences } from '../../engine/sequencer.ts';
import { type RepliedRun, runRepliesQueue, runsQueue } from '../queues.ts';

const WAITS = `r.waiting_reply and r.status = 'waiting'`;

const noteReplies = statement<[chatIds: string[], shard: number, now: Date], { id: string }>(
  'run_replies.insert',
  // The tenant is compared with `is true`, which no index can serve: one would lead to all runs of the tenant.
  `insert into run_replies (id, tenant_id, run_id, shard, due_at, created_at)
   select gen_random_uuid(), $tenant, r.id, $2, ${DUE_NOW}, $3 from visible_automation_runs r
    where r.chat_id = any ($1::uuid[]) and (r.tenant_id = $tenant) is true and ${WAITS}
   returning id`,
);
const wakeRuns = statement<[runIds: string[]], { automation_id: string }>(
  'automation_runs.wake_replied',
  // In the order of ids against deadlocks. A held run continues as soon as it is released.
  `with replied as (
     select r.id from visible_automation_runs r where r.id = any ($1::uuid[]) and r.tenant_id = $tenant and ${WAITS}
      order by r.id for no key update)
   update visible_automation_runs r
      set due_at = case when r.held_due_at is null then ${DUE_NOW}::timestamptz end,
          held_due_at = case when r.held_due_at is not null then ${DUE_NOW}::timestamptz end
     from replied where r.id = replied.id and (r.tenant_id = $tenant) is true returning r.automation_id`,
);
const deleteReplies = statement<[ids: string[]]>(
  'run_replies.delete',
  'delete from run_replies where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/**
 * Subscriber of events: notes the runs that wait for a reply in chats in which the contact wrote. They are not woken
 * here: that would wait for the worker that executes one of them at this moment, and numbering must not wait. A run that begins
 * to wait holds the lock of its chat, so it either sees the message or is seen here.
 */
export async function noteRepliedRuns(tx: TenantTx, events: PublishedEvent[]): Promise<Consequences> {
  const chatIds = new Set(
    events.flatMap((event) => (event.type === 'message.received' && event.chat_id) || []),
  );
  const noted =
    chatIds.size === 0
      ? []
      : await tx.all(noteReplies, [[...chatIds], shardOf(tx.tenantId, tx.tenantId), tx.now]);
  return {
    rows: noted.length,
    write: () => {
      if (noted.length > 0) tx.wake(runRepliesQueue, tx.tenantId);
    },
  };
}

/** Makes runs due whose contact has replied. */
const wakeReplied = (tx: TenantTx, runIds: string[]): Promise<{ automation_id: string }[]> =>
  tx.all(wakeRuns, [runIds]);

/** Handler of the queue `run_replies`: makes runs due whose contact has replied. The run itself looks up the reply. */
export async function wakeRepliedRuns({ db }: { db: Database }, rows: RepliedRun[]): Promise<Outcome> {
  const { tenant_id: tenantId } = rows[0] as RepliedRun;
  await db.forTenant(tenantId).transaction(async (tx) => {
    const woken = await wakeReplied(tx, [...new Set(rows.map((row) => row.run_id))]);
    tx.enqueue(deleteReplies, [rows.map((row) => row.id)]);
    for (const id of new Set(woken.map((row) => row.automation_id))) tx.wake(runsQueue, id);
  });
  return 'ok';
}

import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { DUE_NOW } from '../../engine/queue.ts';
import { runsQueue } from '../queues.ts';

const wakeWaiting = statement<[], { automation_id: string }>(
  'automation_runs.wake_for_hours',
  // A run that a worker has locked at this moment reads the hours after they are changed. One of a paused campaign stays held.
  `with chosen as (
     select id from visible_automation_runs where tenant_id = $tenant and waits_for is not null and status = 'waiting'
      order by id for no key update skip locked),
   woken as (
     update visible_automation_runs r
        set due_at = case when r.due_at is not null then ${DUE_NOW}::timestamptz end,
            held_due_at = case when r.held_due_at is not null then ${DUE_NOW}::timestamptz end
       from chosen c where r.id = c.id and (r.tenant_id = $tenant) is true returning r.automation_id)
   select distinct automation_id from woken`,
);

/**
 * Lets the runs that wait for an opening, or for the end of quiet hours, look at the hours again. The caller has locked the
 * hours and changed them.
 */
export async function wakeForHours(tx: TenantTx): Promise<void> {
  for (const { automation_id } of await tx.all(wakeWaiting, [])) tx.wake(runsQueue, automation_id);
}

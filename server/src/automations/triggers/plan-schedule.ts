import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { shardOf } from '../../engine/queue.ts';
import { occurrenceAfter, type Recurrence } from '../definition/occurrences.ts';
import type { Definition } from '../schema.ts';

const setSchedule = statement<
  [id: string, tenantId: string, shard: number, start: Date | null, nextAt: Date | null]
>(
  'automations.set_schedule',
  // An occurrence that was under way ends where it is: what it had not started is not started any more.
  `update automations
      set shard = $3, schedule_start = $4, next_at = $5, due_at = $5, occurrence_at = null, began_at = null,
          gathered_at = null, gathered_id = null
    where id = $1 and tenant_id = $2`,
);

/** When the automation runs by itself. Its minute counts from the start where the rule names none, and seconds never do. */
export function scheduleOf({ parameters }: Definition['trigger'], start: Date): Recurrence {
  const { rrule, timezone = 'UTC' } = parameters as { rrule: string; timezone?: string };
  const minute = new Date(start);
  minute.setUTCSeconds(0, 0);
  return { rules: [rrule], start: minute, startCounts: false, zone: timezone };
}

/** Plans the first occurrence after now of what starts by a schedule and is active; takes any other off the list. */
export async function planSchedule(
  tx: Tx,
  tenantId: string,
  automationId: string,
  trigger: Definition['trigger'] | null,
  { start, now }: { start: Date; now: Date },
): Promise<void> {
  const isScheduled = trigger?.type === 'schedule';
  const next = isScheduled ? occurrenceAfter(scheduleOf(trigger, start), now) : null;
  // Of what is only switched off the start is remembered: it goes on as it was counted.
  await tx.run(setSchedule, [automationId, tenantId, shardOf(tenantId, tenantId), start, next]);
}

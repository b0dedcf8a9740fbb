import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { shardOf } from '../../engine/queue.ts';
import { occurrenceAfter, type Recurrence } from '../definition/occurrences.ts';
import type { Definition } from '../schema.ts';

const setSchedule = statement<[id: string, shard: number, start: Date | null, nextAt: Date | null]>(
  'automations.set_schedule',
  // Stops a running occurrence: it starts no further runs.
  `update automations
      set shard = $2, schedule_start = $3, next_at = $4, due_at = $4, occurrence_at = null, began_at = null,
          gathered_at = null, gathered_id = null, segment_filters = null
    where id = $1 and tenant_id = $tenant`,
);

/** The recurrence of a schedule. The start provides the minute if the rule has none; seconds are ignored. */
export function scheduleOf({ parameters }: Definition['trigger'], start: Date): Recurrence {
  const { rrule, timezone = 'UTC' } = parameters as { rrule: string; timezone?: string };
  const minute = new Date(start);
  minute.setUTCSeconds(0, 0);
  return { rules: [rrule], start: minute, startCounts: false, zone: timezone };
}

/** Plans the next occurrence of an active automation with a schedule; removes any other from the queue. */
export async function planSchedule(
  tx: TenantTx,
  automationId: string,
  trigger: Definition['trigger'] | null,
  start: Date,
): Promise<void> {
  const isScheduled = trigger?.type === 'schedule';
  const next = isScheduled ? occurrenceAfter(scheduleOf(trigger, start), tx.now) : null;
  // An inactive automation keeps its start, from which occurrences are counted.
  await tx.run(setSchedule, [automationId, shardOf(tx.tenantId, tx.tenantId), start, next]);
}

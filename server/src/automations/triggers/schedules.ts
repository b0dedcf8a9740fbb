import type { Logger } from 'pino';
import { collectIssues } from '../../base/issues.ts';
import {
  AUDIENCE_START,
  type AudienceCursor,
  fixAudience,
  gatherAudience,
} from '../../contacts/gather-audience.ts';
import type { SegmentFilters } from '../../contacts/segment-filters.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { QueueRow } from '../../engine/queue.ts';
import type { Outcome } from '../../engine/scheduler.ts';
import { ExpressionError } from '../../search/grammar/tokens.ts';
import { occurrenceAfter, occurrenceUpTo } from '../definition/occurrences.ts';
import { startMany } from '../runs/start-many.ts';
import type { Definition } from '../schema.ts';
import { fillVariables } from './api.ts';
import { missingVariables } from './match.ts';
import { scheduleOf } from './plan-schedule.ts';

interface DueSchedule {
  id: string;
  version_id: string;
  definition: Definition;
  schedule_start: Date;
  next_at: Date | null;
  occurrence_at: Date | null;
  began_at: Date | null;
  gathered_at: string | null;
  gathered_id: string | null;
  segment_filters: SegmentFilters | null;
}

const lockDue = statement<[id: string, now: Date], DueSchedule>(
  'automations.lock_due',
  `select a.id, v.id as version_id, v.definition, a.schedule_start, a.next_at, a.occurrence_at, a.began_at,
          a.gathered_at::text as gathered_at, a.gathered_id, a.segment_filters
     from automations a join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
    where a.id = $1 and a.tenant_id = $tenant and a.due_at <= $2 and a.status = 'active' for no key update of a`,
);
const saveProgress = statement<
  [
    id: string,
    occurrenceAt: Date,
    beganAt: Date,
    gatheredAt: string,
    gatheredId: string,
    segmentFilters: SegmentFilters,
  ]
>(
  'automations.save_progress',
  `update automations set occurrence_at = $2, began_at = $3, gathered_at = $4::timestamptz, gathered_id = $5,
          segment_filters = $6, next_at = null
    where id = $1 and tenant_id = $tenant`,
);
const planNext = statement<[id: string, nextAt: Date | null]>(
  'automations.plan_next',
  `update automations set next_at = $2, due_at = $2, occurrence_at = null, began_at = null, gathered_at = null,
          gathered_id = null, segment_filters = null
    where id = $1 and tenant_id = $tenant`,
);

interface ScheduleDeps {
  db: Database;
  log: Logger;
}

/** Returns the next contacts of the audience. An audience that refers to something deleted matches no contact. */
async function gather(
  tx: TenantTx,
  schedule: DueSchedule,
  after: AudienceCursor,
  createdUntil: Date,
  log: Logger,
) {
  const { audience } = schedule.definition.trigger.parameters as { audience: string };
  const fixed = await fixAudience(tx, audience, schedule.segment_filters);
  try {
    return {
      ...(await gatherAudience(tx, fixed, after, createdUntil)),
      segmentFilters: fixed.segmentFilters,
    };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    log.warn(
      { err: error, automationId: schedule.id, tenantId: tx.tenantId },
      'the audience of a schedule is invalid, no runs are started',
    );
    return { contactIds: [], next: null, segmentFilters: {} };
  }
}

/** Starts the next runs of the occurrence in one transaction. Returns true if there are more to start. */
async function advanceSchedule(tx: TenantTx, automationId: string, log: Logger): Promise<boolean> {
  const { now } = tx;
  const schedule = await tx.find(lockDue, [automationId, now]);
  if (!schedule) return false;
  const recurrence = scheduleOf(schedule.definition.trigger, schedule.schedule_start);
  const plan = (after: Date): Promise<number> =>
    tx.run(planNext, [automationId, occurrenceAfter(recurrence, after)]);
  // Of several missed occurrences only the last runs. Without a planned time none was missed.
  const missed = schedule.next_at === null ? null : occurrenceUpTo(recurrence, now);
  const occurrenceAt = schedule.occurrence_at ?? missed;
  if (occurrenceAt === null) {
    await plan(now);
    return false;
  }
  const { gathered_at, gathered_id, began_at } = schedule;
  const after =
    gathered_at === null || gathered_id === null
      ? AUDIENCE_START
      : { createdAt: gathered_at, id: gathered_id };
  const beganAt = began_at ?? now;
  const { contactIds, next, segmentFilters } = await gather(tx, schedule, after, beganAt, log);
  const issues = collectIssues();
  const variables = fillVariables(schedule.definition.variables, {}, issues);
  await startMany(
    tx,
    {
      automationId,
      versionId: schedule.version_id,
      campaignId: null,
      occurrenceAt,
      variables,
      templateId: null,
      error: issues.isEmpty ? null : missingVariables(issues.params, 'a schedule'),
    },
    contactIds,
  );
  if (next === null) await plan(occurrenceAt);
  else
    await tx.run(saveProgress, [
      automationId,
      occurrenceAt,
      beganAt,
      next.createdAt,
      next.id,
      segmentFilters,
    ]);
  return next !== null;
}

/** Starts the runs of due schedules for all contacts in their audience, once per occurrence. */
export async function runSchedules({ db, log }: ScheduleDeps, rows: QueueRow[]): Promise<Outcome> {
  for (const { id, tenant_id } of rows)
    while (await db.forTenant(tenant_id).transaction((tx) => advanceSchedule(tx, id, log)));
  return 'ok';
}

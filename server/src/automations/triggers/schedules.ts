import type { Logger } from 'pino';
import type { Clock } from '../../base/clock.ts';
import { FIRST_PLACE, gatherAudience, type Place } from '../../contacts/gather-audience.ts';
import type { Database, Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { declareQueue, type QueueRow } from '../../engine/queue.ts';
import { type Work, work } from '../../engine/runner.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import { ExpressionError } from '../../search/tokens.ts';
import { occurrenceAfter, occurrenceUpTo } from '../definition/occurrences.ts';
import { startMany } from '../runs/start-many.ts';
import type { Definition } from '../schema.ts';
import { fillVariables } from './api.ts';
import { missingVariables } from './events.ts';
import { scheduleOf } from './plan-schedule.ts';

const due = declareQueue<QueueRow>({
  name: 'automations',
  table: 'automations',
  lane: 'tenant_id',
  order: 'due_at, id',
  due: 'due_at',
  listed: 'due_at is not null',
  claim: `select id, tenant_id from automations
           where shard = $1 and tenant_id = $2 and due_at <= $3 order by due_at, id limit $4`,
  batch: 1,
  perLane: 4,
  atOnce: 8,
});

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
}

const lockDue = statement<[id: string, tenantId: string, now: Date], DueSchedule>(
  'automations.lock_due',
  `select a.id, v.id as version_id, v.definition, a.schedule_start, a.next_at, a.occurrence_at, a.began_at,
          a.gathered_at::text as gathered_at, a.gathered_id
     from automations a join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
    where a.id = $1 and a.tenant_id = $2 and a.due_at <= $3 and a.status = 'active' for no key update of a`,
);
const goOn = statement<
  [id: string, tenantId: string, occurrenceAt: Date, beganAt: Date, gatheredAt: string, gatheredId: string]
>(
  'automations.go_on',
  `update automations set occurrence_at = $3, began_at = $4, gathered_at = $5::timestamptz, gathered_id = $6, next_at = null
    where id = $1 and tenant_id = $2`,
);
const planNext = statement<[id: string, tenantId: string, nextAt: Date | null]>(
  'automations.plan_next',
  `update automations set next_at = $3, due_at = $3, occurrence_at = null, began_at = null, gathered_at = null,
          gathered_id = null
    where id = $1 and tenant_id = $2`,
);

export interface ScheduleDeps {
  db: Database;
  clock: Clock;
  wakeUps: WakeUps;
  log: Logger;
}

/** Starts the runs of automations whose time has come, for everyone in their audience, once an occurrence. */
export function runSchedules({ db, clock, wakeUps, log }: ScheduleDeps): Work {
  /** Whom the audience matches among the next contacts; what contacts no longer have cannot be asked for. */
  async function gather(tx: Tx, tenantId: string, schedule: DueSchedule, after: Place, madeUntil: Date) {
    const { audience } = schedule.definition.trigger.parameters as { audience: string };
    try {
      return await gatherAudience(tx, tenantId, audience, after, madeUntil);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      log.warn(
        { err: error, automationId: schedule.id, tenantId },
        'the audience of a schedule cannot be found',
      );
      return { contactIds: [], next: null };
    }
  }

  /** One transaction's worth of work; true when there is more to do at once. */
  async function advance(tx: Tx, tenantId: string, automationId: string): Promise<boolean> {
    const now = clock.now(tenantId);
    const schedule = await tx.find(lockDue, [automationId, tenantId, now]);
    if (!schedule) return false;
    const recurrence = scheduleOf(schedule.definition.trigger, schedule.schedule_start);
    const plan = (after: Date): Promise<number> =>
      tx.run(planNext, [automationId, tenantId, occurrenceAfter(recurrence, after)]);
    // Of those that were missed the last; none was missed by what was never planned.
    const missed = schedule.next_at === null ? null : occurrenceUpTo(recurrence, now);
    const occurrenceAt = schedule.occurrence_at ?? missed;
    if (occurrenceAt === null) {
      await plan(now);
      return false;
    }
    const { gathered_at, gathered_id, began_at } = schedule;
    const after =
      gathered_at === null || gathered_id === null ? FIRST_PLACE : { at: gathered_at, id: gathered_id };
    const beganAt = began_at ?? now;
    const { contactIds, next } = await gather(tx, tenantId, schedule, after, beganAt);
    const { variables, issues } = fillVariables(schedule.definition.variables, {});
    const missing = Object.keys(issues);
    await startMany(
      tx,
      tenantId,
      {
        automationId,
        versionId: schedule.version_id,
        campaignId: null,
        occurrenceAt,
        variables,
        templateId: null,
        issue: missing.length > 0 ? missingVariables(missing, 'a schedule') : null,
      },
      contactIds,
      { wakeUps, now },
    );
    if (next === null) await plan(occurrenceAt);
    else await tx.run(goOn, [automationId, tenantId, occurrenceAt, beganAt, next.at, next.id]);
    return next !== null;
  }

  return work(due, async ([row]) => {
    // When one of these fails it is tried again after a pause of the lane, from where it was.
    while (row && (await db.transaction((tx) => advance(tx, row.tenant_id, row.id))));
    return 'ok';
  });
}

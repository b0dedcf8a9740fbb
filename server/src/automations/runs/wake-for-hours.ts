import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { DUE_NOW } from '../../engine/queue.ts';
import { nextBatch } from '../../jobs/batch-size.ts';
import { insertWaking } from '../../jobs/insert-job.ts';
import { findJobState, storeProgress } from '../../jobs/job.ts';
import { runsQueue } from '../queues.ts';
import { releaseSomeRuns } from './limit-runs.ts';

/** So many runs wake with the change of the hours, in about 30 ms; more by a job. */
const FEW_RUNS = 500;
const MAX_BATCH = 5_000;
/** Counting locks nothing, but has an end. */
const MAX_COUNT = 10_000_000;
/** The second part of the job. It is in transactions of its own, because the tenant's counter is locked before runs. */
const RELEASE_STEP = 1;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

const WAITING = `tenant_id = $tenant and waits_for is not null and status = 'waiting'`;
const countWaiting = statement<[limit: number], { count: number }>(
  'automation_runs.count_waiting_for_hours',
  `select count(*)::int as count from (select 1 from visible_automation_runs where ${WAITING} limit $1) counted`,
);
/** A run of a paused campaign stays held. */
const wakeSql = (ifLocked: '' | 'skip locked'): string =>
  `with chosen as (
     select id from visible_automation_runs where ${WAITING} and id > $1
      order by id limit $2 for no key update ${ifLocked})
   update visible_automation_runs r
      set due_at = case when r.due_at is not null then ${DUE_NOW}::timestamptz end,
          held_due_at = case when r.held_due_at is not null then ${DUE_NOW}::timestamptz end
     from chosen c where r.id = c.id and (r.tenant_id = $tenant) is true returning r.id, r.automation_id`;
type Wake = [after: string, limit: number];
interface Woken {
  id: string;
  automation_id: string;
}
/** Workers lock runs and then the hours. Who has locked the hours must not wait for runs. */
const wakeFree = statement<Wake, Woken>('automation_runs.wake_free_for_hours', wakeSql('skip locked'));
const wakeAll = statement<Wake, Woken>('automation_runs.wake_for_hours', wakeSql(''));

/** Wakes the next runs after an id, and returns the last of them and how many there are. */
async function wakeSome(tx: TenantTx, wake: typeof wakeAll, after: string, limit: number) {
  const rows = await tx.all(wake, [after, limit]);
  for (const automationId of new Set(rows.map((row) => row.automation_id))) tx.wake(runsQueue, automationId);
  return { count: rows.length, lastId: rows.reduce((last, { id }) => (id > last ? id : last), after) };
}

const count = async (tx: TenantTx, limit: number): Promise<number> =>
  (await tx.find(countWaiting, [limit]))?.count ?? 0;

/**
 * Lets the runs that wait for an opening, or for the end of quiet hours, look at the hours again: a few at once, many by a job. The
 * caller has locked the hours and changed them, so all runs that wait by the old ones are counted here.
 */
export async function wakeForHours(tx: TenantTx): Promise<void> {
  const waiting = await count(tx, FEW_RUNS + 1);
  const woken = waiting > FEW_RUNS ? 0 : (await wakeSome(tx, wakeFree, BEFORE_ALL, FEW_RUNS)).count;
  if (woken < waiting) await insertWaking(tx);
}

/**
 * Wakes the next runs of a job and returns whether it has ended: first those that wait by the hours, then those that a limit of zero
 * has held. The first call wakes none: until it is committed, a change of the hours leaves its runs to this job. A run that is woken
 * twice waits again.
 */
export async function wakeBatch(tx: TenantTx, jobId: string): Promise<boolean> {
  const job = await findJobState(tx, jobId);
  if (!job) return true;
  if (job.status === 'queued') {
    // A count that takes too long is not tried again.
    const counted = job.attempts === 0 ? await count(tx, MAX_COUNT) : MAX_COUNT;
    const total = counted < MAX_COUNT ? counted : null;
    await storeProgress(tx, job, { ...job, done: 0, total, isCompleted: false });
    return false;
  }
  if (job.step === RELEASE_STEP) {
    const { count: done, isFull } = await releaseSomeRuns(tx);
    await storeProgress(tx, job, { ...job, done, isCompleted: !isFull });
    return !isFull;
  }
  const startedAt = performance.now();
  const { count: done, lastId } = await wakeSome(tx, wakeAll, job.last_id ?? BEFORE_ALL, job.batch);
  const isFull = done === job.batch;
  const batch = nextBatch(job.batch, performance.now() - startedAt, isFull, MAX_BATCH);
  const step = isFull ? job.step : RELEASE_STEP;
  await storeProgress(tx, job, { ...job, step, batch, done, lastId, isCompleted: false });
  return false;
}

import type { Logger } from 'pino';
import { firstOfEach } from '../../base/first-of-each.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { handleEachAlone } from '../../engine/handle-each-alone.ts';
import { nextDueAt } from '../../engine/retry.ts';
import type { Outcome } from '../../engine/scheduler.ts';
import type { TaskPool } from '../../sandboxed/task-pool.ts';
import { type DueRun, runsQueue } from '../queues.ts';
import { type AdvanceDeps, advanceRuns, evaluateInThread } from './advance.ts';
import { type ContactTurns, inTurn } from './contact-turns.ts';
import { RUN_COLUMNS, type RunRow, runEvent } from './run.ts';
import type { EffectResult } from './state.ts';

const recordFailure = statement<
  [id: string, attempts: number, dueAt: Date | null, error: string | null, now: Date],
  RunRow
>(
  'automation_runs.record_failure',
  `update visible_automation_runs r
      set attempts = attempts + 1, due_at = $3::timestamptz, updated_at = $5::timestamptz, revision = revision + 1,
          status = case when $3::timestamptz is null then 'failed' else status end, error = $4,
          ended_at = case when $3::timestamptz is null then $5::timestamptz end,
          started_at = case when $3::timestamptz is null then coalesce(started_at, $5::timestamptz) else started_at end,
          waiting_reply = waiting_reply and $3::timestamptz is not null
    where id = $1 and tenant_id = $tenant and attempts = $2 and due_at is not null returning ${RUN_COLUMNS}`,
);

export interface RunDeps extends AdvanceDeps {
  db: Database;
  contactTurns: ContactTurns;
  tasks: TaskPool;
  log: Logger;
}

/** Executes step batches, and evaluates texts between them, until none of the runs has more to do now. */
async function runSteps(deps: RunDeps, tenantId: string, ids: string[]): Promise<void> {
  const tenant = deps.db.forTenant(tenantId);
  /** Why texts could not be evaluated now. Their runs stay due. */
  let unavailable: unknown;
  let pending = await tenant.transaction((tx) => advanceRuns(tx, ids, new Map(), deps));
  while (pending.length > 0) {
    const known = new Map<string, EffectResult>();
    await Promise.all(
      pending.map(async (one) => {
        try {
          known.set(one.runId, await evaluateInThread(deps, tenantId, one));
        } catch (error) {
          unavailable = error;
        }
      }),
    );
    pending = await tenant.transaction((tx) => advanceRuns(tx, [...known.keys()], known, deps));
  }
  if (unavailable !== undefined) throw unavailable;
}

/** Retries a run that failed because of an error of the server. After the last attempt the run fails. */
async function failRun({ db, log }: RunDeps, row: DueRun, error: unknown): Promise<void> {
  log.error({ err: error, runId: row.id, tenantId: row.tenant_id }, 'a run failed');
  await db.forTenant(row.tenant_id).transaction(async (tx) => {
    const dueAt = nextDueAt(runsQueue.retry, row.attempts + 1, tx.now);
    const message = 'The run failed repeatedly because of an internal error; see the log of the server';
    const failure = dueAt === null ? JSON.stringify({ code: 'internal', message }) : null;
    const run = await tx.find(recordFailure, [row.id, row.attempts, dueAt, failure, tx.now]);
    if (run?.status === 'failed') tx.publish(runEvent('automation.run_failed', run));
  });
}

/** Fails a run that ended the process again and again. It can be retried from the step at which that happened. */
export async function setRunAside({ db }: RunDeps, row: DueRun): Promise<void> {
  await db.forTenant(row.tenant_id).transaction(async (tx) => {
    const message = 'The server ended again and again while it executed this run';
    const failure = JSON.stringify({ code: 'internal', message });
    const run = await tx.find(recordFailure, [row.id, row.attempts, null, failure, tx.now]);
    if (run) tx.publish(runEvent('automation.run_failed', run));
  });
}

/**
 * Executes the next steps of due runs of an automation. Runs of the same contact come one after the other, in their order: the second
 * reads the contact and the chat as the first has left them.
 */
export async function executeRuns(deps: RunDeps, rows: DueRun[]): Promise<Outcome> {
  const tenantId = (rows[0] as DueRun).tenant_id;
  const contactOf = (row: DueRun): string => row.contact_id;
  const advance = (some: DueRun[]): Promise<void> =>
    runSteps(
      deps,
      tenantId,
      some.map((row) => row.id),
    );
  return inTurn(deps.contactTurns, [...new Set(rows.map(contactOf))], async () => {
    let outcome: Outcome = 'ok';
    for (let next = firstOfEach(rows, contactOf); next.first.length > 0; ) {
      const ended = await handleEachAlone(next.first, advance, (row, error) => failRun(deps, row, error));
      if (ended === 'failing') outcome = ended;
      next = firstOfEach(next.others, contactOf);
    }
    return outcome;
  });
}

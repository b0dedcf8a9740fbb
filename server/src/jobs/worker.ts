import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { wakeBatch } from '../automations/runs/wake-for-hours.ts';
import type { Database } from '../db/database.ts';
import { isServerTrouble, isStatementTimeout } from '../db/errors.ts';
import { causedByUser, type TenantDatabase, type TenantTx } from '../db/tenant.ts';
import type { Outcome } from '../engine/scheduler.ts';
import type { FileStore } from '../files/store.ts';
import { runImport } from '../imports/run-import.ts';
import type { Author } from '../users/author.ts';
import { runRetries } from '../webhooks/retry-many.ts';
import type { JobAction } from './actions.ts';
import { nextBatch } from './batch-size.ts';
import { doAction, maxBatchOf, notFound } from './bulk-actions.ts';
import {
  findItems,
  findJobState,
  type JobState,
  noteFailedBatch,
  storeBulkProgress,
  storeProgress,
} from './job.ts';
import type { DueJob } from './queues.ts';
import { type RemovalStep, removalSteps } from './removal-steps.ts';
import { type BulkKind, isBulkKind, isRemovalKind, type JobKind, type RemovalKind } from './schema.ts';

/** Counting locks nothing, but has an end: ten million rows take a few seconds. */
const MAX_COUNT = 10_000_000;
const MAX_BATCH = 5_000;
/** After each batch there is a pause as long as it took, so that half of the time is for others. */
const MAX_PAUSE_MS = 400;
/** Shorter pauses, as a part of the time that the call took: somebody waits for an import, which reads rows for a part of it. */
const pauses: Partial<Record<JobKind, number>> = { import_contacts: 0.25 };
/** An item of a bulk action that failed so often, the last times alone, is left out. */
const MAX_ATTEMPTS = 10;

interface JobDeps {
  db: Database;
  store: FileStore;
  log: Logger;
}

/** Does a batch of a job in transactions of its own, and returns whether the job has ended. */
type RunJob = (deps: JobDeps, tenant: TenantDatabase, jobId: string) => Promise<boolean>;

/** Jobs that read files or search before their transaction, and those of other modules. */
const handlers: Partial<Record<JobKind, RunJob>> = {
  import_contacts: runImport,
  retry_deliveries: runRetries,
  wake_runs: (_deps, tenant, jobId) => tenant.transaction((tx) => wakeBatch(tx, jobId)),
};
const runInTransaction: RunJob = (_deps, tenant, jobId) => tenant.transaction((tx) => runBatch(tx, jobId));

/** How many rows there are to delete; null if there are too many to count. */
async function countAll(
  tx: TenantTx,
  steps: readonly RemovalStep[],
  subjectId: string,
): Promise<number | null> {
  let total = 0;
  for (const step of new Set(steps)) {
    const count = await step.count(tx, subjectId, MAX_COUNT);
    if (count === MAX_COUNT) return null;
    total += count;
  }
  return total;
}

/** Does a batch of a job and returns whether the job has ended. */
async function runBatch(tx: TenantTx, jobId: string): Promise<boolean> {
  const job = await findJobState(tx, jobId);
  if (!job) return true;
  const { kind } = job;
  if (isBulkKind(kind)) return runBulk(tx, kind, job);
  if (isRemovalKind(kind)) return runRemoval(tx, kind, job);
  throw new Error(`Jobs of the kind ${kind} have a handler of their own.`);
}

async function runBulk(tx: TenantTx, kind: BulkKind, job: JobState): Promise<boolean> {
  const action = job.action as JobAction;
  const { ids, left } = await findItems(tx, job);
  if (job.attempts >= MAX_ATTEMPTS && job.batch === 1 && ids.length === 1)
    return skipItem(tx, job, ids, left);
  const startedAt = performance.now();
  const author = job.author as Author;
  const byAuthor = causedByUser(tx, author.type === 'user' ? author.id : null);
  const { foundIds, refused, error } = await doAction(byAuthor, kind, action, author, ids);
  if (error !== undefined) {
    await storeBulkProgress(tx, job, {
      status: 'failed',
      handled: left,
      batch: job.batch,
      done: 0,
      errors: [error],
      failed: left,
    });
    return true;
  }
  const found = new Set(foundIds);
  const errors = ids.filter((id) => !found.has(id)).map((id) => refused?.get(id) ?? notFound(kind, id));
  const isEnded = ids.length === left;
  await storeBulkProgress(tx, job, {
    status: isEnded ? 'completed' : 'running',
    handled: ids.length,
    batch: nextBatch(
      job.batch,
      performance.now() - startedAt,
      ids.length === job.batch,
      maxBatchOf(action.type),
    ),
    done: found.size,
    errors,
  });
  return isEnded;
}

/** Goes on without an item whose batch fails again and again. The log has the reason. */
async function skipItem(tx: TenantTx, job: JobState, [id]: string[], left: number): Promise<boolean> {
  const isEnded = left === 1;
  await storeBulkProgress(tx, job, {
    status: isEnded ? 'completed' : 'running',
    handled: 1,
    batch: 1,
    done: 0,
    errors: [`${id} could not be changed because of an internal error`],
  });
  return isEnded;
}

async function runRemoval(tx: TenantTx, kind: RemovalKind, job: JobState): Promise<boolean> {
  const steps = removalSteps[kind];
  if (job.status === 'queued') {
    // A count that takes too long is not tried again.
    const total = job.attempts === 0 ? await countAll(tx, steps, job.subject_id) : null;
    await storeProgress(tx, job, { ...job, done: 0, total, isCompleted: false });
    return false;
  }
  const startedAt = performance.now();
  const done = (await steps[job.step]?.remove(tx, job.subject_id, job.batch)) ?? 0;
  const tookMs = performance.now() - startedAt;
  const step = done < job.batch ? job.step + 1 : job.step;
  const batch = nextBatch(job.batch, tookMs, done === job.batch, MAX_BATCH);
  const isCompleted = step >= steps.length;
  await storeProgress(tx, job, { step, batch, done, total: job.total, isCompleted });
  return isCompleted;
}

/** Handler of the jobs queue: does one batch of a job in one transaction. The job stays due until it is completed. */
export async function runJobs(deps: JobDeps, [row]: DueJob[]): Promise<Outcome> {
  if (!row) return 'ok';
  const { db, log } = deps;
  const tenant = db.forTenant(row.tenant_id);
  const startedAt = performance.now();
  try {
    const run = handlers[row.kind] ?? runInTransaction;
    const isEnded = await run(deps, tenant, row.id);
    if (isEnded) return 'ok';
  } catch (error) {
    const isTrouble = isServerTrouble(error);
    if (!isTrouble) log.error({ err: error, jobId: row.id }, 'a batch of a job failed, it is repeated');
    const isAttempt = !isTrouble || isStatementTimeout(error);
    await tenant.transaction((tx) => noteFailedBatch(tx, row.id, isAttempt));
    throw error;
  }
  const tookMs = performance.now() - startedAt;
  await delay(Math.min(tookMs * (pauses[row.kind] ?? 1), MAX_PAUSE_MS));
  return 'ok';
}

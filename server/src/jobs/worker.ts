import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isUnavailable } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { QueueRow } from '../engine/queue.ts';
import type { Outcome } from '../engine/scheduler.ts';
import { findJobState, type JobState, noteFailedBatch, storeProgress } from './job.ts';
import { removalSteps } from './removal-steps.ts';

/** Counting locks nothing, but has an end: ten million rows take a few seconds. */
const MAX_COUNT = 10_000_000;
const MAX_BATCH = 5_000;
/** Batches become smaller above the one and larger below the other: each should take well under a second. */
const SLOW_MS = 200;
const FAST_MS = 50;
/** After each batch there is a pause as long as it took, so that half of the time is for others. */
const MAX_PAUSE_MS = 400;

interface JobDeps {
  db: Database;
  log: Logger;
}

/** How many rows there are to delete; null if there are too many to count. */
async function countAll(tx: TenantTx, { kind, subject_id }: JobState): Promise<number | null> {
  let total = 0;
  for (const step of new Set(removalSteps[kind])) {
    const count = await step.count(tx, subject_id, MAX_COUNT);
    if (count === MAX_COUNT) return null;
    total += count;
  }
  return total;
}

async function runBatch(tx: TenantTx, jobId: string): Promise<boolean> {
  const job = await findJobState(tx, jobId);
  if (!job) return true;
  if (job.status === 'queued') {
    // A count that takes too long is not tried again.
    const total = job.attempts === 0 ? await countAll(tx, job) : null;
    await storeProgress(tx, job, { ...job, done: 0, total, isCompleted: false });
    return false;
  }
  const steps = removalSteps[job.kind];
  const startedAt = performance.now();
  const done = (await steps[job.step]?.remove(tx, job.subject_id, job.batch)) ?? 0;
  const tookMs = performance.now() - startedAt;
  const step = done < job.batch ? job.step + 1 : job.step;
  const isFull = done === job.batch;
  const batch =
    tookMs > SLOW_MS
      ? Math.max(1, Math.floor(job.batch / 2))
      : tookMs < FAST_MS && isFull
        ? Math.min(MAX_BATCH, job.batch * 2)
        : job.batch;
  const isCompleted = step >= steps.length;
  await storeProgress(tx, job, { step, batch, done, total: job.total, isCompleted });
  return isCompleted;
}

/** Handler of the jobs queue: does one batch of a job in one transaction. The job stays due until it is completed. */
export async function runJobs({ db, log }: JobDeps, [row]: QueueRow[]): Promise<Outcome> {
  if (!row) return 'ok';
  const tenant = db.forTenant(row.tenant_id);
  const startedAt = performance.now();
  try {
    const isEnded = await tenant.transaction((tx) => runBatch(tx, row.id));
    if (isEnded) return 'ok';
  } catch (error) {
    if (!isUnavailable(error))
      log.error({ err: error, jobId: row.id }, 'a batch of a job failed, it is repeated');
    await tenant.transaction((tx) => noteFailedBatch(tx, row.id));
    throw error;
  }
  await delay(Math.min(performance.now() - startedAt, MAX_PAUSE_MS));
  return 'ok';
}

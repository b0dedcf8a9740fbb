import { ApiError } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Queryable } from '../db/database.ts';
import { removalStatement, statement, systemStatement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import { jobsQueue } from './queues.ts';
import type { Job, JobKind } from './schema.ts';

interface JobRow {
  id: string;
  kind: JobKind;
  status: Job['status'];
  done: number;
  total: number | null;
  failed: number;
  errors: string[];
  created_at: Date;
  updated_at: Date;
  ended_at: Date | null;
}

/** A job as its handler works on it. */
export interface JobState {
  id: string;
  kind: JobKind;
  subject_id: string;
  step: number;
  batch: number;
  total: number | null;
  status: Job['status'];
  /** How many batches in a row have failed. */
  attempts: number;
}

const COLUMNS = 'id, kind, status, done, total, failed, errors, created_at, updated_at, ended_at';
const KEPT_DAYS = 30;
const FIRST_BATCH = 500;

const insertJob = statement<
  [id: string, kind: string, subjectId: string, shard: number, batch: number, now: Date]
>(
  'jobs.insert',
  `insert into jobs (id, tenant_id, kind, status, subject_id, shard, batch, due_at, created_at, updated_at)
   values ($1, $tenant, $2, 'queued', $3, $4, $5, ${DUE_NOW}, $6, $6)`,
);
const hide = removalStatement<[jobId: string, ids: string[]]>(
  'removals.insert',
  `insert into removals (id, tenant_id, job_id) select id, $tenant, $1 from unnest($2::uuid[]) as n (id)
   on conflict (id) do nothing`,
);
const jobById = statement<[id: string], JobRow>(
  'jobs.by_id',
  `select ${COLUMNS} from jobs where id = $1 and tenant_id = $tenant`,
);
const anyJobById = systemStatement<[id: string], JobRow>(
  'jobs.any_by_id',
  `select ${COLUMNS} from jobs where id = $1`,
);
const lockJob = statement<[id: string], JobState>(
  'jobs.lock',
  `select id, kind, subject_id, step, batch, total, status, attempts from jobs
    where id = $1 and tenant_id = $tenant and ended_at is null for no key update`,
);
const updateJob = statement<
  [id: string, status: string, step: number, batch: number, done: number, total: number | null, now: Date]
>(
  'jobs.update',
  `update jobs set status = $2, step = $3, batch = $4, done = done + $5, attempts = 0,
          total = case when $2 = 'completed' then done + $5 when $6::bigint is not null then greatest($6, done + $5) end,
          updated_at = $7, due_at = case when $2 = 'completed' then null else due_at end,
          ended_at = case when $2 = 'completed' then $7::timestamptz end
    where id = $1 and tenant_id = $tenant`,
);
const halveBatch = statement<[id: string, now: Date]>(
  'jobs.halve_batch',
  `update jobs set batch = greatest(1, batch / 2), attempts = attempts + 1, updated_at = $2
    where id = $1 and tenant_id = $tenant and ended_at is null`,
);
const show = statement<[jobId: string]>(
  'removals.delete',
  'delete from removals where job_id = $1 and tenant_id = $tenant',
);
const deleteEnded = systemStatement<[before: Date]>(
  'jobs.delete_ended',
  'delete from jobs where ended_at < $1',
);

const present = (row: JobRow): Job => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  done: row.done,
  total: row.total,
  failed: row.failed,
  errors: row.errors,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
  endedAt: timestampOrNull(row.ended_at),
});

/** How something is deleted: at once, or by a job. */
export interface Removal {
  jobId: string | null;
}

/**
 * Starts to delete a tenant, channel or contact in the background and returns the id of the job. From the commit on,
 * everything that belongs to one of `hiddenIds` is hidden, and nothing more happens to it. Returns undefined if that was
 * done before: who waited for the lock of the row still sees it.
 */
export async function startRemoval(
  tx: TenantTx,
  kind: JobKind,
  subjectId: string,
  hiddenIds: string[],
): Promise<string | undefined> {
  const id = newId();
  const now = new Date();
  if ((await tx.run(hide, [id, hiddenIds])) === 0) return undefined;
  await tx.run(insertJob, [
    id,
    kind,
    subjectId,
    jobsQueue.shardOf(tx.tenantId, tx.tenantId),
    FIRST_BATCH,
    now,
  ]);
  tx.wake(jobsQueue, tx.tenantId);
  return id;
}

export async function requireJob(db: TenantReader, jobId: string): Promise<Job> {
  const row = isUuid(jobId) ? await db.find(jobById, [jobId]) : undefined;
  if (!row) throw new ApiError('job_not_found');
  return present(row);
}

/** A job of any tenant, also of one that is deleted. */
export async function requireAnyJob(db: Pick<Queryable, 'find'>, jobId: string): Promise<Job> {
  const row = isUuid(jobId) ? await db.find(anyJobById, [jobId]) : undefined;
  if (!row) throw new ApiError('job_not_found');
  return present(row);
}

/** Locks a job that has not ended. */
export const findJobState = (tx: TenantTx, jobId: string): Promise<JobState | undefined> =>
  tx.find(lockJob, [jobId]);

/** Stores how far a job is. `done` is added. Wakes its queue unless the job is completed. */
export async function storeProgress(
  tx: TenantTx,
  job: JobState,
  { step, batch, done, total, isCompleted }: Progress,
): Promise<void> {
  const status = isCompleted ? 'completed' : 'running';
  await tx.run(updateJob, [job.id, status, step, batch, done, total, new Date()]);
  if (isCompleted) await tx.run(show, [job.id]);
  else tx.wake(jobsQueue, tx.tenantId);
}

export interface Progress {
  step: number;
  batch: number;
  done: number;
  total: number | null;
  isCompleted: boolean;
}

/** After a batch that failed, perhaps because it took too long, the next one is half as large. */
export async function noteFailedBatch(tx: TenantTx, jobId: string): Promise<void> {
  await tx.run(halveBatch, [jobId, new Date()]);
}

/** Deletes jobs that ended more than 30 days ago. */
export async function deleteOldJobs(db: Pick<Queryable, 'run'>): Promise<void> {
  await db.run(deleteEnded, [new Date(Date.now() - KEPT_DAYS * 24 * 3600_000)]);
}

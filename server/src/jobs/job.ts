import { ApiError } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import type { Queryable } from '../db/queryable.ts';
import { removalStatement, statement, systemStatement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import type { Principal } from '../http/permissions.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import type { Author } from '../users/author.ts';
import type { JobAction } from './actions.ts';
import { jobsQueue } from './queues.ts';
import type { Job, JobKind, RemovalKind } from './schema.ts';

export interface JobRow {
  id: string;
  kind: JobKind;
  status: Job['status'];
  action: Job['action'];
  author: Job['author'];
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
  /** The last row that was handled, of jobs that go through rows in the order of ids. */
  last_id: string | null;
  total: number | null;
  status: Job['status'];
  action: JobAction | null;
  author: Author | null;
  errors: string[];
  /** How many batches in a row have failed. */
  attempts: number;
}

export const JOB_COLUMNS =
  'j.id, j.kind, j.status, j.action, j.author, j.done, j.total, j.failed, j.errors, j.created_at, j.updated_at, j.ended_at';
const KEPT_DAYS = 30;
export const FIRST_BATCH = 500;
export const MAX_ERRORS = 10;
/**
 * When a job is due after a batch. Jobs of a tenant take turns: the one with the fewest batches is next, so that a bulk action
 * does not wait for the deletion of a large channel. All of these times are in the past.
 */
const NEXT_TURN = `case when due_at = '-infinity' then 'epoch'::timestamptz else due_at + interval '1 second' end`;

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
  `select ${JOB_COLUMNS} from jobs j where j.id = $1 and j.tenant_id = $tenant`,
);
const anyJobById = systemStatement<[id: string], JobRow>(
  'jobs.any_by_id',
  `select ${JOB_COLUMNS} from jobs j where j.id = $1`,
);
const lockJob = statement<[id: string], JobState>(
  'jobs.lock',
  `select id, kind, subject_id, step, batch, last_id, total, status, action, author, errors, attempts from jobs
    where id = $1 and tenant_id = $tenant and ended_at is null for no key update`,
);
const updateJob = statement<
  [
    id: string,
    status: string,
    step: number,
    batch: number,
    done: number,
    total: number | null,
    now: Date,
    lastId: string | null,
  ],
  JobRow
>(
  'jobs.update',
  `update jobs j set status = $2, step = $3, batch = $4, done = done + $5, last_id = $8, attempts = 0,
          total = case when $2 = 'completed' then done + $5 when $6::bigint is not null then greatest($6, done + $5) end,
          updated_at = $7, due_at = case when $2 = 'completed' then null else ${NEXT_TURN} end,
          ended_at = case when $2 = 'completed' then $7::timestamptz end
    where id = $1 and tenant_id = $tenant returning ${JOB_COLUMNS}`,
);
const itemsOfBatch = statement<[id: string, after: number, limit: number], { ids: string[]; left: number }>(
  'jobs.items_of_batch',
  // A tenant that is being deleted has nothing left to change.
  `select item_ids[$2::int + 1 : $2::int + $3::int] as ids, greatest(0, cardinality(item_ids) - $2::int) as left from jobs
    where id = $1 and tenant_id = $tenant and exists (select 1 from visible_tenants t where t.id = $tenant)`,
);
const updateBulkJob = statement<
  [
    id: string,
    status: string,
    handled: number,
    batch: number,
    done: number,
    failed: number,
    errors: string,
    isEnded: boolean,
    now: Date,
  ],
  JobRow
>(
  'jobs.update_bulk',
  `update jobs j set status = $2, step = step + $3, batch = $4, done = done + $5, failed = failed + $6, errors = $7::jsonb,
          attempts = 0, updated_at = $9, due_at = case when $8 then null else ${NEXT_TURN} end,
          ended_at = case when $8 then $9::timestamptz end, item_ids = case when $8 then null else item_ids end
    where id = $1 and tenant_id = $tenant returning ${JOB_COLUMNS}`,
);
const halveBatch = statement<[id: string, now: Date, attempts: number]>(
  'jobs.halve_batch',
  `update jobs set batch = greatest(1, batch / 2), attempts = attempts + $3::int, due_at = ${NEXT_TURN}, updated_at = $2
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

export const presentJob = (row: JobRow): Job => ({
  id: row.id,
  kind: row.kind,
  status: row.status,
  action: row.action,
  author: row.author,
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
  kind: RemovalKind,
  subjectId: string,
  hiddenIds: string[],
): Promise<string | undefined> {
  const id = newId();
  const now = new Date(nowMs());
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

/** Callers who are restricted to channels see only what they asked for: the reasons name chats. */
export const isVisibleJob = ({ caller, channelIds }: Principal, { author }: Pick<Job, 'author'>): boolean =>
  channelIds === undefined || author?.id === caller.id;

export async function requireJob(db: TenantReader, jobId: string, principal: Principal): Promise<Job> {
  const row = isUuid(jobId) ? await db.find(jobById, [jobId]) : undefined;
  if (!row || !isVisibleJob(principal, row)) throw new ApiError('job_not_found');
  return presentJob(row);
}

/** A job of any tenant, also of one that is deleted. */
export async function requireAnyJob(db: Pick<Queryable, 'find'>, jobId: string): Promise<Job> {
  const row = isUuid(jobId) ? await db.find(anyJobById, [jobId]) : undefined;
  if (!row) throw new ApiError('job_not_found');
  return presentJob(row);
}

/** Locks a job that has not ended. */
export const findJobState = (tx: TenantTx, jobId: string): Promise<JobState | undefined> =>
  tx.find(lockJob, [jobId]);

/** Stores how far a job is. `done` is added. Wakes its queue unless the job is completed. */
export async function storeProgress(
  tx: TenantTx,
  job: JobState,
  { step, batch, done, total, isCompleted, lastId = null }: Progress,
): Promise<void> {
  const status = isCompleted ? 'completed' : 'running';
  const row = await tx.find(updateJob, [job.id, status, step, batch, done, total, new Date(nowMs()), lastId]);
  if (isCompleted) await tx.run(show, [job.id]);
  continueOrPublish(tx, row as JobRow);
}

/** Wakes the queue of a job, or publishes that it has ended. A tenant that is deleted has no events. */
function continueOrPublish(tx: TenantTx, row: JobRow): void {
  if (row.ended_at === null) tx.wake(jobsQueue, tx.tenantId);
  else if (row.kind !== 'delete_tenant')
    tx.publish({
      type: 'job.completed',
      channelId: null,
      contactId: null,
      chatId: null,
      data: presentJob(row),
    });
}

/** The next items of a bulk action, and how many there are with all others. None of a tenant that is being deleted. */
export const findItems = async (tx: TenantTx, { id, step, batch }: JobState) =>
  (await tx.find(itemsOfBatch, [id, step, batch])) ?? { ids: [], left: 0 };

/** What a batch of a bulk action did. */
export interface BulkProgress {
  status: Job['status'];
  handled: number;
  batch: number;
  done: number;
  /** One reason for each item that failed. */
  errors: readonly string[];
  /** If more items failed than there are reasons. */
  failed?: number;
}

/** Stores how far a bulk action is. Publishes its end. */
export async function storeBulkProgress(
  tx: TenantTx,
  job: JobState,
  { status, handled, batch, done, errors, failed = errors.length }: BulkProgress,
): Promise<Job> {
  const row = await tx.find(updateBulkJob, [
    job.id,
    status,
    handled,
    batch,
    done,
    failed,
    JSON.stringify([...job.errors, ...errors].slice(0, MAX_ERRORS)),
    status !== 'running',
    new Date(nowMs()),
  ]);
  continueOrPublish(tx, row as JobRow);
  return presentJob(row as JobRow);
}

export interface Progress {
  step: number;
  batch: number;
  done: number;
  total: number | null;
  isCompleted: boolean;
  lastId?: string | null;
}

/**
 * After a batch that failed, perhaps because it took too long, the next one is half as large. Trouble of the server is no attempt: an
 * item is left out only if it is to blame.
 */
export async function noteFailedBatch(tx: TenantTx, jobId: string, isAttempt: boolean): Promise<void> {
  await tx.run(halveBatch, [jobId, new Date(nowMs()), isAttempt ? 1 : 0]);
}

/** Deletes jobs that ended more than 30 days ago. */
export async function deleteOldJobs(db: Pick<Queryable, 'run'>, now: Date): Promise<void> {
  await db.run(deleteEnded, [new Date(now.getTime() - KEPT_DAYS * 24 * 3600_000)]);
}

import { requireBelowLimit } from '../access/limits.ts';
import { newId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import type { Author } from '../users/author.ts';
import type { JobAction } from './actions.ts';
import { FIRST_BATCH, JOB_COLUMNS, type JobRow, MAX_ERRORS, presentJob } from './job.ts';
import { jobsQueue } from './queues.ts';
import type { BulkKind, Job, RequestedKind } from './schema.ts';

const insertOne = statement<
  [
    id: string,
    kind: BulkKind | RequestedKind,
    shard: number,
    batch: number,
    now: Date,
    action: JobAction | null,
    author: Author,
    itemIds: string[] | null,
    failed: number,
    errors: string,
    subjectId: string | null,
  ],
  JobRow
>(
  'jobs.insert_requested',
  // A job whose items are found later has no total yet.
  `insert into jobs as j (id, tenant_id, kind, status, subject_id, shard, batch, due_at, created_at, updated_at, action, author,
                     item_ids, total, failed, errors)
   values ($1, $tenant, $2, 'queued', coalesce($11::uuid, $tenant), $3, $4, ${DUE_NOW}, $5, $5, $6, $7, $8::uuid[],
           cardinality($8::uuid[]) + $9, $9, $10::jsonb)
   returning ${JOB_COLUMNS}`,
);
const insertWakingJob = statement<[id: string, shard: number, batch: number, now: Date]>(
  'jobs.insert_waking',
  `insert into jobs (id, tenant_id, kind, status, subject_id, shard, batch, due_at, created_at, updated_at)
   values ($1, $tenant, 'wake_runs', 'queued', $tenant, $2, $3, ${DUE_NOW}, $4, $4)
   on conflict (tenant_id) where kind = 'wake_runs' and status = 'queued' do nothing`,
);
const countUnfinished = statement<[], { count: number }>(
  'jobs.count_unfinished',
  'select count(*)::int as count from jobs where tenant_id = $tenant and ended_at is null and author is not null',
);

/** A job that a caller asks for. */
interface NewJob {
  kind: BulkKind | RequestedKind;
  author: Author;
  batch: number;
  /** What a bulk action does. */
  action?: JobAction;
  /** What it is about: a file, or a webhook. */
  subjectId?: string;
  /** What it is done to, if that is chosen now. */
  itemIds?: string[];
  /** Why items could not be chosen, one reason for each. */
  errors?: readonly string[];
}

/** Inserts a job, unless the tenant has as many that have not ended as it may. */
export async function insertRequested(
  tx: TenantTx,
  { kind, author, batch, action, subjectId, itemIds, errors = [] }: NewJob,
): Promise<Job> {
  await requireBelowLimit(
    tx,
    'unfinishedJobs',
    async () => ((await tx.find(countUnfinished, [])) as { count: number }).count,
  );
  const row = await tx.find(insertOne, [
    newId(),
    kind,
    jobsQueue.shardOf(tx.tenantId, tx.tenantId),
    batch,
    new Date(nowMs()),
    action ?? null,
    author,
    itemIds ?? null,
    errors.length,
    JSON.stringify(errors.slice(0, MAX_ERRORS)),
    subjectId ?? null,
  ]);
  tx.wake(jobsQueue, tx.tenantId);
  return presentJob(row as JobRow);
}

/** Inserts a job that wakes all runs that wait by the hours or for the limit of runs, unless there is one that has not begun. */
export async function insertWaking(tx: TenantTx): Promise<void> {
  await tx.run(insertWakingJob, [
    newId(),
    jobsQueue.shardOf(tx.tenantId, tx.tenantId),
    FIRST_BATCH,
    new Date(nowMs()),
  ]);
  tx.wake(jobsQueue, tx.tenantId);
}

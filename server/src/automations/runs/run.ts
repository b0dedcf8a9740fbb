import type { Clock } from '../../base/clock.ts';
import { ApiError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Queryable, Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { AT_ONCE } from '../../engine/queue.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import { type StoredTime, timestamp, timestampOrNull } from '../../http/schema.ts';
import type { Searchable } from '../../search/fields.ts';
import type { SearchSource } from '../../search/run-search.ts';
import { type AutomationRun, type AutomationRunWithTrace, runStatuses } from '../schema.ts';

export const RUNS_LIST = 'automation_runs';

export interface RunRow {
  id: string;
  automation_id: string;
  version_id: string;
  contact_id: string;
  chat_id: string | null;
  campaign_id: string | null;
  status: AutomationRun['status'];
  variables: Record<string, unknown>;
  scheduled_at: Date;
  started_at: Date | null;
  ended_at: Date | null;
  step: string | null;
  error: AutomationRun['error'];
  created_at: Date;
  updated_at: Date;
}

type Entry = AutomationRunWithTrace['trace'][number];
type TraceFacts = Omit<Entry, 'startedAt' | 'endedAt'> & {
  started_at: StoredTime;
  ended_at: StoredTime | null;
};

export const RUN_COLUMNS = `r.id, r.automation_id, r.version_id, r.contact_id, r.chat_id, r.campaign_id, r.status,
  r.state -> 'variables' as variables, r.scheduled_at, r.started_at, r.ended_at, r.step, r.error, r.created_at,
  r.updated_at`;

export const runFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'r.id' },
    createdAt: { type: 'time', sql: 'r.created_at' },
    updatedAt: { type: 'time', sql: 'r.updated_at' },
    automationId: { type: 'uuid', sql: 'r.automation_id' },
    contactId: { type: 'uuid', sql: 'r.contact_id' },
    chatId: { type: 'uuid', sql: 'r.chat_id', nullable: true },
    status: { type: 'enum', sql: 'r.status', values: runStatuses },
  },
  names: [],
  id: 'r.id',
};

const COUNT_CAP = 10_000;

export const runSource: SearchSource = {
  select: RUN_COLUMNS,
  from: 'automation_runs r',
  tenantColumn: 'r.tenant_id',
  countCap: COUNT_CAP,
};

const runById = statement<[id: string, tenantId: string], RunRow & { trace: TraceFacts[] }>(
  'automation_runs.by_id',
  `select ${RUN_COLUMNS}, (select coalesce(json_agg(json_build_object(
       'number', t.number, 'step', t.step, 'type', t.type, 'status', t.status, 'detail', t.detail, 'error', t.error,
       'started_at', t.started_at, 'ended_at', t.ended_at) order by t.number), '[]')
     from run_trace t where t.run_id = r.id) as trace
     from automation_runs r where r.id = $1 and r.tenant_id = $2`,
);
/** Whoever works on a run compares its revision, so what it was about to do no longer counts. */
export const CANCEL = `status = 'cancelled', due_at = null, held_due_at = null, waiting_reply = false,
  revision = revision + 1`;
export const UNENDED = `status in ('scheduled', 'running', 'waiting')`;
const cancelById = statement<[id: string, tenantId: string, now: Date], RunRow>(
  'automation_runs.cancel',
  `update automation_runs r set ${CANCEL}, ended_at = $3, updated_at = $3
    where r.id = $1 and r.tenant_id = $2 and ${UNENDED} returning ${RUN_COLUMNS}`,
);
const IS_PAUSED = `exists (select 1 from campaigns c
  where c.id = r.campaign_id and c.tenant_id = r.tenant_id and c.status = 'paused')`;
const retryById = statement<[id: string, tenantId: string, now: Date], RunRow & { shard: number }>(
  'automation_runs.retry',
  // One whose campaign is paused goes on when the campaign does.
  `update automation_runs r
      set status = 'running', due_at = case when not ${IS_PAUSED} then ${AT_ONCE}::timestamptz end,
          held_due_at = case when ${IS_PAUSED} then ${AT_ONCE}::timestamptz end, error = null, ended_at = null, attempts = 0,
          revision = revision + 1, updated_at = $3
    where r.id = $1 and r.tenant_id = $2 and r.status = 'failed' and r.started_at is not null
   returning ${RUN_COLUMNS}, r.shard`,
);
const cancelByChats = statement<[chatIds: string[], tenantId: string, now: Date]>(
  'automation_runs.cancel_by_chats',
  `update automation_runs set ${CANCEL}, ended_at = $3, updated_at = $3
    where chat_id = any ($1::uuid[]) and tenant_id = $2 and ${UNENDED}`,
);

export const presentRun = (row: RunRow): AutomationRun => ({
  id: row.id,
  automationId: row.automation_id,
  versionId: row.version_id,
  contactId: row.contact_id,
  chatId: row.chat_id,
  campaignId: row.campaign_id,
  status: row.status,
  variables: row.variables,
  scheduledAt: timestamp(row.scheduled_at),
  startedAt: timestampOrNull(row.started_at),
  endedAt: timestampOrNull(row.ended_at),
  step: row.step,
  error: row.error,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

const presentEntry = ({ started_at, ended_at, ...entry }: TraceFacts): Entry => ({
  ...entry,
  startedAt: timestamp(started_at),
  endedAt: timestampOrNull(ended_at),
});

/** The run with what it did so far. */
export async function requireRun(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  runId: string,
): Promise<AutomationRunWithTrace> {
  const row = isUuid(runId) ? await db.find(runById, [runId, tenantId]) : undefined;
  if (!row) throw new ApiError('automation_run_not_found');
  return { ...presentRun(row), trace: row.trace.map(presentEntry) };
}

/** Ends a run before its time: it does nothing more. One that has ended already cannot be cancelled. */
export async function cancelRun(tx: Tx, tenantId: string, runId: string, now: Date): Promise<AutomationRun> {
  const row = isUuid(runId) ? await tx.find(cancelById, [runId, tenantId, now]) : undefined;
  if (row) return presentRun(row);
  const { status } = await requireRun(tx, tenantId, runId);
  throw new ApiError('conflict', { detail: `the run is ${status} already` });
}

/** Lets a run that failed try the step again at which it failed, and go on from there. */
export async function retryRun(
  tx: Tx,
  tenantId: string,
  runId: string,
  { clock, wakeUps }: { clock: Clock; wakeUps: WakeUps },
): Promise<AutomationRun> {
  const row = isUuid(runId) ? await tx.find(retryById, [runId, tenantId, clock.now(tenantId)]) : undefined;
  if (row) {
    tx.afterCommit(() => wakeUps.give(RUNS_LIST, row.shard, row.automation_id));
    return presentRun(row);
  }
  const { status } = await requireRun(tx, tenantId, runId);
  throw new ApiError('conflict', {
    detail: status === 'failed' ? 'the run failed before its first step' : `the run is ${status}, not failed`,
  });
}

/** Ends what still goes on in chats that are about to be deleted, in the transaction that deletes them. */
export async function cancelRunsOfChats(
  tx: Tx,
  tenantId: string,
  chatIds: string[],
  now: Date,
): Promise<void> {
  await tx.run(cancelByChats, [chatIds, tenantId, now]);
}

import { ApiError } from '../../base/errors.ts';
import { type EventType, mergeFacts, type NewEvent } from '../../base/events.ts';
import { isUuid } from '../../base/ids.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
import { DUE_NOW } from '../../engine/queue.ts';
import { type StoredTime, timestamp, timestampOrNull } from '../../http/schema.ts';
import { countsAt } from '../../reports/counts-at.ts';
import type { Searchable } from '../../search/fields.ts';
import type { SearchSource } from '../../search/source.ts';
import { runsQueue } from '../queues.ts';
import { type AutomationRun, type AutomationRunWithTrace, runStatuses } from '../schema.ts';

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
type StoredEntry = Omit<Entry, 'startedAt' | 'endedAt'> & {
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

/** SQL: whether run r is in one of these channels. Runs that have neither a chat nor a campaign belong to no channel. */
export const inVisibleChannels = (ids: string): string => `(coalesce(
    (select k.channel_id from chats k where k.id = r.chat_id and (k.tenant_id = r.tenant_id) is true),
    (select c.channel_id from campaigns c where c.id = r.campaign_id and (c.tenant_id = r.tenant_id) is true))
      <> all (${ids})) is not true`;

export const runSource: SearchSource = {
  select: RUN_COLUMNS,
  from: 'visible_automation_runs r',
  inChannels: inVisibleChannels,
  tenantColumn: 'r.tenant_id',
  countCap: COUNT_CAP,
};

const runById = statement<[id: string], RunRow & { trace: StoredEntry[] }>(
  'automation_runs.by_id',
  `select ${RUN_COLUMNS}, (select coalesce(json_agg(json_build_object(
       'number', t.number, 'step', t.step, 'type', t.type, 'status', t.status, 'detail', t.detail, 'error', t.error,
       'started_at', t.started_at, 'ended_at', t.ended_at) order by t.number), '[]')
     from run_trace t where t.run_id = r.id) as trace
     from visible_automation_runs r where r.id = $1 and r.tenant_id = $tenant`,
);
/** The new revision discards what a worker is doing with the run at the moment. */
export const CANCEL = `status = 'cancelled', due_at = null, held_due_at = null, waiting_reply = false,
  revision = revision + 1`;
export const IS_UNFINISHED = `status in ('scheduled', 'running', 'waiting')`;
const cancelById = statement<[id: string, now: Date], RunRow>(
  'automation_runs.cancel',
  `update visible_automation_runs r set ${CANCEL}, ended_at = $2, updated_at = $2
    where r.id = $1 and r.tenant_id = $tenant and ${IS_UNFINISHED} returning ${RUN_COLUMNS}`,
);
const IS_PAUSED = `exists (select 1 from visible_campaigns c
  where c.id = r.campaign_id and c.tenant_id = r.tenant_id and c.status = 'paused')`;
const retryById = statement<[id: string, now: Date], RunRow>(
  'automation_runs.retry',
  // If its campaign is paused, the run continues together with the campaign.
  `update visible_automation_runs r
      set status = 'running', due_at = case when not ${IS_PAUSED} then ${DUE_NOW}::timestamptz end,
          held_due_at = case when ${IS_PAUSED} then ${DUE_NOW}::timestamptz end, error = null, ended_at = null, attempts = 0,
          crashes = 0, is_calling = false, revision = revision + 1, updated_at = $2
    where r.id = $1 and r.tenant_id = $tenant and r.status = 'failed' and r.started_at is not null
   returning ${RUN_COLUMNS}`,
);
const ENDED_STATUSES: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled']);
const lockRuns = statement<
  [ids: string[]],
  { id: string; status: AutomationRun['status']; has_started: boolean }
>(
  'automation_runs.lock_for_bulk',
  `select id, status, started_at is not null as has_started from visible_automation_runs
    where id = any ($1::uuid[]) and tenant_id = $tenant order by id for no key update`,
);
const cancelByChats = statement<[chatIds: string[], now: Date], RunRow>(
  'automation_runs.cancel_by_chats',
  `with chosen as (
     select id from visible_automation_runs where chat_id = any ($1::uuid[]) and tenant_id = $tenant and ${IS_UNFINISHED}
      order by id for no key update)
   update visible_automation_runs r set ${CANCEL}, ended_at = $2, updated_at = $2
     from chosen where r.id = chosen.id and (r.tenant_id = $tenant) is true returning ${RUN_COLUMNS}`,
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

const runsByIds = statement<[ids: string[]], RunRow>(
  'automation_runs.by_ids',
  `select ${RUN_COLUMNS} from visible_automation_runs r where r.id = any ($1::uuid[]) and r.tenant_id = $tenant`,
);

/** The data of `automation.run_progressed`, by the ids of runs. */
export async function loadProgressedRuns(
  db: TenantReader,
  ids: string[],
): Promise<ReadonlyMap<string, AutomationRun>> {
  const rows = await db.all(runsByIds, [ids]);
  return new Map(rows.map((row) => [row.id, presentRun(row)]));
}

/** Tells open streams that a run has come further, without an end. */
export const announceProgress = (tx: TenantTx, runIds: readonly string[]): void =>
  tx.announce(...runIds.map((id) => ({ type: 'automation.run_progressed' as const, channelId: null, id })));

/** An event about a run, caused by the run itself. */
export const runEvent = (type: EventType, row: RunRow): NewEvent => ({
  type,
  channelId: null,
  contactId: row.contact_id,
  chatId: row.chat_id,
  data: presentRun(row),
  originRunId: row.id,
  facts: mergeFacts(
    row.campaign_id === null ? undefined : { campaignId: row.campaign_id },
    countsAt(row.created_at, row.updated_at),
  ),
});

/** A step as the trace shows it. One in which the run was ended from outside has no end of its own. */
export function presentEntry(
  { started_at, ended_at, ...entry }: StoredEntry,
  run: Pick<RunRow, 'status' | 'error' | 'ended_at'>,
): Entry {
  const isOpen = entry.status === 'running' || entry.status === 'waiting';
  const isCut = isOpen && (run.status === 'cancelled' || run.status === 'failed');
  return {
    ...entry,
    ...(isCut ? { status: run.status as Entry['status'], error: run.error } : {}),
    startedAt: timestamp(started_at),
    endedAt: timestampOrNull(isCut ? run.ended_at : ended_at),
  };
}

export async function requireRun(db: TenantReader, runId: string): Promise<AutomationRunWithTrace> {
  const row = isUuid(runId) ? await db.find(runById, [runId]) : undefined;
  if (!row) throw new ApiError('automation_run_not_found');
  return { ...presentRun(row), trace: row.trace.map((entry) => presentEntry(entry, row)) };
}

/** Cancels a run. A run that has ended cannot be cancelled. */
export async function cancelRun(tx: TenantTx, runId: string): Promise<AutomationRun> {
  const row = isUuid(runId) ? await tx.find(cancelById, [runId, tx.now]) : undefined;
  if (row) {
    tx.publish(runEvent('automation.run_cancelled', row));
    return presentRun(row);
  }
  const { status } = await requireRun(tx, runId);
  throw new ApiError('conflict', { detail: `the run is already ${status}` });
}

/** Retries a failed run from the step at which it failed. */
export async function retryRun(tx: TenantTx, runId: string): Promise<AutomationRun> {
  const row = isUuid(runId) ? await tx.find(retryById, [runId, tx.now]) : undefined;
  if (row) {
    tx.wake(runsQueue, row.automation_id);
    announceProgress(tx, [row.id]);
    return presentRun(row);
  }
  const { status } = await requireRun(tx, runId);
  throw new ApiError('conflict', {
    detail: status === 'failed' ? 'the run failed before its first step' : `the run is ${status}, not failed`,
  });
}

/** Why a run cannot be cancelled or retried; undefined if it can be. */
const RUN_OBSTACLES = {
  cancel: ({ status }: { status: AutomationRun['status']; has_started: boolean }) =>
    ENDED_STATUSES.has(status) ? `is already ${status}` : undefined,
  retry: ({ status, has_started }: { status: AutomationRun['status']; has_started: boolean }) =>
    status !== 'failed'
      ? `is ${status}, not failed`
      : has_started
        ? undefined
        : 'failed before its first step',
};

/** Cancels or retries runs, those that can be. Returns why the others cannot, by their ids. */
export async function changeRuns(
  tx: TenantTx,
  action: keyof typeof RUN_OBSTACLES,
  ids: string[],
): Promise<{ foundIds: string[]; refused: Map<string, string> }> {
  const found = await tx.all(lockRuns, [ids]);
  const refused = new Map<string, string>();
  for (const run of found) {
    const obstacle = RUN_OBSTACLES[action](run);
    if (obstacle === undefined) await (action === 'cancel' ? cancelRun(tx, run.id) : retryRun(tx, run.id));
    else refused.set(run.id, `The run ${run.id} ${obstacle}`);
  }
  return { foundIds: found.map(({ id }) => id).filter((id) => !refused.has(id)), refused };
}

/** Cancels the runs of chats that are about to be deleted, in the transaction that deletes them. */
export async function cancelRunsOfChats(tx: TenantTx, chatIds: string[]): Promise<void> {
  await tx.run(cancelByChats, [chatIds, tx.now]);
}

/** The same for a chat that somebody deletes, with an event of each run. */
export async function cancelRunsWithEvents(tx: TenantTx, chatIds: string[]): Promise<void> {
  for (const row of await tx.all(cancelByChats, [chatIds, tx.now]))
    tx.publish(runEvent('automation.run_cancelled', row));
}

import type { EventType } from '../../base/events.ts';
import { type ParameterOf, type RowOf, rowSet } from '../../db/rows.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { callsQueue } from '../queues.ts';
import type { AutomationRun } from '../schema.ts';
import { announceProgress, RUN_COLUMNS, type RunRow, runEvent } from './run.ts';
import type { Ending, StepBatch } from './state.ts';

/** The result of a step batch of a run. */
export interface Advanced {
  runId: string;
  revision: number;
  chatId: string | null;
  wasScheduled: boolean;
  stepBatch: StepBatch;
}

const advancedRuns = rowSet({
  id: 'uuid',
  revision: 'int',
  status: 'text',
  step: 'text?',
  state: 'jsonb',
  waiting_reply: 'boolean',
  due_at: 'timestamptz?',
  chat_id: 'uuid?',
  error: 'jsonb?',
  is_over: 'boolean',
  is_calling: 'boolean',
  waits_for: 'text?',
});
const updateRuns = statement<[now: Date, ids: string[], runs: ParameterOf<typeof advancedRuns>], RunRow>(
  'automation_runs.advance',
  // The condition on ids is repeated: with the join alone, the planner reads all runs of the tenant in a small table.
  `update visible_automation_runs r
      set status = n.status, step = n.step, state = n.state, waiting_reply = n.waiting_reply, due_at = n.due_at,
          chat_id = n.chat_id, error = n.error, is_calling = n.is_calling, waits_for = n.waits_for, attempts = 0, crashes = 0, revision = r.revision + 1,
          started_at = coalesce(r.started_at, $1), ended_at = case when n.is_over then $1 end, updated_at = $1
     from ${advancedRuns.from(3, 'n')}
    where r.id = any ($2::uuid[]) and r.tenant_id = $tenant and r.id = n.id and r.revision = n.revision returning ${RUN_COLUMNS}`,
);
const traceEntries = rowSet({
  run_id: 'uuid',
  number: 'int',
  step: 'text',
  type: 'text',
  status: 'text',
  detail: 'jsonb',
  error: 'jsonb?',
  started_at: 'timestamptz',
  ended_at: 'timestamptz?',
});
const writeTrace = statement<[entries: ParameterOf<typeof traceEntries>]>(
  'run_trace.write',
  // A step that waited already has an entry.
  `insert into run_trace (run_id, tenant_id, number, step, type, status, detail, error, started_at, ended_at)
   select t.run_id, $tenant, t.number, t.step, t.type, t.status, t.detail, t.error, t.started_at, t.ended_at
     from ${traceEntries.from(1, 't')}
   on conflict (run_id, number) do update
      set status = excluded.status, detail = excluded.detail, error = excluded.error, ended_at = excluded.ended_at`,
);

const statuses: Record<Ending['kind'], AutomationRun['status']> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
  waiting: 'waiting',
  calling: 'running',
  unfinished: 'running',
};

const endings: Partial<Record<AutomationRun['status'], EventType>> = {
  completed: 'automation.run_completed',
  failed: 'automation.run_failed',
  cancelled: 'automation.run_cancelled',
};

const rowOf = ({ runId, revision, chatId, stepBatch }: Advanced): RowOf<typeof advancedRuns> => {
  const { step, state, ending } = stepBatch;
  return {
    id: runId,
    revision,
    status: statuses[ending.kind],
    step,
    state,
    waiting_reply: ending.kind === 'waiting' && ending.forReply,
    due_at: dueAfter(ending),
    chat_id: chatId,
    error: 'failure' in ending ? ending.failure : null,
    is_calling: ending.kind === 'calling',
    waits_for: ending.kind === 'waiting' ? ending.waitsFor : null,
    is_over: ending.kind === 'completed' || ending.kind === 'failed' || ending.kind === 'cancelled',
  };
};

function dueAfter(ending: Ending): Date | '-infinity' | null {
  if (ending.kind === 'waiting') return ending.until;
  return ending.kind === 'calling' || ending.kind === 'unfinished' ? '-infinity' : null;
}

/** A run as it was when it started: by the end of its first step batch it may have ended, too. */
const atStart = (row: RunRow): RunRow => ({
  ...row,
  status: 'running',
  step: null,
  error: null,
  ended_at: null,
});

/** Stores the results of step batches, and publishes which runs started or ended. */
export async function storeStepBatches(tx: TenantTx, advanced: Advanced[]): Promise<void> {
  if (advanced.length === 0) return;
  const rows = await tx.all(updateRuns, [
    tx.now,
    advanced.map(({ runId }) => runId),
    advancedRuns.encode(advanced.map(rowOf)),
  ]);
  const entries = advanced.flatMap(({ runId, stepBatch }) =>
    stepBatch.trace.map(({ startedAt, endedAt, ...entry }) => ({
      run_id: runId,
      ...entry,
      started_at: startedAt,
      ended_at: endedAt,
    })),
  );
  if (entries.length > 0) tx.enqueue(writeTrace, [traceEntries.encode(entries)]);
  const begun = new Set(advanced.filter(({ wasScheduled }) => wasScheduled).map(({ runId }) => runId));
  const events = rows.flatMap((row) => {
    const ended = endings[row.status];
    return [
      ...(begun.has(row.id) ? [runEvent('automation.run_started', atStart(row))] : []),
      ...(ended === undefined ? [] : [runEvent(ended, row)]),
    ];
  });
  tx.publish(...events);
  announceProgress(
    tx,
    rows.filter(({ status }) => endings[status] === undefined).map(({ id }) => id),
  );
  const calling = new Set(
    advanced.filter(({ stepBatch }) => stepBatch.ending.kind === 'calling').map(({ runId }) => runId),
  );
  const automationIds = rows.filter(({ id }) => calling.has(id)).map((row) => row.automation_id);
  for (const id of new Set(automationIds)) tx.wake(callsQueue, id);
}

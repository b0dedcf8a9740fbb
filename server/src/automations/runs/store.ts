import type { EventType, NewEvent } from '../../base/events.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { DUE_NOW } from '../../engine/queue.ts';
import type { AutomationRun } from '../schema.ts';
import { presentRun, RUN_COLUMNS, type RunRow } from './run.ts';
import type { Ending, StepBatch, TraceEntry } from './state.ts';

/** The result of a step batch of a run. */
export interface Advanced {
  runId: string;
  revision: number;
  chatId: string | null;
  wasScheduled: boolean;
  stepBatch: StepBatch;
}

const updateRuns = statement<
  [
    now: Date,
    ids: string[],
    revisions: number[],
    statuses: string[],
    steps: (string | null)[],
    states: string[],
    waitingReply: boolean[],
    dueAt: (Date | null)[],
    isDue: boolean[],
    chatIds: (string | null)[],
    errors: (string | null)[],
    isOver: boolean[],
  ],
  RunRow
>(
  'automation_runs.advance',
  // The condition on ids is repeated: with the join alone, the planner reads all runs of the tenant in a small table.
  `update automation_runs r
      set status = n.status, step = n.step, state = n.state, waiting_reply = n.waiting_reply,
          due_at = case when n.is_due then ${DUE_NOW}::timestamptz else n.due_at end, chat_id = n.chat_id,
          error = n.error, attempts = 0, revision = r.revision + 1, started_at = coalesce(r.started_at, $1),
          ended_at = case when n.is_over then $1 end, updated_at = $1
     from unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::jsonb[], $7::boolean[], $8::timestamptz[],
                 $9::boolean[], $10::uuid[], $11::jsonb[], $12::boolean[])
       as n (id, revision, status, step, state, waiting_reply, due_at, is_due, chat_id, error, is_over)
    where r.id = any ($2::uuid[]) and r.tenant_id = $tenant and r.id = n.id and r.revision = n.revision returning ${RUN_COLUMNS}`,
);
const writeTrace = statement<
  [
    runIds: string[],
    numbers: number[],
    steps: string[],
    types: string[],
    statuses: string[],
    details: string[],
    errors: (string | null)[],
    startedAt: Date[],
    endedAt: (Date | null)[],
  ]
>(
  'run_trace.write',
  // A step that waited already has an entry.
  `insert into run_trace (run_id, tenant_id, number, step, type, status, detail, error, started_at, ended_at)
   select t.run_id, $tenant, t.number, t.step, t.type, t.status, t.detail, t.error, t.started_at, t.ended_at
     from unnest($1::uuid[], $2::int[], $3::text[], $4::text[], $5::text[], $6::jsonb[], $7::jsonb[],
                 $8::timestamptz[], $9::timestamptz[])
       as t (run_id, number, step, type, status, detail, error, started_at, ended_at)
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
};

const json = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

/** An event about a run, caused by the run itself. */
export const runEvent = (type: EventType, row: RunRow): NewEvent => ({
  type,
  channelId: null,
  contactId: row.contact_id,
  chatId: row.chat_id,
  data: presentRun(row),
  originRunId: row.id,
});

/** Stores the results of step batches, and publishes which runs started or ended. */
export async function storeStepBatches(tx: TenantTx, advanced: Advanced[]): Promise<void> {
  if (advanced.length === 0) return;
  const endingsOf = advanced.map(({ stepBatch }) => stepBatch.ending);
  const rows = await tx.all(updateRuns, [
    tx.now,
    advanced.map(({ runId }) => runId),
    advanced.map(({ revision }) => revision),
    endingsOf.map(({ kind }) => statuses[kind]),
    advanced.map(({ stepBatch }) => stepBatch.step),
    advanced.map(({ stepBatch }) => JSON.stringify(stepBatch.state)),
    endingsOf.map((ending) => ending.kind === 'waiting' && ending.forReply),
    endingsOf.map((ending) => (ending.kind === 'waiting' ? ending.until : null)),
    endingsOf.map(({ kind }) => kind === 'calling' || kind === 'unfinished'),
    advanced.map(({ chatId }) => chatId),
    endingsOf.map((ending) => ('failure' in ending ? json(ending.failure) : null)),
    endingsOf.map(({ kind }) => kind === 'completed' || kind === 'failed' || kind === 'cancelled'),
  ]);
  const lines = advanced.flatMap(({ runId, stepBatch }) =>
    stepBatch.trace.map((entry): TraceEntry & { runId: string } => ({ runId, ...entry })),
  );
  if (lines.length > 0)
    tx.enqueue(writeTrace, [
      lines.map(({ runId }) => runId),
      lines.map(({ number }) => number),
      lines.map(({ step }) => step),
      lines.map(({ type }) => type),
      lines.map(({ status }) => status),
      lines.map(({ detail }) => JSON.stringify(detail)),
      lines.map(({ error }) => json(error)),
      lines.map(({ startedAt }) => startedAt),
      lines.map(({ endedAt }) => endedAt),
    ]);
  const begun = new Set(advanced.filter(({ wasScheduled }) => wasScheduled).map(({ runId }) => runId));
  const events = rows.flatMap((row) => {
    const ended = endings[row.status];
    return [
      ...(begun.has(row.id) ? [runEvent('automation.run_started', row)] : []),
      ...(ended === undefined ? [] : [runEvent(ended, row)]),
    ];
  });
  tx.publish(...events);
}

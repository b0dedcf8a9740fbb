import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { EventType } from '../../engine/event-types.ts';
import type { NewEvent, Publisher } from '../../engine/outbox.ts';
import { AT_ONCE } from '../../engine/queue.ts';
import type { AutomationRun } from '../schema.ts';
import type { Ending, StepBatch, TraceEntry } from './interpreter.ts';
import { presentRun, RUN_COLUMNS, type RunRow } from './run.ts';

/** What a stretch made of a run. */
export interface Advanced {
  runId: string;
  revision: number;
  chatId: string | null;
  wasScheduled: boolean;
  stepBatch: StepBatch;
}

const updateRuns = statement<
  [
    tenantId: string,
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
  // The ids are said twice: from the join alone, the planner would read all runs of a tenant while the table is young.
  `update automation_runs r
      set status = n.status, step = n.step, state = n.state, waiting_reply = n.waiting_reply,
          due_at = case when n.is_due then ${AT_ONCE}::timestamptz else n.due_at end, chat_id = n.chat_id,
          error = n.error, attempts = 0, revision = r.revision + 1, started_at = coalesce(r.started_at, $2),
          ended_at = case when n.is_over then $2 end, updated_at = $2
     from unnest($3::uuid[], $4::int[], $5::text[], $6::text[], $7::jsonb[], $8::boolean[], $9::timestamptz[],
                 $10::boolean[], $11::uuid[], $12::jsonb[], $13::boolean[])
       as n (id, revision, status, step, state, waiting_reply, due_at, is_due, chat_id, error, is_over)
    where r.id = any ($3::uuid[]) and r.tenant_id = $1 and r.id = n.id and r.revision = n.revision returning ${RUN_COLUMNS}`,
);
const writeTrace = statement<
  [
    tenantId: string,
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
  // A step that waited has its line already.
  `insert into run_trace (run_id, tenant_id, number, step, type, status, detail, error, started_at, ended_at)
   select t.run_id, $1, t.number, t.step, t.type, t.status, t.detail, t.error, t.started_at, t.ended_at
     from unnest($2::uuid[], $3::int[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::jsonb[],
                 $9::timestamptz[], $10::timestamptz[])
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

/** What is told of a run, as its own doing. */
export const runEvent = (type: EventType, row: RunRow): NewEvent => ({
  type,
  channelId: null,
  contactId: row.contact_id,
  chatId: row.chat_id,
  data: presentRun(row),
  originRunId: row.id,
});

/** Writes what stretches made of their runs, and tells of those that began or ended. */
export async function storeStepBatches(
  tx: Tx,
  tenantId: string,
  advanced: Advanced[],
  now: Date,
  publisher: Publisher,
): Promise<void> {
  if (advanced.length === 0) return;
  const endingsOf = advanced.map(({ stepBatch }) => stepBatch.ending);
  const rows = await tx.all(updateRuns, [
    tenantId,
    now,
    advanced.map(({ runId }) => runId),
    advanced.map(({ revision }) => revision),
    endingsOf.map(({ kind }) => statuses[kind]),
    advanced.map(({ stepBatch }) => stepBatch.step),
    advanced.map(({ stepBatch }) => JSON.stringify(stepBatch.state)),
    endingsOf.map((ending) => ending.kind === 'waiting' && ending.forReply),
    endingsOf.map((ending) => (ending.kind === 'waiting' ? ending.until : null)),
    endingsOf.map(({ kind }) => kind === 'calling' || kind === 'unfinished'),
    advanced.map(({ chatId }) => chatId),
    endingsOf.map((ending) => ('issue' in ending ? json(ending.issue) : null)),
    endingsOf.map(({ kind }) => kind === 'completed' || kind === 'failed' || kind === 'cancelled'),
  ]);
  const lines = advanced.flatMap(({ runId, stepBatch }) =>
    stepBatch.trace.map((entry): TraceEntry & { runId: string } => ({ runId, ...entry })),
  );
  if (lines.length > 0)
    await tx.write(writeTrace, [
      tenantId,
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
  await publisher.publish(tx, tenantId, events);
}

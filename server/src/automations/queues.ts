import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { exponentialBackoff, untilItSucceeds } from '../engine/retry.ts';
import type { StoredCall } from './runs/state.ts';

export interface DueRun extends QueueRow {
  contact_id: string;
  attempts: number;
  crashes: number;
}

export const runsQueue = declareQueue<DueRun>({
  name: 'automation_runs',
  purpose: 'execute the steps of runs up to the next wait, in one transaction',
  table: 'automation_runs',
  view: 'visible_automation_runs',
  orderingKey: 'automation_id',
  listed: (row) => `${row}.due_at is not null and not ${row}.is_calling`,
  columns: 'q.contact_id, q.attempts, q.crashes',
  countsCrashes: true,
  rowsPerCall: 50,
  callsPerKey: 4,
  callsPerProcess: 8,
  retry: exponentialBackoff({ firstDelayMs: 1_000, factor: 4, attempts: 5 }),
});

export interface DueCall extends QueueRow {
  revision: number;
  /** The number of the step that calls. */
  number: number;
  call: StoredCall;
}

/** The calls of runs are made here, so that a run that waits for an answer takes no place of those that can go on. */
export const callsQueue = declareQueue<DueCall>({
  name: 'automation_calls',
  purpose: 'make the calls of http_request steps and store their answers',
  table: 'automation_runs',
  view: 'visible_automation_runs',
  orderingKey: 'automation_id',
  listed: (row) => `${row}.due_at is not null and ${row}.is_calling`,
  columns: `q.revision, (q.state ->> 'begun')::int as number, q.state -> 'pending' -> 'call' as call`,
  claimsManyKeys: true,
  rowsPerCall: 1,
  callsPerKey: 64,
  // A run whose call fails has failed. With one call at a time, a thousand runs would fail within four hours.
  callsPerFailingKey: 16,
  callsPerProcess: 512,
  waitsOutside: true,
  retry: untilItSucceeds,
});

export const schedulesQueue = declareQueue<QueueRow>({
  name: 'automations',
  purpose: 'start the runs of automations with a schedule, for all contacts of their audience',
  table: 'automations',
  view: 'visible_automations',
  orderingKey: 'tenant_id',
  rowsPerCall: 1,
  callsPerKey: 4,
  callsPerProcess: 8,
  retry: untilItSucceeds,
});

/** A run whose contact has replied. */
export interface RepliedRun extends QueueRow {
  run_id: string;
}

export const runRepliesQueue = declareQueue<RepliedRun>({
  name: 'run_replies',
  purpose: 'wake runs that wait for a reply, when the contact has written',
  table: 'run_replies',
  orderingKey: 'tenant_id',
  listed: () => 'true',
  columns: 'q.run_id',
  rowsPerCall: 500,
  callsPerKey: 1,
  callsPerProcess: 8,
  retry: untilItSucceeds,
});

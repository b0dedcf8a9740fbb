import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { exponentialBackoff, untilItSucceeds } from '../engine/retry.ts';

export interface DueRun extends QueueRow {
  attempts: number;
}

export const runsQueue = declareQueue<DueRun>({
  name: 'automation_runs',
  purpose: 'execute the steps of runs up to the next wait, in one transaction',
  table: 'automation_runs',
  orderingKey: 'automation_id',
  columns: 'q.attempts',
  rowsPerCall: 50,
  callsPerKey: 4,
  callsPerProcess: 8,
  retry: exponentialBackoff({ firstDelayMs: 1_000, factor: 4, attempts: 5 }),
});

export const schedulesQueue = declareQueue<QueueRow>({
  name: 'automations',
  purpose: 'start the runs of automations with a schedule, for all contacts of their audience',
  table: 'automations',
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

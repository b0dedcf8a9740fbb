import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { untilItSucceeds } from '../engine/retry.ts';
import type { JobKind } from './schema.ts';

export interface DueJob extends QueueRow {
  kind: JobKind;
}

/** Jobs use real time also for test tenants: a deletion does not wait for a clock that stands still. */
export const jobsQueue = declareQueue<DueJob>({
  name: 'jobs',
  purpose:
    'delete large tenants, channels and contacts, change many chats, contacts or runs, import files, retry deliveries and wake runs, a batch at a time',
  table: 'jobs',
  orderingKey: 'tenant_id',
  columns: 'q.kind',
  isOnRealTime: true,
  rowsPerCall: 1,
  callsPerKey: 1,
  callsPerProcess: 2,
  retry: untilItSucceeds,
});

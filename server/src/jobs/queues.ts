import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { untilItSucceeds } from '../engine/retry.ts';

/** Jobs use real time also for test tenants: a deletion does not wait for a clock that stands still. */
export const jobsQueue = declareQueue<QueueRow>({
  name: 'jobs',
  purpose:
    'delete large tenants, channels and contacts, and change many chats, contacts or runs, a batch at a time',
  table: 'jobs',
  orderingKey: 'tenant_id',
  isOnRealTime: true,
  rowsPerCall: 1,
  callsPerKey: 1,
  callsPerProcess: 2,
  retry: untilItSucceeds,
});

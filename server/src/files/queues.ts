import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { untilItSucceeds } from '../engine/retry.ts';

/**
 * Files on disk that are to be removed. A deleted file is due immediately; an upload is listed before its first byte is
 * written, and leaves the list when its file is created. It runs on real time also for test tenants.
 */
export const fileRemovalsQueue = declareQueue<QueueRow>({
  name: 'file_removals',
  purpose: 'remove the bytes of deleted files and abandoned uploads from the disk',
  table: 'file_removals',
  orderingKey: 'tenant_id',
  listed: () => 'true',
  isOnRealTime: true,
  rowsPerCall: 50,
  callsPerKey: 1,
  callsPerProcess: 4,
  retry: untilItSucceeds,
});

import { declareQueue, type QueueRow, realShardOf } from '../engine/queue.ts';
import { untilItSucceeds } from '../engine/retry.ts';
import type { WakeUps } from '../engine/wakeups.ts';

/**
 * Files on disk that are to be removed. A deleted file is due immediately; an upload is listed before its first byte is
 * written, and leaves the list when its file is created. It runs on real time also for test tenants.
 */
export const fileRemovalsQueue = declareQueue<QueueRow>({
  name: 'file_removals',
  purpose: 'remove the bytes of deleted files and abandoned uploads',
  table: 'file_removals',
  orderingKey: 'tenant_id',
  listed: () => 'true',
  rowsPerCall: 50,
  callsPerKey: 1,
  callsPerProcess: 4,
  retry: untilItSucceeds,
});

/** Wakes the queue after a commit. Its shard is that of real time, which `tx.wake` does not use for a test tenant. */
export const wakeFileRemovals = (wakeUps: Pick<WakeUps, 'wake'>, tenantId: string): void =>
  wakeUps.wake(fileRemovalsQueue.name, realShardOf(tenantId), tenantId);

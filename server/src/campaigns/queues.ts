import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { exponentialBackoff } from '../engine/retry.ts';

export interface DueCampaignRow extends QueueRow {
  attempts: number;
}

export const campaignsQueue = declareQueue<DueCampaignRow>({
  name: 'campaigns',
  purpose: 'start occurrences of campaigns and the runs of their recipients, 500 per transaction',
  table: 'campaigns',
  view: 'visible_campaigns',
  orderingKey: 'tenant_id',
  columns: 'q.attempts',
  rowsPerCall: 1,
  callsPerKey: 4,
  callsPerProcess: 8,
  retry: exponentialBackoff({ firstDelayMs: 1_000, factor: 4, attempts: 5 }),
});

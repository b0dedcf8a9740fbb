import { declareQueue, type QueueRow } from '../engine/queue.ts';
import { exponentialBackoff } from '../engine/retry.ts';
import type { ChannelKind } from '../providers/kinds.ts';

export interface TemplateTaskRow extends QueueRow {
  channel_id: string;
  /** The template to submit; null: it is deleted here and is to be deleted at the vendor. */
  template_id: string | null;
  name: string;
  language: string;
  vendor_id: string | null;
  attempts: number;
  kind: ChannelKind;
  provider: string;
  address: string;
  config_encrypted: Buffer;
}

export const templateTasksQueue = declareQueue<TemplateTaskRow>({
  name: 'templates',
  purpose: 'create, change or delete templates at vendors that review them',
  table: 'template_tasks',
  orderingKey: 'channel_id',
  listed: () => 'true',
  columns: `q.channel_id, q.template_id, q.name, q.language, q.vendor_id, q.attempts,
    c.kind, c.provider, c.address, c.config_encrypted`,
  joins: 'join visible_channels c on c.id = q.channel_id and c.tenant_id = q.tenant_id',
  rowsPerCall: 1,
  callsPerKey: 1,
  callsPerProcess: 8,
  waitsOutside: true,
  retry: exponentialBackoff({ firstDelayMs: 30_000, factor: 2, maxDelayMs: 3600_000 }),
});

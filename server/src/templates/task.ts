import { newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable, TenantTx } from '../db/tenant.ts';
import { DUE_NOW } from '../engine/queue.ts';
import { templateTasksQueue } from './queues.ts';

/** Tasks of one name and language are done in order: if one waits for a retry, so do those behind it. */
const insertTask = statement<
  [
    id: string,
    channelId: string,
    templateId: string | null,
    name: string,
    language: string,
    vendorId: string | null,
    shard: number,
    now: Date,
  ]
>(
  'template_tasks.insert',
  `insert into template_tasks (id, tenant_id, channel_id, template_id, name, language, vendor_id, shard, due_at, created_at)
   select $1, $tenant, $2, $3, $4, $5, $6, $7, coalesce(max(due_at), ${DUE_NOW}), $8
     from template_tasks where channel_id = $2 and tenant_id = $tenant and name = $4 and language = $5`,
);
const taskOf = statement<[templateId: string], { id: string }>(
  'template_tasks.of_template',
  'select id from template_tasks where template_id = $1 and tenant_id = $tenant limit 1',
);

/** A change that must be made at the vendor of a channel. */
export interface NewTask {
  channel_id: string;
  /** The template to submit; null: it is to be deleted. */
  template_id: string | null;
  name: string;
  language: string;
  vendor_id: string | null;
}

export function queueTask(tx: TenantTx, task: NewTask): void {
  const { channel_id, template_id, name, language, vendor_id } = task;
  const shard = templateTasksQueue.shardOf(channel_id, tx.tenantId);
  tx.enqueue(insertTask, [newId(), channel_id, template_id, name, language, vendor_id, shard, tx.now]);
  tx.wake(templateTasksQueue, channel_id);
}

/** Whether a template still has to be submitted to the vendor, or is being submitted right now. */
export async function hasTask(tx: TenantQueryable, templateId: string): Promise<boolean> {
  return (await tx.find(taskOf, [templateId])) !== undefined;
}

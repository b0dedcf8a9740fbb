import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { AT_ONCE, shardOf } from '../engine/queue.ts';
import type { WakeUps } from '../engine/wakeups.ts';

export const TEMPLATES_LIST = 'templates';

/** Tasks of one name and language are done in the order in which they came: where one waits, so do those behind it. */
const insertTask = statement<
  [
    id: string,
    tenantId: string,
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
   select $1, $2, $3, $4, $5, $6, $7, $8, coalesce(max(due_at), ${AT_ONCE}), $9
     from template_tasks where channel_id = $3 and tenant_id = $2 and name = $5 and language = $6`,
);
const taskOf = statement<[templateId: string, tenantId: string], { id: string }>(
  'template_tasks.of_template',
  'select id from template_tasks where template_id = $1 and tenant_id = $2 limit 1',
);

/** Something that the vendor of a channel is to be told. */
export interface NewTask {
  channel_id: string;
  /** What is to be submitted; null: it is to be deleted. */
  template_id: string | null;
  name: string;
  language: string;
  vendor_id: string | null;
}

export async function queueTask(
  tx: Tx,
  tenantId: string,
  task: NewTask,
  { clock, wakeUps }: { clock: Clock; wakeUps: WakeUps },
): Promise<void> {
  const { channel_id, template_id, name, language, vendor_id } = task;
  const shard = shardOf(channel_id, tenantId);
  const values = [channel_id, template_id, name, language, vendor_id, shard, clock.now(tenantId)] as const;
  await tx.run(insertTask, [newId(), tenantId, ...values]);
  tx.afterCommit(() => wakeUps.give(TEMPLATES_LIST, shard, channel_id));
}

/** Whether the vendor is still to be told of a template, or is being told right now. */
export async function hasTask(tx: Queryable, tenantId: string, templateId: string): Promise<boolean> {
  return (await tx.find(taskOf, [templateId, tenantId])) !== undefined;
}

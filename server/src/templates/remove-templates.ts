import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const deleteTasks = removalStatement<[channelIds: string[]]>(
  'template_tasks.delete_of_channels',
  'delete from template_tasks where channel_id = any ($1::uuid[]) and tenant_id = $tenant',
);
const deleteTemplates = removalStatement<[channelIds: string[]]>(
  'message_templates.delete_of_channels',
  'delete from message_templates where channel_id = any ($1::uuid[]) and tenant_id = $tenant',
);

/** Deletes the templates of channels, and what waits to be submitted to their vendors. */
export async function removeTemplatesOf(tx: TenantTx, channelIds: string[]): Promise<void> {
  await tx.run(deleteTasks, [channelIds]);
  await tx.run(deleteTemplates, [channelIds]);
}

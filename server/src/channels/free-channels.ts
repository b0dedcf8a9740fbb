import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { removeTemplatesOf } from '../templates/remove-templates.ts';

const freeKeys = removalStatement<[ids: string[]]>(
  'channels.free_keys',
  `update channels set vendor_key = null, vendor_confirmed_at = null, account_key = null, verify_hash = null
    where id = any ($1::uuid[]) and tenant_id = $tenant`,
);
const deleteMailboxes = removalStatement<[ids: string[]]>(
  'mailboxes.delete_of_channels',
  'delete from mailboxes where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/**
 * Ends what channels do that are being deleted and hidden: vendors' requests no longer find them, their mailboxes are not
 * read, nothing is submitted to vendors. Other channels can have their vendor keys.
 */
export async function freeChannels(tx: TenantTx, channelIds: string[]): Promise<void> {
  await tx.run(freeKeys, [channelIds]);
  await tx.run(deleteMailboxes, [channelIds]);
  await removeTemplatesOf(tx, channelIds);
}

import { removalStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';

const replaceValues = removalStatement<[contactId: string]>(
  'handles.free',
  'update handles set value = id::text where contact_id = $1 and tenant_id = $tenant',
);

/**
 * Makes the values of the handles of a contact that is being deleted free for others. The rows stay until the chats are
 * deleted that refer to them.
 */
export async function freeHandles(tx: TenantTx, contactId: string): Promise<void> {
  await tx.run(replaceValues, [contactId]);
}

import { removalStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';

const moveToContact = removalStatement<[fromId: string, toId: string]>(
  'consents.move_to_contact',
  'update consents set contact_id = $2 where contact_id = $1 and tenant_id = $tenant',
);

/** Moves the history of a contact's decisions to another contact. */
export async function moveConsents(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToContact, [fromId, toId]);
}

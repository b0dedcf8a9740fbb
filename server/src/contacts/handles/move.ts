import { removalStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';

const moveToContact = removalStatement<[fromId: string, toId: string, now: Date]>(
  'handles.move_to_contact',
  // A contact has one primary handle of each type: its own stays.
  `update handles h set contact_id = $2, updated_at = $3,
          is_primary = h.is_primary and not exists (
            select 1 from handles o where o.contact_id = $2 and o.type = h.type and o.is_primary)
    where h.contact_id = $1 and h.tenant_id = $tenant`,
);

/** Moves all handles of a contact to another. The caller has locked both. */
export async function moveHandles(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToContact, [fromId, toId, tx.now]);
}

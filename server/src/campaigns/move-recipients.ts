import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const combine = removalStatement<[fromId: string, toId: string, now: Date]>(
  'recipients.combine',
  // What one of both has got is not sent to the other.
  `update recipients r set occurrence_at = greatest(r.occurrence_at, m.occurrence_at), run_id = coalesce(r.run_id, m.run_id),
          is_given = r.is_given or m.is_given, updated_at = $3
     from recipients m
    where m.contact_id = $1 and m.tenant_id = $tenant and r.campaign_id = m.campaign_id and r.contact_id = $2
      and r.tenant_id = $tenant`,
);
const deleteCombined = removalStatement<[fromId: string, toId: string]>(
  'recipients.delete_combined',
  `delete from recipients m using recipients r
    where m.contact_id = $1 and m.tenant_id = $tenant and r.campaign_id = m.campaign_id and r.contact_id = $2
      and r.tenant_id = $tenant`,
);
const move = removalStatement<[fromId: string, toId: string]>(
  'recipients.move_to_contact',
  'update recipients set contact_id = $2 where contact_id = $1 and tenant_id = $tenant',
);

/** Makes one contact the recipient of all campaigns of another. There is one row per campaign. */
export async function moveRecipients(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(combine, [fromId, toId, tx.now]);
  await tx.run(deleteCombined, [fromId, toId]);
  await tx.run(move, [fromId, toId]);
}

import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const combine = removalStatement<[fromId: string, toId: string, now: Date]>(
  'recipients.combine',
  // What one of both has got is not sent to the other. The run is that of the later occurrence; of two of the same
  // occurrence, one exists no more.
  `update recipients r set occurrence_at = greatest(r.occurrence_at, m.occurrence_at),
          run_id = case when r.occurrence_at > m.occurrence_at then r.run_id
                        when r.occurrence_at < m.occurrence_at then m.run_id
                        else coalesce((select a.id from automation_runs a where a.id = m.run_id), r.run_id, m.run_id) end,
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

/**
 * Makes one contact the recipient of all campaigns of another. There is one row per campaign. Comes after the runs of both were
 * moved.
 */
export async function moveRecipients(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(combine, [fromId, toId, tx.now]);
  await tx.run(deleteCombined, [fromId, toId]);
  await tx.run(move, [fromId, toId]);
}

import { removalStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';

const deleteSome = removalStatement<[contactId: string, limit: number]>(
  'automation_runs.erase_of_contact',
  // Locked in the order of ids, as workers lock them.
  `with chosen as materialized (
     select r.id from automation_runs r
      where r.tenant_id = $tenant and r.id = any (array(
        select x.id from automation_runs x where x.contact_id = $1 and x.tenant_id = $tenant limit $2))
      order by r.id for update)
   delete from automation_runs r using chosen where r.id = chosen.id and r.tenant_id = $tenant`,
);

/** Deletes at most `limit` runs of a contact and returns how many. */
export const eraseSomeRuns = (tx: TenantTx, contactId: string, limit: number): Promise<number> =>
  tx.run(deleteSome, [contactId, limit]);

import { limitSql } from '../access/limits.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable } from '../db/tenant.ts';

const deleteOldest = statement(
  'inbound.delete_oldest_failed',
  `delete from inbound where tenant_id = $tenant and id = any (array(
     select i.id from visible_inbound i where i.tenant_id = $tenant and i.due_at is null order by i.created_at desc
     offset (select ${limitSql('storedFailedRequests', 't')} from visible_tenants t where t.id = $tenant) limit 100))`,
);

/** Keeps the newest failed requests of a tenant, as many as its limit allows. Called when one more has failed. */
export async function limitFailedRequests(tenant: TenantQueryable): Promise<void> {
  await tenant.run(deleteOldest, []);
}

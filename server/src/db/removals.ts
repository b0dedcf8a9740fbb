import { statement } from './statement.ts';
import type { TenantReader } from './tenant.ts';

const anyOfTenant = statement<[], { is_removing: boolean }>(
  'removals.any_of_tenant',
  'select exists (select 1 from removals where tenant_id = $tenant) as is_removing',
);

/** Whether a channel or contact of the tenant is being deleted. */
export const hasRemovals = async (reader: TenantReader): Promise<boolean> =>
  (await reader.find(anyOfTenant, []))?.is_removing === true;

/** The same rows for a tenant without removals. The views take 5 % of a search. */
export const withoutViews = (from: string): string => from.replaceAll('visible_', '');

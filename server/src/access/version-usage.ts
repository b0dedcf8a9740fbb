import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';

/** Calls of an operation of a deprecated version by one token. */
export interface VersionCalls {
  tenantId: string;
  tokenId: string;
  operation: string;
  calls: number;
  lastCalledAt: Date;
}

export interface VersionUsageRow {
  tenant_id: string;
  tenant_name: string;
  token_id: string;
  /** Null if the token is deleted. */
  token_name: string | null;
  operation: string;
  calls: number;
  last_called_at: Date;
}

const addCalls = systemStatement<
  [tenantIds: string[], tokenIds: string[], operations: string[], calls: number[], lastCalledAt: Date[]]
>(
  'v2_usage.add',
  // A tenant may have been deleted since its call.
  `insert into v2_usage as u (tenant_id, token_id, operation, calls, last_called_at)
   select c.* from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::timestamptz[])
       as c (tenant_id, token_id, operation, calls, last_called_at)
     join visible_tenants t on t.id = c.tenant_id
    order by c.tenant_id, c.token_id, c.operation
   on conflict (tenant_id, token_id, operation) do update
     set calls = u.calls + excluded.calls, last_called_at = greatest(u.last_called_at, excluded.last_called_at)`,
);
const listUsage = systemStatement<[], VersionUsageRow>(
  'v2_usage.list',
  `select u.tenant_id, t.name as tenant_name, u.token_id, k.name as token_name, u.operation, u.calls, u.last_called_at
     from v2_usage u join visible_tenants t on t.id = u.tenant_id
     left join tokens k on k.id = u.token_id and k.tenant_id = u.tenant_id
    order by u.last_called_at desc, u.tenant_id, u.token_id, u.operation`,
);

type TenantUsageRow = Omit<VersionUsageRow, 'tenant_id' | 'tenant_name'>;
/** Each of its tokens may have called each operation of the version; more than that nobody reads. */
const MAX_LISTED = 1000;
const listOfTenant = statement<[], TenantUsageRow>(
  'v2_usage.list_of_tenant',
  `select u.token_id, k.name as token_name, u.operation, u.calls, u.last_called_at
     from v2_usage u left join tokens k on k.id = u.token_id and k.tenant_id = u.tenant_id
    where u.tenant_id = $tenant order by u.last_called_at desc, u.token_id, u.operation limit ${MAX_LISTED}`,
);

/** Adds calls to the counts that all processes share. */
export async function addVersionCalls(
  db: Pick<Queryable, 'run'>,
  counts: readonly VersionCalls[],
): Promise<void> {
  await db.run(addCalls, [
    counts.map((count) => count.tenantId),
    counts.map((count) => count.tokenId),
    counts.map((count) => count.operation),
    counts.map((count) => count.calls),
    counts.map((count) => count.lastCalledAt),
  ]);
}

/** Returns all counts, the last call first. */
export const listVersionUsage = (db: Pick<Queryable, 'all'>): Promise<VersionUsageRow[]> =>
  db.all(listUsage, []);

/** Returns the counts of one tenant, the last call first. */
export const listTenantVersionUsage = (db: Pick<TenantReader, 'all'>): Promise<TenantUsageRow[]> =>
  db.all(listOfTenant, []);

import type { TenantClock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isTestTenant, isUuid, newId, newTestTenantId } from '../base/ids.ts';
import type { Queryable, SystemTx } from '../db/database.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { DEFAULT_PLAN, type Plan, type Principal, plans } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import type { Tenant } from './schema.ts';

interface TenantRow {
  id: string;
  name: string;
  plan: Plan;
  rate_override: number | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, name, plan, rate_override, created_at, updated_at';

const insertTenant = systemStatement<
  [id: string, name: string, plan: string, rate: number | null, now: Date, clock: Date | null],
  TenantRow
>(
  'tenants.insert',
  `insert into tenants (id, name, plan, rate_override, created_at, updated_at, clock)
   values ($1, $2, $3, $4, $5, $5, $6)
   returning ${COLUMNS}`,
);
const listTenants = systemStatement<[], TenantRow>(
  'tenants.list',
  `select ${COLUMNS} from tenants order by created_at, id`,
);
const updateTenant = systemStatement<
  [id: string, name: string | null, plan: string | null, setRate: boolean, rate: number | null, now: Date],
  TenantRow
>(
  'tenants.update',
  `update tenants set name = coalesce($2, name), plan = coalesce($3, plan),
     rate_override = case when $4 then $5 else rate_override end, updated_at = $6
    where id = $1 returning ${COLUMNS}`,
);
/** Tables without a foreign key to tenants. All other rows of a tenant are deleted with its row. */
const deleteLogs = ['events', 'deliveries', 'attempts', 'rate_windows'].map((table) =>
  statement(`tenants.delete_${table}`, `delete from ${table} where tenant_id = $tenant`),
);
const deleteTenant = systemStatement<[id: string]>('tenants.delete', 'delete from tenants where id = $1');
const findPrincipalRow = statement<
  [tokenId: string],
  { name: string; plan: Plan; rate_override: number | null; clock: Date | null; scopes: string[] }
>(
  'tenants.principal',
  `select t.name, t.plan, t.rate_override, t.clock, k.scopes from tokens k join tenants t on t.id = k.tenant_id
    where k.id = $1 and k.tenant_id = $tenant`,
);

const present = (row: TenantRow): Tenant => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  rateLimit: row.rate_override,
  isTest: isTestTenant(row.id),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

/** Creates a tenant. The clock of a test tenant starts at the time of day. */
export async function createTenant(
  tx: Queryable,
  input: { name: string; plan?: Plan; rateLimit?: number; isTest?: boolean },
  now: Date,
): Promise<Tenant> {
  const row = await tx.find(insertTenant, [
    input.isTest ? newTestTenantId() : newId(),
    input.name,
    input.plan ?? DEFAULT_PLAN,
    input.rateLimit ?? null,
    now,
    input.isTest ? now : null,
  ]);
  return present(row as TenantRow);
}

export async function allTenants(db: Queryable): Promise<Tenant[]> {
  return (await db.all(listTenants, [])).map(present);
}

/** Changes the given fields; with `rateLimit: null` the plan's limit applies again. */
export async function changeTenant(
  tx: Queryable,
  tenantId: string,
  change: { name?: string; plan?: Plan; rateLimit?: number | null },
  now: Date,
): Promise<Tenant> {
  const row =
    isUuid(tenantId) &&
    (await tx.find(updateTenant, [
      tenantId,
      change.name ?? null,
      change.plan ?? null,
      change.rateLimit !== undefined,
      change.rateLimit ?? null,
      now,
    ]));
  if (!row) throw new ApiError('tenant_not_found');
  return present(row);
}

/** Deletes a tenant with all its data and returns whether it existed. */
export async function removeTenant(tx: SystemTx, tenantId: string): Promise<boolean> {
  if (!isUuid(tenantId)) return false;
  for (const deleteRows of deleteLogs) await tx.forTenant(tenantId).run(deleteRows, []);
  return (await tx.run(deleteTenant, [tenantId])) === 1;
}

/** Returns the holder of a token, unless it is revoked. Sets the clock of a test tenant. */
export async function findPrincipal(
  db: TenantReader,
  tokenId: string,
  clock: Pick<TenantClock, 'setTime'>,
): Promise<Principal | undefined> {
  const { tenantId } = db;
  const row = await db.find(findPrincipalRow, [tokenId]);
  if (!row) return undefined;
  if (row.clock !== null) clock.setTime(tenantId, row.clock);
  return {
    tenantId,
    tenantName: row.name,
    tokenId,
    scopes: new Set(row.scopes),
    plan: row.plan,
    requestsPerMinute: row.rate_override ?? plans[row.plan].requestsPerMinute,
  };
}

import type { TenantClock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isTestTenant, isUuid, newId, newTestTenantId } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
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

const insertTenant = statement<
  [id: string, name: string, plan: string, rate: number | null, now: Date, clock: Date | null],
  TenantRow
>(
  'tenants.insert',
  `insert into tenants (id, name, plan, rate_override, created_at, updated_at, clock)
   values ($1, $2, $3, $4, $5, $5, $6)
   returning ${COLUMNS}`,
);
const listTenants = statement<[], TenantRow>(
  'tenants.list',
  `select ${COLUMNS} from tenants order by created_at, id`,
);
const findTenantNamed = statement<[name: string], TenantRow>(
  'tenants.find_named',
  `select ${COLUMNS} from tenants where name = $1 order by created_at limit 1`,
);
const updateTenant = statement<
  [id: string, name: string | null, plan: string | null, setRate: boolean, rate: number | null, now: Date],
  TenantRow
>(
  'tenants.update',
  `update tenants set name = coalesce($2, name), plan = coalesce($3, plan),
     rate_override = case when $4 then $5 else rate_override end, updated_at = $6
    where id = $1 returning ${COLUMNS}`,
);
/** The logs have no foreign keys, so their rows go by name; everything else goes with the tenant's row. */
const deleteLogs = ['events', 'deliveries', 'attempts', 'rate_windows'].map((table) =>
  statement<[id: string]>(`tenants.delete_${table}`, `delete from ${table} where tenant_id = $1`),
);
const deleteTenant = statement<[id: string]>('tenants.delete', 'delete from tenants where id = $1');
const findPrincipalRow = statement<
  [tokenId: string, tenantId: string],
  { name: string; plan: Plan; rate_override: number | null; clock: Date | null; scopes: string[] }
>(
  'tenants.principal',
  `select t.name, t.plan, t.rate_override, t.clock, k.scopes from tokens k join tenants t on t.id = k.tenant_id
    where k.id = $1 and k.tenant_id = $2`,
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

/** Makes a tenant. The clock of a test tenant begins at the time of day. */
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

export async function findTenantByName(db: Queryable, name: string): Promise<Tenant | undefined> {
  const row = await db.find(findTenantNamed, [name]);
  return row && present(row);
}

/** Changes what is given; `rateLimit: null` goes back to the plan's. */
export async function changeTenant(
  tx: Tx,
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

/** Deletes a tenant with everything it has, and says whether it was there. */
export async function removeTenant(tx: Tx, tenantId: string): Promise<boolean> {
  if (!isUuid(tenantId)) return false;
  for (const log of deleteLogs) await tx.run(log, [tenantId]);
  return (await tx.run(deleteTenant, [tenantId])) === 1;
}

/** Whoever holds this token, if it has not been revoked. The clock is told what that of a test tenant shows. */
export async function findPrincipal(
  db: Pick<Queryable, 'find'>,
  tokenId: string,
  tenantId: string,
  clock: Pick<TenantClock, 'tell'>,
): Promise<Principal | undefined> {
  const row = await db.find(findPrincipalRow, [tokenId, tenantId]);
  if (!row) return undefined;
  if (row.clock !== null) clock.tell(tenantId, row.clock);
  return {
    tenantId,
    tenantName: row.name,
    tokenId,
    scopes: new Set(row.scopes),
    plan: row.plan,
    requestsPerMinute: row.rate_override ?? plans[row.plan].requestsPerMinute,
  };
}

import type { TenantClock } from '../base/clock.ts';
import { ApiError } from '../base/errors.ts';
import { isTestTenant, isUuid, newId, newTestTenantId } from '../base/ids.ts';
import { nowMs } from '../base/time.ts';
import { freeChannels } from '../channels/free-channels.ts';
import type { Queryable } from '../db/queryable.ts';
import { statement, systemStatement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import type { SystemTx } from '../db/transaction.ts';
import { stopNumbering } from '../engine/sequencer.ts';
import { DEFAULT_PLAN, type LimitName, type Plan, type Principal, plans } from '../http/permissions.ts';
import { timestamp } from '../http/schema.ts';
import { type Removal, startRemoval } from '../jobs/job.ts';
import { hasManyRows, removeNow } from '../jobs/removal-steps.ts';
import { endLinksInTenant } from '../people/person.ts';
import { changeLimits, limitsOf, type OwnLimits } from './limits.ts';
import type { Tenant } from './schema.ts';

interface TenantRow {
  id: string;
  name: string;
  plan: Plan;
  rate_override: number | null;
  limits: OwnLimits;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = 'id, name, plan, rate_override, limits, created_at, updated_at';

const insertTenant = systemStatement<
  [
    id: string,
    name: string,
    plan: string,
    rate: number | null,
    now: Date,
    clock: Date | null,
    limits: OwnLimits,
  ],
  TenantRow
>(
  'tenants.insert',
  `insert into tenants (id, name, plan, rate_override, created_at, updated_at, clock, limits)
   values ($1, $2, $3, $4, $5, $5, $6, $7)
   returning ${COLUMNS}`,
);
const listTenants = systemStatement<[], TenantRow>(
  'tenants.list',
  `select ${COLUMNS} from visible_tenants order by created_at, id`,
);
const lockTenant = systemStatement<[id: string], TenantRow>(
  'tenants.lock',
  `select ${COLUMNS} from visible_tenants where id = $1 for no key update`,
);
const lockToDelete = systemStatement<[id: string], TenantRow>(
  'tenants.lock_to_delete',
  `select ${COLUMNS} from visible_tenants where id = $1 for update`,
);
const updateTenant = systemStatement<
  [id: string, name: string, plan: string, rate: number | null, limits: OwnLimits, now: Date],
  TenantRow
>(
  'tenants.update',
  `update visible_tenants set name = $2, plan = $3, rate_override = $4, limits = $5, updated_at = $6
    where id = $1 returning ${COLUMNS}`,
);
const deleteTokens = statement('tokens.delete_all', 'delete from tokens where tenant_id = $tenant');
const channelIds = statement<[], { id: string }>(
  'tenants.channel_ids',
  'select id from visible_channels where tenant_id = $tenant',
);
const findPrincipalRow = statement<
  [tokenId: string],
  Pick<TenantRow, 'name' | 'plan' | 'rate_override' | 'limits'> & {
    clock: Date | null;
    scopes: string[];
    token_name: string;
    expires_at: Date;
    last_used_at: Date | null;
  }
>(
  'tenants.principal',
  `select t.name, t.plan, t.rate_override, t.limits, t.clock, k.scopes, k.name as token_name, k.expires_at, k.last_used_at
     from tokens k join visible_tenants t on t.id = k.tenant_id
    where k.id = $1 and k.tenant_id = $tenant`,
);

const present = (row: TenantRow): Tenant => ({
  id: row.id,
  name: row.name,
  plan: row.plan,
  rateLimit: row.rate_override,
  limits: row.limits,
  isTest: isTestTenant(row.id),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

/** Creates a tenant. The clock of a test tenant starts at the time of day. */
export async function createTenant(
  tx: Queryable,
  input: { name: string; plan?: Plan; rateLimit?: number; limits?: OwnLimits; isTest?: boolean },
  now: Date,
): Promise<Tenant> {
  const row = await tx.find(insertTenant, [
    input.isTest ? newTestTenantId() : newId(),
    input.name,
    input.plan ?? DEFAULT_PLAN,
    input.rateLimit ?? null,
    now,
    input.isTest ? now : null,
    input.limits ?? {},
  ]);
  return present(row as TenantRow);
}

export async function allTenants(db: Queryable): Promise<Tenant[]> {
  return (await db.all(listTenants, [])).map(present);
}

/** Changes the given fields; with `rateLimit: null`, or null for one of the limits, the plan's limit applies again. */
export async function changeTenant(
  tx: Queryable,
  tenantId: string,
  change: {
    name?: string;
    plan?: Plan;
    rateLimit?: number | null;
    limits?: Partial<Record<LimitName, number | null>>;
  },
  now: Date,
): Promise<Tenant> {
  const row = isUuid(tenantId) ? await tx.find(lockTenant, [tenantId]) : undefined;
  if (!row) throw new ApiError('tenant_not_found');
  const changed = await tx.find(updateTenant, [
    row.id,
    change.name ?? row.name,
    change.plan ?? row.plan,
    change.rateLimit === undefined ? row.rate_override : change.rateLimit,
    changeLimits(row.limits, change.limits ?? {}),
    now,
  ]);
  return present(changed as TenantRow);
}

/**
 * Deletes a tenant with all its data. A large one is hidden at once and deleted by a job: its tokens are revoked, its
 * channels refuse vendors' requests, and nothing more is sent. Returns undefined if the tenant does not exist.
 */
export async function removeTenant(system: SystemTx, tenantId: string): Promise<Removal | undefined> {
  if (!isUuid(tenantId)) return undefined;
  const tx = system.forTenant(tenantId.toLowerCase());
  await stopNumbering(tx);
  const row = await system.find(lockToDelete, [tx.tenantId]);
  if (!row) return undefined;
  await endLinksInTenant(tx);
  if (!(await hasManyRows(tx, 'delete_tenant', row.id))) {
    await removeNow(tx, 'delete_tenant', row.id);
    return { jobId: null };
  }
  const channels = (await tx.all(channelIds, [])).map(({ id }) => id);
  const jobId = await startRemoval(tx, 'delete_tenant', row.id, [row.id, ...channels]);
  if (jobId === undefined) return undefined;
  await tx.run(deleteTokens, []);
  await freeChannels(tx, channels);
  return { jobId };
}

/** How long before its end every answer to a token says so. */
const WARNED_MS = 14 * 86_400_000;

/** Returns the holder of a token, unless it is revoked. Sets the clock of a test tenant. */
export async function findPrincipal(
  db: TenantReader,
  tokenId: string,
  clock: Pick<TenantClock, 'setTime'>,
  noteUsed: (lastUsedAt: Date | null) => void,
): Promise<Principal | undefined> {
  const { tenantId } = db;
  const row = await db.find(findPrincipalRow, [tokenId]);
  if (!row) return undefined;
  if (row.clock !== null) clock.setTime(tenantId, row.clock);
  noteUsed(row.last_used_at);
  const endsSoon = row.expires_at.getTime() - nowMs() < WARNED_MS;
  return {
    tenantId,
    tenantName: row.name,
    caller: { type: 'token', id: tokenId, name: row.token_name },
    scopes: new Set(row.scopes),
    plan: row.plan,
    requestsPerMinute: row.rate_override ?? plans[row.plan].requestsPerMinute,
    limits: limitsOf(row.plan, row.limits),
    ...(endsSoon ? { expiresAt: timestamp(row.expires_at) } : {}),
  };
}

import { ApiError } from '../base/errors.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { type LimitName, type Limits, limitNames, type Plan, planNames, plans } from '../http/permissions.ts';

/** The limits that the operator has set for a tenant. */
export type OwnLimits = Partial<Record<LimitName, number>>;

/** The limits of a tenant: those that the operator has set, otherwise those of its plan. */
export const limitsOf = (plan: Plan, own: OwnLimits): Limits => ({ ...plans[plan].limits, ...own });

/** SQL for a limit of the tenant under an alias. */
export const limitSql = (name: LimitName, tenant: string): string =>
  `coalesce((${tenant}.limits ->> '${name}')::bigint, case ${tenant}.plan ${planNames
    .map((plan) => `when '${plan}' then ${plans[plan].limits[name]}`)
    .join(' ')} end)`;

/** What a tenant can do about a limit. */
const ADVICE: Record<LimitName, string> = {
  webhooks: 'delete a webhook that is no longer needed',
  activeAutomations: 'make an automation inactive that is no longer needed',
  runsPerMinute: 'try again in a minute',
  streams: 'close a stream first',
  storedFailedRequests: 'replay or delete failed requests',
  storageBytes: 'delete files that are no longer needed',
  unfinishedJobs: 'wait until a job has ended, or cancel one',
  segments: 'delete a segment that is no longer needed',
  inboxViews: 'delete a view that is no longer needed',
  savedReplies: 'delete a saved reply that is no longer needed',
  secrets: 'delete a secret that is no longer needed',
};

export const limitReached = (name: LimitName, limit: number): ApiError =>
  new ApiError('limit_reached', {
    detail: `${name} is ${limit} for this tenant; ${ADVICE[name]}, or ask the operator to raise it`,
  });

const lockLimits = statement<[], { plan: Plan; limits: OwnLimits }>(
  'tenants.lock_limits',
  // Who counts waits for who is about to add.
  'select plan, limits from visible_tenants where id = $tenant for no key update',
);

/** Throws unless the tenant has fewer of something than its limit. Nobody else can add one until the transaction ends. */
export async function requireBelowLimit(
  tx: TenantTx,
  name: LimitName,
  count: () => Promise<number>,
): Promise<void> {
  const row = await tx.find(lockLimits, []);
  if (!row) throw new ApiError('unauthorized', { detail: 'the tenant has been deleted' });
  const limit = limitsOf(row.plan, row.limits)[name];
  if ((await count()) >= limit) throw limitReached(name, limit);
}

/** The same for the rows of a table, all of which count. */
export function limitRows(name: LimitName, table: string): (tx: TenantTx) => Promise<void> {
  const countRows = statement<[], { count: number }>(
    `${table}.count_for_limit`,
    `select count(*)::int as count from ${table} where tenant_id = $tenant`,
  );
  return (tx) => requireBelowLimit(tx, name, async () => (await tx.find(countRows, []))?.count ?? 0);
}

/** Own limits after a change: null removes one. */
export function changeLimits(own: OwnLimits, change: Partial<Record<LimitName, number | null>>): OwnLimits {
  const changed = { ...own, ...change };
  return Object.fromEntries(
    limitNames.flatMap((name) => (typeof changed[name] === 'number' ? [[name, changed[name]]] : [])),
  );
}

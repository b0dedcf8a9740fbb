import { type Cache, createCache } from '../../base/cache.ts';
import { ApiError } from '../../base/errors.ts';
import { isUuid, newId } from '../../base/ids.ts';
import { collectIssues, type Issues } from '../../base/issues.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { shardOf } from '../../engine/queue.ts';
import { runsQueue } from '../queues.ts';
import { createRunLimiter, type RunLimiter } from '../runs/limit-runs.ts';
import { freshState } from '../runs/state.ts';
import type { Automation, Scalar, Variable } from '../schema.ts';

interface ActiveVersion {
  versionId: string;
  variables: Variable[];
}

const insertRun = statement<
  [
    id: string,
    automationId: string,
    versionId: string,
    contactId: string,
    state: string,
    shard: number,
    dueAt: Date,
    now: Date,
  ]
>(
  'automation_runs.insert',
  // The locks are those that the foreign keys would take: a transaction that deletes either row waits, or came first.
  `insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, status, state, shard, scheduled_at,
                                due_at, created_at, updated_at)
   select $1, $tenant, a.id, v.id, c.id, 'scheduled', $5, $6, $7, $7, $8, $8
     from automations a
     join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
     join visible_contacts c on c.id = $4 and c.tenant_id = a.tenant_id
    where a.id = $2 and a.tenant_id = $tenant and a.status = 'active' and a.active_version_id = $3
      for key share of v, c`,
);
const activeVersion = statement<
  [id: string],
  { status: Automation['status']; version_id: string; variables: Variable[] }
>(
  'automations.active_version',
  `select a.status, v.id as version_id, v.definition -> 'variables' as variables
     from automations a left join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
    where a.id = $1 and a.tenant_id = $tenant`,
);
const contactExists = statement<[id: string], { id: string }>(
  'automations.contact_exists',
  'select id from visible_contacts where id = $1 and tenant_id = $tenant',
);

const MAX_LATE_MS = 5 * 60_000;

/** When the run is due. A time that is slightly past means now; times long past or far ahead are refused. */
function dueTime(scheduledAt: string | undefined, now: Date, issues: Issues): Date {
  if (scheduledAt === undefined) return now;
  const time = new Date(scheduledAt);
  const furthest = new Date(now);
  furthest.setUTCFullYear(now.getUTCFullYear() + 1);
  if (time.getTime() < now.getTime() - MAX_LATE_MS)
    issues.add('scheduledAt', 'custom', 'Must not be more than 5 minutes in the past');
  if (time > furthest) issues.add('scheduledAt', 'custom', 'Must not be more than a year ahead');
  return time < now ? now : time;
}

/** Validates the given variables against the declared ones and fills in defaults. */
export function fillVariables(
  declared: readonly Variable[],
  given: Readonly<Record<string, Scalar>>,
  issues: Issues,
): Record<string, Scalar> {
  const variables: Record<string, Scalar> = { ...given };
  for (const { name, type, required, default: value } of declared) {
    const isGiven = Object.hasOwn(given, name);
    if (!isGiven && value !== undefined) variables[name] = value;
    else if (!isGiven && required) issues.add(`variables.${name}`, 'invalid_type', 'Required');
    else if (isGiven && typeof given[name] !== type)
      issues.add(`variables.${name}`, 'invalid_type', `Expected ${type}, received ${typeof given[name]}`);
  }
  return variables;
}

/** The automation's status and active version. Returns undefined if the automation does not exist. */
export const findActiveVersion = (tx: TenantTx, automationId: string) =>
  tx.find(activeVersion, [automationId]);

/** Returns the active version. If there is none, issues of the request come first. */
async function requireActive(tx: TenantTx, automationId: string, issues: Issues): Promise<ActiveVersion> {
  const found = isUuid(automationId) ? await findActiveVersion(tx, automationId) : undefined;
  if (found?.status === 'active') return { versionId: found.version_id, variables: found.variables };
  issues.throwIfAny();
  if (!found) throw new ApiError('automation_not_found');
  throw new ApiError('conflict', { detail: `the automation is ${found.status}, and must be active` });
}

export interface TriggerInput {
  contactId: string;
  variables?: Record<string, Scalar>;
  scheduledAt?: string;
}

/** How many active versions are cached. Each takes at most 50 kB. */
const MAX_VERSIONS = 1000;

/** What a process remembers between triggers. */
export interface TriggerState {
  /** The active versions that it has read, by tenant and automation. */
  activeVersions: Cache<string, ActiveVersion>;
  countRun: RunLimiter;
}
export const createTriggerState = (db: Pick<Database, 'forTenant'>): TriggerState => ({
  activeVersions: createCache(MAX_VERSIONS),
  countRun: createRunLimiter(db),
});

/**
 * Inserts a run of the active version and returns its id. The active version is cached, so that triggering an automation
 * again takes one statement. That statement inserts the run only if the version is still active: a stale cache entry is
 * harmless.
 */
export async function triggerAutomation(
  tx: TenantTx,
  automationId: string,
  { contactId, variables: given = {}, scheduledAt }: TriggerInput,
  { activeVersions, countRun }: TriggerState,
): Promise<string> {
  let isAllowed = false;
  const validateTime = () => {
    const issues = collectIssues();
    return { issues, dueAt: dueTime(scheduledAt, tx.now, issues) };
  };

  const startOn = async ({ versionId, variables: declared }: ActiveVersion) => {
    const { issues, dueAt } = validateTime();
    const variables = fillVariables(declared, given, issues);
    if (!issues.isEmpty) return { issues };
    if (!isAllowed) await countRun(tx.tenantId);
    isAllowed = true;
    const id = newId();
    const state = JSON.stringify(freshState(id, variables));
    const shard = shardOf(automationId, tx.tenantId);
    const inserted = await tx.run(insertRun, [
      id,
      automationId,
      versionId,
      contactId,
      state,
      shard,
      dueAt,
      tx.now,
    ]);
    if (inserted !== 1) return {};
    if (dueAt <= tx.now) tx.wake(runsQueue, automationId);
    return { id };
  };

  const key = `${tx.tenantId} ${automationId}`;
  const cached = activeVersions.get(key);
  const { id: idOnCached } = cached ? await startOn(cached) : {};
  if (idOnCached !== undefined) return idOnCached;

  const current = await requireActive(tx, automationId, validateTime().issues);
  activeVersions.set(key, current);
  const { id, issues } = await startOn(current);
  issues?.throwIfAny();
  if (id !== undefined) return id;
  if (!(await tx.find(contactExists, [contactId]))) throw new ApiError('contact_not_found');
  throw new ApiError('conflict', { detail: 'the automation was changed at the same time; try again' });
}

import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';
import { ApiError, type InvalidParams, invalidParam } from '../../base/errors.ts';
import { isUuid, newId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import { shardOf } from '../../engine/queue.ts';
import type { WakeUps } from '../../engine/wakeups.ts';
import { freshState } from '../runs/interpreter.ts';
import { RUNS_LIST } from '../runs/run.ts';
import type { Automation, Scalar, Variable } from '../schema.ts';

interface ActiveVersion {
  versionId: string;
  variables: Variable[];
}

const insertRun = statement<
  [
    id: string,
    tenantId: string,
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
  // The locks are those that the foreign keys would take: whoever deletes either row waits, or was there before.
  `insert into automation_runs (id, tenant_id, automation_id, version_id, contact_id, status, state, shard, scheduled_at,
                                due_at, created_at, updated_at)
   select $1, $2, a.id, v.id, c.id, 'scheduled', $6, $7, $8, $8, $9, $9
     from automations a
     join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
     join contacts c on c.id = $5 and c.tenant_id = a.tenant_id
    where a.id = $3 and a.tenant_id = $2 and a.status = 'active' and a.active_version_id = $4
      for key share of v, c`,
);
const activeVersion = statement<
  [id: string, tenantId: string],
  { status: Automation['status']; version_id: string; variables: Variable[] }
>(
  'automations.active_version',
  `select a.status, v.id as version_id, v.definition -> 'variables' as variables
     from automations a left join automation_versions v on v.id = a.active_version_id and v.tenant_id = a.tenant_id
    where a.id = $1 and a.tenant_id = $2`,
);
const contactExists = statement<[id: string, tenantId: string], { id: string }>(
  'automations.contact_exists',
  'select id from contacts where id = $1 and tenant_id = $2',
);

const LATE_MS = 5 * 60_000;

/** When the run is due: a little late is now, long past and far away are mistakes. */
function dueTime(scheduledAt: string | undefined, now: Date): Date {
  if (scheduledAt === undefined) return now;
  const time = new Date(scheduledAt);
  const furthest = new Date(now);
  furthest.setUTCFullYear(now.getUTCFullYear() + 1);
  if (time.getTime() < now.getTime() - LATE_MS)
    throw invalidParam('scheduledAt', 'custom', 'Must not be more than 5 minutes in the past');
  if (time > furthest) throw invalidParam('scheduledAt', 'custom', 'Must not be more than a year ahead');
  return time < now ? now : time;
}

/** The variables of a run: those given, checked against those declared, with defaults for what is not given. */
export function fillVariables(
  declared: readonly Variable[],
  given: Readonly<Record<string, Scalar>>,
): { variables: Record<string, Scalar>; issues: InvalidParams } {
  const variables: Record<string, Scalar> = { ...given };
  const issues: InvalidParams = {};
  for (const { name, type, required, default: value } of declared) {
    const isGiven = Object.hasOwn(given, name);
    if (!isGiven && value !== undefined) variables[name] = value;
    else if (!isGiven && required) issues[`variables.${name}`] = { key: 'invalid_type', message: 'Required' };
    else if (isGiven && typeof given[name] !== type)
      issues[`variables.${name}`] = {
        key: 'invalid_type',
        message: `Expected ${type}, received ${typeof given[name]}`,
      };
  }
  return { variables, issues };
}

async function requireActive(tx: Tx, tenantId: string, automationId: string): Promise<ActiveVersion> {
  const found = await tx.find(activeVersion, [automationId, tenantId]);
  if (!found) throw new ApiError('automation_not_found');
  if (found.status !== 'active')
    throw new ApiError('conflict', {
      detail: `the automation is ${found.status}, and only an active one runs`,
    });
  return { versionId: found.version_id, variables: found.variables };
}

export interface TriggerInput {
  contactId: string;
  variables?: Record<string, Scalar>;
  scheduledAt?: string;
}

export type TriggerAutomation = (
  tx: Tx,
  tenantId: string,
  automationId: string,
  input: TriggerInput,
) => Promise<string>;

/** How many automations' declared variables are remembered: each takes 50 kB at the very most. */
const REMEMBERED = 1000;

/**
 * Records a run of the active version, due at once or at its time, and gives its id. Which version was active when it
 * was last looked up is remembered; the statement that writes the run takes it only if it still is, so an automation
 * that was triggered before takes one statement, and what is remembered can be old but never wrong.
 */
export function automationTrigger({ clock, wakeUps }: { clock: Clock; wakeUps: WakeUps }): TriggerAutomation {
  const remembered = new LRUCache<string, ActiveVersion>({ max: REMEMBERED });

  return async (tx, tenantId, automationId, { contactId, variables: given = {}, scheduledAt }) => {
    const now = clock.now(tenantId);
    const dueAt = dueTime(scheduledAt, now);
    if (!isUuid(automationId)) throw new ApiError('automation_not_found');

    const runOn = async ({ versionId, variables: declared }: ActiveVersion) => {
      const { variables, issues } = fillVariables(declared, given);
      if (Object.keys(issues).length > 0) return { issues };
      const id = newId();
      const state = JSON.stringify(freshState(id, variables));
      const shard = shardOf(automationId, tenantId);
      const row = [id, tenantId, automationId, versionId, contactId, state, shard, dueAt, now] as const;
      if ((await tx.run(insertRun, [...row])) !== 1) return {};
      if (dueAt <= now) tx.afterCommit(() => wakeUps.give(RUNS_LIST, shard, automationId));
      return { id };
    };

    const key = `${tenantId} ${automationId}`;
    const before = remembered.get(key);
    const { id: atOnce } = before ? await runOn(before) : {};
    if (atOnce !== undefined) return atOnce;

    const current = await requireActive(tx, tenantId, automationId);
    remembered.set(key, current);
    const { id, issues } = await runOn(current);
    if (issues) throw new ApiError('invalid_body_params', { invalidParams: issues });
    if (id !== undefined) return id;
    if (!(await tx.find(contactExists, [contactId, tenantId]))) throw new ApiError('contact_not_found');
    throw new ApiError('conflict', { detail: 'the automation was changed in this very moment; try again' });
  };
}

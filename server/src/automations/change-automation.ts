import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { type AutomationInput, requireAutomation, triggerColumns } from './automation.ts';
import { throwIfAnyIssue } from './definition/validate.ts';
import type { Automation, Definition } from './schema.ts';
import { planSchedule } from './triggers/plan-schedule.ts';

interface AutomationState {
  id: string;
  status: Automation['status'];
  active_version_id: string | null;
  latest_version_id: string;
}

const lockAutomation = statement<[id: string, tenantId: string], AutomationState>(
  'automations.lock',
  // Without its version: whoever waited for the lock would still see the one that was the latest before.
  `select id, status, active_version_id, latest_version_id from automations
    where id = $1 and tenant_id = $2 for no key update`,
);
const versionById = statement<[id: string, tenantId: string], { definition: Definition }>(
  'automations.version',
  'select definition from automation_versions where id = $1 and tenant_id = $2',
);
const rename = statement<[id: string, tenantId: string, name: string | null, now: Date]>(
  'automations.rename',
  'update automations set name = coalesce($3, name), updated_at = $4 where id = $1 and tenant_id = $2',
);
const saveVersion = statement<
  [
    id: string,
    tenantId: string,
    latestVersionId: string,
    versionId: string,
    definition: string,
    triggerType: string,
    channelId: string | null,
    now: Date,
  ]
>(
  'automations.save_version',
  // PostgreSQL compares what the two say and not how they are written.
  `with version as (
     insert into automation_versions (id, tenant_id, automation_id, number, definition, created_at)
     select $4, $2, $1, v.number + 1, $5, $8 from automation_versions v
      where v.id = $3 and v.tenant_id = $2 and v.definition <> $5::jsonb
     returning id)
   update automations a
      set latest_version_id = version.id, latest_trigger_type = $6, latest_channel_id = $7, updated_at = $8
     from version where a.id = $1 and a.tenant_id = $2`,
);
const activate = statement<
  [id: string, tenantId: string, versionId: string, now: Date],
  { trigger: Definition['trigger'] }
>(
  'automations.activate',
  `update automations a
      set status = 'active', active_version_id = v.id, active_trigger_type = v.definition #>> '{trigger,type}',
          active_channel_id = (v.definition #>> '{trigger,parameters,channelId}')::uuid, updated_at = $4
     from automation_versions v
    where a.id = $1 and a.tenant_id = $2 and v.id = $3 and v.automation_id = a.id and v.tenant_id = a.tenant_id
   returning v.definition -> 'trigger' as trigger`,
);
const updateStatus = statement<
  [id: string, tenantId: string, status: string, now: Date],
  { trigger: Definition['trigger'] | null; schedule_start: Date | null }
>(
  'automations.update_status',
  `update automations a set status = $3, updated_at = $4 where a.id = $1 and a.tenant_id = $2
   returning a.schedule_start, (select v.definition -> 'trigger' from automation_versions v
     where v.id = a.active_version_id and v.tenant_id = a.tenant_id) as trigger`,
);

async function requireLocked(tx: Tx, tenantId: string, automationId: string): Promise<AutomationState> {
  const row = isUuid(automationId) ? await tx.find(lockAutomation, [automationId, tenantId]) : undefined;
  if (!row) throw new ApiError('automation_not_found');
  return row;
}

/** Changes what is given. A definition that says something new becomes a version; what runs start on stays. */
export async function changeAutomation(
  tx: Tx,
  tenantId: string,
  automationId: string,
  change: Partial<AutomationInput>,
  { policy, now }: { policy: OutboundPolicy; now: Date },
): Promise<Automation> {
  const { id, latest_version_id } = await requireLocked(tx, tenantId, automationId);
  const { name, trigger, variables, steps } = change;
  if (trigger || variables || steps) {
    const saved = (await tx.find(versionById, [latest_version_id, tenantId]))?.definition as Definition;
    const given = {
      trigger: trigger ?? saved.trigger,
      variables: variables ?? saved.variables,
      steps: steps ?? saved.steps,
    };
    const definition = await throwIfAnyIssue(tx, tenantId, given, policy);
    await tx.run(saveVersion, [
      id,
      tenantId,
      latest_version_id,
      newId(),
      JSON.stringify(definition),
      ...triggerColumns(definition),
      now,
    ]);
  }
  await tx.run(rename, [id, tenantId, name ?? null, now]);
  return requireAutomation(tx, tenantId, id);
}

/** Makes a version, the latest unless another is named, the one that runs start on, and the automation active. */
export async function publishAutomation(
  tx: Tx,
  tenantId: string,
  automationId: string,
  { versionId }: { versionId?: string },
  now: Date,
): Promise<Automation> {
  const { id, status, latest_version_id } = await requireLocked(tx, tenantId, automationId);
  if (status === 'archived')
    throw new ApiError('conflict', { detail: 'the automation is archived; make it inactive first' });
  const active = await tx.find(activate, [id, tenantId, versionId ?? latest_version_id, now]);
  if (!active) throw invalidParam('versionId', 'custom', `The automation has no version ${versionId}`);
  await planSchedule(tx, tenantId, id, active.trigger, { start: now, now });
  return requireAutomation(tx, tenantId, id);
}

/** Which status may follow which; only publishing leads out of a draft to where runs start. */
const FOLLOWS: Record<Automation['status'], readonly Automation['status'][]> = {
  draft: ['archived'],
  active: ['inactive', 'archived'],
  inactive: ['active', 'archived'],
  archived: ['inactive'],
};

/** Sets the status; one that it has already is no error and no change. */
export async function setAutomationStatus(
  tx: Tx,
  tenantId: string,
  automationId: string,
  to: Automation['status'],
  now: Date,
): Promise<Automation> {
  const { id, status, active_version_id } = await requireLocked(tx, tenantId, automationId);
  if (status !== to) {
    const isUnpublished = to === 'active' && active_version_id === null;
    if (isUnpublished || !FOLLOWS[status].includes(to))
      throw new ApiError('conflict', {
        detail: `the automation is ${status}${isUnpublished ? ' and was never published; publish it' : ''}, and cannot become ${to}`,
      });
    const changed = await tx.find(updateStatus, [id, tenantId, to, now]);
    const trigger = to === 'active' ? (changed?.trigger ?? null) : null;
    await planSchedule(tx, tenantId, id, trigger, { start: changed?.schedule_start ?? now, now });
  }
  return requireAutomation(tx, tenantId, id);
}

import { requireBelowLimit } from '../access/limits.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { type AutomationInput, requireAutomation, type SaveDeps, triggerColumns } from './automation.ts';
import { findMissingReference, requireValidDefinition } from './definition/validate.ts';
import type { Automation, Definition } from './schema.ts';
import { noteActivation } from './triggers/activations.ts';
import { planSchedule } from './triggers/plan-schedule.ts';

interface AutomationState {
  id: string;
  status: Automation['status'];
  active_version_id: string | null;
  latest_version_id: string;
  is_hidden: boolean;
}

const lockAutomation = statement<[id: string], AutomationState>(
  'automations.lock',
  // Without the version: a statement that waited for the lock would still read the version that was the latest before.
  `select id, status, active_version_id, latest_version_id, is_hidden from automations
    where id = $1 and tenant_id = $tenant for no key update`,
);
const versionById = statement<[id: string], { definition: Definition }>(
  'automations.version',
  'select definition from automation_versions where id = $1 and tenant_id = $tenant',
);
const rename = statement<[id: string, name: string | null, now: Date]>(
  'automations.rename',
  'update automations set name = coalesce($2, name), updated_at = $3 where id = $1 and tenant_id = $tenant',
);
const saveVersion = statement<
  [
    id: string,
    latestVersionId: string,
    versionId: string,
    definition: string,
    triggerType: string,
    channelId: string | null,
    now: Date,
  ]
>(
  'automations.save_version',
  // As jsonb, so that the order of keys and white space make no difference.
  `with version as (
     insert into automation_versions (id, tenant_id, automation_id, number, definition, created_at)
     select $3, $tenant, $1, v.number + 1, $4, $7 from automation_versions v
      where v.id = $2 and v.tenant_id = $tenant and v.definition <> $4::jsonb
     returning id)
   update automations a
      set latest_version_id = version.id, latest_trigger_type = $5, latest_channel_id = $6, updated_at = $7
     from version where a.id = $1 and a.tenant_id = $tenant`,
);
const activate = statement<
  [id: string, versionId: string, now: Date],
  { version_id: string; definition: Definition }
>(
  'automations.activate',
  `update automations a
      set status = 'active', active_version_id = v.id, active_trigger_type = v.definition #>> '{trigger,type}',
          active_channel_id = (v.definition #>> '{trigger,parameters,channelId}')::uuid, updated_at = $3
     from automation_versions v
    where a.id = $1 and a.tenant_id = $tenant and v.id = $2 and v.automation_id = a.id and v.tenant_id = a.tenant_id
   returning v.id as version_id, v.definition`,
);
const updateStatus = statement<
  [id: string, status: string, now: Date],
  { trigger: Definition['trigger'] | null; schedule_start: Date | null }
>(
  'automations.update_status',
  `update automations a set status = $2, updated_at = $3 where a.id = $1 and a.tenant_id = $tenant
   returning a.schedule_start, (select v.definition -> 'trigger' from automation_versions v
     where v.id = a.active_version_id and v.tenant_id = a.tenant_id) as trigger`,
);

const countActive = statement<[], { count: number }>(
  'automations.count_active',
  `select count(*)::int as count from automations where tenant_id = $tenant and status = 'active' and not is_hidden`,
);

const requireOneMoreActive = (tx: TenantTx): Promise<void> =>
  requireBelowLimit(tx, 'activeAutomations', async () => (await tx.find(countActive, []))?.count ?? 0);

/** What a version refers to may have been deleted since it was saved. */
async function requireReferences(
  tx: TenantTx,
  definition: Definition,
  { policy }: Pick<SaveDeps, 'policy'>,
): Promise<void> {
  const missing = await findMissingReference(tx, definition, policy);
  if (missing !== undefined)
    throw new ApiError('conflict', { detail: `${missing}; change the automation first` });
}

async function requireLocked(tx: TenantTx, automationId: string): Promise<AutomationState> {
  const row = isUuid(automationId) ? await tx.find(lockAutomation, [automationId]) : undefined;
  if (!row) throw new ApiError('automation_not_found');
  return row;
}

/** Of two people who change the same version, the second does not overwrite what the first has saved. */
function requireLatest(baseVersionId: string | undefined, latestVersionId: string): void {
  if (baseVersionId !== undefined && baseVersionId.toLowerCase() !== latestVersionId)
    throw new ApiError('conflict', {
      detail: `another version was saved meanwhile; read it, and send its id, ${latestVersionId}, as baseVersionId to save yours after it`,
    });
}

/**
 * Updates the given fields. A new definition becomes a new version; runs still start on the published one. Without
 * `baseVersionId` it follows whatever version is the latest.
 */
export async function changeAutomation(
  tx: TenantTx,
  automationId: string,
  change: Partial<AutomationInput> & { baseVersionId?: string },
  deps: SaveDeps,
): Promise<Automation> {
  const { id, latest_version_id } = await requireLocked(tx, automationId);
  const { name, baseVersionId, ...given } = change;
  requireLatest(baseVersionId, latest_version_id);
  if (Object.values(given).some((part) => part !== undefined)) {
    const saved = (await tx.find(versionById, [latest_version_id]))?.definition as Definition;
    const definition = await requireValidDefinition(tx, { ...saved, ...given }, deps);
    await tx.run(saveVersion, [
      id,
      latest_version_id,
      newId(),
      JSON.stringify(definition),
      ...triggerColumns(definition),
      tx.now,
    ]);
  }
  await tx.run(rename, [id, name ?? null, tx.now]);
  return requireAutomation(tx, id);
}

/** Publishes a version, by default the latest: new runs use it, and the automation becomes active. */
export async function publishAutomation(
  tx: TenantTx,
  automationId: string,
  { versionId }: { versionId?: string },
  deps: Pick<SaveDeps, 'policy'>,
): Promise<Automation> {
  const { id, status, latest_version_id, is_hidden } = await requireLocked(tx, automationId);
  if (status === 'archived')
    throw new ApiError('conflict', { detail: 'the automation is archived; make it inactive first' });
  if (status !== 'active' && !is_hidden) await requireOneMoreActive(tx);
  const active = await tx.find(activate, [id, versionId ?? latest_version_id, tx.now]);
  if (!active) throw invalidParam('versionId', 'custom', `The automation has no version ${versionId}`);
  await requireReferences(tx, active.definition, deps);
  noteActivation(tx, id, active.version_id);
  await planSchedule(tx, id, active.definition.trigger, tx.now);
  return requireAutomation(tx, id);
}

/** Which status may follow which. Only publishing makes a draft active. */
const FOLLOWS: Record<Automation['status'], readonly Automation['status'][]> = {
  draft: ['archived'],
  active: ['inactive', 'archived'],
  inactive: ['active', 'archived'],
  archived: ['inactive'],
};

/** Setting the status that the automation already has is not an error. */
export async function setAutomationStatus(
  tx: TenantTx,
  automationId: string,
  to: Automation['status'],
  deps: Pick<SaveDeps, 'policy'>,
): Promise<Automation> {
  const { id, status, active_version_id } = await requireLocked(tx, automationId);
  if (status !== to) {
    const isUnpublished = to === 'active' && active_version_id === null;
    if (isUnpublished || !FOLLOWS[status].includes(to))
      throw new ApiError('conflict', {
        detail: `the automation is ${status}${isUnpublished ? ' and was never published; publish it' : ''}, and cannot become ${to}`,
      });
    if (to === 'active') {
      await requireOneMoreActive(tx);
      const version = await tx.find(versionById, [active_version_id as string]);
      await requireReferences(tx, (version as { definition: Definition }).definition, deps);
    }
    noteActivation(tx, id, to === 'active' ? active_version_id : null);
    const changed = await tx.find(updateStatus, [id, to, tx.now]);
    const trigger = to === 'active' ? (changed?.trigger ?? null) : null;
    await planSchedule(tx, id, trigger, changed?.schedule_start ?? tx.now);
  }
  return requireAutomation(tx, id);
}

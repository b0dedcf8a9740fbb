import { ApiError } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { type StoredTime, timestamp } from '../http/schema.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/run-search.ts';
import { type TriggerType, triggerTypes } from './definition/steps.ts';
import { throwIfAnyIssue } from './definition/validate.ts';
import { type Automation, type AutomationVersion, automationStatuses, type Definition } from './schema.ts';

interface VersionFacts {
  id: string;
  number: number;
  definition: Definition;
  created_at: StoredTime;
}

export interface AutomationRow {
  id: string;
  name: string;
  status: Automation['status'];
  active_version_id: string | null;
  active_trigger_type: TriggerType | null;
  active_channel_id: string | null;
  latest_version_id: string;
  latest_trigger_type: TriggerType;
  latest_channel_id: string | null;
  created_at: Date;
  updated_at: Date;
  active_version: VersionFacts | null;
  latest_version: VersionFacts;
}

const versionFacts = (id: string): string => `(select json_build_object(
    'id', v.id, 'number', v.number, 'definition', v.definition, 'created_at', v.created_at)
  from automation_versions v where v.id = ${id} and v.tenant_id = a.tenant_id)`;

const COLUMNS = `a.id, a.name, a.status, a.active_version_id, a.active_trigger_type, a.active_channel_id,
  a.latest_version_id, a.latest_trigger_type, a.latest_channel_id, a.created_at, a.updated_at,
  ${versionFacts('a.active_version_id')} as active_version, ${versionFacts('a.latest_version_id')} as latest_version`;

export const automationFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'a.id' },
    createdAt: { type: 'time', sql: 'a.created_at' },
    updatedAt: { type: 'time', sql: 'a.updated_at' },
    name: { type: 'string', sql: 'a.name', within: 'a.name' },
    status: { type: 'enum', sql: 'a.status', values: automationStatuses },
    activeVersionId: { type: 'uuid', sql: 'a.active_version_id', nullable: true },
    activeVersionTriggerType: {
      type: 'enum',
      sql: 'a.active_trigger_type',
      values: triggerTypes,
      nullable: true,
    },
    activeVersionTriggerParametersChannelId: { type: 'uuid', sql: 'a.active_channel_id', nullable: true },
    latestVersionTriggerType: { type: 'enum', sql: 'a.latest_trigger_type', values: triggerTypes },
    latestVersionTriggerParametersChannelId: { type: 'uuid', sql: 'a.latest_channel_id', nullable: true },
    latestVersionId: { type: 'uuid', sql: 'a.latest_version_id' },
  },
  names: ['a.name'],
  id: 'a.id',
};

export const automationSource: SearchSource = {
  select: COLUMNS,
  from: 'automations a',
  tenantColumn: 'a.tenant_id',
};

const automationById = statement<[id: string, tenantId: string], AutomationRow>(
  'automations.by_id',
  `select ${COLUMNS} from automations a where a.id = $1 and a.tenant_id = $2`,
);
const insertAutomation = statement<
  [
    id: string,
    tenantId: string,
    name: string,
    versionId: string,
    definition: string,
    triggerType: string,
    channelId: string | null,
    now: Date,
  ]
>(
  'automations.insert',
  // Foreign keys are checked at the end of the statement, when each of the two rows has the other.
  `with version as (
     insert into automation_versions (id, tenant_id, automation_id, number, definition, created_at)
     values ($4, $2, $1, 1, $5, $8))
   insert into automations (id, tenant_id, name, status, latest_version_id, latest_trigger_type, latest_channel_id,
                            created_at, updated_at)
   values ($1, $2, $3, 'draft', $4, $6, $7, $8, $8)`,
);
const deleteAutomation = statement<[id: string, tenantId: string]>(
  'automations.delete',
  'delete from automations where id = $1 and tenant_id = $2',
);

function presentVersion({ id, number, definition, created_at }: VersionFacts): AutomationVersion {
  const { trigger, variables, steps } = definition;
  // What is stored has parameters everywhere.
  return { id, number, trigger, variables, steps, createdAt: timestamp(created_at) } as AutomationVersion;
}

export const presentAutomation = (row: AutomationRow): Automation => ({
  id: row.id,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
  name: row.name,
  status: row.status,
  activeVersionId: row.active_version_id,
  activeVersionTriggerType: row.active_trigger_type,
  activeVersionTriggerParametersChannelId: row.active_channel_id,
  latestVersionTriggerType: row.latest_trigger_type,
  latestVersionTriggerParametersChannelId: row.latest_channel_id,
  latestVersionId: row.latest_version_id,
  activeVersion: row.active_version === null ? null : presentVersion(row.active_version),
  latestVersion: presentVersion(row.latest_version),
});

/** What of a definition stands in columns of its own. */
export const triggerColumns = ({ trigger }: Definition): [type: TriggerType, channelId: string | null] => [
  trigger.type,
  (trigger.parameters?.channelId as string | undefined) ?? null,
];

export type AutomationInput = Omit<Definition, 'variables'> & Partial<Definition> & { name: string };

/** Makes an automation with its first version: a draft, which nothing starts before it is published. */
export async function createAutomation(
  tx: Tx,
  tenantId: string,
  { name, trigger, variables = [], steps }: AutomationInput,
  { policy, now }: { policy: OutboundPolicy; now: Date },
): Promise<Automation> {
  const definition = await throwIfAnyIssue(tx, tenantId, { trigger, variables, steps }, policy);
  const [id, versionId] = [newId(), newId()];
  await tx.run(insertAutomation, [
    id,
    tenantId,
    name,
    versionId,
    JSON.stringify(definition),
    ...triggerColumns(definition),
    now,
  ]);
  return requireAutomation(tx, tenantId, id);
}

export async function findAutomation(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  automationId: string,
): Promise<Automation | undefined> {
  const row = isUuid(automationId) ? await db.find(automationById, [automationId, tenantId]) : undefined;
  return row && presentAutomation(row);
}

export async function requireAutomation(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  automationId: string,
): Promise<Automation> {
  const automation = await findAutomation(db, tenantId, automationId);
  if (!automation) throw new ApiError('automation_not_found');
  return automation;
}

/** Deletes an automation with its versions and runs, those that wait included, and says whether there was one. */
export async function removeAutomation(tx: Tx, tenantId: string, automationId: string): Promise<boolean> {
  return isUuid(automationId) && (await tx.run(deleteAutomation, [automationId, tenantId])) === 1;
}

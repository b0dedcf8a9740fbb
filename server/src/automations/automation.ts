import { ApiError } from '../base/errors.ts';
import { deletionOf } from '../base/events.ts';
import { isUuid, newId } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader, TenantTx } from '../db/tenant.ts';
import type { CanRead } from '../http/permissions.ts';
import { type StoredTime, timestamp } from '../http/schema.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { recountSince } from '../reports/marks.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { purposeOf, type TriggerType, triggerTypes } from './definition/steps.ts';
import { requireValidDefinition } from './definition/validate.ts';
import { type Automation, type AutomationVersion, automationStatuses, type Definition } from './schema.ts';

export interface StoredVersion {
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
  created_at: StoredTime;
  updated_at: StoredTime;
  active_version: StoredVersion | null;
  latest_version: StoredVersion;
}

/** The columns of an {@link AutomationRow}, of a row of the table `automations`. */
export function automationColumns(row: string): string {
  const version = (id: string): string => `(select json_build_object(
    'id', v.id, 'number', v.number, 'definition', v.definition, 'created_at', v.created_at)
  from automation_versions v where v.id = ${row}.${id} and v.tenant_id = ${row}.tenant_id)`;
  const own = [
    'id',
    'name',
    'status',
    'active_version_id',
    'active_trigger_type',
    'active_channel_id',
    'latest_version_id',
    'latest_trigger_type',
    'latest_channel_id',
    'created_at',
    'updated_at',
  ];
  return `${own.map((column) => `${row}.${column}`).join(', ')},
  ${version('active_version_id')} as active_version, ${version('latest_version_id')} as latest_version`;
}

/**
 * Hides the automations that campaigns with their own message create. Must match the condition of the indexes
 * automations_shown and automations_shown_by_status.
 */
export const isShownAutomation = (row: string): string => `not ${row}.is_hidden`;

export const automationFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'a.id' },
    createdAt: { type: 'time', sql: 'a.created_at' },
    updatedAt: { type: 'time', sql: 'a.updated_at' },
    name: { type: 'string', sql: 'a.name', trigramText: 'a.name' },
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

/** Automations under the alias `a`. Only their ids: `presentFound` reads the rest. */
export const automationSource: SearchSource = {
  select: 'a.id',
  selectsOnlyId: true,
  from: 'automations a',
  tenantColumn: 'a.tenant_id',
  where: () => isShownAutomation('a'),
};

const automationById = statement<[id: string], AutomationRow>(
  'automations.by_id',
  `select ${automationColumns('a')} from automations a where a.id = $1 and a.tenant_id = $tenant`,
);
const automationsByIds = statement<[ids: string[]], AutomationRow>(
  'automations.by_ids',
  `select ${automationColumns('a')} from automations a where a.id = any ($1::uuid[]) and a.tenant_id = $tenant
    order by array_position($1::uuid[], a.id)`,
);
const insertAutomation = statement<
  [
    id: string,
    name: string,
    versionId: string,
    definition: string,
    triggerType: string,
    channelId: string | null,
    now: Date,
    isHidden: boolean,
  ]
>(
  'automations.insert',
  // The two rows refer to each other: foreign keys are checked at the end of the statement.
  `with version as (
     insert into automation_versions (id, tenant_id, automation_id, number, definition, created_at)
     values ($3, $tenant, $1, 1, $4, $7))
   insert into automations (id, tenant_id, name, status, latest_version_id, latest_trigger_type, latest_channel_id,
                            created_at, updated_at, is_hidden)
   values ($1, $tenant, $2, 'draft', $3, $5, $6, $7, $7, $8)`,
);
const deleteAutomation = statement<[id: string], { created_at: Date }>(
  'automations.delete',
  'delete from automations where id = $1 and tenant_id = $tenant returning created_at',
);

export function presentVersion({ id, number, definition, created_at }: StoredVersion): AutomationVersion {
  const { trigger, variables, steps } = definition;
  const purpose = purposeOf(definition);
  // A stored definition has parameters in every step.
  return {
    id,
    number,
    purpose,
    trigger,
    variables,
    steps,
    createdAt: timestamp(created_at),
  } as AutomationVersion;
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

/**
 * Reads the automations of a page, in its order. One that was deleted since it was found is left out. A prepared statement, because
 * planning it takes as long as executing it, 0.3 ms.
 */
export const presentFound = async (db: TenantReader, rows: { id: string }[]): Promise<Automation[]> =>
  rows.length === 0
    ? []
    : (await db.all(automationsByIds, [rows.map(({ id }) => id)])).map(presentAutomation);

/** The values of the columns that repeat a part of the definition. */
export const triggerColumns = ({ trigger }: Definition): [type: TriggerType, channelId: string | null] => [
  trigger.type,
  (trigger.parameters?.channelId as string | undefined) ?? null,
];

/** What is needed to validate a definition that a caller saves. */
export interface SaveDeps {
  policy: OutboundPolicy;
  /** What the caller may read, and therefore let runs use. */
  canRead: CanRead;
}

export type AutomationInput = Omit<Definition, 'variables'> & Partial<Definition> & { name: string };

/** Creates a draft with its first version. No run starts before it is published. */
export async function createAutomation(
  tx: TenantTx,
  { name, variables = [], ...rest }: AutomationInput,
  deps: SaveDeps,
  { isHidden = false }: { isHidden?: boolean } = {},
): Promise<Automation> {
  const definition = await requireValidDefinition(tx, { ...rest, variables }, deps);
  const [id, versionId] = [newId(), newId()];
  await tx.run(insertAutomation, [
    id,
    name,
    versionId,
    JSON.stringify(definition),
    ...triggerColumns(definition),
    tx.now,
    isHidden,
  ]);
  return requireAutomation(tx, id);
}

export async function findAutomation(
  db: TenantReader,
  automationId: string,
): Promise<Automation | undefined> {
  const row = isUuid(automationId) ? await db.find(automationById, [automationId]) : undefined;
  return row && presentAutomation(row);
}

export async function requireAutomation(db: TenantReader, automationId: string): Promise<Automation> {
  const automation = await findAutomation(db, automationId);
  if (!automation) throw new ApiError('automation_not_found');
  return automation;
}

/** Deletes an automation with its versions and runs. Returns false if it does not exist. */
export async function removeAutomation(tx: TenantTx, automationId: string): Promise<boolean> {
  const row = isUuid(automationId) ? await tx.find(deleteAutomation, [automationId]) : undefined;
  if (!row) return false;
  await recountSince(tx, row.created_at);
  tx.announce(deletionOf('automation', automationId));
  return true;
}

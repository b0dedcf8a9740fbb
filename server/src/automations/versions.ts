import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import type { Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/source.ts';
import { presentVersion, type StoredVersion } from './automation.ts';
import type { AutomationVersion } from './schema.ts';

const COLUMNS = 'v.id, v.number, v.definition, v.created_at';

export const automationExists = statement<[id: string], { id: string }>(
  'automations.exists',
  'select id from automations where id = $1 and tenant_id = $tenant',
);
const versionById = statement<[automationId: string, versionId: string], StoredVersion>(
  'automation_versions.by_id',
  `select ${COLUMNS} from automation_versions v where v.id = $2 and v.automation_id = $1 and v.tenant_id = $tenant`,
);

export const versionFields: Searchable = {
  fields: {
    id: { type: 'uuid', sql: 'v.id' },
    number: { type: 'number', sql: 'v.number' },
    createdAt: { type: 'time', sql: 'v.created_at' },
  },
  names: [],
  id: 'v.id',
};

/** Throws unless the automation exists. */
export async function requireAutomationId(db: TenantReader, automationId: string): Promise<void> {
  if (!isUuid(automationId) || !(await db.find(automationExists, [automationId])))
    throw new ApiError('automation_not_found');
}

/** The versions of an automation. */
export async function versionSource(db: TenantReader, automationId: string): Promise<SearchSource> {
  await requireAutomationId(db, automationId);
  return {
    select: COLUMNS,
    from: 'automation_versions v',
    tenantColumn: 'v.tenant_id',
    needsNoView: true,
    where: (bind) => `v.automation_id = ${bind(automationId)}::uuid`,
  };
}

export async function requireVersion(
  db: TenantReader,
  automationId: string,
  versionId: string,
): Promise<AutomationVersion> {
  await requireAutomationId(db, automationId);
  const row = isUuid(versionId) ? await db.find(versionById, [automationId, versionId]) : undefined;
  if (!row) throw new ApiError('automation_version_not_found');
  return presentVersion(row);
}

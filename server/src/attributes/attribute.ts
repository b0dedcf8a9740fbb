import { ApiError } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable, TenantTx } from '../db/tenant.ts';
import { timestamp } from '../http/schema.ts';
import type { Attribute, AttributeType } from './schema.ts';

interface AttributeRow {
  id: string;
  name: string;
  external_id: string;
  type: AttributeType;
  options: string[];
  description: string | null;
  is_visible_quick_edit: boolean;
  is_visible_contacts_table: boolean;
  is_visible_contact_create: boolean;
  created_at: Date;
  updated_at: Date;
}

export const ATTRIBUTE_COLUMNS = `id, name, external_id, type, options, description, is_visible_quick_edit,
  is_visible_contacts_table, is_visible_contact_create, created_at, updated_at`;

const insertAttribute = statement<
  [
    id: string,
    name: string,
    externalId: string,
    type: string,
    options: string[],
    description: string | null,
    quickEdit: boolean,
    table: boolean,
    create: boolean,
    now: Date,
  ],
  AttributeRow
>(
  'attributes.insert',
  `insert into attributes (id, tenant_id, name, external_id, type, options, description, is_visible_quick_edit,
                           is_visible_contacts_table, is_visible_contact_create, created_at, updated_at)
   values ($1, $tenant, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)
   on conflict (tenant_id, external_id) do nothing returning ${ATTRIBUTE_COLUMNS}`,
);
const listAttributes = statement<[], AttributeRow>(
  'attributes.list',
  `select ${ATTRIBUTE_COLUMNS} from attributes where tenant_id = $tenant order by created_at, id`,
);
const lockAttribute = statement<[id: string], AttributeRow>(
  'attributes.lock',
  `select ${ATTRIBUTE_COLUMNS} from attributes where id = $1 and tenant_id = $tenant for update`,
);
const updateAttribute = statement<
  [
    id: string,
    name: string,
    options: string[],
    description: string | null,
    quickEdit: boolean,
    table: boolean,
    create: boolean,
    now: Date,
  ],
  AttributeRow
>(
  'attributes.update',
  `update attributes set name = $2, options = $3, description = $4, is_visible_quick_edit = $5,
          is_visible_contacts_table = $6, is_visible_contact_create = $7, updated_at = $8
    where id = $1 and tenant_id = $tenant returning ${ATTRIBUTE_COLUMNS}`,
);
const deleteAttribute = statement<[id: string]>(
  'attributes.delete',
  'delete from attributes where id = $1 and tenant_id = $tenant',
);
export const presentAttribute = (row: AttributeRow): Attribute => ({
  id: row.id,
  name: row.name,
  externalId: row.external_id,
  type: row.type,
  options: row.options,
  description: row.description,
  isVisibleQuickEdit: row.is_visible_quick_edit,
  isVisibleContactsTable: row.is_visible_contacts_table,
  isVisibleContactCreate: row.is_visible_contact_create,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export interface AttributeChange {
  name?: string;
  options?: string[];
  description?: string | null;
  isVisibleQuickEdit?: boolean;
  isVisibleContactsTable?: boolean;
  isVisibleContactCreate?: boolean;
}
interface AttributeInput extends AttributeChange {
  name: string;
  externalId: string;
  type?: AttributeType;
}

function validateOptions(type: AttributeType, options: string[], issues: Issues): void {
  if (type === 'select' && options.length === 0)
    issues.add('options', 'too_small', 'A select needs at least one option');
  if (type !== 'select' && options.length > 0)
    issues.add('options', 'custom', `Only a select has options, this is a ${type}`);
}

/** Returns every attribute of the tenant, the oldest first. */
export async function allAttributes(db: TenantQueryable): Promise<Attribute[]> {
  return (await db.all(listAttributes, [])).map(presentAttribute);
}

/** Creates an attribute. If several requests create the same one at once, one succeeds. */
export async function createAttribute(tx: TenantTx, input: AttributeInput): Promise<Attribute> {
  const { type = 'text', options = [] } = input;
  const issues = collectIssues();
  validateOptions(type, options, issues);
  const row = await tx.find(insertAttribute, [
    newId(),
    input.name,
    input.externalId,
    type,
    options,
    input.description ?? null,
    input.isVisibleQuickEdit ?? false,
    input.isVisibleContactsTable ?? false,
    input.isVisibleContactCreate ?? false,
    tx.now,
  ]);
  if (!row)
    issues.add(
      'externalId',
      'custom',
      `There is already an attribute with the externalId "${input.externalId}"`,
    );
  // With an issue the transaction is rolled back, and with it the attribute.
  issues.throwIfAny();
  return presentAttribute(row as AttributeRow);
}

/** Changes the given fields. `externalId` and `type` cannot be changed: values depend on them. */
export async function changeAttribute(
  tx: TenantTx,
  attributeId: string,
  change: AttributeChange,
): Promise<Attribute> {
  const row = isUuid(attributeId) ? await tx.find(lockAttribute, [attributeId]) : undefined;
  if (!row) throw new ApiError('attribute_not_found');
  const next = { ...presentAttribute(row), ...change };
  const issues = collectIssues();
  validateOptions(row.type, next.options, issues);
  issues.throwIfAny();
  const updated = await tx.find(updateAttribute, [
    attributeId,
    next.name,
    next.options,
    next.description,
    next.isVisibleQuickEdit,
    next.isVisibleContactsTable,
    next.isVisibleContactCreate,
    tx.now,
  ]);
  return presentAttribute(updated as AttributeRow);
}

/** Deletes an attribute with its values and returns whether it existed. */
export async function removeAttribute(tx: TenantTx, attributeId: string): Promise<boolean> {
  return isUuid(attributeId) && (await tx.run(deleteAttribute, [attributeId])) === 1;
}

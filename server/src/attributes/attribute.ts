import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { timestamp } from '../http/schema.ts';
import type { Attribute, AttributeType } from './schema.ts';

export interface AttributeRow {
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
    tenantId: string,
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
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)
   on conflict (tenant_id, external_id) do nothing returning ${ATTRIBUTE_COLUMNS}`,
);
const listAttributes = statement<[tenantId: string], AttributeRow>(
  'attributes.list',
  `select ${ATTRIBUTE_COLUMNS} from attributes where tenant_id = $1 order by created_at, id`,
);
const lockAttribute = statement<[id: string, tenantId: string], AttributeRow>(
  'attributes.lock',
  `select ${ATTRIBUTE_COLUMNS} from attributes where id = $1 and tenant_id = $2 for update`,
);
const updateAttribute = statement<
  [
    id: string,
    tenantId: string,
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
  `update attributes set name = $3, options = $4, description = $5, is_visible_quick_edit = $6,
          is_visible_contacts_table = $7, is_visible_contact_create = $8, updated_at = $9
    where id = $1 and tenant_id = $2 returning ${ATTRIBUTE_COLUMNS}`,
);
const deleteAttribute = statement<[id: string, tenantId: string]>(
  'attributes.delete',
  'delete from attributes where id = $1 and tenant_id = $2',
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
export interface AttributeInput extends AttributeChange {
  name: string;
  externalId: string;
  type?: AttributeType;
}

function requireFittingOptions(type: AttributeType, options: string[]): void {
  if (type === 'select' && options.length === 0)
    throw invalidParam('options', 'too_small', 'A select needs at least one option');
  if (type !== 'select' && options.length > 0)
    throw invalidParam('options', 'custom', `Only a select has options, this is a ${type}`);
}

/** Every attribute of the tenant, the oldest first. */
export async function allAttributes(db: Queryable, tenantId: string): Promise<Attribute[]> {
  return (await db.all(listAttributes, [tenantId])).map(presentAttribute);
}

/** Makes an attribute. Of many who make the same one at once, one succeeds. */
export async function createAttribute(
  tx: Tx,
  tenantId: string,
  input: AttributeInput,
  now: Date,
): Promise<Attribute> {
  const { type = 'text', options = [] } = input;
  requireFittingOptions(type, options);
  const row = await tx.find(insertAttribute, [
    newId(),
    tenantId,
    input.name,
    input.externalId,
    type,
    options,
    input.description ?? null,
    input.isVisibleQuickEdit ?? false,
    input.isVisibleContactsTable ?? false,
    input.isVisibleContactCreate ?? false,
    now,
  ]);
  if (!row)
    throw invalidParam(
      'externalId',
      'custom',
      `There is already an attribute with the externalId "${input.externalId}"`,
    );
  return presentAttribute(row);
}

/** Changes what is given. What an attribute is called in requests, and its type, stay: values depend on them. */
export async function changeAttribute(
  tx: Tx,
  tenantId: string,
  attributeId: string,
  change: AttributeChange,
  now: Date,
): Promise<Attribute> {
  const row = isUuid(attributeId) ? await tx.find(lockAttribute, [attributeId, tenantId]) : undefined;
  if (!row) throw new ApiError('attribute_not_found');
  const next = { ...presentAttribute(row), ...change };
  requireFittingOptions(row.type, next.options);
  const updated = await tx.find(updateAttribute, [
    attributeId,
    tenantId,
    next.name,
    next.options,
    next.description,
    next.isVisibleQuickEdit,
    next.isVisibleContactsTable,
    next.isVisibleContactCreate,
    now,
  ]);
  return presentAttribute(updated as AttributeRow);
}

/** Deletes an attribute with its values, and says whether it was there. */
export async function removeAttribute(tx: Tx, tenantId: string, attributeId: string): Promise<boolean> {
  return isUuid(attributeId) && (await tx.run(deleteAttribute, [attributeId, tenantId])) === 1;
}

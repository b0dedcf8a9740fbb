import { type AttributeKind, attributesOf } from '../attributes/find-attributes.ts';
import type { AttributeType } from '../attributes/schema.ts';
import type { TenantReader } from '../db/tenant.ts';
import type { HandleType } from '../providers/kinds.ts';
import type { Bind, Field, FieldTable, FieldType, Searchable, ValueTable } from '../search/fields.ts';
import type { SearchBody } from '../search/schema.ts';
import type { SearchSource } from '../search/source.ts';
import { findContacts } from './contact.ts';
import type { Contact } from './schema.ts';
import { fullName } from './search-text.ts';
import { readSegmentFilters } from './segment-filters.ts';

export const COUNT_CAP = 10_000;
/** As the column and the index of trigrams have it in the migrations. */
const TRIGRAM_INDEX_PREDICATE = 'ca.number is null and ca.time is null';
const PREFIX = { column: 'ca.head', characters: 200 };

/** Contacts under the alias `c`. Only their ids: the rest is read for the rows of the page only. */
export const contactSource: SearchSource = {
  select: 'c.id',
  from: 'visible_contacts c',
  tenantColumn: 'c.tenant_id',
  countCap: COUNT_CAP,
  selectsOnlyId: true,
};

/** Reads the contacts of a page, in its order. One that was deleted since it was found is left out. */
export async function presentFound(db: TenantReader, rows: { id: string }[]): Promise<Contact[]> {
  const ids = rows.map(({ id }) => id);
  const byId = new Map((await findContacts(db, ids)).map((contact) => [contact.id, contact]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** How a value of each type of attribute is compared. */
const fieldTypeOf: Record<AttributeType, FieldType> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'time',
  datetime: 'time',
  url: 'string',
  select: 'string',
};

/** Every name and every handle is part of this text, which has a trigram index. */
const trigramText = 'c.search_text';
const name = (sql: string): Field => ({ type: 'string', sql, nullable: true, trigramText });

/** The primary handle of a type. */
const shownHandle = (type: HandleType, tenantId: string): Field => ({
  type: 'string',
  nullable: true,
  sql: `select h.value from handles h where h.contact_id = c.id and h.type = '${type}' and h.is_primary`,
  trigramText,
  valueTable: {
    from: 'handles h',
    resourceId: 'h.contact_id',
    where: (bind) => `h.tenant_id = ${bind(tenantId)}::uuid and h.type = '${type}' and h.is_primary`,
    column: 'h.value',
    isSingleTenant: true,
  },
});

function attributeField({ id, type }: AttributeKind): Field {
  const compared = fieldTypeOf[type];
  const column = compared === 'number' ? 'ca.number' : compared === 'time' ? 'ca.time' : 'ca.value';
  const of = (bind: Bind): string => `ca.attribute_id = ${bind(id)}::uuid`;
  const valueTable: ValueTable = {
    from: 'contact_attributes ca',
    resourceId: 'ca.contact_id',
    where: of,
    column,
    isSingleTenant: true,
    ...(column === 'ca.value' ? { prefix: PREFIX, trigramIndexPredicate: TRIGRAM_INDEX_PREDICATE } : {}),
    ...(compared === 'boolean' ? { isStoredAsText: true } : {}),
  };
  const value = compared === 'boolean' ? `${column} = 'true'` : column;
  return {
    type: compared,
    nullable: true,
    isTrimmed: type !== 'text',
    sql: (bind) => `select ${value} from contact_attributes ca where ca.contact_id = c.id and ${of(bind)}`,
    valueTable,
  };
}

const fields = (tenantId: string): FieldTable => ({
  id: { type: 'uuid', sql: 'c.id' },
  createdAt: { type: 'time', sql: 'c.created_at' },
  updatedAt: { type: 'time', sql: 'c.updated_at' },
  firstName: name('c.first_name'),
  lastName: name('c.last_name'),
  fullName: { type: 'string', sql: fullName('c.first_name', 'c.last_name'), trigramText },
  phoneNumber: shownHandle('phone_number', tenantId),
  email: shownHandle('email', tenantId),
  language: { type: 'string', sql: 'c.language', nullable: true },
  timezone: { type: 'string', sql: 'c.timezone', nullable: true },
  isSubscribed: { type: 'boolean', sql: 'c.is_subscribed' },
  labelIds: {
    type: 'list',
    sql: 'array(select cl.label_id from contact_labels cl where cl.contact_id = c.id)',
    valueTable: {
      from: 'contact_labels cl',
      resourceId: 'cl.contact_id',
      column: 'cl.label_id',
      isSingleTenant: true,
    },
  },
});

/** What contacts of every tenant can be searched by; undefined if a search names attributes or segments. */
export const commonContactFields = (
  tenantId: string,
  { query = '', sortBy = '' }: SearchBody,
): Searchable | undefined =>
  /attributes|segment/.test(query + sortBy) ? undefined : contactSearchable(tenantId, []);

/** What contacts of a tenant can be searched by: what all contacts have, and the attributes that are given. */
export const contactSearchable = (tenantId: string, attributes: readonly AttributeKind[]): Searchable => ({
  fields: {
    ...fields(tenantId),
    ...Object.fromEntries(
      attributes.map((attribute) => [`attributes.${attribute.external_id}`, attributeField(attribute)]),
    ),
  },
  names: [trigramText],
  hasPhoneNumbers: true,
  id: 'c.id',
});

/** The same with the attributes that the tenant has now, and the segments that a filter names. */
export async function searchableContacts(
  db: TenantReader,
  filter = '',
  ownSegments?: ReadonlyMap<string, string>,
): Promise<Searchable> {
  return withSegments(db, contactSearchable(db.tenantId, await attributesOf(db)), filter, ownSegments);
}

/** The same fields with the segments that a filter names. */
export async function withSegments(
  db: TenantReader,
  searchable: Searchable,
  filter = '',
  ownSegments?: ReadonlyMap<string, string>,
): Promise<Searchable> {
  const segments = await readSegmentFilters(db, filter, ownSegments);
  return { ...searchable, segmentFilter: (id) => segments.get(id) };
}

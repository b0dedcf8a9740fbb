import { type AttributeKind, attributesOf } from '../attributes/find-attributes.ts';
import type { AttributeType } from '../attributes/schema.ts';
import type { Queryable } from '../db/database.ts';
import type { HandleType } from '../providers/adapter.ts';
import type { Aside, Bind, Field, FieldTable, FieldType, Searchable } from '../search/fields.ts';
import type { SearchSource } from '../search/run-search.ts';
import { findContacts } from './contact.ts';
import type { Contact } from './schema.ts';
import { fullName } from './search-text.ts';

const COUNT_CAP = 10_000;
/** As the column and the index of trigrams have it in the migrations. */
const PARTS = 'ca.number is null and ca.time is null';
const HEAD = { column: 'ca.head', characters: 200 };

/** Contacts under the alias `c`. Ids only: what belongs to a contact is not read for rows that a page leaves behind. */
export const contactSource: SearchSource = {
  select: 'c.id',
  from: 'contacts c',
  tenantColumn: 'c.tenant_id',
  countCap: COUNT_CAP,
};

/** The contacts of a page, in its order. One that has been deleted since it was found is left out. */
export async function presentFound(
  db: Queryable,
  tenantId: string,
  rows: { id: string }[],
): Promise<Contact[]> {
  const ids = rows.map(({ id }) => id);
  const byId = new Map((await findContacts(db, tenantId, ids)).map((contact) => [contact.id, contact]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** How a value of each type of attribute is compared; conditions of automations compare it alike. */
export const fieldTypeOf: Record<AttributeType, FieldType> = {
  text: 'string',
  number: 'number',
  boolean: 'boolean',
  date: 'time',
  datetime: 'time',
  url: 'string',
  select: 'string',
};

/** Every name and every handle is part of this text, which has a trigram index. */
const within = 'c.search_text';
const name = (sql: string): Field => ({ type: 'string', sql, nullable: true, within });

/** The handle of a type that the contact shows. */
const shownHandle = (type: HandleType, tenantId: string): Field => ({
  type: 'string',
  nullable: true,
  sql: `select h.value from handles h where h.contact_id = c.id and h.type = '${type}' and h.is_primary`,
  within,
  aside: {
    from: 'handles h',
    of: 'h.contact_id',
    where: (bind) => `h.tenant_id = ${bind(tenantId)}::uuid and h.type = '${type}' and h.is_primary`,
    column: 'h.value',
    isOfTenant: true,
  },
});

function attributeField({ id, type }: AttributeKind): Field {
  const compared = fieldTypeOf[type];
  const column = compared === 'number' ? 'ca.number' : compared === 'time' ? 'ca.time' : 'ca.value';
  const of = (bind: Bind): string => `ca.attribute_id = ${bind(id)}::uuid`;
  const aside: Aside = {
    from: 'contact_attributes ca',
    of: 'ca.contact_id',
    where: of,
    column,
    isOfTenant: true,
    ...(column === 'ca.value' ? { head: HEAD, parts: PARTS } : {}),
    ...(compared === 'boolean' ? { isText: true } : {}),
  };
  const value = compared === 'boolean' ? `${column} = 'true'` : column;
  return {
    type: compared,
    nullable: true,
    sql: (bind) => `select ${value} from contact_attributes ca where ca.contact_id = c.id and ${of(bind)}`,
    aside,
  };
}

const fields = (tenantId: string): FieldTable => ({
  id: { type: 'uuid', sql: 'c.id' },
  createdAt: { type: 'time', sql: 'c.created_at' },
  updatedAt: { type: 'time', sql: 'c.updated_at' },
  firstName: name('c.first_name'),
  lastName: name('c.last_name'),
  fullName: { type: 'string', sql: fullName('c.first_name', 'c.last_name'), within },
  phoneNumber: shownHandle('phone_number', tenantId),
  email: shownHandle('email', tenantId),
  isSubscribed: { type: 'boolean', sql: 'c.is_subscribed' },
  labelIds: {
    type: 'list',
    sql: 'array(select cl.label_id from contact_labels cl where cl.contact_id = c.id)',
    aside: { from: 'contact_labels cl', of: 'cl.contact_id', column: 'cl.label_id', isOfTenant: true },
  },
});

/** What contacts of a tenant can be searched by: what all contacts have, and the attributes that are given. */
export const contactSearchable = (tenantId: string, attributes: readonly AttributeKind[]): Searchable => ({
  fields: {
    ...fields(tenantId),
    ...Object.fromEntries(
      attributes.map((attribute) => [`attributes.${attribute.external_id}`, attributeField(attribute)]),
    ),
  },
  names: [within],
  id: 'c.id',
});

/** The same with the attributes that the tenant has now. */
export const searchableContacts = async (db: Queryable, tenantId: string): Promise<Searchable> =>
  contactSearchable(tenantId, await attributesOf(db, tenantId));

import { type AttributeKind, attributesOf } from '../attributes/find-attributes.ts';
import type { TenantDatabase, TenantReader } from '../db/tenant.ts';
import type { Download } from '../http/download.ts';
import { type ExportQuery, exportRows } from '../http/export.ts';
import type { Principal } from '../http/permissions.ts';
import type { Contact } from './schema.ts';
import { contactSearchable, contactSource, presentFound } from './search.ts';

const COLUMNS = [
  'id',
  'firstName',
  'lastName',
  'phoneNumber',
  'email',
  'otherHandles',
  'language',
  'timezone',
  'isSubscribed',
  'labels',
  'createdAt',
  'updatedAt',
];

function cellsOf(contact: Contact, attributes: readonly AttributeKind[]): (string | null)[] {
  const shown = [contact.phoneNumber, contact.email];
  const values = new Map(contact.attributes.map(({ id, value }) => [id, value]));
  return [
    contact.id,
    contact.firstName,
    contact.lastName,
    contact.phoneNumber,
    contact.email,
    contact.handles
      .map(({ value }) => value)
      .filter((value) => !shown.includes(value))
      .join(', '),
    contact.language,
    contact.timezone,
    String(contact.isSubscribed),
    contact.labels.map(({ name }) => name).join(', '),
    contact.createdAt,
    contact.updatedAt,
    ...attributes.map(({ id }) => values.get(id) ?? null),
  ];
}

/** Contacts as a file, with a column for each attribute of the tenant. */
export async function exportContacts(
  db: TenantDatabase,
  wanted: ExportQuery,
  principal: Principal,
): Promise<Download> {
  const attributes = await attributesOf(db);
  return exportRows(db, {
    filename: 'contacts.csv',
    searchable: contactSearchable(db.tenantId, attributes),
    source: contactSource,
    table: {
      columns: [...COLUMNS, ...attributes.map(({ external_id }) => `attributes.${external_id}`)],
      readCells: async (reader: TenantReader, ids: string[]) =>
        (
          await presentFound(
            reader,
            ids.map((id) => ({ id })),
          )
        ).map((contact) => cellsOf(contact, attributes)),
    },
    wanted,
    principal,
  });
}

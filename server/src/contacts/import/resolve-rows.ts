import type { Handle } from '../../providers/kinds.ts';
import type { StoredValue } from '../attributes/values.ts';
import { keyOf } from '../handles/owners.ts';
import { MAX_HANDLES } from '../handles/validate.ts';

/** A row of a file as a contact. Null says nothing. */
export interface ImportedContact {
  row: number;
  phoneNumber: string | null;
  email: string | null;
  firstName: string | null;
  lastName: string | null;
  language: string | null;
  timezone: string | null;
  isUnsubscribed: boolean;
  /** By the id of the attribute. */
  attributes: Map<string, StoredValue>;
  labelIds: string[];
}

/** Why a row was not imported. */
export interface RefusedRow {
  row: number;
  reason: string;
}

/** Everything that rows say about one contact. Where they differ, the last one counts. */
export interface ResolvedContact extends Omit<ImportedContact, 'row' | 'phoneNumber' | 'email'> {
  /** The contact that has one of the handles; undefined for a new one. */
  contactId: string | undefined;
  /** All handles in the rows, the phone numbers first. */
  handles: Handle[];
  /** How many handles the contact has with those of the rows. */
  size: number;
  /** Their numbers. */
  rows: number[];
}

export interface ResolvedRows {
  contacts: ResolvedContact[];
  refused: RefusedRow[];
  /** Rows of contacts that stay as they are. */
  skipped: number;
}

export const handlesOf = ({
  phoneNumber,
  email,
}: Pick<ImportedContact, 'phoneNumber' | 'email'>): Handle[] => [
  ...(phoneNumber === null ? [] : [{ type: 'phone_number', value: phoneNumber } as const]),
  ...(email === null ? [] : [{ type: 'email', value: email } as const]),
];

function addRow(contact: ResolvedContact, row: ImportedContact, handles: readonly Handle[]): void {
  contact.rows.push(row.row);
  contact.firstName = row.firstName ?? contact.firstName;
  contact.lastName = row.lastName ?? contact.lastName;
  contact.language = row.language ?? contact.language;
  contact.timezone = row.timezone ?? contact.timezone;
  contact.isUnsubscribed ||= row.isUnsubscribed;
  for (const [id, value] of row.attributes) contact.attributes.set(id, value);
  if (row.labelIds.length > 0) contact.labelIds = [...new Set([...contact.labelIds, ...row.labelIds])];
  for (const { type, value } of handles)
    if (!contact.handles.some((one) => one.type === type && one.value === value))
      contact.handles.push({ type, value });
}

/** The contacts that get another handle by rows. `owners` has the contacts that have the handles, by `keyOf`. */
export function findExtended(
  rows: readonly ImportedContact[],
  owners: ReadonlyMap<string, string>,
): string[] {
  const extended = new Set<string>();
  for (const row of rows) {
    if (row.phoneNumber === null || row.email === null) continue;
    const ids = handlesOf(row).map((handle) => owners.get(keyOf(handle)));
    const owner = ids.find((id) => id !== undefined);
    if (owner !== undefined && ids.includes(undefined)) extended.add(owner);
  }
  return [...extended];
}

/**
 * Finds out which rows are about the same contact: those with the same phone number or email address, also if the contact exists.
 * A row whose two handles belong to two contacts is refused, because an import never merges contacts. `owners` has the contacts
 * that have the handles, by `keyOf`; `sizes`, how many handles those of `findExtended` have.
 */
export function resolveRows(
  rows: readonly ImportedContact[],
  owners: ReadonlyMap<string, string>,
  sizes: ReadonlyMap<string, number>,
  existing: 'update' | 'skip',
): ResolvedRows {
  const byHandle = new Map<string, ResolvedContact>();
  const byId = new Map<string, ResolvedContact>();
  const contacts: ResolvedContact[] = [];
  const refused: RefusedRow[] = [];
  let skipped = 0;

  /** The contact of earlier rows and the stored one that have these handles; `hasTwo` if there are more. */
  function findContacts(keys: readonly string[]) {
    let first: ResolvedContact | undefined;
    let ownerId: string | undefined;
    let hasTwo = false;
    const add = (contact: ResolvedContact | undefined): void => {
      if (contact && first && contact !== first) hasTwo = true;
      first ??= contact;
    };
    for (const key of keys) {
      add(byHandle.get(key));
      const owner = owners.get(key);
      if (owner === undefined) continue;
      if (ownerId !== undefined && owner !== ownerId) hasTwo = true;
      ownerId ??= owner;
      add(byId.get(owner));
    }
    return { first, ownerId, hasTwo };
  }

  for (const row of rows) {
    const handles = handlesOf(row);
    const keys = handles.map(keyOf);
    const { first, ownerId, hasTwo } = findContacts(keys);
    if (hasTwo || (first && ownerId !== undefined && first.contactId !== ownerId)) {
      refused.push({
        row: row.row,
        reason: 'The phone number and the email address belong to two contacts: merge those first',
      });
      continue;
    }
    if (existing === 'skip' && (first || ownerId !== undefined)) {
      skipped += 1;
      continue;
    }
    const size = first?.size ?? sizes.get(ownerId ?? '') ?? 0;
    const added = keys.filter((key) => !owners.has(key) && !byHandle.has(key)).length;
    if (added > 0 && size + added > MAX_HANDLES) {
      refused.push({
        row: row.row,
        reason: `Its contact would have more than ${MAX_HANDLES} phone numbers and email addresses: is one address used for several people?`,
      });
      continue;
    }
    const contact = first ?? {
      contactId: ownerId,
      handles: [],
      size,
      rows: [],
      firstName: null,
      lastName: null,
      language: null,
      timezone: null,
      isUnsubscribed: false,
      attributes: new Map(),
      labelIds: [],
    };
    if (!first) contacts.push(contact);
    addRow(contact, row, handles);
    contact.size += added;
    for (const key of keys) byHandle.set(key, contact);
    if (ownerId !== undefined) byId.set(ownerId, contact);
  }
  return { contacts, refused, skipped };
}

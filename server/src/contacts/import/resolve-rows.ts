import type { Handle } from '../../providers/kinds.ts';
import type { StoredValue } from '../attributes/values.ts';
import { keyOf } from '../handles/owners.ts';
import { MAX_HANDLES } from '../handles/validate.ts';
import { isMetadataTooLong, MAX_METADATA_LENGTH } from '../validate-contact.ts';

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
  /** Added to what the contact has. */
  metadata: Record<string, string> | null;
  /** By the id of the attribute. */
  attributes: Map<string, StoredValue>;
  labelIds: string[];
}

const METADATA_TOO_LONG = `Its contact would have more than ${MAX_METADATA_LENGTH} characters of metadata, as JSON`;

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
  if (row.metadata) contact.metadata = { ...contact.metadata, ...row.metadata };
  for (const [id, value] of row.attributes) contact.attributes.set(id, value);
  if (row.labelIds.length > 0) contact.labelIds = [...new Set([...contact.labelIds, ...row.labelIds])];
  contact.handles.push(...handles);
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

/** What contacts have that exist, by their ids. */
export interface StoredContacts {
  /** How many handles those of `findExtended` have. */
  sizes: ReadonlyMap<string, number>;
  metadata: ReadonlyMap<string, object>;
}

/**
 * Finds out which contacts rows are about. No two rows have the same handle, but a contact that exists may have the handles of
 * several. A row whose two handles belong to two contacts is refused, because an import never merges contacts. `owners` has the
 * contacts that have the handles, by `keyOf`.
 */
export function resolveRows(
  rows: readonly ImportedContact[],
  owners: ReadonlyMap<string, string>,
  { sizes, metadata }: StoredContacts,
  onExisting: 'update' | 'skip',
): ResolvedRows {
  const byId = new Map<string, ResolvedContact>();
  const contacts: ResolvedContact[] = [];
  const refused: RefusedRow[] = [];
  let skipped = 0;

  for (const row of rows) {
    const handles = handlesOf(row);
    const ownerIds = handles.map((handle) => owners.get(keyOf(handle)));
    const ownerId = ownerIds[0] ?? ownerIds[1];
    const refuse = (reason: string): void => void refused.push({ row: row.row, reason });
    if (ownerIds[1] !== undefined && ownerIds[1] !== ownerId) {
      refuse('The phone number and the email address belong to two contacts: merge those first');
      continue;
    }
    if (onExisting === 'skip' && ownerId !== undefined) {
      skipped += 1;
      continue;
    }
    const first = ownerId === undefined ? undefined : byId.get(ownerId);
    const size = first?.size ?? sizes.get(ownerId ?? '') ?? 0;
    const added = ownerIds.filter((id) => id === undefined).length;
    if (added > 0 && size + added > MAX_HANDLES) {
      refuse(
        `Its contact would have more than ${MAX_HANDLES} phone numbers and email addresses: is one address used for several people?`,
      );
      continue;
    }
    if (
      row.metadata &&
      isMetadataTooLong({ ...metadata.get(ownerId ?? ''), ...first?.metadata, ...row.metadata })
    ) {
      refuse(METADATA_TOO_LONG);
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
      metadata: null,
      attributes: new Map(),
      labelIds: [],
    };
    if (!first) contacts.push(contact);
    addRow(contact, row, handles);
    contact.size += added;
    if (ownerId !== undefined) byId.set(ownerId, contact);
  }
  return { contacts, refused, skipped };
}

import { newId } from '../../base/ids.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
import { channelKinds, type Handle } from '../../providers/kinds.ts';
import { storeConsents } from '../consent/consents.ts';
import { lockContacts } from '../contact.ts';
import { attachLabels } from '../contact-labels.ts';
import { type InsertedHandle, insertUnknownContacts } from '../handles/insert-new.ts';
import { lockHandles } from '../handles/lock.ts';
import { countHandles, findOwners, keyOf } from '../handles/owners.ts';
import { findSpellings, hasOtherSpelling, spellingsOf } from '../handles/spellings.ts';
import { touchContacts } from '../search-text.ts';
import { type CreatedContact, describeCreated } from './describe-new.ts';
import {
  findExtended,
  handlesOf,
  type ImportedContact,
  type RefusedRow,
  type ResolvedContact,
  type ResolvedRows,
  resolveRows,
} from './resolve-rows.ts';
import { type ContactChanges, publishChanges, publishCreated, storeDetails } from './store-details.ts';

export interface ImportOptions {
  existing: 'update' | 'skip';
  publishEvents: boolean;
}

/** What became of rows. */
export interface ImportCounts {
  created: number;
  updated: number;
  skipped: number;
  refused: RefusedRow[];
}

/** What earlier rows of a dry run would have stored. Their contacts may exist, or be new. */
export interface EarlierRows {
  /** The contacts that would have these handles, by `keyOf`. */
  findOwners(handles: readonly Handle[]): Promise<Map<string, string>>;
  /** How many handles contacts would have got, by their ids. */
  countHandles(contactIds: readonly string[]): Promise<Map<string, number>>;
}

/** Which contacts rows are about, and the owners of their handles by `keyOf`. */
interface FoundContacts extends ResolvedRows {
  owners: ReadonlyMap<string, string>;
}

/** Finds the contacts of rows, by their phone numbers and email addresses. */
async function findContactsOf(
  db: TenantReader,
  rows: readonly ImportedContact[],
  existing: ImportOptions['existing'],
  earlier?: EarlierRows,
): Promise<FoundContacts> {
  const handles = rows.flatMap(handlesOf);
  const planned = (await earlier?.findOwners(handles.flatMap(spellingsOf))) ?? new Map<string, string>();
  // Also those of the rows before, so that it makes no difference which rows are in one batch.
  const known = new Set(planned.keys());
  const spelled = await findSpellings(db, handles, null, known);
  const stored = rows.map((row) => {
    if (row.phoneNumber === null || !hasOtherSpelling(row.phoneNumber)) return row;
    const handle = spelled({ type: 'phone_number', value: row.phoneNumber });
    known.add(keyOf(handle));
    return handle.value === row.phoneNumber ? row : { ...row, phoneNumber: handle.value };
  });
  const owners = await findOwners(db, stored.flatMap(handlesOf));
  for (const [key, ownerId] of planned) owners.set(key, ownerId);
  const extended = findExtended(stored, owners);
  const sizes = await countHandles(db, extended);
  for (const [id, count] of (await earlier?.countHandles(extended)) ?? [])
    sizes.set(id, (sizes.get(id) ?? 0) + count);
  return { ...resolveRows(stored, owners, sizes, existing), owners };
}

function countRows({ contacts, refused, skipped }: ResolvedRows): ImportCounts {
  const created = contacts.filter(({ contactId }) => contactId === undefined).length;
  const rows = contacts.reduce((sum, contact) => sum + contact.rows.length, 0);
  return { created, updated: rows - created, skipped, refused };
}

/** A handle that a contact would get. */
interface PlannedHandle extends Handle {
  ownerId: string;
}

/** What importing rows would do after earlier ones, and the handles that contacts would get. */
export async function previewImport(
  db: TenantReader,
  rows: readonly ImportedContact[],
  { existing }: Pick<ImportOptions, 'existing'>,
  earlier: EarlierRows,
): Promise<ImportCounts & { added: PlannedHandle[] }> {
  const found = await findContactsOf(db, rows, existing, earlier);
  const added = found.contacts.flatMap(({ contactId, handles }) => {
    const ownerId = contactId ?? newId();
    return handles.flatMap((handle) => (found.owners.has(keyOf(handle)) ? [] : { ...handle, ownerId }));
  });
  return { ...countRows(found), added };
}

type StoredContact = ResolvedContact & { contactId: string };

async function createNew(
  tx: TenantTx,
  contacts: readonly ResolvedContact[],
): Promise<{ fresh: CreatedContact[]; stored: Promise<unknown> }> {
  const unknown = contacts.map((contact) => ({ ...contact, contactId: newId() }));
  const { handles, stored } = await insertUnknownContacts(tx, unknown);
  // Assigned and not copied: there are thousands.
  const fresh = unknown.map((contact, index) =>
    Object.assign(contact, { handles: handles[index] as InsertedHandle[] }),
  );
  return { fresh, stored };
}

/** What is stored with new contacts already. */
const ALL_STORED = { firstName: null, lastName: null, language: null, timezone: null, handles: [] };

/** Unsubscribes contacts from everything. Subscribing is never imported: a list must not undo what a person has decided. */
async function unsubscribe(tx: TenantTx, contactIds: readonly string[]): Promise<Set<string>> {
  const changed = await storeConsents(
    tx,
    contactIds.map((contactId) => ({
      contactId,
      channelKinds,
      status: 'unsubscribed' as const,
      source: 'api' as const,
      at: 'now' as const,
      proof: null,
    })),
  );
  return new Set(changed.map(({ contactId }) => contactId));
}

/** New contacts are described without reading them, except those with consents. */
async function publishImported(
  tx: TenantTx,
  fresh: readonly CreatedContact[],
  changes: ContactChanges,
): Promise<void> {
  const described = fresh.filter(({ isUnsubscribed }) => !isUnsubscribed);
  const read = fresh.filter(({ isUnsubscribed }) => isUnsubscribed);
  await publishCreated(tx, await describeCreated(tx, described), changes);
  const describedIds = new Set(described.map(({ contactId }) => contactId));
  await publishChanges(tx, new Set(read.map(({ contactId }) => contactId)), {
    ...changes,
    labelled: new Map([...changes.labelled].filter(([id]) => !describedIds.has(id))),
  });
}

/**
 * Creates the contacts of rows, or updates those that exist. What a row leaves out stays as it is. All or nothing: if somebody
 * else creates one of the contacts at this moment, `isHandleTaken` is true of the error, and the rows can be imported again.
 * `onSent` is called when only PostgreSQL has still something to do, which takes longest.
 */
export async function importContacts(
  tx: TenantTx,
  rows: readonly ImportedContact[],
  { existing, publishEvents }: ImportOptions,
  onSent: () => void,
): Promise<ImportCounts> {
  // Exclusively: rows with only an address come after the addresses of rows with a number.
  await lockHandles(tx, 'exclusive');
  const resolved = await findContactsOf(tx, rows, existing);
  const known = resolved.contacts.filter((one): one is StoredContact => one.contactId !== undefined);
  const locked = await lockContacts(
    tx,
    known.map(({ contactId }) => contactId),
  );
  const { fresh, stored } = await createNew(
    tx,
    resolved.contacts.filter(({ contactId }) => contactId === undefined),
  );
  const created = new Set(fresh.map(({ contactId }) => contactId));

  const all = [...known.filter(({ contactId }) => locked.has(contactId)), ...fresh];
  const updated = await storeDetails(
    tx,
    all.flatMap((contact) => {
      if (!created.has(contact.contactId)) return [contact];
      return contact.attributes.size > 0 ? [{ ...contact, ...ALL_STORED }] : [];
    }),
  );
  const labelled = await attachLabels(
    tx,
    all.flatMap(({ contactId, labelIds }) => labelIds.map((labelId) => ({ contactId, labelId }))),
  );
  const unsubscribed = await unsubscribe(
    tx,
    all.filter(({ isUnsubscribed }) => isUnsubscribed).map(({ contactId }) => contactId),
  );
  const changes: ContactChanges = {
    updated: new Set([...updated, ...unsubscribed].filter((id) => !created.has(id))),
    labelled,
    unsubscribed,
  };
  const touched = [...changes.updated, ...labelled.keys()];
  await touchContacts(
    tx,
    touched.filter((id) => !created.has(id)),
  );
  if (publishEvents) await publishImported(tx, fresh, changes);
  onSent();
  await stored;
  return countRows({
    ...resolved,
    contacts: resolved.contacts.filter(({ contactId }) => contactId === undefined || locked.has(contactId)),
    refused: [
      ...resolved.refused,
      ...known
        .filter(({ contactId }) => !locked.has(contactId))
        .flatMap(({ rows: deleted }) =>
          deleted.map((row) => ({ row, reason: 'The contact is being deleted: import it again later' })),
        ),
    ],
  });
}

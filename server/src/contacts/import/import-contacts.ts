import { newId } from '../../base/ids.ts';
import { statement } from '../../db/statement.ts';
import type { TenantReader, TenantTx } from '../../db/tenant.ts';
import { channelKinds } from '../../providers/kinds.ts';
import { storeConsents } from '../consent/consents.ts';
import { lockContacts } from '../contact.ts';
import { attachLabels } from '../contact-labels.ts';
import { type InsertedHandle, insertUnknownContacts } from '../handles/insert-new.ts';
import { lockHandles } from '../handles/lock.ts';
import { countHandles, findOwners } from '../handles/owners.ts';
import { findSpellings, hasOtherSpelling } from '../handles/spellings.ts';
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
  onExisting: 'update' | 'skip';
  publishEvents: boolean;
  triggerAutomations: boolean;
}

/** What became of rows. */
export interface ImportCounts {
  created: number;
  updated: number;
  skipped: number;
  refused: RefusedRow[];
}

const metadataByIds = statement<[ids: string[]], { id: string; metadata: object }>(
  'contacts.metadata_by_ids',
  'select id, metadata from visible_contacts where id = any ($1::uuid[]) and tenant_id = $tenant',
);

const findMetadata = async (db: TenantReader, ids: string[]): Promise<Map<string, object>> =>
  new Map((await db.all(metadataByIds, [ids])).map(({ id, metadata }) => [id, metadata]));

/** Finds the contacts of rows, by their phone numbers and email addresses. No two rows have the same. */
async function findContactsOf(
  db: TenantReader,
  rows: readonly ImportedContact[],
  onExisting: ImportOptions['onExisting'],
): Promise<ResolvedRows> {
  const spelled = await findSpellings(db, rows.flatMap(handlesOf), null);
  const stored = rows.map((row) => {
    if (row.phoneNumber === null || !hasOtherSpelling(row.phoneNumber)) return row;
    return { ...row, phoneNumber: spelled({ type: 'phone_number', value: row.phoneNumber }).value };
  });
  const owners = await findOwners(db, stored.flatMap(handlesOf));
  const sizes = await countHandles(db, findExtended(stored, owners));
  const metadata = rows.some((row) => row.metadata !== null)
    ? await findMetadata(db, [...new Set(owners.values())])
    : new Map<string, object>();
  return resolveRows(stored, owners, { sizes, metadata }, onExisting);
}

function countRows({ contacts, refused, skipped }: ResolvedRows): ImportCounts {
  const created = contacts.filter(({ contactId }) => contactId === undefined).length;
  const rows = contacts.reduce((sum, contact) => sum + contact.rows.length, 0);
  return { created, updated: rows - created, skipped, refused };
}

/** What importing rows would do. */
export const previewImport = async (
  db: TenantReader,
  rows: readonly ImportedContact[],
  { onExisting }: Pick<ImportOptions, 'onExisting'>,
): Promise<ImportCounts> => countRows(await findContactsOf(db, rows, onExisting));

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
const ALL_STORED = {
  firstName: null,
  lastName: null,
  language: null,
  timezone: null,
  metadata: null,
  handles: [],
};

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
  { onExisting, publishEvents, triggerAutomations }: ImportOptions,
  onSent: () => void,
): Promise<ImportCounts> {
  // Exclusively: rows with only an address come after the addresses of rows with a number.
  await lockHandles(tx, 'exclusive');
  const resolved = await findContactsOf(tx, rows, onExisting);
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
    triggerAutomations,
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

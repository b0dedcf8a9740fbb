import { findAttributes } from '../../attributes/find-attributes.ts';
import { ApiError } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import { collectIssues } from '../../base/issues.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { findOrCreateLabels } from '../../labels/find-or-create.ts';
import type { HandleType } from '../../providers/kinds.ts';
import type { StoredValue } from '../attributes/values.ts';
import { lockContacts } from '../contact.ts';
import { attachLabels } from '../contact-labels.ts';
import { lockHandles } from '../handles/lock.ts';
import { findOwners, keyOf } from '../handles/owners.ts';
import { findSpellings } from '../handles/spellings.ts';
import { insertContactsWithHandles } from '../handles/write.ts';
import type { ContactItem } from '../schema.ts';
import { touchContacts } from '../search-text.ts';
import { type ContactChanges, publishChanges, storeDetails } from './store-details.ts';
import {
  type ListedHandle,
  matchOrder,
  type ValidatedContact,
  validateContacts,
} from './validate-contacts.ts';

/** Everything that a list says about one contact. Where entries differ, the last one counts. */
interface MergedContact {
  contactId: string;
  firstName: string | null;
  lastName: string | null;
  second: ListedHandle | null;
  attributes: Map<string, StoredValue>;
  labels: Set<string>;
}

const deletedMeanwhile = (): ApiError =>
  new ApiError('conflict', { detail: 'one of the contacts was deleted in the meantime; try again' });

/**
 * Merges a list into the contacts of the tenant and returns the id of the contact of each item, in the order of the
 * list. Items are matched by the handle that `matchBy` prefers; one that matches none becomes a new contact. What is
 * null or left out stays as it is. If the list has any issue, nothing is stored. A second handle that another contact
 * has stays with that contact: two contacts are never merged.
 */
export async function upsertContacts(
  tx: TenantTx,
  items: readonly ContactItem[],
  { matchBy }: { matchBy: HandleType },
): Promise<string[]> {
  const externalIds = items.flatMap((item) => (item.attributes ?? []).map((one) => one.externalId));
  const attributes = await findAttributes(tx, { externalIds });
  const issues = collectIssues();
  const validated = await validateContacts(items, matchBy, attributes, issues.at('contacts'));
  issues.throwIfAny();

  await lockHandles(tx, matchOrder(matchBy)[0] === 'email' ? 'exclusive' : 'shared');
  const spelled = await findSpellings(
    tx,
    validated.map(({ key }) => key),
    null,
  );
  const contacts = validated.map((contact) => ({ ...contact, key: spelled(contact.key) }));
  const { contactIds, created } = await findOrCreateContacts(tx, contacts, matchBy);
  const known = new Set(contactIds.filter((id) => !created.has(id)));
  if ((await lockContacts(tx, known)).size < known.size) throw deletedMeanwhile();

  const changes = await storeContacts(tx, mergeByContact(contacts, contactIds), created);
  const touched = [...changes.updated, ...changes.labelled.keys()].filter((id) => !created.has(id));
  await touchContacts(tx, touched);
  await publishChanges(tx, created, changes);
  return contactIds;
}

/** Finds the contact of every item, or creates it. */
async function findOrCreateContacts(
  tx: TenantTx,
  contacts: readonly ValidatedContact[],
  matchBy: HandleType,
): Promise<{ contactIds: string[]; created: Set<string> }> {
  const created = new Set<string>();
  const owners = new Map<string, string>();
  // Those matched by the other handle come second: it may belong to a contact that has just been created.
  for (const type of matchOrder(matchBy)) {
    const byValue = groupBy(
      contacts.filter((contact) => contact.key.type === type),
      (contact) => contact.key.value,
    );
    const rows = [...byValue].map(([value, duplicates]) => {
      const { firstName, lastName, second } = mergeDuplicates(duplicates);
      return { type, value, extra: {}, firstName, lastName, second };
    });
    for (const id of await insertContactsWithHandles(tx, rows)) created.add(id);
    for (const [key, contactId] of await findOwners(tx, rows)) owners.set(key, contactId);
  }
  const contactIds = contacts.map((contact) => owners.get(keyOf(contact.key)));
  if (contactIds.includes(undefined)) throw deletedMeanwhile();
  return { contactIds: contactIds as string[], created };
}

function mergeDuplicates(contacts: readonly ValidatedContact[]): Omit<MergedContact, 'contactId'> {
  const last = <T>(pick: (contact: ValidatedContact) => T | null): T | null =>
    contacts.map(pick).findLast((value) => value !== null) ?? null;
  return {
    firstName: last((contact) => contact.firstName),
    lastName: last((contact) => contact.lastName),
    second: last((contact) => contact.second),
    attributes: new Map(
      contacts.flatMap((contact) =>
        contact.attributes.map(({ attribute, stored }) => [attribute.id, stored] as const),
      ),
    ),
    labels: new Set(contacts.flatMap((contact) => contact.labels)),
  };
}

const mergeByContact = (
  contacts: readonly ValidatedContact[],
  contactIds: readonly string[],
): MergedContact[] =>
  [...groupBy(contacts.keys(), (index) => contactIds[index] as string)].map(([contactId, indexes]) => ({
    contactId,
    ...mergeDuplicates(indexes.map((index) => contacts[index] as ValidatedContact)),
  }));

async function storeContacts(
  tx: TenantTx,
  contacts: readonly MergedContact[],
  created: ReadonlySet<string>,
): Promise<ContactChanges> {
  const updated = await storeDetails(
    tx,
    contacts.map(({ second, ...contact }) => ({
      ...contact,
      handles: second === null || created.has(contact.contactId) ? [] : [second],
    })),
  );
  return { updated, labelled: await storeLabels(tx, contacts) };
}

async function storeLabels(tx: TenantTx, contacts: readonly MergedContact[]): Promise<Map<string, string[]>> {
  const names = contacts.flatMap(({ labels }) => [...labels]);
  if (names.length === 0) return new Map();
  const ids = await findOrCreateLabels(tx, names);
  const pairs = contacts.flatMap(({ contactId, labels }) =>
    [...labels].map((name) => ({ contactId, labelId: ids.get(name) as string })),
  );
  return attachLabels(tx, pairs);
}

import { findAttributes } from '../../attributes/find-attributes.ts';
import { ApiError } from '../../base/errors.ts';
import type { EventType } from '../../base/events.ts';
import { groupBy } from '../../base/group-by.ts';
import { collectIssues } from '../../base/issues.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { findOrCreateLabels } from '../../labels/find-or-create.ts';
import type { HandleType } from '../../providers/adapter.ts';
import { storeValues } from '../attributes/store.ts';
import type { StoredValue } from '../attributes/values.ts';
import { findContacts, lockContacts, newContactEvents } from '../contact.ts';
import { attachLabels } from '../contact-labels.ts';
import { lockHandles } from '../handles/lock.ts';
import { findOwners, keyOf } from '../handles/owners.ts';
import { findSpellings } from '../handles/spellings.ts';
import { insertContactsWithHandles, insertHandles } from '../handles/write.ts';
import type { ContactItem } from '../schema.ts';
import { touchContacts } from '../search-text.ts';
import {
  type ListedHandle,
  matchOrder,
  type ValidatedContact,
  validateContacts,
} from './validate-contacts.ts';

const setNames = statement<
  [ids: string[], firstNames: (string | null)[], lastNames: (string | null)[]],
  { id: string }
>(
  'contacts.set_names',
  `update visible_contacts c set first_name = coalesce(n.first_name, c.first_name), last_name = coalesce(n.last_name, c.last_name)
     from unnest($1::uuid[], $2::text[], $3::text[]) as n (id, first_name, last_name)
    where c.id = n.id and c.tenant_id = $tenant
      and (c.first_name is distinct from coalesce(n.first_name, c.first_name)
        or c.last_name is distinct from coalesce(n.last_name, c.last_name))
   returning c.id`,
);

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

interface Changes {
  /** Contacts that existed before and are different now. */
  updated: Set<string>;
  /** The labels that were added, by contact. */
  labelled: Map<string, string[]>;
}

async function storeContacts(
  tx: TenantTx,
  contacts: readonly MergedContact[],
  created: ReadonlySet<string>,
): Promise<Changes> {
  const updated = new Set<string>();
  const named = contacts.filter(({ firstName, lastName }) => firstName !== null || lastName !== null);
  if (named.length > 0)
    for (const { id } of await tx.all(setNames, [
      named.map(({ contactId }) => contactId),
      named.map(({ firstName }) => firstName),
      named.map(({ lastName }) => lastName),
    ]))
      updated.add(id);

  const seconds = contacts.flatMap(({ contactId, second }) =>
    second === null || created.has(contactId) ? [] : [{ contactId, ...second }],
  );
  for (const { contactId } of await insertHandles(tx, seconds)) updated.add(contactId);

  const values = contacts.flatMap(({ contactId, attributes }) =>
    [...attributes].map(([attributeId, stored]) => ({ contactId, attributeId, ...stored })),
  );
  for (const id of await storeValues(tx, values)) updated.add(id);
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

/**
 * Publishes the same events as if each contact had been created or changed alone. They start no automation: a list of
 * 5,000 contacts would start 5,000 runs of each.
 */
async function publishChanges(
  tx: TenantTx,
  created: ReadonlySet<string>,
  { updated, labelled }: Changes,
): Promise<void> {
  const ids = [...new Set([...created, ...updated, ...labelled.keys()])];
  const typesOf = (id: string): EventType[] =>
    created.has(id)
      ? ['contact.created']
      : [
          ...(updated.has(id) ? (['contact.updated'] as const) : []),
          ...(labelled.has(id) ? (['contact.labels_added'] as const) : []),
        ];
  tx.publish(
    ...(await findContacts(tx, ids)).flatMap((contact) =>
      newContactEvents(contact, typesOf(contact.id), labelled.get(contact.id)).map((event) => ({
        ...event,
        facts: { ...event.facts, triggerAutomations: false },
      })),
    ),
  );
}

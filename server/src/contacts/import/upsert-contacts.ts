import { findAttributes } from '../../attributes/find-attributes.ts';
import { ApiError } from '../../base/errors.ts';
import { groupBy } from '../../base/group-by.ts';
import { newId } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { EventType } from '../../engine/event-types.ts';
import type { Publisher } from '../../engine/outbox.ts';
import { findOrCreateLabels } from '../../labels/find-or-create.ts';
import type { HandleType } from '../../providers/adapter.ts';
import type { StoredValue } from '../attribute-values.ts';
import { findContacts } from '../contact.ts';
import { attachLabels, type ContactDeps } from '../contact-labels.ts';
import { insertNewContacts } from '../find-or-create.ts';
import { lockHandles } from '../handles/lock.ts';
import type { ContactItem } from '../schema.ts';
import { touchContacts } from '../search-text.ts';
import { storeValues } from '../store-values.ts';
import {
  type ListedHandle,
  matchOrder,
  type ValidatedContact,
  validateContacts,
} from './validate-contacts.ts';

const contactsByHandle = statement<
  [tenantId: string, types: string[], values: string[]],
  { type: string; value: string; contact_id: string }
>(
  'contacts.by_handles',
  `select h.type, h.value, h.contact_id
     from unnest($2::text[], $3::text[]) as given (type, value)
     join handles h on h.tenant_id = $1 and h.type = given.type and h.value = given.value`,
);
const lockContacts = statement<[ids: string[], tenantId: string], { id: string }>(
  'contacts.lock_many',
  // Always in the order of ids, so that two who lock the same contacts never wait for each other.
  'select id from contacts where id = any ($1::uuid[]) and tenant_id = $2 order by id for update',
);
const addHandles = statement<
  [tenantId: string, now: Date, ids: string[], contactIds: string[], types: string[], values: string[]],
  { contact_id: string }
>(
  'contacts.add_handles',
  `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
   select n.id, $1, n.contact_id, n.type, n.value,
          not exists (select 1 from handles o where o.contact_id = n.contact_id and o.type = n.type and o.is_primary),
          '{}', $2, $2
     from unnest($3::uuid[], $4::uuid[], $5::text[], $6::text[]) as n (id, contact_id, type, value)
    order by n.type, n.value
   on conflict (tenant_id, type, value) do nothing returning contact_id`,
);
const setNames = statement<
  [tenantId: string, ids: string[], firstNames: (string | null)[], lastNames: (string | null)[]],
  { id: string }
>(
  'contacts.set_names',
  `update contacts c set first_name = coalesce(n.first_name, c.first_name), last_name = coalesce(n.last_name, c.last_name)
     from unnest($2::uuid[], $3::text[], $4::text[]) as n (id, first_name, last_name)
    where c.id = n.id and c.tenant_id = $1
      and (c.first_name is distinct from coalesce(n.first_name, c.first_name)
        or c.last_name is distinct from coalesce(n.last_name, c.last_name))
   returning c.id`,
);
/** What a list says about one contact, all that it says taken together; later words count more. */
interface Gathered {
  contactId: string;
  firstName: string | null;
  lastName: string | null;
  second: ListedHandle | null;
  attributes: Map<string, StoredValue>;
  labels: Set<string>;
}

const nameOfHandle = ({ type, value }: { type: string; value: string }): string => `${type}:${value}`;

/**
 * Merges a list of people into the contacts and gives the contact of each, in the order of the list. Who is new is
 * made, known by the handle that `matchBy` names; what is null or left out stays as it is. If anything in the list is
 * wrong, nothing is stored. Handles that somebody else has are left where they are: two contacts never become one.
 */
export async function upsertContacts(
  tx: Tx,
  tenantId: string,
  items: readonly ContactItem[],
  { matchBy, path = 'contacts' }: { matchBy: HandleType; path?: string },
  { clock, publisher }: ContactDeps,
): Promise<string[]> {
  const externalIds = items.flatMap((item) => (item.attributes ?? []).map((one) => one.externalId));
  const attributes = await findAttributes(tx, tenantId, { externalIds });
  const people = validateContacts(items, matchBy, attributes, path);
  const now = clock.now(tenantId);

  await lockHandles(tx, tenantId, matchOrder(matchBy)[0] === 'email' ? 'exclusive' : 'shared');
  const { contactIds, created } = await resolve(tx, tenantId, people, matchBy, now);
  const known = [...new Set(contactIds)].filter((id) => !created.has(id));
  const locked = await tx.all(lockContacts, [known, tenantId]);
  if (locked.length < known.length)
    throw new ApiError('conflict', { detail: 'one of the contacts was deleted in the meantime; try again' });

  const gathered = gather(people, contactIds);
  const changes = await store(tx, tenantId, gathered, created, now);
  const touched = [...changes.updated, ...changes.labelled.keys()].filter((id) => !created.has(id));
  await touchContacts(tx, tenantId, touched, now);
  await tell(tx, tenantId, created, changes, publisher);
  return contactIds;
}

/** The contact of every person, made where there was none. */
async function resolve(
  tx: Tx,
  tenantId: string,
  people: readonly ValidatedContact[],
  matchBy: HandleType,
  now: Date,
): Promise<{ contactIds: string[]; created: Set<string> }> {
  const created = new Set<string>();
  const byHandle = new Map<string, string>();
  // Who is matched by the other handle comes second: it may be that of someone who has just been made.
  for (const type of matchOrder(matchBy)) {
    const keyed = groupBy(
      people.filter((person) => person.key.type === type),
      (person) => person.key.value,
    );
    const newContacts = [...keyed].map(([value, duplicates]) => {
      const { firstName, lastName, second } = gatherOne(duplicates);
      return { type, value, extra: {}, firstName, lastName, second };
    });
    for (const id of await insertNewContacts(tx, tenantId, newContacts, now)) created.add(id);
    if (newContacts.length === 0) continue;
    const values = newContacts.map(({ value }) => value);
    for (const row of await tx.all(contactsByHandle, [tenantId, values.map(() => type), values]))
      byHandle.set(nameOfHandle(row), row.contact_id);
  }
  const contactIds = people.map((person) => byHandle.get(nameOfHandle(person.key)));
  if (contactIds.includes(undefined))
    throw new ApiError('conflict', { detail: 'one of the contacts was deleted in the meantime; try again' });
  return { contactIds: contactIds as string[], created };
}

function gatherOne(people: readonly ValidatedContact[]): Omit<Gathered, 'contactId'> {
  const last = <T>(pick: (person: ValidatedContact) => T | null): T | null =>
    people.map(pick).findLast((value) => value !== null) ?? null;
  return {
    firstName: last((person) => person.firstName),
    lastName: last((person) => person.lastName),
    second: last((person) => person.second),
    attributes: new Map(
      people.flatMap((person) =>
        person.attributes.map(({ attribute, stored }) => [attribute.id, stored] as const),
      ),
    ),
    labels: new Set(people.flatMap((person) => person.labels)),
  };
}

const gather = (people: readonly ValidatedContact[], contactIds: readonly string[]): Gathered[] =>
  [...groupBy(people.keys(), (index) => contactIds[index] as string)].map(([contactId, indexes]) => ({
    contactId,
    ...gatherOne(indexes.map((index) => people[index] as ValidatedContact)),
  }));

interface Changes {
  /** Contacts that were there before and are no longer the same. */
  updated: Set<string>;
  labelled: Map<string, string[]>;
}

async function store(
  tx: Tx,
  tenantId: string,
  gathered: readonly Gathered[],
  created: ReadonlySet<string>,
  now: Date,
): Promise<Changes> {
  const updated = new Set<string>();
  const named = gathered.filter(({ firstName, lastName }) => firstName !== null || lastName !== null);
  if (named.length > 0)
    for (const { id } of await tx.all(setNames, [
      tenantId,
      named.map(({ contactId }) => contactId),
      named.map(({ firstName }) => firstName),
      named.map(({ lastName }) => lastName),
    ]))
      updated.add(id);

  const more = gathered.flatMap(({ contactId, second }) =>
    second === null || created.has(contactId) ? [] : [{ contactId, ...second }],
  );
  if (more.length > 0)
    for (const { contact_id } of await tx.all(addHandles, [
      tenantId,
      now,
      more.map(() => newId()),
      more.map(({ contactId }) => contactId),
      more.map(({ type }) => type),
      more.map(({ value }) => value),
    ]))
      updated.add(contact_id);

  const values = gathered.flatMap(({ contactId, attributes }) =>
    [...attributes].map(([attributeId, stored]) => ({ contactId, attributeId, ...stored })),
  );
  for (const id of await storeValues(tx, tenantId, values, now)) updated.add(id);
  return { updated, labelled: await label(tx, tenantId, gathered, now) };
}

async function label(
  tx: Tx,
  tenantId: string,
  gathered: readonly Gathered[],
  now: Date,
): Promise<Map<string, string[]>> {
  const names = gathered.flatMap(({ labels }) => [...labels]);
  if (names.length === 0) return new Map();
  const ids = await findOrCreateLabels(tx, tenantId, names, now);
  const pairs = gathered.flatMap(({ contactId, labels }) =>
    [...labels].map((name) => ({ contactId, labelId: ids.get(name) as string })),
  );
  return attachLabels(tx, tenantId, pairs, now);
}

/** Tells the same as if each contact had been made or changed by itself. */
async function tell(
  tx: Tx,
  tenantId: string,
  created: ReadonlySet<string>,
  { updated, labelled }: Changes,
  publisher: Publisher,
): Promise<void> {
  const ids = [...new Set([...created, ...updated, ...labelled.keys()])];
  const contacts = await findContacts(tx, tenantId, ids);
  const typesOf = (id: string): EventType[] =>
    created.has(id)
      ? ['contact.created']
      : [
          ...(updated.has(id) ? (['contact.updated'] as const) : []),
          ...(labelled.has(id) ? (['contact.labels_added'] as const) : []),
        ];
  await publisher.publish(
    tx,
    tenantId,
    contacts.flatMap((contact) =>
      typesOf(contact.id).map((type) => ({
        type,
        channelId: null,
        contactId: contact.id,
        chatId: null,
        data: contact,
        ...(type === 'contact.labels_added' ? { facts: { labelIds: labelled.get(contact.id) } } : {}),
      })),
    ),
  );
}

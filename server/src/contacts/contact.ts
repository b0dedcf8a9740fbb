import { ApiError } from '../base/errors.ts';
import type { EventType, NewEvent } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable, TenantReader, TenantTx } from '../db/tenant.ts';
import { type StoredTime, timestamp } from '../http/schema.ts';
import { type ChannelKind, channelKinds, type HandleType } from '../providers/kinds.ts';
import type { Subscriptions } from './consent/schema.ts';
import type { Contact, Handle } from './schema.ts';

interface HandleFacts {
  id: string;
  created_at: StoredTime;
  updated_at: StoredTime;
  type: HandleType;
  is_primary: boolean;
  value: string;
  extra: Record<string, unknown>;
  undeliverable: Partial<Record<ChannelKind, { reason: string; at: string }>> | null;
}

/** A contact with its handles, labels, attribute values and chats, as `contactFacts` reads it. */
export interface ContactFacts {
  id: string;
  created_at: StoredTime;
  updated_at: StoredTime;
  first_name: string | null;
  last_name: string | null;
  language: string | null;
  timezone: string | null;
  is_subscribed: boolean;
  subscriptions: Subscriptions;
  metadata: Record<string, unknown>;
  handles: HandleFacts[];
  labels: Contact['labels'];
  attributes: Contact['attributes'];
  chats: { id: string; channel_id: string; handle_id: string; status: string; updated_at: StoredTime }[];
}

/** SQL for the facts of the contact under `alias`, as one JSON value. Each list is in the order of creation. */
export const contactFacts = (alias: string): string => `json_build_object(
  'id', ${alias}.id, 'created_at', ${alias}.created_at, 'updated_at', ${alias}.updated_at,
  'first_name', ${alias}.first_name, 'last_name', ${alias}.last_name,
  'language', ${alias}.language, 'timezone', ${alias}.timezone,
  'is_subscribed', ${alias}.is_subscribed, 'subscriptions', ${alias}.subscriptions, 'metadata', ${alias}.metadata,
  'handles', (select coalesce(json_agg(json_build_object(
      'id', fh.id, 'created_at', fh.created_at, 'updated_at', fh.updated_at, 'type', fh.type,
      'is_primary', fh.is_primary, 'value', fh.value, 'extra', fh.extra, 'undeliverable', fh.undeliverable) order by fh.created_at, fh.id), '[]')
    from handles fh where fh.contact_id = ${alias}.id),
  'labels', (select coalesce(json_agg(json_build_object('id', fl.id, 'name', fl.name, 'color', fl.color)
      order by fcl.created_at, fl.id), '[]')
    from contact_labels fcl join labels fl on fl.id = fcl.label_id where fcl.contact_id = ${alias}.id),
  'attributes', (select coalesce(json_agg(json_build_object(
      'id', fa.id, 'externalId', fa.external_id, 'name', fa.name, 'type', fa.type, 'value', fca.value)
      order by fa.created_at, fa.id), '[]')
    from contact_attributes fca join attributes fa on fa.id = fca.attribute_id where fca.contact_id = ${alias}.id),
  'chats', (select coalesce(json_agg(json_build_object(
      'id', fc.id, 'channel_id', fc.channel_id, 'handle_id', fc.handle_id, 'status', fc.status,
      'updated_at', fc.updated_at)
      order by fc.created_at, fc.id), '[]')
    from visible_chats fc where fc.contact_id = ${alias}.id))`;

/** The names and handles of a contact, and over which handle a chat with it goes, as `personFacts` reads it. */
export interface PersonFacts {
  first_name: string | null;
  last_name: string | null;
  handle_id: string;
  handles: Pick<HandleFacts, 'id' | 'type' | 'value' | 'is_primary'>[];
}

/** SQL for the facts of the contact with an id, as one JSON value. Both parameters are SQL. */
export const personFacts = (contactId: string, handleId: string): string => `(select json_build_object(
  'first_name', fp.first_name, 'last_name', fp.last_name, 'handle_id', ${handleId},
  'handles', (select json_agg(json_build_object(
      'id', fh.id, 'type', fh.type, 'value', fh.value, 'is_primary', fh.is_primary))
    from handles fh where fh.contact_id = fp.id))
  from contacts fp where fp.id = ${contactId})`;

/** The same facts as columns, where contact and handle are joined: as most contacts have one handle, no JSON is built. */
export interface PersonColumns {
  handle_id: string;
  handle_type: HandleType;
  handle_value: string;
  is_primary: boolean;
  first_name: string | null;
  last_name: string | null;
  /** The other handles of the contact; null if it has none. */
  other_handles: PersonFacts['handles'] | null;
}

/** SQL for `PersonColumns`, with the aliases of the contact and of the handle over which a chat with it goes. */
export const personColumns = (contact: string, handle: string): string =>
  `${handle}.id as handle_id, ${handle}.type as handle_type, ${handle}.value as handle_value, ${handle}.is_primary,
   ${contact}.first_name, ${contact}.last_name,
   (select json_agg(json_build_object('id', o.id, 'type', o.type, 'value', o.value, 'is_primary', o.is_primary))
      from handles o where o.contact_id = ${contact}.id and o.id <> ${handle}.id) as other_handles`;

export const personOf = (row: PersonColumns): PersonFacts => ({
  first_name: row.first_name,
  last_name: row.last_name,
  handle_id: row.handle_id,
  handles: [
    { id: row.handle_id, type: row.handle_type, value: row.handle_value, is_primary: row.is_primary },
    ...(row.other_handles ?? []),
  ],
});

/** Ids grow with time. */
const firstOf = <H extends { id: string }>(handles: readonly H[]): H | undefined =>
  handles.toSorted((a, b) => (a.id < b.id ? -1 : 1))[0];

/** How a contact is called: by its name, else by its number, its address or its first handle. */
function describePerson({
  first_name,
  last_name,
  handles,
}: Pick<PersonFacts, 'first_name' | 'last_name' | 'handles'>) {
  const primary = (type: HandleType): string | null =>
    (
      handles.find((handle) => handle.type === type && handle.is_primary) ??
      handles.find((handle) => handle.type === type)
    )?.value ?? null;
  const fullName = [first_name, last_name].filter(Boolean).join(' ');
  const phoneNumber = primary('phone_number');
  const email = primary('email');
  return {
    fullName,
    displayName: fullName || (phoneNumber ?? email ?? firstOf(handles)?.value ?? ''),
    phoneNumber,
    email,
  };
}

/** A contact as its messages show it: who wrote, and over which handle. */
export function presentPerson(contactId: string, facts: PersonFacts) {
  const { displayName, phoneNumber, email } = describePerson(facts);
  const handle = facts.handles.find(({ id }) => id === facts.handle_id);
  return {
    contact: { id: contactId, displayName, phoneNumber, email },
    handle: handle ? { type: handle.type, value: handle.value } : null,
  };
}

/** The same of a contact that is already presented. */
export const presentPersonOf = (
  { id, displayName, phoneNumber, email }: Contact,
  { type, value }: Handle,
) => ({ contact: { id, displayName, phoneNumber, email }, handle: { type, value } });

const presentHandle = (facts: HandleFacts, hasChats: boolean): Handle => ({
  id: facts.id,
  createdAt: timestamp(facts.created_at),
  updatedAt: timestamp(facts.updated_at),
  type: facts.type,
  isPrimary: facts.is_primary,
  value: facts.value,
  extra: facts.extra,
  undeliverable: channelKinds.flatMap((channelKind) => {
    const entry = facts.undeliverable?.[channelKind];
    return entry ? [{ channelKind, ...entry }] : [];
  }),
  hasChats,
});

/** The contact as the API shows it. */
export function presentContact(facts: ContactFacts): Contact {
  const handles = facts.handles.map((handle) =>
    presentHandle(
      handle,
      // The foreign keys guarantee that chats of a handle are the contact's.
      facts.chats.some((chat) => chat.handle_id === handle.id),
    ),
  );
  const { fullName, displayName, phoneNumber, email } = describePerson(facts);
  return {
    id: facts.id,
    createdAt: timestamp(facts.created_at),
    updatedAt: timestamp(facts.updated_at),
    firstName: facts.first_name,
    lastName: facts.last_name,
    fullName,
    displayName,
    language: facts.language,
    timezone: facts.timezone,
    isSubscribed: facts.is_subscribed,
    subscriptions: channelKinds.flatMap((channelKind) => {
      const entry = facts.subscriptions[channelKind];
      return entry ? [{ channelKind, ...entry }] : [];
    }),
    handles,
    labels: facts.labels,
    attributes: facts.attributes,
    phoneNumber,
    email,
    chats: facts.chats.map((chat) => ({
      id: chat.id,
      channelId: chat.channel_id,
      status: chat.status,
      updatedAt: timestamp(chat.updated_at),
    })),
    metadata: facts.metadata,
  };
}

const selectContacts = statement<[ids: string[]], { facts: ContactFacts }>(
  'contacts.by_ids',
  `select ${contactFacts('c')} as facts from visible_contacts c where c.id = any ($1::uuid[]) and c.tenant_id = $tenant`,
);

export async function findContacts(db: TenantReader, ids: string[]): Promise<Contact[]> {
  if (ids.length === 0) return [];
  return (await db.all(selectContacts, [ids])).map((row) => presentContact(row.facts));
}

/** The events with which a contact gets labels. */
const LABELLING: ReadonlySet<EventType> = new Set(['contact.created', 'contact.labels_added']);

/** Builds an event of each of these types for a contact. */
export const newContactEvents = (
  contact: Contact,
  types: readonly EventType[],
  addedLabelIds: readonly string[] = [],
): NewEvent[] =>
  types.map((type) => ({
    type,
    channelId: null,
    contactId: contact.id,
    chatId: null,
    data: contact,
    ...(addedLabelIds.length > 0 && LABELLING.has(type) ? { facts: { labelIds: addedLabelIds } } : {}),
  }));

/** The same event, which starts no automation. */
export const withoutTriggers = (event: NewEvent): NewEvent => ({
  ...event,
  facts: { ...event.facts, triggerAutomations: false },
});

/** Builds events of each of these types for each contact, with the contact as it is now. */
export async function contactEvents(
  tx: TenantQueryable,
  ids: string[],
  types: readonly EventType[],
): Promise<NewEvent[]> {
  return (await findContacts(tx, ids)).flatMap((contact) => newContactEvents(contact, types));
}

const selectContact = statement<[id: string], { facts: ContactFacts }>(
  'contacts.by_id',
  `select ${contactFacts('c')} as facts from visible_contacts c where c.id = $1 and c.tenant_id = $tenant`,
);

export async function requireContact(db: TenantReader, contactId: string): Promise<Contact> {
  const row = isUuid(contactId) ? await db.find(selectContact, [contactId]) : undefined;
  if (!row) throw new ApiError('contact_not_found');
  return presentContact(row.facts);
}

const lockRows = statement<[ids: string[]], { id: string }>(
  'contacts.lock',
  // Always in the order of ids, so that two transactions that lock the same contacts never wait for each other.
  'select id from visible_contacts where id = any ($1::uuid[]) and tenant_id = $tenant order by id for no key update',
);

/** Locks contacts until the transaction ends and returns the ids of those that exist. */
export async function lockContacts(tx: TenantTx, ids: Iterable<string>): Promise<Set<string>> {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return new Set();
  return new Set((await tx.all(lockRows, [unique])).map((row) => row.id));
}

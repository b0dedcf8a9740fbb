import type { EventType, NewEvent } from '../../base/events.ts';
import { createTurns } from '../../base/turns.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle } from '../../providers/kinds.ts';
import { storeValues } from '../attributes/store.ts';
import type { StoredValue } from '../attributes/values.ts';
import { findContacts, newContactEvents, withoutTriggers } from '../contact.ts';
import { insertHandles } from '../handles/write.ts';
import type { Contact } from '../schema.ts';

const setFields = statement<
  [
    ids: string[],
    firstNames: (string | null)[],
    lastNames: (string | null)[],
    languages: (string | null)[],
    timezones: (string | null)[],
    metadata: (string | null)[],
  ],
  { id: string }
>(
  'contacts.set_fields',
  `update visible_contacts c set first_name = coalesce(n.first_name, c.first_name), last_name = coalesce(n.last_name, c.last_name),
          language = coalesce(n.language, c.language), timezone = coalesce(n.timezone, c.timezone),
          metadata = c.metadata || coalesce(n.metadata, '{}')::jsonb
     from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[])
       as n (id, first_name, last_name, language, timezone, metadata)
    where c.id = n.id and c.tenant_id = $tenant
      and (c.first_name, c.last_name, c.language, c.timezone, c.metadata) is distinct from (
        coalesce(n.first_name, c.first_name), coalesce(n.last_name, c.last_name), coalesce(n.language, c.language),
        coalesce(n.timezone, c.timezone), c.metadata || coalesce(n.metadata, '{}')::jsonb)
   returning c.id`,
);

/** What a list says about a contact that is stored. Null says nothing. */
export interface ContactDetails {
  contactId: string;
  firstName: string | null;
  lastName: string | null;
  language?: string | null;
  timezone?: string | null;
  /** Added to what the contact has. */
  metadata?: object | null;
  /** Added unless another contact has them. */
  handles: readonly Handle[];
  attributes: ReadonlyMap<string, StoredValue>;
}

/** Stores details of contacts and returns the ids of those that changed. The caller has locked the contacts and the handles. */
export async function storeDetails(tx: TenantTx, contacts: readonly ContactDetails[]): Promise<Set<string>> {
  const updated = new Set<string>();
  const described = contacts.filter(
    ({ firstName, lastName, language = null, timezone = null, metadata = null }) =>
      [firstName, lastName, language, timezone, metadata].some((value) => value !== null),
  );
  if (described.length > 0)
    for (const { id } of await tx.all(setFields, [
      described.map(({ contactId }) => contactId),
      described.map(({ firstName }) => firstName),
      described.map(({ lastName }) => lastName),
      described.map(({ language = null }) => language),
      described.map(({ timezone = null }) => timezone),
      described.map(({ metadata = null }) => metadata && JSON.stringify(metadata)),
    ]))
      updated.add(id);
  const handles = contacts.flatMap(({ contactId, handles: own }) =>
    own.map(({ type, value }) => ({ contactId, type, value })),
  );
  for (const { contactId } of await insertHandles(tx, handles)) updated.add(contactId);
  const values = contacts.flatMap(({ contactId, attributes }) =>
    [...attributes].map(([attributeId, stored]) => ({ contactId, attributeId, ...stored })),
  );
  for (const id of await storeValues(tx, values)) updated.add(id);
  return updated;
}

export interface ContactChanges {
  /** Contacts that existed before and are different now. */
  updated: ReadonlySet<string>;
  /** The labels that were added, by contact. */
  labelled: ReadonlyMap<string, string[]>;
  /** Contacts that existed before and are unsubscribed now. */
  unsubscribed?: ReadonlySet<string>;
  /** False by default: a list of 5,000 contacts would start 5,000 runs of each automation. */
  triggerAutomations?: boolean;
}

/** So many events take a few milliseconds. */
const EVENTS_AT_ONCE = 200;

/** Publishes events of contacts, some at a time, so that other work of the event loop goes first. */
async function publishEach(
  tx: TenantTx,
  contacts: Iterable<Contact>,
  typesOf: (contactId: string) => EventType[],
  { labelled, triggerAutomations = false }: Pick<ContactChanges, 'labelled' | 'triggerAutomations'>,
): Promise<void> {
  const turn = createTurns();
  let events: NewEvent[] = [];
  for (const contact of contacts) {
    for (const event of newContactEvents(contact, typesOf(contact.id), labelled.get(contact.id)))
      events.push(triggerAutomations ? event : withoutTriggers(event));
    if (events.length < EVENTS_AT_ONCE) continue;
    tx.publish(...events);
    events = [];
    const pause = turn();
    if (pause) await pause;
  }
  tx.publish(...events);
}

/** Publishes the same events as if each contact had been created or changed alone. */
export async function publishChanges(
  tx: TenantTx,
  created: ReadonlySet<string>,
  changes: ContactChanges,
): Promise<void> {
  const { updated, labelled, unsubscribed } = changes;
  const ids = [...new Set([...created, ...updated, ...labelled.keys()])];
  const typesOf = (id: string): EventType[] =>
    created.has(id)
      ? ['contact.created']
      : [
          ...(updated.has(id) ? (['contact.updated'] as const) : []),
          ...(labelled.has(id) ? (['contact.labels_added'] as const) : []),
          ...(unsubscribed?.has(id) ? (['contact.unsubscribed'] as const) : []),
        ];
  await publishEach(tx, await findContacts(tx, ids), typesOf, changes);
}

/** The same for new contacts that the caller can describe, so that they need not be read. */
export const publishCreated = (
  tx: TenantTx,
  contacts: Iterable<Contact>,
  changes: Pick<ContactChanges, 'labelled' | 'triggerAutomations'>,
): Promise<void> => publishEach(tx, contacts, () => ['contact.created'], changes);

import { ApiError } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { groupBy } from '../base/group-by.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { findContacts, newContactEvents, withoutTriggers } from './contact.ts';
import type { Contact } from './schema.ts';

/** Locks the contacts in the order of their ids, so that events have the order of the changes. */
const LOCKED = `locked as (select id from visible_contacts where id = any ($1::uuid[]) and tenant_id = $tenant
     order by id for no key update)`;
/** Of the contacts in $1 that were changed. */
const touched = (changed: string): string =>
  `touched as (update contacts set updated_at = $3
     where id = any ($1::uuid[]) and tenant_id = $tenant and id in (select contact_id from ${changed}))`;
const addLabels = statement<
  [contactIds: string[], differentLabelIds: string[], now: Date],
  { found: string[]; known: string[]; changed: { contact_id: string; label_id: string }[] }
>(
  'contacts.add_labels',
  // Nothing is added unless every label is known.
  `with ${LOCKED},
   known as (select id from labels where tenant_id = $tenant and id = any ($2::uuid[]) order by id for key share),
   added as (
     insert into contact_labels (contact_id, label_id, tenant_id, created_at)
     select c.id, k.id, $tenant, $3 from locked c cross join known k
      where (select count(*) from known) = cardinality($2::uuid[])
     on conflict do nothing returning contact_id, label_id),
   ${touched('added')}
   select array(select id::text from locked) as found, array(select id::text from known) as known,
          (select coalesce(json_agg(added), '[]') from added) as changed`,
);
const removeLabels = statement<
  [contactIds: string[], labelIds: string[], now: Date],
  { found: string[]; changed: string[] }
>(
  'contacts.remove_labels',
  `with ${LOCKED},
   gone as (
     delete from contact_labels where contact_id = any (array(select id from locked)) and tenant_id = $tenant
        and label_id = any ($2::uuid[])
     returning contact_id),
   ${touched('gone')}
   select array(select id::text from locked) as found, array(select distinct contact_id::text from gone) as changed`,
);

const insertContactLabels = statement<
  [now: Date, contactIds: string[], labelIds: string[]],
  { contact_id: string; label_id: string }
>(
  'contacts.attach_labels',
  `insert into contact_labels (contact_id, label_id, tenant_id, created_at)
   select n.contact_id, n.label_id, $tenant, $1 from unnest($2::uuid[], $3::uuid[]) as n (contact_id, label_id)
    order by n.contact_id, n.label_id
   on conflict do nothing returning contact_id, label_id`,
);
const deleteOtherLabels = statement<[contactId: string, labelIds: string[]]>(
  'contacts.detach_other_labels',
  'delete from contact_labels where contact_id = $1 and tenant_id = $tenant and label_id <> all ($2::uuid[])',
);

/** Adds existing labels to contacts and returns the contacts that got any, with the ids of the added labels. */
export async function attachLabels(
  tx: TenantTx,
  pairs: readonly { contactId: string; labelId: string }[],
): Promise<Map<string, string[]>> {
  if (pairs.length === 0) return new Map();
  const rows = await tx.all(insertContactLabels, [
    tx.now,
    pairs.map(({ contactId }) => contactId),
    pairs.map(({ labelId }) => labelId),
  ]);
  const added = groupBy(rows, (row) => row.contact_id);
  return new Map([...added].map(([contactId, labels]) => [contactId, labels.map((row) => row.label_id)]));
}

/** Removes every label except these from a contact and returns whether there were any. */
export const detachOtherLabels = async (
  tx: TenantTx,
  contactId: string,
  labelIds: string[],
): Promise<boolean> => (await tx.run(deleteOtherLabels, [contactId, labelIds])) > 0;

/** Publishes events of a contact, with the contact as it is now. */
export function publishContactEvents(
  tx: TenantTx,
  contact: Contact,
  types: readonly EventType[],
  addedLabelIds: readonly string[] = [],
): void {
  tx.publish(...newContactEvents(contact, types, addedLabelIds));
}

/** The ids of contacts that exist, and the contacts as they are now. */
interface Labelled {
  found: string[];
  contacts: Contact[];
}

/**
 * Changes contacts and reads them as they are after it, in one round trip, whether they were changed or not. Reading only those
 * that were changed, afterwards, took 5 % more CPU time for a label.
 */
async function changeAndRead<Outcome>(
  tx: TenantTx,
  contactIds: readonly string[],
  change: (ids: string[]) => Promise<Outcome | undefined>,
): Promise<[Outcome, Contact[]]> {
  const ids = contactIds.filter(isUuid);
  const [outcome, contacts] = await Promise.all([change(ids), findContacts(tx, ids)]);
  return [outcome as Outcome, contacts];
}

/**
 * Adds labels to contacts. A label that a contact already has is not an error and no event; if any label is unknown, none is
 * added. One contact and many are changed by the same statement.
 */
export async function addLabelsToContacts(
  tx: TenantTx,
  contactIds: readonly string[],
  labels: readonly { id: string }[],
  { triggerAutomations }: { triggerAutomations: boolean } = { triggerAutomations: true },
): Promise<Labelled> {
  const ids = new Set(labels.map((label) => label.id.toLowerCase()));
  const [{ found, known, changed }, contacts] = await changeAndRead(tx, contactIds, (given) =>
    tx.find(addLabels, [given, [...ids], tx.now]),
  );
  if (found.length === 0) return { found, contacts: [] };
  const issues = collectIssues();
  for (const [index, { id }] of labels.entries())
    if (!known.includes(id.toLowerCase()))
      issues.add(`labels.${index}.id`, 'custom', `There is no label ${id}`);
  issues.throwIfAny();
  const added = groupBy(changed, (row) => row.contact_id);
  for (const contact of contacts) {
    const labelIds = added.get(contact.id)?.map((row) => row.label_id);
    if (!labelIds) continue;
    const events = newContactEvents(contact, ['contact.labels_added'], labelIds);
    tx.publish(...(triggerAutomations ? events : events.map(withoutTriggers)));
  }
  return { found, contacts };
}

/** Removes labels from contacts. A label that a contact does not have is not an error and no event. */
export async function removeLabelsFromContacts(
  tx: TenantTx,
  contactIds: readonly string[],
  labelIds: readonly string[],
): Promise<Labelled> {
  const [{ found, changed }, contacts] = await changeAndRead(tx, contactIds, (ids) =>
    tx.find(removeLabels, [ids, labelIds.filter(isUuid), tx.now]),
  );
  for (const contact of contacts)
    if (changed.includes(contact.id)) publishContactEvents(tx, contact, ['contact.labels_removed']);
  return { found, contacts };
}

function requireLabelled({ found, contacts: [contact] }: Labelled): Contact {
  if (found.length === 0 || !contact) throw new ApiError('contact_not_found');
  return contact;
}

export const addContactLabels = async (
  tx: TenantTx,
  contactId: string,
  labels: { id: string }[],
): Promise<Contact> => requireLabelled(await addLabelsToContacts(tx, [contactId], labels));

export const removeContactLabel = async (
  tx: TenantTx,
  contactId: string,
  labelId: string,
): Promise<Contact> => requireLabelled(await removeLabelsFromContacts(tx, [contactId], [labelId]));

import { ApiError } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { groupBy } from '../base/group-by.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { newContactEvents, requireContact } from './contact.ts';
import type { Contact } from './schema.ts';

/** Locks the contact, so that events have the order of the changes. */
const LOCKED = `locked as (select id from visible_contacts where id = $1 and tenant_id = $tenant for no key update)`;
const addLabels = statement<
  [contactId: string, differentLabelIds: string[], now: Date],
  { is_known: boolean; known: string[]; added: string[] }
>(
  'contacts.add_labels',
  // Nothing is added unless every label is known.
  `with ${LOCKED},
   known as (select id from labels where tenant_id = $tenant and id = any ($2::uuid[]) order by id for key share),
   added as (
     insert into contact_labels (contact_id, label_id, tenant_id, created_at)
     select c.id, k.id, $tenant, $3 from locked c cross join known k
      where (select count(*) from known) = cardinality($2::uuid[])
     on conflict do nothing returning label_id),
   touched as (update contacts set updated_at = $3 where id = $1 and tenant_id = $tenant and exists (select 1 from added))
   select exists (select 1 from locked) as is_known, array(select id::text from known) as known,
          array(select label_id::text from added) as added`,
);
const removeLabel = statement<
  [contactId: string, labelId: string | null, now: Date],
  { is_known: boolean; removed: number }
>(
  'contacts.remove_label',
  `with ${LOCKED},
   gone as (
     delete from contact_labels where contact_id = (select id from locked) and tenant_id = $tenant and label_id = $2
     returning label_id),
   touched as (update contacts set updated_at = $3 where id = $1 and tenant_id = $tenant and exists (select 1 from gone))
   select exists (select 1 from locked) as is_known, (select count(*)::int from gone) as removed`,
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

function requireUuid(contactId: string): void {
  if (!isUuid(contactId)) throw new ApiError('contact_not_found');
}

/** Publishes events of a contact, with the contact as it is now. */
export function publishContactEvents(
  tx: TenantTx,
  contact: Contact,
  types: readonly EventType[],
  addedLabelIds: readonly string[] = [],
): void {
  tx.publish(...newContactEvents(contact, types, addedLabelIds));
}

/** Adds labels. A label that the contact already has is not an error and no event; if any is unknown, none is added. */
export async function addContactLabels(
  tx: TenantTx,
  contactId: string,
  labels: { id: string }[],
): Promise<Contact> {
  requireUuid(contactId);
  const ids = new Set(labels.map((label) => label.id.toLowerCase()));
  const [outcome, contact] = await Promise.all([
    tx.find(addLabels, [contactId, [...ids], tx.now]),
    requireContact(tx, contactId),
  ]);
  if (!outcome?.is_known) throw new ApiError('contact_not_found');
  const known = new Set(outcome.known);
  const issues = collectIssues();
  for (const [index, { id }] of labels.entries())
    if (!known.has(id.toLowerCase())) issues.add(`labels.${index}.id`, 'custom', `There is no label ${id}`);
  issues.throwIfAny();
  if (outcome.added.length > 0) publishContactEvents(tx, contact, ['contact.labels_added'], outcome.added);
  return contact;
}

/** Removes a label. A label that the contact does not have is not an error and no event. */
export async function removeContactLabel(tx: TenantTx, contactId: string, labelId: string): Promise<Contact> {
  requireUuid(contactId);
  const label = isUuid(labelId) ? labelId : null;
  const [outcome, contact] = await Promise.all([
    tx.find(removeLabel, [contactId, label, tx.now]),
    requireContact(tx, contactId),
  ]);
  if (!outcome?.is_known) throw new ApiError('contact_not_found');
  if (outcome.removed > 0) publishContactEvents(tx, contact, ['contact.labels_removed']);
  return contact;
}

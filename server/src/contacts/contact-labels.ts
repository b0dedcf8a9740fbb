import type { Clock } from '../base/clock.ts';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import { groupBy } from '../base/group-by.ts';
import { isUuid } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { EventType } from '../engine/event-types.ts';
import type { Publisher } from '../engine/outbox.ts';
import { requireContact } from './contact.ts';
import type { Contact } from './schema.ts';

/** Locks the contact, so that what follows is told in the order in which it was done. */
const locked = `locked as (select id from contacts where id = $1 and tenant_id = $2 for update)`;
const addLabels = statement<
  [contactId: string, tenantId: string, differentLabelIds: string[], now: Date],
  { is_known: boolean; known: string[]; added: string[] }
>(
  'contacts.add_labels',
  // Nothing is added unless every label is known.
  `with ${locked},
   known as (select id from labels where tenant_id = $2 and id = any ($3::uuid[]) for key share),
   added as (
     insert into contact_labels (contact_id, label_id, tenant_id, created_at)
     select c.id, k.id, $2, $4 from locked c cross join known k
      where (select count(*) from known) = cardinality($3::uuid[])
     on conflict do nothing returning label_id),
   touched as (update contacts set updated_at = $4 where id = $1 and tenant_id = $2 and exists (select 1 from added))
   select exists (select 1 from locked) as is_known, array(select id::text from known) as known,
          array(select label_id::text from added) as added`,
);
const removeLabel = statement<
  [contactId: string, tenantId: string, labelId: string | null, now: Date],
  { is_known: boolean; removed: number }
>(
  'contacts.remove_label',
  `with ${locked},
   gone as (
     delete from contact_labels where contact_id = (select id from locked) and tenant_id = $2 and label_id = $3
     returning label_id),
   touched as (update contacts set updated_at = $4 where id = $1 and tenant_id = $2 and exists (select 1 from gone))
   select exists (select 1 from locked) as is_known, (select count(*)::int from gone) as removed`,
);

const attach = statement<
  [tenantId: string, now: Date, contactIds: string[], labelIds: string[]],
  { contact_id: string; label_id: string }
>(
  'contacts.attach_labels',
  `insert into contact_labels (contact_id, label_id, tenant_id, created_at)
   select n.contact_id, n.label_id, $1, $2 from unnest($3::uuid[], $4::uuid[]) as n (contact_id, label_id)
    order by n.contact_id, n.label_id
   on conflict do nothing returning contact_id, label_id`,
);
const detachOthers = statement<[contactId: string, tenantId: string, labelIds: string[]]>(
  'contacts.detach_other_labels',
  'delete from contact_labels where contact_id = $1 and tenant_id = $2 and label_id <> all ($3::uuid[])',
);

export interface ContactDeps {
  clock: Clock;
  publisher: Publisher;
}

/** Puts labels that are there on contacts, and gives the contacts that got any, with what they got. */
export async function attachLabels(
  tx: Tx,
  tenantId: string,
  pairs: readonly { contactId: string; labelId: string }[],
  now: Date,
): Promise<Map<string, string[]>> {
  if (pairs.length === 0) return new Map();
  const rows = await tx.all(attach, [
    tenantId,
    now,
    pairs.map(({ contactId }) => contactId),
    pairs.map(({ labelId }) => labelId),
  ]);
  const got = groupBy(rows, (row) => row.contact_id);
  return new Map([...got].map(([contactId, of]) => [contactId, of.map((row) => row.label_id)]));
}

/** Takes every label from a contact but these, and says whether there were any. */
export const detachOtherLabels = async (
  tx: Tx,
  tenantId: string,
  contactId: string,
  labelIds: string[],
): Promise<boolean> => (await tx.run(detachOthers, [contactId, tenantId, labelIds])) > 0;

/** A path's identifier of any other shape names nobody. */
function requireShape(contactId: string): string {
  if (!isUuid(contactId)) throw new ApiError('contact_not_found');
  return contactId;
}

/** Tells what happened to a contact, which is shown as it now is. */
export async function publishContactEvents(
  tx: Tx,
  tenantId: string,
  contact: Contact,
  types: readonly EventType[],
  { publisher }: ContactDeps,
  /** The labels that it got, where it got any. */
  labelIds: readonly string[] = [],
): Promise<void> {
  await publisher.publish(
    tx,
    tenantId,
    types.map((type) => ({
      type,
      channelId: null,
      contactId: contact.id,
      chatId: null,
      data: contact,
      ...(type === 'contact.labels_added' ? { facts: { labelIds } } : {}),
    })),
  );
}

/** Adds labels. One that is there already is no error and no event; if any is unknown, nothing is added. */
export async function addContactLabels(
  tx: Tx,
  tenantId: string,
  contactId: string,
  labels: { id: string }[],
  deps: ContactDeps,
): Promise<Contact> {
  const id = requireShape(contactId);
  const ids = new Set(labels.map((label) => label.id.toLowerCase()));
  const [outcome, contact] = await Promise.all([
    tx.find(addLabels, [id, tenantId, [...ids], deps.clock.now(tenantId)]),
    requireContact(tx, tenantId, id),
  ]);
  if (!outcome?.is_known) throw new ApiError('contact_not_found');
  const known = new Set(outcome.known);
  const issues: InvalidParams = {};
  for (const [index, { id: labelId }] of labels.entries())
    if (!known.has(labelId.toLowerCase()))
      issues[`labels.${index}.id`] = { key: 'custom', message: `There is no label ${labelId}` };
  if (Object.keys(issues).length > 0) throw new ApiError('invalid_body_params', { invalidParams: issues });
  if (outcome.added.length > 0)
    await publishContactEvents(tx, tenantId, contact, ['contact.labels_added'], deps, outcome.added);
  return contact;
}

/** Takes a label away; one that is not there is no error and no event. */
export async function removeContactLabel(
  tx: Tx,
  tenantId: string,
  contactId: string,
  labelId: string,
  deps: ContactDeps,
): Promise<Contact> {
  const id = requireShape(contactId);
  const label = isUuid(labelId) ? labelId : null;
  const [outcome, contact] = await Promise.all([
    tx.find(removeLabel, [id, tenantId, label, deps.clock.now(tenantId)]),
    requireContact(tx, tenantId, id),
  ]);
  if (!outcome?.is_known) throw new ApiError('contact_not_found');
  if (outcome.removed > 0)
    await publishContactEvents(tx, tenantId, contact, ['contact.labels_removed'], deps);
  return contact;
}

import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { EventType } from '../engine/event-types.ts';
import { requireContact } from './contact.ts';
import { attachLabels, type ContactDeps, detachOtherLabels, publishContactEvents } from './contact-labels.ts';
import type { ContactInput } from './create-contact.ts';
import { lockHandles } from './handles/lock.ts';
import { mergeHandles, type StoredHandle } from './handles/merge.ts';
import { writeHandles } from './handles/write.ts';
import { nameOf } from './import/validate-contacts.ts';
import type { Contact } from './schema.ts';
import { touchContacts } from './search-text.ts';
import { removeValues, storeValues } from './store-values.ts';
import { nobody, validateAttributes, validateLabels, validateMetadata } from './validate-contact.ts';

interface ContactState {
  id: string;
  first_name: string | null;
  last_name: string | null;
  is_subscribed: boolean;
  metadata: Record<string, unknown>;
}

const lockContact = statement<[id: string, tenantId: string], ContactState>(
  'contacts.lock_whole',
  `select id, first_name, last_name, is_subscribed, metadata from contacts
    where id = $1 and tenant_id = $2 for update`,
);
const lockHandlesOf = statement<[contactId: string, tenantId: string]>(
  'contacts.lock_handles',
  'select from handles where contact_id = $1 and tenant_id = $2 order by id for update',
);
// Only after they are locked: from then on nobody can begin a chat with them.
const handlesOf = statement<[contactId: string, tenantId: string], StoredHandle>(
  'contacts.handles',
  `select h.id, h.type, h.value, h.is_primary as "isPrimary",
          exists (select 1 from chats c where c.handle_id = h.id) as "hasChats"
     from handles h where h.contact_id = $1 and h.tenant_id = $2 order by h.created_at, h.id`,
);
const updateContact = statement<
  [
    id: string,
    tenantId: string,
    firstName: string | null,
    lastName: string | null,
    isSubscribed: boolean,
    metadata: string,
  ]
>(
  'contacts.update',
  `update contacts set first_name = $3, last_name = $4, is_subscribed = $5, metadata = $6
    where id = $1 and tenant_id = $2`,
);

/** What a change gives; null clears, what is left out stays. Lists replace those before, values of attributes are merged. */
export type ContactChange = ContactInput;

/** Changes what is given. If nothing is different afterwards, nobody is told. */
export async function changeContact(
  tx: Tx,
  tenantId: string,
  contactId: string,
  change: ContactChange,
  deps: ContactDeps,
): Promise<Contact> {
  const givesHandles = [change.handles, change.phoneNumber, change.email].some((one) => one !== undefined);
  if (givesHandles && isUuid(contactId)) await lockHandles(tx, tenantId, 'shared');
  const before = isUuid(contactId) ? await tx.find(lockContact, [contactId, tenantId]) : undefined;
  if (!before) throw new ApiError('contact_not_found');
  if (givesHandles) await tx.run(lockHandlesOf, [before.id, tenantId]);
  const handles = givesHandles ? await tx.all(handlesOf, [before.id, tenantId]) : [];

  const issues = collectIssues();
  const wanted = mergeHandles(handles, change, issues);
  const attributes = await validateAttributes(tx, tenantId, change.attributes ?? [], issues);
  const labelIds = await validateLabels(tx, tenantId, change.labels ?? [], issues);
  validateMetadata(change.metadata, issues);
  issues.throwIfAny();

  const now = deps.clock.now(tenantId);
  const values = [...attributes.stored].map(([attributeId, stored]) => ({
    contactId: before.id,
    attributeId,
    ...stored,
  }));
  const changes = [
    await writeOwnFields(tx, tenantId, before, change),
    await writeHandles(tx, tenantId, before.id, handles, wanted, now),
    (await storeValues(tx, tenantId, values, now)).length > 0,
    await removeValues(tx, tenantId, before.id, [...attributes.removed]),
  ];
  const pairs = labelIds.map((labelId) => ({ contactId: before.id, labelId }));
  const labelled = (await attachLabels(tx, tenantId, pairs, now)).get(before.id) ?? [];
  const unlabelled =
    change.labels !== undefined && (await detachOtherLabels(tx, tenantId, before.id, labelIds));

  const types: EventType[] = [];
  if (changes.includes(true)) types.push('contact.updated');
  if (labelled.length > 0) types.push('contact.labels_added');
  if (unlabelled) types.push('contact.labels_removed');
  if (before.is_subscribed && change.isSubscribed === false) types.push('contact.unsubscribed');
  if (types.length > 0) await touchContacts(tx, tenantId, [before.id], now);
  const contact = await requireContact(tx, tenantId, before.id);
  if (contact.fullName === '' && contact.handles.length === 0) throw nobody();
  await publishContactEvents(tx, tenantId, contact, types, deps, labelled);
  return contact;
}

async function writeOwnFields(
  tx: Tx,
  tenantId: string,
  before: ContactState,
  change: ContactChange,
): Promise<boolean> {
  const after: ContactState = {
    id: before.id,
    first_name: change.firstName === undefined ? before.first_name : nameOf(change.firstName),
    last_name: change.lastName === undefined ? before.last_name : nameOf(change.lastName),
    is_subscribed: change.isSubscribed ?? before.is_subscribed,
    metadata: change.metadata === undefined ? before.metadata : (change.metadata ?? {}),
  };
  if (isDeepStrictEqual(after, before)) return false;
  await tx.run(updateContact, [
    after.id,
    tenantId,
    after.first_name,
    after.last_name,
    after.is_subscribed,
    JSON.stringify(after.metadata),
  ]);
  return true;
}

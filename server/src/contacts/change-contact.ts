import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { removeValues, storeValues } from './attributes/store.ts';
import { storeSubscription, subscriptionEvents } from './consent/consents.ts';
import { requireContact } from './contact.ts';
import { attachLabels, detachOtherLabels, publishContactEvents } from './contact-labels.ts';
import type { ContactInput } from './create-contact.ts';
import { lockHandles } from './handles/lock.ts';
import { mergeHandles, type StoredHandle } from './handles/merge.ts';
import { replaceHandles } from './handles/write.ts';
import type { Contact } from './schema.ts';
import { touchContacts } from './search-text.ts';
import {
  languageOf,
  nameOf,
  unidentifiable,
  validateAttributes,
  validateLabels,
  validateMetadata,
  validateTimezone,
} from './validate-contact.ts';

interface ContactState {
  id: string;
  first_name: string | null;
  last_name: string | null;
  language: string | null;
  timezone: string | null;
  metadata: Record<string, unknown>;
}

const lockContact = statement<[id: string], ContactState>(
  'contacts.lock_to_change',
  `select id, first_name, last_name, language, timezone, metadata from visible_contacts
    where id = $1 and tenant_id = $tenant for no key update`,
);
const lockHandlesOf = statement<[contactId: string]>(
  'contacts.lock_handles',
  'select from handles where contact_id = $1 and tenant_id = $tenant order by id for update',
);
// Read only after they are locked: from then on no chat can start with them.
const handlesOf = statement<[contactId: string], StoredHandle>(
  'contacts.handles',
  `select h.id, h.type, h.value, h.is_primary as "isPrimary",
          exists (select 1 from visible_chats c where c.handle_id = h.id) as "hasChats"
     from handles h where h.contact_id = $1 and h.tenant_id = $tenant order by h.created_at, h.id`,
);
const updateContact = statement<
  [
    id: string,
    firstName: string | null,
    lastName: string | null,
    metadata: string,
    language: string | null,
    timezone: string | null,
  ]
>(
  'contacts.update',
  `update visible_contacts set first_name = $2, last_name = $3, metadata = $4, language = $5, timezone = $6
    where id = $1 and tenant_id = $tenant`,
);

/** Null clears a field; one that is left out stays. Lists replace the earlier ones, values of attributes are merged. */
type ContactChange = ContactInput;

/** Changes the given fields. Publishes events only if something is different afterwards. */
export async function changeContact(
  tx: TenantTx,
  contactId: string,
  change: ContactChange,
): Promise<Contact> {
  const givesHandles = [change.handles, change.phoneNumber, change.email].some((one) => one !== undefined);
  if (givesHandles && isUuid(contactId)) await lockHandles(tx, 'shared');
  const issues = collectIssues();
  // At the same time, so that their statements share a round trip; the contact is locked first.
  const [before, attributes] = await Promise.all([
    isUuid(contactId) ? tx.find(lockContact, [contactId]) : undefined,
    validateAttributes(tx, change.attributes ?? [], issues),
  ]);
  if (!before) throw new ApiError('contact_not_found');
  if (givesHandles) await tx.run(lockHandlesOf, [before.id]);
  const handles = givesHandles ? await tx.all(handlesOf, [before.id]) : [];
  const wanted = mergeHandles(handles, change, issues);
  const labelIds = await validateLabels(tx, change.labels ?? [], issues);
  validateMetadata(change.metadata, issues);
  const language = languageOf(change.language, issues);
  validateTimezone(change.timezone, issues);
  issues.throwIfAny();

  const values = [...attributes.stored].map(([attributeId, stored]) => ({
    contactId: before.id,
    attributeId,
    ...stored,
  }));
  const subscriptions = await storeSubscription(tx, before.id, change.isSubscribed);
  const changes = [
    subscriptions !== undefined,
    await writeOwnFields(tx, before, { ...change, ...(language === undefined ? {} : { language }) }),
    await replaceHandles(tx, before.id, handles, wanted),
    (await storeValues(tx, values)).length > 0,
    (await removeValues(tx, [before.id], [...attributes.removed])).length > 0,
  ];
  const pairs = labelIds.map((labelId) => ({ contactId: before.id, labelId }));
  const labelled = (await attachLabels(tx, pairs)).get(before.id) ?? [];
  const unlabelled = change.labels !== undefined && (await detachOtherLabels(tx, before.id, labelIds));

  const types: EventType[] = [];
  if (changes.includes(true)) types.push('contact.updated');
  if (labelled.length > 0) types.push('contact.labels_added');
  if (unlabelled) types.push('contact.labels_removed');
  if (subscriptions) types.push(...subscriptionEvents(subscriptions));
  if (types.length > 0) await touchContacts(tx, [before.id]);
  const contact = await requireContact(tx, before.id);
  if (contact.fullName === '' && contact.handles.length === 0) throw unidentifiable();
  publishContactEvents(tx, contact, types, labelled);
  return contact;
}

async function writeOwnFields(tx: TenantTx, before: ContactState, change: ContactChange): Promise<boolean> {
  const after: ContactState = {
    id: before.id,
    first_name: change.firstName === undefined ? before.first_name : nameOf(change.firstName),
    last_name: change.lastName === undefined ? before.last_name : nameOf(change.lastName),
    language: change.language === undefined ? before.language : change.language,
    timezone: change.timezone === undefined ? before.timezone : change.timezone,
    metadata: change.metadata === undefined ? before.metadata : (change.metadata ?? {}),
  };
  if (isDeepStrictEqual(after, before)) return false;
  await tx.run(updateContact, [
    after.id,
    after.first_name,
    after.last_name,
    JSON.stringify(after.metadata),
    after.language,
    after.timezone,
  ]);
  return true;
}

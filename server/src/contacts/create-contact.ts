import { newId } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { storeValues } from './attributes/store.ts';
import { storeSubscription } from './consent/consents.ts';
import { requireContact } from './contact.ts';
import { attachLabels, publishContactEvents } from './contact-labels.ts';
import { lockHandles } from './handles/lock.ts';
import { type GivenHandles, mergeHandles } from './handles/merge.ts';
import { replaceHandles } from './handles/write.ts';
import type { Contact } from './schema.ts';
import { searchText } from './search-text.ts';
import {
  type GivenAttribute,
  languageOf,
  nameOf,
  unidentifiable,
  validateAttributes,
  validateLabels,
  validateMetadata,
  validateTimezone,
} from './validate-contact.ts';

const insertContact = statement<
  [
    id: string,
    firstName: string | null,
    lastName: string | null,
    metadata: string,
    handleValues: string[],
    now: Date,
    language: string | null,
    timezone: string | null,
  ]
>(
  'contacts.insert',
  `insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at,
                         updated_at, language, timezone)
   values ($1, $tenant, $2, $3, true, $4,
           ${searchText('$2::text', '$3::text', `nullif(array_to_string($5::text[], E'\\n'), '')`)}, $6, $6, $7, $8)`,
);

export interface ContactInput extends GivenHandles {
  firstName?: string | null;
  lastName?: string | null;
  labels?: { id: string }[];
  attributes?: GivenAttribute[];
  language?: string | null;
  timezone?: string | null;
  isSubscribed?: boolean;
  metadata?: Record<string, unknown> | null;
}

/**
 * Creates a contact. If several requests create one with the same handle at once, one succeeds; the others get a conflict
 * that names it.
 */
export async function createContact(tx: TenantTx, input: ContactInput): Promise<Contact> {
  const issues = collectIssues();
  const [firstName, lastName] = [nameOf(input.firstName), nameOf(input.lastName)];
  const handles = mergeHandles([], input, issues);
  const attributes = await validateAttributes(tx, input.attributes ?? [], issues);
  const labelIds = await validateLabels(tx, input.labels ?? [], issues);
  validateMetadata(input.metadata, issues);
  const language = languageOf(input.language, issues) ?? null;
  validateTimezone(input.timezone, issues);
  issues.throwIfAny();
  if (firstName === null && lastName === null && handles.length === 0) throw unidentifiable();

  const id = newId();
  if (handles.length > 1) await lockHandles(tx, 'shared');
  await tx.run(insertContact, [
    id,
    firstName,
    lastName,
    JSON.stringify(input.metadata ?? {}),
    handles.map((handle) => handle.value),
    tx.now,
    language,
    input.timezone ?? null,
  ]);
  await replaceHandles(tx, id, [], handles);
  await attachLabels(
    tx,
    labelIds.map((labelId) => ({ contactId: id, labelId })),
  );
  await storeValues(
    tx,
    [...attributes.stored].map(([attributeId, stored]) => ({ contactId: id, attributeId, ...stored })),
  );
  await storeSubscription(tx, id, input.isSubscribed);
  const contact = await requireContact(tx, id);
  publishContactEvents(tx, contact, ['contact.created'], labelIds);
  return contact;
}

import { newId } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { storeValues } from './attributes/store.ts';
import { requireContact } from './contact.ts';
import { attachLabels, publishContactEvents } from './contact-labels.ts';
import { lockHandles } from './handles/lock.ts';
import { type GivenHandles, mergeHandles } from './handles/merge.ts';
import { replaceHandles } from './handles/write.ts';
import type { Contact } from './schema.ts';
import { searchText } from './search-text.ts';
import {
  type GivenAttribute,
  nameOf,
  unidentifiable,
  validateAttributes,
  validateLabels,
  validateMetadata,
} from './validate-contact.ts';

const insertContact = statement<
  [
    id: string,
    firstName: string | null,
    lastName: string | null,
    isSubscribed: boolean,
    metadata: string,
    handleValues: string[],
    now: Date,
  ]
>(
  'contacts.insert',
  `insert into contacts (id, tenant_id, first_name, last_name, is_subscribed, metadata, search_text, created_at, updated_at)
   values ($1, $tenant, $2, $3, $4, $5,
           ${searchText('$2::text', '$3::text', `nullif(array_to_string($6::text[], E'\\n'), '')`)}, $7, $7)`,
);

export interface ContactInput extends GivenHandles {
  firstName?: string | null;
  lastName?: string | null;
  labels?: { id: string }[];
  attributes?: GivenAttribute[];
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
  issues.throwIfAny();
  if (firstName === null && lastName === null && handles.length === 0) throw unidentifiable();

  const id = newId();
  if (handles.length > 1) await lockHandles(tx, 'shared');
  await tx.run(insertContact, [
    id,
    firstName,
    lastName,
    input.isSubscribed ?? true,
    JSON.stringify(input.metadata ?? {}),
    handles.map((handle) => handle.value),
    tx.now,
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
  const contact = await requireContact(tx, id);
  publishContactEvents(tx, contact, ['contact.created']);
  return contact;
}

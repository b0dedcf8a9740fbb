import { newId } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { requireContact } from './contact.ts';
import { attachLabels, type ContactDeps, publishContactEvents } from './contact-labels.ts';
import { lockHandles } from './handles/lock.ts';
import { type GivenHandles, mergeHandles } from './handles/merge.ts';
import { writeHandles } from './handles/write.ts';
import { nameOf } from './import/validate-contacts.ts';
import type { Contact } from './schema.ts';
import { searchText } from './search-text.ts';
import { storeValues } from './store-values.ts';
import {
  type GivenAttribute,
  nobody,
  validateAttributes,
  validateLabels,
  validateMetadata,
} from './validate-contact.ts';

const insertContact = statement<
  [
    id: string,
    tenantId: string,
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
   values ($1, $2, $3, $4, $5, $6, ${searchText('$3::text', '$4::text', `nullif(array_to_string($7::text[], E'\\n'), '')`)}, $8, $8)`,
);

export interface ContactInput extends GivenHandles {
  firstName?: string | null;
  lastName?: string | null;
  labels?: { id: string }[];
  attributes?: GivenAttribute[];
  isSubscribed?: boolean;
  metadata?: Record<string, unknown> | null;
}

/** Makes a contact. Of many who make one with the same handle at once, one succeeds; the others learn whose it is. */
export async function createContact(
  tx: Tx,
  tenantId: string,
  input: ContactInput,
  deps: ContactDeps,
): Promise<Contact> {
  const issues = collectIssues();
  const [firstName, lastName] = [nameOf(input.firstName), nameOf(input.lastName)];
  const handles = mergeHandles([], input, issues);
  const attributes = await validateAttributes(tx, tenantId, input.attributes ?? [], issues);
  const labelIds = await validateLabels(tx, tenantId, input.labels ?? [], issues);
  validateMetadata(input.metadata, issues);
  issues.throwIfAny();
  if (firstName === null && lastName === null && handles.length === 0) throw nobody();

  const now = deps.clock.now(tenantId);
  const id = newId();
  if (handles.length > 1) await lockHandles(tx, tenantId, 'shared');
  await tx.run(insertContact, [
    id,
    tenantId,
    firstName,
    lastName,
    input.isSubscribed ?? true,
    JSON.stringify(input.metadata ?? {}),
    handles.map((handle) => handle.value),
    now,
  ]);
  await writeHandles(tx, tenantId, id, [], handles, now);
  await attachLabels(
    tx,
    tenantId,
    labelIds.map((labelId) => ({ contactId: id, labelId })),
    now,
  );
  await storeValues(
    tx,
    tenantId,
    [...attributes.stored].map(([attributeId, stored]) => ({ contactId: id, attributeId, ...stored })),
    now,
  );
  const contact = await requireContact(tx, tenantId, id);
  await publishContactEvents(tx, tenantId, contact, ['contact.created'], deps);
  return contact;
}

import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { requireContact } from './contact.ts';
import { attachLabels, type ContactNeeds, tellOfContact } from './contact-labels.ts';
import { collectFaults } from './faults.ts';
import { type GivenHandles, handlesAfter } from './handles-after.ts';
import { type GivenAttribute, judgeAttributes, judgeLabels, judgeMetadata, nobody } from './judge-contact.ts';
import { nameOf } from './judge-people.ts';
import { lockHandles } from './lock-handles.ts';
import type { Contact } from './schema.ts';
import { searchText } from './search-text.ts';
import { storeValues } from './store-values.ts';
import { writeHandles } from './write-handles.ts';

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
  needs: ContactNeeds,
): Promise<Contact> {
  const faults = collectFaults();
  const [firstName, lastName] = [nameOf(input.firstName), nameOf(input.lastName)];
  const handles = handlesAfter([], input, faults.complain);
  const attributes = await judgeAttributes(tx, tenantId, input.attributes ?? [], faults.complain);
  const labelIds = await judgeLabels(tx, tenantId, input.labels ?? [], faults.complain);
  judgeMetadata(input.metadata, faults.complain);
  faults.throwAny();
  if (firstName === null && lastName === null && handles.length === 0) throw nobody();

  const now = needs.clock.now(tenantId);
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
  await tellOfContact(tx, tenantId, contact, ['contact.created'], needs);
  return contact;
}

import { isUuid } from '../base/ids.ts';
import { eraseInboundOf } from '../channels/erase-inbound.ts';
import { eraseOutboxOf } from '../channels/erase-outbox.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { forgetAnswersAbout } from '../http/idempotency.ts';
import { type Removal, startRemoval } from '../jobs/job.ts';
import { hasManyRows, removeNow } from '../jobs/removal-steps.ts';
import { recountContact } from '../reports/marks.ts';
import { freeHandles } from './handles/free.ts';
import { findMergedInto, stopMerging } from './merge/find-merged.ts';

const lockContact = statement<[id: string], { id: string; handles: string[] }>(
  'contacts.lock_to_erase',
  `select c.id, array(select h.value from handles h where h.contact_id = c.id) as handles
     from visible_contacts c where c.id = $1 and c.tenant_id = $tenant for update of c`,
);
const lockChats = statement<[contactId: string]>(
  'contacts.lock_chats_to_erase',
  'select id from visible_chats where contact_id = $1 and tenant_id = $tenant order by id for update',
);

/**
 * Erases a contact with its handles, chats, messages, labels and values, and what events, deliveries, failed requests
 * and stored answers contain about it. The numbers of the events stay, and so do the vendors' ids of the messages: a
 * late repetition by the vendor does not create the contact again. A large contact is hidden at once and erased by a
 * job. Returns undefined if the contact does not exist.
 */
export async function eraseContact(tx: TenantTx, contactId: string): Promise<Removal | undefined> {
  const contact = isUuid(contactId) ? await tx.find(lockContact, [contactId]) : undefined;
  if (!contact) return undefined;
  await tx.run(lockChats, [contact.id]);
  const merged = await findMergedInto(tx, contact.id);
  await stopMerging(tx, contact.id);
  for (const { id, is_unfinished } of merged)
    if (is_unfinished) await startRemoval(tx, 'delete_contact', id, [id]);
  await recountContact(tx, contact.id);
  const isLarge = await hasManyRows(tx, 'delete_contact', contact.id);
  const jobId = isLarge ? await startRemoval(tx, 'delete_contact', contact.id, [contact.id]) : null;
  if (jobId === undefined) return undefined;
  if (isLarge) await freeHandles(tx, contact.id);
  else await removeNow(tx, 'delete_contact', contact.id);
  await eraseInboundOf(tx, contact.handles);
  await eraseOutboxOf(tx, contact.handles);
  await forgetAnswersAbout(tx, contact.id);
  for (const { id } of merged) await forgetAnswersAbout(tx, id);
  tx.publish({
    type: 'contact.deleted',
    channelId: null,
    contactId: contact.id,
    chatId: null,
    data: { id: contact.id },
  });
  return { jobId };
}

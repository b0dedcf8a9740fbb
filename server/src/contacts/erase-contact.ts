import { isUuid } from '../base/ids.ts';
import { eraseInboundOf } from '../channels/erase-inbound.ts';
import { eraseOutboxOf } from '../channels/erase-outbox.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { eraseEventsOf } from '../engine/erase-events.ts';
import { forgetAnswersAbout } from '../http/idempotency.ts';
import { eraseDeliveriesOf } from '../webhooks/erase-deliveries.ts';

const lockContact = statement<[id: string], { id: string; handles: string[] }>(
  'contacts.lock_to_erase',
  `select c.id, array(select h.value from handles h where h.contact_id = c.id) as handles
     from contacts c where c.id = $1 and c.tenant_id = $tenant for update of c`,
);
const deleteContact = statement<[id: string]>(
  'contacts.delete',
  'delete from contacts where id = $1 and tenant_id = $tenant',
);

/**
 * Erases a contact with its handles, chats, messages, labels and values, and what events, deliveries, failed requests
 * and stored answers contain about it. The numbers of the events stay, and so do the vendors' ids of the messages: a
 * late repetition by the vendor does not create the contact again. Returns whether the contact existed.
 */
export async function eraseContact(tx: TenantTx, contactId: string): Promise<boolean> {
  const contact = isUuid(contactId) ? await tx.find(lockContact, [contactId]) : undefined;
  if (!contact) return false;
  // Foreign keys delete everything that belongs to the contact.
  await tx.run(deleteContact, [contact.id]);
  const eventIds = await eraseEventsOf(tx, contact.id);
  await eraseDeliveriesOf(tx, eventIds);
  await eraseInboundOf(tx, contact.handles);
  await eraseOutboxOf(tx, contact.handles);
  await forgetAnswersAbout(tx, contact.id);
  tx.publish({
    type: 'contact.deleted',
    channelId: null,
    contactId: contact.id,
    chatId: null,
    data: { id: contact.id },
  });
  return true;
}

import { isUuid } from '../base/ids.ts';
import { eraseInboundOf } from '../channels/erase-inbound.ts';
import { eraseOutboxOf } from '../channels/erase-outbox.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { eraseEventsOf } from '../engine/erase-events.ts';
import { forgetAnswersAbout } from '../http/idempotency.ts';
import { eraseDeliveriesOf } from '../webhooks/erase-deliveries.ts';
import type { ContactDeps } from './contact-labels.ts';

const lockContact = statement<[id: string, tenantId: string], { id: string; handles: string[] }>(
  'contacts.lock_to_erase',
  `select c.id, array(select h.value from handles h where h.contact_id = c.id) as handles
     from contacts c where c.id = $1 and c.tenant_id = $2 for update of c`,
);
const deleteContact = statement<[id: string, tenantId: string]>(
  'contacts.delete',
  'delete from contacts where id = $1 and tenant_id = $2',
);

/**
 * Erases a person: contact, handles, chats, messages, labels and values, what events, deliveries, failed requests and
 * stored answers say about them. What stays is that something was there: the numbers of events, and the vendors' ids
 * of messages, so that a late repetition does not bring the person back. Says whether there was a contact.
 */
export async function eraseContact(
  tx: Tx,
  tenantId: string,
  contactId: string,
  { clock, publisher }: ContactDeps,
): Promise<boolean> {
  const contact = isUuid(contactId) ? await tx.find(lockContact, [contactId, tenantId]) : undefined;
  if (!contact) return false;
  // Everything that belongs to a contact goes with it by foreign key.
  await tx.run(deleteContact, [contact.id, tenantId]);
  const eventIds = await eraseEventsOf(tx, tenantId, contact.id);
  await eraseDeliveriesOf(tx, tenantId, eventIds, clock.now(tenantId));
  await eraseInboundOf(tx, tenantId, contact.handles);
  await eraseOutboxOf(tx, tenantId, contact.handles);
  await forgetAnswersAbout(tx, tenantId, contact.id);
  await publisher.publish(tx, tenantId, [
    {
      type: 'contact.deleted',
      channelId: null,
      contactId: contact.id,
      chatId: null,
      data: { id: contact.id },
    },
  ]);
  return true;
}

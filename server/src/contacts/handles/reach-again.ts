import type { TenantTx } from '../../db/tenant.ts';
import { channelKinds } from '../../providers/kinds.ts';
import { lockContacts, newContactEvents, requireContact } from '../contact.ts';
import type { Contact } from '../schema.ts';
import { clearUndeliverable } from './undeliverable.ts';

/** Forgets that nothing could be delivered to a handle of a contact. A handle that has no problem stays as it is. */
export async function reachHandleAgain(tx: TenantTx, contactId: string, handleId: string): Promise<Contact> {
  const before = await requireContact(tx, contactId);
  await lockContacts(tx, [before.id]);
  const ids = before.handles.map(({ id }) => id).filter((id) => id === handleId.toLowerCase());
  if ((await clearUndeliverable(tx, ids, channelKinds)).length === 0) return before;
  const contact = await requireContact(tx, before.id);
  tx.publish(...newContactEvents(contact, ['contact.updated']));
  return contact;
}

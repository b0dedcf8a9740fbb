import type { NewEvent } from '../../base/events.ts';
import { mergeChatsOverHandles } from '../../chats/merge-chats.ts';
import { moveChatsToHandle } from '../../chats/move-to-handle.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle } from '../../providers/kinds.ts';
import { contactEvents } from '../contact.ts';
import { touchContacts } from '../search-text.ts';
import { vendorHandle } from './validate.ts';

const updateHandle = statement<
  [type: string, value: string, newType: string, newValue: string, now: Date],
  { contact_id: string }
>(
  'handles.update',
  // A contact has one primary handle of each type.
  `update handles h set type = $3, value = $4, updated_at = $5,
          is_primary = (h.is_primary and $3 = $1) or not exists (
            select 1 from handles o where o.contact_id = h.contact_id and o.type = $3 and o.is_primary)
    where h.tenant_id = $tenant and h.type = $1 and h.value = $2
      and not exists (select 1 from handles o where o.tenant_id = $tenant and o.type = $3 and o.value = $4)
   returning h.contact_id`,
);

const bothOfContact = statement<
  [type: string, value: string, newType: string, newValue: string],
  { contact_id: string; from_id: string; to_id: string }
>(
  'handles.both_of_contact',
  `select f.contact_id, f.id as from_id, t.id as to_id from handles f
     join handles t on t.tenant_id = $tenant and t.type = $3 and t.value = $4 and t.contact_id = f.contact_id
    where f.tenant_id = $tenant and f.type = $1 and f.value = $2`,
);
const deleteReplaced = statement<[id: string]>(
  'handles.delete_replaced',
  `delete from handles h where h.id = $1 and h.tenant_id = $tenant
      and not exists (select 1 from visible_chats c where c.handle_id = h.id)`,
);
const makePrimary = statement<[id: string, now: Date]>(
  'handles.make_primary',
  `update handles h set is_primary = true, updated_at = $2
    where h.id = $1 and h.tenant_id = $tenant and not exists (
      select 1 from handles o where o.contact_id = h.contact_id and o.type = h.type and o.is_primary)`,
);

/**
 * Changes a handle of a contact, whose chats stay as they are. If the contact has the new handle already, the earlier one is
 * removed: another person may get that number. If another contact has it, nothing changes. Returns the events to publish.
 */
export async function changeHandle(
  tx: TenantTx,
  { from, to }: { from: Handle; to: Handle },
): Promise<NewEvent[]> {
  const row = await tx.find(updateHandle, [
    from.type,
    vendorHandle(from.type, from.value),
    to.type,
    vendorHandle(to.type, to.value),
    tx.now,
  ]);
  const contactId = row?.contact_id ?? (await removeReplaced(tx, from, to));
  if (contactId === undefined) return [];
  await touchContacts(tx, [contactId]);
  return contactEvents(tx, [contactId], ['contact.updated']);
}

/** Removes a handle of a contact that has the new one as well. Returns the contact. */
async function removeReplaced(tx: TenantTx, from: Handle, to: Handle): Promise<string | undefined> {
  const both = await tx.find(bothOfContact, [
    from.type,
    vendorHandle(from.type, from.value),
    to.type,
    vendorHandle(to.type, to.value),
  ]);
  if (!both || both.from_id === both.to_id) return undefined;
  await mergeChatsOverHandles(tx, both.from_id, both.to_id);
  await moveChatsToHandle(tx, both.from_id, both.to_id);
  await tx.run(deleteReplaced, [both.from_id]);
  await tx.run(makePrimary, [both.to_id, tx.now]);
  return both.contact_id;
}

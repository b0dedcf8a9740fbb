import type { NewEvent } from '../../base/events.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle } from '../../providers/adapter.ts';
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

/**
 * Changes a handle of a contact, whose chats stay as they are. If a contact has the new handle already, nothing changes.
 * Returns the events to publish.
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
  if (!row) return [];
  await touchContacts(tx, [row.contact_id]);
  return contactEvents(tx, [row.contact_id], ['contact.updated']);
}

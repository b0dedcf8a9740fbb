import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { NewEvent } from '../../engine/outbox.ts';
import type { Handle } from '../../providers/adapter.ts';
import { contactEvents } from '../contact.ts';
import { touchContacts } from '../search-text.ts';
import { vendorHandle } from './validate.ts';

const move = statement<
  [tenantId: string, type: string, value: string, newType: string, newValue: string, now: Date],
  { contact_id: string }
>(
  'handles.move',
  // Of each type a contact shows one handle.
  `update handles h set type = $4, value = $5, updated_at = $6,
          is_primary = (h.is_primary and $4 = $2) or not exists (
            select 1 from handles o where o.contact_id = h.contact_id and o.type = $4 and o.is_primary)
    where h.tenant_id = $1 and h.type = $2 and h.value = $3
      and not exists (select 1 from handles o where o.tenant_id = $1 and o.type = $4 and o.value = $5)
   returning h.contact_id`,
);

/**
 * A person goes by another handle now: their chats stay theirs. Where somebody has the new one already, nothing
 * changes. Gives what is to be told of it.
 */
export async function changeHandle(
  tx: Tx,
  tenantId: string,
  { from, to }: { from: Handle; to: Handle },
  now: Date,
): Promise<NewEvent[]> {
  const row = await tx.find(move, [
    tenantId,
    from.type,
    vendorHandle(from.type, from.value),
    to.type,
    vendorHandle(to.type, to.value),
    now,
  ]);
  if (!row) return [];
  await touchContacts(tx, tenantId, [row.contact_id], now);
  return contactEvents(tx, tenantId, [row.contact_id], ['contact.updated']);
}

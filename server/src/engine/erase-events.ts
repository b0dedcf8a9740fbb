import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

/** The event that says that the contact was deleted contains its id only, and is sent. */
const ABOUT_CONTACT = `contact_id = $1 and tenant_id = $tenant and type <> 'contact.deleted'`;

const dropUnsequenced = removalStatement<[contactId: string, limit: number]>(
  'events.drop_of_contact',
  // Locked in the order in which they are numbered.
  `with chosen as (
     select id from events where ${ABOUT_CONTACT} and sequence is null order by position limit $2 for update)
   delete from events e using chosen where e.id = chosen.id and e.tenant_id = $tenant`,
);
const erase = removalStatement<[contactId: string, limit: number], { id: string }>(
  'events.erase_of_contact',
  // Without its contact an event is not found again.
  `update events set contact_id = null, data = json_build_object('id', data::json -> 'id', 'erased', true)::text
    where tenant_id = $tenant and sequence is not null and id = any (array(
      select id from events where ${ABOUT_CONTACT} and sequence is not null limit $2))
   returning id`,
);

/**
 * Erases the data of a contact in at most `limit` events. Returns how many were deleted, and the ids of those that were
 * erased. Numbered events stay, so that a reader by sequence sees no new gap. Events without a number are deleted and
 * never sent.
 */
export async function eraseSomeEvents(
  tx: TenantTx,
  contactId: string,
  limit: number,
): Promise<{ deleted: number; erasedIds: string[] }> {
  const deleted = await tx.run(dropUnsequenced, [contactId, limit]);
  // After the delete: it waited for events that were just being numbered.
  const erased = deleted < limit ? await tx.all(erase, [contactId, limit - deleted]) : [];
  return { deleted, erasedIds: erased.map(({ id }) => id) };
}

import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const dropUnsequenced = statement<[contactId: string]>(
  'events.drop_of_contact',
  // Locked in the order in which they are numbered.
  `with chosen as (
     select id from events where contact_id = $1 and tenant_id = $tenant and sequence is null
      order by position for update)
   delete from events e using chosen where e.id = chosen.id and e.tenant_id = $tenant`,
);
const scrub = statement<[contactId: string], { id: string }>(
  'events.scrub_of_contact',
  `update events set data = json_build_object('id', data::json -> 'id', 'erased', true)::text
    where contact_id = $1 and tenant_id = $tenant returning id`,
);

/**
 * Erases the data of a contact in events, and returns the ids of those events. Numbered events stay, so that a reader by
 * sequence sees no new gap. Events without a number are deleted and never sent.
 */
export async function eraseEventsOf(tx: TenantTx, contactId: string): Promise<string[]> {
  await tx.run(dropUnsequenced, [contactId]);
  // After the delete: it waited for events that were just being numbered.
  return (await tx.all(scrub, [contactId])).map((row) => row.id);
}

import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const dropUnsequenced = statement<[contactId: string, tenantId: string]>(
  'events.drop_of_contact',
  'delete from events where contact_id = $1 and tenant_id = $2 and sequence is null',
);
const scrub = statement<[contactId: string, tenantId: string], { id: string }>(
  'events.scrub_of_contact',
  `update events set data = json_build_object('id', data::json -> 'id', 'erased', true)::text
    where contact_id = $1 and tenant_id = $2 returning id`,
);

/**
 * Erases what events say about a person, and gives the ids of those events. Their numbers stay, so that whoever reads
 * by sequence sees no gap that was not there; what nobody was told yet is not told any more.
 */
export async function eraseEventsOf(tx: Tx, tenantId: string, contactId: string): Promise<string[]> {
  await tx.run(dropUnsequenced, [contactId, tenantId]);
  // Only now, as one that was being numbered at that moment is numbered by now.
  return (await tx.all(scrub, [contactId, tenantId])).map((row) => row.id);
}

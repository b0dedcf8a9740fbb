import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';

const cancelAndScrub = statement<[eventIds: string[], tenantId: string, now: Date]>(
  'deliveries.erase',
  // Locked in the order of their ids, as by whoever records results.
  `with theirs as (
     select id from deliveries where event_id = any ($1::uuid[]) and tenant_id = $2 order by id for update),
   cancelled as (
     update deliveries d set status = 'cancelled', due_at = null, updated_at = $3
       from theirs t where d.id = t.id and d.tenant_id = $2 and d.due_at is not null)
   update attempts a set response_headers = '{}', response_body = ''
     from theirs t where a.delivery_id = t.id and a.tenant_id = $2 and a.response_status is not null`,
);

/** Sends nothing more about these events, and forgets what receivers answered: an answer may repeat what it was told. */
export async function eraseDeliveriesOf(
  tx: Tx,
  tenantId: string,
  eventIds: string[],
  now: Date,
): Promise<void> {
  if (eventIds.length > 0) await tx.run(cancelAndScrub, [eventIds, tenantId, now]);
}

import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const cancelAndErase = statement<[eventIds: string[], now: Date]>(
  'deliveries.erase',
  // Locked in the order of their ids, as where results are recorded.
  `with of_events as (
     select id from deliveries where event_id = any ($1::uuid[]) and tenant_id = $tenant order by id for no key update),
   cancelled as (
     update deliveries d set status = 'cancelled', due_at = null, updated_at = $2
       from of_events o where d.id = o.id and d.tenant_id = $tenant and d.due_at is not null)
   update attempts a set response_headers = '{}', response_body = ''
     from of_events o where a.delivery_id = o.id and a.tenant_id = $tenant and a.response_status is not null`,
);

/** Cancels the pending deliveries of events and erases the answers of receivers: an answer may repeat what was sent. */
export async function eraseDeliveriesOf(tx: TenantTx, eventIds: string[]): Promise<void> {
  if (eventIds.length > 0) await tx.run(cancelAndErase, [eventIds, tx.now]);
}

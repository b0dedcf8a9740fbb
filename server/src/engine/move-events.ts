import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const moveSome = removalStatement<[mergedId: string, limit: number]>(
  'events.move_to_contact',
  `update events e set contact_id = k.merged_into from contacts k
    where k.id = $1 and k.tenant_id = $tenant and k.merged_into <> k.id and e.tenant_id = $tenant
      and e.id = any (array(select x.id from events x where x.contact_id = $1 and x.tenant_id = $tenant limit $2))`,
);
const moveNew = removalStatement<[mergedId: string]>(
  'events.move_unsequenced',
  `update events e set contact_id = k.merged_into from contacts k
    where k.id = $1 and k.tenant_id = $tenant and e.contact_id = $1 and e.tenant_id = $tenant and e.sequence is null`,
);
const moveNewToChat = removalStatement<[contactId: string, fromId: string, toId: string]>(
  'events.move_unsequenced_to_chat',
  `update events set chat_id = $3 where contact_id = $1 and tenant_id = $tenant and sequence is null and chat_id = $2`,
);

/** Moves at most `limit` events about a contact that is being merged, and returns how many. What they contain stays as it was. */
export const moveSomeEvents = (tx: TenantTx, mergedId: string, limit: number): Promise<number> =>
  tx.run(moveSome, [mergedId, limit]);

/** Moves the events without a number, so that automations react to them. The caller has stopped the numbering. */
export async function moveNewEvents(tx: TenantTx, mergedId: string): Promise<void> {
  await tx.run(moveNew, [mergedId]);
}

/** The same for the events about a chat that was merged into another. */
export async function moveNewEventsToChat(
  tx: TenantTx,
  contactId: string,
  fromId: string,
  toId: string,
): Promise<void> {
  await tx.run(moveNewToChat, [contactId, fromId, toId]);
}

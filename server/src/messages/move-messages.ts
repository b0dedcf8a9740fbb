import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const moveToContact = removalStatement<[mergedId: string, limit: number]>(
  'messages.move_to_contact',
  // Locked in the order of ids, as statuses lock them.
  `with chosen as materialized (
     select m.id from messages m
      where m.tenant_id = $tenant and m.id = any (array(
        select x.id from messages x where x.tenant_id = $tenant and x.contact_id = $1 limit $2))
      order by m.id for no key update)
   update messages m set contact_id = k.merged_into
     from chosen, contacts k
    where m.id = chosen.id and m.tenant_id = $tenant and k.id = $1 and k.tenant_id = $tenant and k.merged_into <> k.id`,
);
const moveToChat = removalStatement<[fromId: string, toId: string]>(
  'messages.move_to_chat',
  `with chosen as materialized (
     select id from messages where tenant_id = $tenant and chat_id = $1 order by id for no key update)
   update messages m set chat_id = $2 from chosen where m.id = chosen.id and m.tenant_id = $tenant`,
);
const countOfChat = removalStatement<[chatId: string, limit: number], { count: number }>(
  'messages.count_of_chat',
  `select count(*)::int as count from (
     select 1 from messages where tenant_id = $tenant and chat_id = $1 limit $2) counted`,
);

/** Moves at most `limit` messages of a contact that is being merged, and returns how many. */
export const moveSomeMessages = (tx: TenantTx, mergedId: string, limit: number): Promise<number> =>
  tx.run(moveToContact, [mergedId, limit]);

/** Moves all messages of a chat to another one. */
export async function moveMessagesToChat(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToChat, [fromId, toId]);
}

/** How many messages a chat has, up to `limit`. */
export const countMessages = async (tx: TenantTx, chatId: string, limit: number): Promise<number> =>
  (await tx.find(countOfChat, [chatId, limit]))?.count ?? 0;

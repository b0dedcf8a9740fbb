import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

/** The notes `x` of a contact that is being merged ($2), before and after its chats are moved. */
export const NOTES_OF_MERGED = `contacts k
  join chats c on c.contact_id in (k.id, k.merged_into) and c.tenant_id = k.tenant_id
  join notes x on x.chat_id = c.id and x.tenant_id = c.tenant_id and x.contact_id = k.id`;

const moveToContact = removalStatement<[limit: number, mergedId: string]>(
  'notes.move_to_contact',
  `update notes n set contact_id = k.merged_into from contacts k
    where k.id = $2 and k.tenant_id = $tenant and k.merged_into <> k.id and n.tenant_id = $tenant
      and n.id = any (array(select x.id from ${NOTES_OF_MERGED}
                             where k.id = $2 and k.tenant_id = $tenant limit $1))`,
);
const moveToChat = removalStatement<[fromId: string, toId: string]>(
  'notes.move_to_chat',
  'update notes set chat_id = $2 where tenant_id = $tenant and chat_id = $1',
);

/** Moves at most `limit` notes about a contact that is being merged, and returns how many. */
export const moveSomeNotes = (tx: TenantTx, mergedId: string, limit: number): Promise<number> =>
  tx.run(moveToContact, [limit, mergedId]);

/** Moves all notes about a chat to another one. */
export async function moveNotesToChat(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToChat, [fromId, toId]);
}

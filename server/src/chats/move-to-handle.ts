import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const moveToHandle = statement<[fromId: string, toId: string, now: Date]>(
  'chats.move_to_handle',
  `update visible_chats c set handle_id = $2, updated_at = $3
    where c.handle_id = $1 and (c.tenant_id = $tenant) is true and not exists (
      select 1 from chats o where o.handle_id = $2 and (o.tenant_id = $tenant and o.channel_id = c.channel_id) is true)`,
);

/** Makes chats go over another handle of the same contact, unless the channel has a chat over that one. */
export async function moveChatsToHandle(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToHandle, [fromId, toId, tx.now]);
}

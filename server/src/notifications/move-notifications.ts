import { removalStatement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';

const moveToChat = removalStatement<[fromId: string, toId: string]>(
  'notifications.move_to_chat',
  'update notifications set chat_id = $2 where tenant_id = $tenant and chat_id = $1',
);

/** Moves all notifications about a chat to another one. */
export async function moveNotificationsToChat(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  await tx.run(moveToChat, [fromId, toId]);
}

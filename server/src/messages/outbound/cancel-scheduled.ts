import { ApiError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { type MessageRow, messageColumns } from '../message.ts';
import { messageEvent } from '../message-event.ts';

const lockMessage = statement<[id: string], MessageRow & { is_sensitive: boolean; is_sending: boolean }>(
  'messages.lock_to_cancel',
  `select ${messageColumns('k')}, k.is_sensitive, m.sending_at is not null as is_sending
     from visible_messages m join chats k on k.id = m.chat_id and k.tenant_id = m.tenant_id
    where m.id = $1 and m.tenant_id = $tenant for update of m`,
);
const deleteMessage = statement<[id: string]>(
  'messages.delete_scheduled',
  'delete from messages where id = $1 and tenant_id = $tenant',
);

/** Deletes a message whose time has not come, and returns whether it existed. One that was sent, or is being sent, stays. */
export async function cancelScheduled(tx: TenantTx, messageId: string): Promise<boolean> {
  const row = isUuid(messageId) ? await tx.find(lockMessage, [messageId]) : undefined;
  if (!row) return false;
  if (row.scheduled_at === null)
    throw new ApiError('conflict', { detail: 'only a scheduled message can be cancelled' });
  if (row.status !== 'queued' || row.is_sending)
    throw new ApiError('conflict', {
      detail: row.is_sending ? 'the message is being sent' : `the message is already ${row.status}`,
    });
  await tx.run(deleteMessage, [row.id]);
  const gone = { ...row, text: null, media: [], content: {}, deleted_at: tx.now, updated_at: tx.now };
  tx.publish(messageEvent('message.deleted', gone, row.is_sensitive, tx));
  return true;
}

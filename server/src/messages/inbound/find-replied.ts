import { isUuid } from '../../base/ids.ts';
import { statement, systemStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { NewMessage } from './store-messages.ts';

const byVendorId = systemStatement<
  [channelId: string, vendorIds: string[]],
  { vendor_id: string; id: string }
>(
  'messages.replied_by_vendor_id',
  `select v.vendor_id, m.id from vendor_messages v join visible_messages m on m.id = v.message_id and m.tenant_id = v.tenant_id
    where v.channel_id = $1 and v.vendor_id = any ($2::text[])`,
);
const byId = statement<[ids: string[]], { id: string; chat_id: string }>(
  'messages.replied_by_id',
  'select id, chat_id from visible_messages where id = any ($1::uuid[]) and tenant_id = $tenant',
);

/**
 * Sets `reply_to_message_id` of new messages: the first of the vendor's ids that the channel knows, else our own id if
 * the vendor returned it and the message is in the same chat.
 */
export async function setRepliedMessages(
  tx: TenantTx,
  channelId: string,
  messages: readonly NewMessage[],
): Promise<void> {
  const replies = messages.filter(({ received }) => received.replyTo?.length || received.replyToMessageId);
  const vendorIds = replies.flatMap(({ received }) => received.replyTo ?? []);
  const ids = replies.flatMap(({ received: { replyToMessageId: id } }) => (id && isUuid(id) ? [id] : []));
  const known = new Map<string, string>();
  if (vendorIds.length > 0) {
    for (const row of await tx.all(byVendorId, [channelId, vendorIds])) known.set(row.vendor_id, row.id);
    // A reply may come in the same batch as the message that it answers.
    for (const { received, row } of messages) known.set(received.vendorId, row.id);
  }
  const chatOf = new Map<string, string>();
  if (ids.length > 0) for (const row of await tx.all(byId, [ids])) chatOf.set(row.id, row.chat_id);

  for (const { received, row } of replies) {
    const vendorId = received.replyTo?.find((one) => known.has(one));
    const ownId = received.replyToMessageId?.toLowerCase();
    if (vendorId !== undefined) row.reply_to_message_id = known.get(vendorId) as string;
    else if (ownId && chatOf.get(ownId) === row.chat_id) row.reply_to_message_id = ownId;
  }
  for (const { row } of messages)
    if (row.type === 'reaction') row.content = { messageId: row.reply_to_message_id, ...row.content };
}

import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { NewMessage } from './store-messages.ts';

const byVendorId = statement<[channelId: string, vendorIds: string[]], { vendor_id: string; id: string }>(
  'messages.replied_by_vendor_id',
  `select v.vendor_id, m.id from vendor_messages v join messages m on m.id = v.message_id and m.tenant_id = v.tenant_id
    where v.channel_id = $1 and v.vendor_id = any ($2::text[])`,
);
const byId = statement<[ids: string[], tenantId: string], { id: string; chat_id: string }>(
  'messages.replied_by_id',
  'select id, chat_id from messages where id = any ($1::uuid[]) and tenant_id = $2',
);

/**
 * Says of each new message what it answers or reacts to: the likeliest by the vendor's ids that the channel knows, else
 * what the vendor gave our own id back for, if it is of the same chat.
 */
export async function nameReplied(
  tx: Tx,
  { id: channelId, tenantId }: { id: string; tenantId: string },
  messages: readonly NewMessage[],
): Promise<void> {
  const replies = messages.filter(({ told }) => told.replyTo?.length || told.replyToMessageId);
  const vendorIds = replies.flatMap(({ told }) => told.replyTo ?? []);
  const ids = replies.flatMap(({ told: { replyToMessageId: id } }) => (id && isUuid(id) ? [id] : []));
  const known = new Map<string, string>();
  if (vendorIds.length > 0) {
    for (const row of await tx.all(byVendorId, [channelId, vendorIds])) known.set(row.vendor_id, row.id);
    // Some answer what came together with them.
    for (const { told, row } of messages) known.set(told.vendorId, row.id);
  }
  const chatOf = new Map<string, string>();
  if (ids.length > 0) for (const row of await tx.all(byId, [ids, tenantId])) chatOf.set(row.id, row.chat_id);

  for (const { told, row } of replies) {
    const named = told.replyTo?.find((vendorId) => known.has(vendorId));
    const given = told.replyToMessageId?.toLowerCase();
    if (named !== undefined) row.reply_to_message_id = known.get(named) as string;
    else if (given && chatOf.get(given) === row.chat_id) row.reply_to_message_id = given;
  }
  for (const { row } of messages)
    if (row.type === 'reaction') row.content = { messageId: row.reply_to_message_id, ...row.content };
}

import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { Handle } from '../../providers/kinds.ts';

const lastMessages = statement<
  [channelId: string, types: string[], values: string[]],
  { chat_id: string; id: string }
>(
  'messages.last_of_chats',
  // Compared in the order of messages_by_chat, so that no other index can serve.
  `select c.id as chat_id, l.id
     from unnest($2::text[], $3::text[]) as p (type, value)
     join handles h on h.tenant_id = $tenant and h.type = p.type and h.value = p.value
     join visible_chats c on c.handle_id = h.id and (c.tenant_id = h.tenant_id and c.channel_id = $1) is true
    cross join lateral (
      select m.id from messages m
       where m.tenant_id = $tenant and m.chat_id >= c.id
         and (m.chat_id, m.created_at, m.id) <= (c.id, 'infinity'::timestamptz, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
       order by m.chat_id desc, m.created_at desc, m.id desc limit 1) l`,
);

/**
 * The id of the last message in each chat of a channel over these handles. Only a statement that begins after the chats are
 * locked sees what was stored while they were waited for.
 */
export async function findLastIds(
  tx: TenantTx,
  channelId: string,
  handles: readonly Handle[],
): Promise<Map<string, string>> {
  const rows = await tx.all(lastMessages, [
    channelId,
    handles.map(({ type }) => type),
    handles.map(({ value }) => value),
  ]);
  return new Map(rows.map(({ chat_id, id }) => [chat_id, id]));
}

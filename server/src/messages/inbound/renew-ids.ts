import { newIdAfter, timeOfId } from '../../base/ids.ts';
import { nowMs } from '../../base/time.ts';
import { keyOf } from '../../contacts/handles/owners.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { ResolvedChats, Written } from './resolve-chats.ts';

const renewClaims = statement<[channelId: string, vendorIds: string[], before: string[], after: string[]]>(
  'messages.renew_claims',
  `update vendor_messages v set message_id = n.after
     from unnest($2::text[], $3::uuid[], $4::uuid[]) as n (vendor_id, before, after)
    where v.channel_id = $1 and v.tenant_id = $tenant and v.vendor_id = n.vendor_id and v.message_id = n.before`,
);

const lastIds = statement<[chatIds: string[]], { chat_id: string; id: string }>(
  'messages.last_ids',
  // Rows are stored in about the order of their ids.
  `select n.chat_id, l.id from unnest($1::uuid[]) as n (chat_id) cross join lateral (
     select r.id from (
       select m.id from visible_messages m where m.tenant_id = $tenant and m.chat_id = n.chat_id
        order by m.created_at desc, m.id desc limit 10) r order by r.id desc limit 1) l`,
);

/**
 * The last id of each chat that has messages. The locked row says which message is the latest by its time, which is also the one that was
 * stored last, unless its time was ahead of the messages that were stored while these waited: only then the messages are asked.
 */
async function findLastIds<W extends Written>(
  tx: TenantTx,
  { chats, written }: ResolvedChats<W>,
): Promise<Map<string, string | null>> {
  const latest = new Map([...chats.values()].map((chat) => [chat.id, chat.latest_message_id]));
  const ahead = written.flatMap(({ contact, messageId }) => {
    const chat = chats.get(keyOf(contact));
    // Ids never go back, but clocks do.
    const waitedMs = Math.max(0, nowMs() - timeOfId(messageId));
    return chat?.latest_message_at && chat.latest_message_at.getTime() > tx.now.getTime() - waitedMs
      ? [chat.id]
      : [];
  });
  if (ahead.length === 0) return latest;
  for (const { chat_id, id } of await tx.all(lastIds, [[...new Set(ahead)]]))
    if (id > (latest.get(chat_id) ?? '')) latest.set(chat_id, id);
  return latest;
}

/**
 * Gives messages another id where their chat has a later one by now: ids are made before the chats are locked, and those
 * who read a chat on from the last id they know must miss nothing.
 */
export async function renewIds<W extends Written>(
  tx: TenantTx,
  channelId: string,
  resolved: ResolvedChats<W>,
): Promise<ResolvedChats<W>> {
  const latest = await findLastIds(tx, resolved);
  const renewed = new Map<string, string>();
  for (const { contact, messageId } of resolved.written) {
    const chatId = resolved.chats.get(keyOf(contact))?.id;
    const before = chatId && latest.get(chatId);
    if (!before || messageId > before) continue;
    const id = newIdAfter(before);
    latest.set(chatId, id);
    renewed.set(messageId, id);
  }
  if (renewed.size === 0) return resolved;
  const idOf = (id: string): string => renewed.get(id) ?? id;
  const withNewId = (message: W): W => ({ ...message, messageId: idOf(message.messageId) });
  // A message that was received before keeps the id that it has.
  const own = new Set(resolved.claims.map(({ message_id }) => message_id));
  const claimed = resolved.written.filter(({ messageId }) => renewed.has(messageId) && own.has(messageId));
  tx.enqueue(renewClaims, [
    channelId,
    claimed.map(({ vendorId }) => vendorId),
    claimed.map(({ messageId }) => messageId),
    claimed.map(({ messageId }) => idOf(messageId)),
  ]);
  return {
    ...resolved,
    written: resolved.written.map(withNewId),
    claims: resolved.claims.map((claim) => ({ ...claim, message_id: idOf(claim.message_id) })),
  };
}

import { newIdAfter } from '../../base/ids.ts';
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

/**
 * Gives messages another id where their chat has a later one by now: ids are made before the chats are locked, and those
 * who read a chat on from the last id they know must miss nothing. The locked row says which message is the latest.
 */
export function renewIds<W extends Written>(
  tx: TenantTx,
  channelId: string,
  resolved: ResolvedChats<W>,
): ResolvedChats<W> {
  const latest = new Map([...resolved.chats.values()].map((chat) => [chat.id, chat.latest_message_id]));
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
    unclaimed: resolved.unclaimed.map(withNewId),
    claims: resolved.claims.map((claim) => ({ ...claim, message_id: idOf(claim.message_id) })),
  };
}

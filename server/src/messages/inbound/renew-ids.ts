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
 * who read a chat on from the last id they know must miss nothing.
 */
export function renewIds<W extends Written>(
  tx: TenantTx,
  channelId: string,
  resolved: ResolvedChats<W>,
): ResolvedChats<W> {
  const { chats, lastIds } = resolved;
  const isLate = ({ contact, messageId }: W): boolean =>
    messageId < (lastIds.get(chats.get(keyOf(contact))?.id ?? '') ?? '');
  if (!resolved.written.some(isLate)) return resolved;

  const last = new Map(lastIds);
  const renewed = new Map<string, string>();
  for (const { contact, messageId } of resolved.written) {
    const chatId = chats.get(keyOf(contact))?.id;
    const before = chatId === undefined ? undefined : last.get(chatId);
    if (chatId === undefined || before === undefined) continue;
    const id = messageId > before ? messageId : newIdAfter(before);
    last.set(chatId, id);
    if (id !== messageId) renewed.set(messageId, id);
  }
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

import { keyOf } from '../../contacts/handles/owners.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { InboundReadReceipt } from '../../providers/inbound-event.ts';
import { normalizeContact } from './resolve-chats.ts';
import { advanceStatuses } from './statuses.ts';

const unreadUpTo = statement<
  [channelId: string, types: string[], values: string[], until: Date[]],
  { id: string }
>(
  'messages.unread_up_to',
  `select distinct m.id from unnest($2::text[], $3::text[], $4::timestamptz[]) as n (type, value, until)
     join handles h on h.tenant_id = $tenant and h.type = n.type and h.value = n.value
     join visible_chats c on c.handle_id = h.id and (c.tenant_id = $tenant and c.channel_id = $1) is true
     join messages m on m.tenant_id = $tenant and m.chat_id = c.id and m.sender = 'outbound'
      and m.status in ('sent', 'delivered') and m.timestamp <= n.until
    order by m.id`,
);

/** Sets all messages that were sent to a contact up to a moment to read. */
export async function applyReadReceipts(
  tx: TenantTx,
  channelId: string,
  receipts: readonly InboundReadReceipt[],
): Promise<void> {
  if (receipts.length === 0) return;
  const latest = new Map<string, { type: string; value: string; until: Date }>();
  for (const { contact, until } of receipts) {
    const { type, value, others = [] } = normalizeContact(contact);
    for (const handle of [{ type, value }, ...others]) {
      const before = latest.get(keyOf(handle));
      if (!before || before.until < until) latest.set(keyOf(handle), { ...handle, until });
    }
  }
  const upTo = [...latest.values()];
  const rows = await tx.all(unreadUpTo, [
    channelId,
    upTo.map(({ type }) => type),
    upTo.map(({ value }) => value),
    upTo.map(({ until }) => until),
  ]);
  await advanceStatuses(
    tx,
    rows.map(({ id }) => ({ messageId: id, vendorId: null, status: 'read', error: null })),
  );
}

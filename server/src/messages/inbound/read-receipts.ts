import { keyOf } from '../../contacts/handles/add.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { Publisher } from '../../engine/outbox.ts';
import type { InboundReadReceipt } from '../../providers/adapter.ts';
import { normalizeContact } from './resolve-chats.ts';
import { moveOn } from './statuses.ts';

const readUpTo = statement<
  [tenantId: string, channelId: string, types: string[], values: string[], until: Date[]],
  { id: string }
>(
  'messages.read_up_to',
  `select distinct m.id from unnest($3::text[], $4::text[], $5::timestamptz[]) as n (type, value, until)
     join handles h on h.tenant_id = $1 and h.type = n.type and h.value = n.value
     join chats c on c.tenant_id = $1 and c.channel_id = $2 and c.handle_id = h.id
     join messages m on m.tenant_id = $1 and m.chat_id = c.id and m.sender = 'outbound'
      and m.status in ('sent', 'delivered') and m.timestamp <= n.until
    order by m.id`,
);

/** Everything that a person has been sent up to a moment is read. */
export async function applyReadReceipts(
  tx: Tx,
  channel: { id: string; tenantId: string },
  marks: readonly InboundReadReceipt[],
  now: Date,
  publisher: Publisher,
): Promise<void> {
  if (marks.length === 0) return;
  const latest = new Map<string, { type: string; value: string; until: Date }>();
  for (const { contact, until } of marks) {
    const { type, value, others = [] } = normalizeContact(contact);
    for (const handle of [{ type, value }, ...others]) {
      const before = latest.get(keyOf(handle));
      if (!before || before.until < until) latest.set(keyOf(handle), { ...handle, until });
    }
  }
  const upTo = [...latest.values()];
  const rows = await tx.all(readUpTo, [
    channel.tenantId,
    channel.id,
    upTo.map(({ type }) => type),
    upTo.map(({ value }) => value),
    upTo.map(({ until }) => until),
  ]);
  const moves = rows.map(({ id }) => ({
    messageId: id,
    vendorId: null,
    status: 'read' as const,
    error: null,
  }));
  await moveOn(tx, channel, moves, now, publisher);
}

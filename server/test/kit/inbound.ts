import { newId } from '../../src/base/ids.ts';
import type { TenantDatabase } from '../../src/db/tenant.ts';
import { shardOf } from '../../src/engine/queue.ts';
import type { InboundMessage } from '../../src/providers/inbound-event.ts';
import type { ChannelKind } from '../../src/providers/kinds.ts';
import { shapes } from '../../src/providers/sandbox/shapes.ts';

/** A message as an adapter returns it. */
export const inboundMessage = (
  vendorId: string,
  from: string,
  occurredAt: Date,
  text = vendorId,
): InboundMessage => ({
  kind: 'message',
  vendorId,
  occurredAt,
  contact: { type: 'phone_number', value: from, name: null },
  type: 'text',
  text,
  media: [],
  content: {},
});

/** The body of a request of the sandbox, in the format of the vendor that it simulates. */
export async function sandboxBody(
  { id, kind = 'whatsapp' }: { id: string; kind?: ChannelKind },
  message: { id: string; from: string; at: Date; text: string },
): Promise<Buffer> {
  const channel = { id, tenantId: newId(), kind, address: '+15550009999', config: {} };
  const event = inboundMessage(message.id, message.from, message.at, message.text);
  return (await shapes[kind].write(event, channel, 'http://localhost/', 'unsigned')).body;
}

/** Adds requests to the inbound queue as they are, without a check of their signature. */
export async function storeInbound(
  db: TenantDatabase,
  channelId: string,
  bodies: Buffer[],
  dueAt = '-infinity',
): Promise<string[]> {
  const ids = bodies.map(() => newId());
  await db.query(
    `insert into inbound (id, tenant_id, channel_id, headers, body, shard, due_at, created_at)
     select b.id, $1, $2, '{}', b.body, $3, $6::timestamptz, now() from unnest($4::uuid[], $5::bytea[]) as b (id, body)`,
    [db.tenantId, channelId, shardOf(channelId, db.tenantId), ids, bodies, dueAt],
  );
  return ids;
}

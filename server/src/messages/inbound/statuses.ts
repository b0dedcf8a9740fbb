import { groupBy } from '../../base/group-by.ts';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { NewEvent, Publisher } from '../../engine/outbox.ts';
import type { InboundStatus } from '../../providers/adapter.ts';
import { MESSAGE_COLUMNS, type MessageRow } from '../message.ts';
import { messageEvent } from '../message-event.ts';
import type { Message } from '../schema.ts';
import { furthestStatus, statusRank } from '../status.ts';

const ownMessages = statement<[ids: string[], tenantId: string, channelId: string], { id: string }>(
  'messages.own_of_channel',
  `select id from messages where id = any ($1::uuid[]) and tenant_id = $2 and channel_id = $3 and sender = 'outbound'`,
);
const park = statement<
  [
    channelId: string,
    tenantId: string,
    now: Date,
    vendorIds: string[],
    messageIds: (string | null)[],
    ranks: number[],
    errors: (string | null)[],
  ],
  { vendor_id: string; message_id: string | null }
>(
  'messages.park_statuses',
  // How far it has come is kept with the vendor's id, whether or not its message is known yet.
  `insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, pending, created_at)
   select $1, $2, n.vendor_id, n.message_id, n.rank, n.error::jsonb, $3
     from unnest($4::text[], $5::uuid[], $6::smallint[], $7::text[]) as n (vendor_id, message_id, rank, error)
    order by n.vendor_id
   on conflict (channel_id, vendor_id) do update
     set message_id = coalesce(v.message_id, excluded.message_id),
         status_rank = greatest(v.status_rank, excluded.status_rank),
         pending = case when excluded.status_rank > v.status_rank then excluded.pending else v.pending end
   returning vendor_id, message_id`,
);
const lockSent = statement<[ids: string[], tenantId: string], MessageRow & { is_sensitive: boolean }>(
  'messages.lock_sent',
  `select ${MESSAGE_COLUMNS}, c.is_sensitive
     from messages m join chats c on c.id = m.chat_id and c.tenant_id = m.tenant_id
    where m.id = any ($1::uuid[]) and m.tenant_id = $2 and m.sender = 'outbound' order by m.id for update of m`,
);
const settle = statement<
  [
    tenantId: string,
    now: Date,
    ids: string[],
    statuses: string[],
    errors: (string | null)[],
    vendorIds: (string | null)[],
  ]
>(
  'messages.settle',
  // Whoever was about to send it again, or to ask what became of it, need not.
  `update messages m set status = n.status, error = n.error::jsonb, vendor_id = n.vendor_id, sending_at = null,
          due_at = null, updated_at = $2
     from unnest($3::uuid[], $4::text[], $5::text[], $6::text[]) as n (id, status, error, vendor_id)
    where m.id = n.id and m.tenant_id = $1`,
);

/** The status that a rank stands for. */
export const statusOfRank = (rank: number): Message['status'] =>
  (Object.keys(statusRank) as Message['status'][]).find((status) => statusRank[status] === rank) ?? 'queued';

interface StatusChannel {
  id: string;
  tenantId: string;
}

/**
 * Takes in how far messages have come, in whichever order it is told and also before the message itself is known. A
 * status that carries our own id settles a send whose answer was lost.
 */
export async function receiveStatuses(
  tx: Tx,
  channel: StatusChannel,
  statuses: readonly InboundStatus[],
  now: Date,
  publisher: Publisher,
): Promise<void> {
  if (statuses.length === 0) return;
  const own = await findOwn(tx, channel, statuses);
  const perVendorId = [...groupBy(statuses, ({ vendorId }) => vendorId)];
  const furthest = perVendorId.map(([, told]) =>
    told.reduce((far, one) => (statusRank[one.status] > statusRank[far.status] ? one : far)),
  );
  const rows = await tx.all(park, [
    channel.id,
    channel.tenantId,
    now,
    perVendorId.map(([vendorId]) => vendorId),
    perVendorId.map(
      ([, told]) => told.map((one) => one.messageId?.toLowerCase() ?? '').find((id) => own.has(id)) ?? null,
    ),
    furthest.map(({ status }) => statusRank[status]),
    furthest.map(({ error }) => (error ? JSON.stringify(error) : null)),
  ]);
  const messageOf = new Map(rows.map((row) => [row.vendor_id, row.message_id]));
  const moves = statuses.flatMap(({ vendorId, status, error = null }) => {
    const messageId = messageOf.get(vendorId);
    return messageId ? [{ messageId, vendorId, status, error }] : [];
  });
  await moveOn(tx, channel, moves, now, publisher);
}

/** Which of our own ids that came back are really messages that went out over this channel. */
async function findOwn(
  tx: Tx,
  { id, tenantId }: StatusChannel,
  statuses: readonly InboundStatus[],
): Promise<Set<string>> {
  const given = statuses.flatMap(({ messageId }) => (messageId && isUuid(messageId) ? [messageId] : []));
  if (given.length === 0) return new Set();
  return new Set((await tx.all(ownMessages, [given, tenantId, id])).map((row) => row.id));
}

/** That a message has come this far. */
export interface Move {
  messageId: string;
  /** The vendor's id of the message, where it is to have one from now on. */
  vendorId: string | null;
  status: Message['status'];
  error: Message['error'];
}

const eventOf = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
} as const;

/** Moves messages forward, one step after another, and tells of each step; none goes back, and none is told twice. */
export async function moveOn(
  tx: Tx,
  { tenantId }: StatusChannel,
  moves: readonly Move[],
  now: Date,
  { publish }: Publisher,
): Promise<void> {
  if (moves.length === 0) return;
  const locked = await tx.all(lockSent, [[...new Set(moves.map(({ messageId }) => messageId))], tenantId]);
  const rows = new Map(locked.map((row) => [row.id, row]));
  const changed = new Map<string, MessageRow>();
  const events: NewEvent[] = [];
  for (const { messageId, vendorId, status, error } of moves) {
    const row = rows.get(messageId);
    const next = row && furthestStatus(row.status, status);
    if (!row || next === row.status || next === undefined || next === 'queued') continue;
    row.vendor_id ??= vendorId;
    row.updated_at = now;
    changed.set(row.id, row);
    // What arrived was sent, also where that was never said.
    const isUnsaid = row.status === 'queued' && next !== 'failed' && next !== 'sent';
    for (const step of isUnsaid ? (['sent', next] as const) : [next]) {
      row.status = step;
      row.error = step === 'failed' ? (error ?? UNSAID) : null;
      events.push(messageEvent(eventOf[step], row, row.is_sensitive));
    }
  }
  const all = [...changed.values()];
  if (all.length > 0)
    await tx.write(settle, [
      tenantId,
      now,
      all.map((row) => row.id),
      all.map((row) => row.status),
      all.map((row) => (row.error ? JSON.stringify(row.error) : null)),
      all.map((row) => row.vendor_id),
    ]);
  await publish(tx, tenantId, events);
}

/** A vendor that says that a message failed and not why. */
const UNSAID = { code: 'failed', message: 'The vendor did not say why.' };

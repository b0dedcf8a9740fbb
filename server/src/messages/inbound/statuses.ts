import type { NewEvent } from '../../base/events.ts';
import { groupBy } from '../../base/group-by.ts';
import { isUuid } from '../../base/ids.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import type { InboundStatus } from '../../providers/inbound-event.ts';
import type { ChannelKind } from '../../providers/kinds.ts';
import { type CountFailed, reasonOf } from '../count-failures.ts';
import { learnFromFailures } from '../learn-from-failures.ts';
import { type MessageRow, messageColumns } from '../message.ts';
import { messageEvent } from '../message-event.ts';
import { MAILED_TO } from '../outbound/outgoing.ts';
import type { Message } from '../schema.ts';
import { furthestStatus, statusRank } from '../status.ts';

const ownMessages = statement<[ids: string[], channelId: string], { id: string }>(
  'messages.own_of_channel',
  `select id from visible_messages where id = any ($1::uuid[]) and tenant_id = $tenant and channel_id = $2 and sender = 'outbound'`,
);
const copiedMessages = statement<
  [channelId: string, ids: string[], vendorIds: string[]],
  { id: string; vendor_id: string | null; mailed_to: string }
>(
  'messages.with_copies',
  `select q.id, q.vendor_id, lower(${MAILED_TO}) as mailed_to
     from visible_messages q
     join chats c on c.id = q.chat_id and c.tenant_id = q.tenant_id
     join handles handle on handle.id = c.handle_id and handle.tenant_id = c.tenant_id
    where q.tenant_id = $tenant and q.channel_id = $1 and q.sender = 'outbound'
      and jsonb_array_length(case when jsonb_typeof(q.content->'cc') = 'array' then q.content->'cc' else '[]' end) > 0
      and q.id in (select unnest($2::uuid[]) union all
                   select v.message_id from vendor_messages v
                    where v.channel_id = $1 and v.tenant_id = $tenant and v.vendor_id = any ($3::text[]))`,
);
const storeVendorStatuses = statement<
  [
    channelId: string,
    now: Date,
    vendorIds: string[],
    messageIds: (string | null)[],
    ranks: number[],
    errors: (string | null)[],
  ],
  { vendor_id: string; message_id: string | null }
>(
  'messages.store_vendor_statuses',
  // The status is stored with the vendor's id, whether or not its message is known yet.
  `insert into vendor_messages as v (channel_id, tenant_id, vendor_id, message_id, status_rank, pending, created_at)
   select $1, $tenant, n.vendor_id, n.message_id, n.rank, n.error::jsonb, $2
     from unnest($3::text[], $4::uuid[], $5::smallint[], $6::text[]) as n (vendor_id, message_id, rank, error)
    order by n.vendor_id
   on conflict (channel_id, vendor_id) do update
     set message_id = coalesce(v.message_id, excluded.message_id),
         status_rank = greatest(v.status_rank, excluded.status_rank),
         pending = case when excluded.status_rank > v.status_rank then excluded.pending else v.pending end
   returning vendor_id, message_id`,
);
const lockSent = statement<[ids: string[]], MessageRow & { is_sensitive: boolean }>(
  'messages.lock_sent',
  `select ${messageColumns('c')}, c.is_sensitive
     from visible_messages m join chats c on c.id = m.chat_id and c.tenant_id = m.tenant_id
    where m.id = any ($1::uuid[]) and m.tenant_id = $tenant and m.sender = 'outbound' order by m.id for no key update of m`,
);
const updateStatuses = statement<
  [
    now: Date,
    ids: string[],
    statuses: string[],
    errors: (string | null)[],
    vendorIds: (string | null)[],
    pricings: (string | null)[],
  ]
>(
  'messages.update_statuses',
  // A status also ends a pending retry or reconciliation, so the message is no longer due.
  `update visible_messages m set status = n.status, error = n.error::jsonb, vendor_id = n.vendor_id, sending_at = null,
          due_at = null, updated_at = $1,
          content = case when n.pricing is null then m.content else m.content || jsonb_build_object('pricing', n.pricing::jsonb) end
     from unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) as n (id, status, error, vendor_id, pricing)
    where m.id = n.id and m.tenant_id = $tenant`,
);

/** The status with this rank. */
export const statusOfRank = (rank: number): Message['status'] =>
  (Object.keys(statusRank) as Message['status'][]).find((status) => statusRank[status] === rank) ?? 'queued';

/**
 * Stores statuses of messages, in whatever order they come and also before the message itself is known. A status with
 * our own id resolves a send whose answer was lost.
 */
export async function receiveStatuses(
  tx: TenantTx,
  { id: channelId, kind }: { id: string; kind: ChannelKind },
  given: readonly InboundStatus[],
  countFailed?: CountFailed,
): Promise<void> {
  const statuses = await withoutCopies(tx, channelId, given);
  if (statuses.length === 0) return;
  const own = await findOwn(tx, channelId, statuses);
  const perVendorId = [...groupBy(statuses, ({ vendorId }) => vendorId)];
  const furthest = perVendorId.map(([, some]) =>
    some.reduce((far, one) => (statusRank[one.status] > statusRank[far.status] ? one : far)),
  );
  const rows = await tx.all(storeVendorStatuses, [
    channelId,
    tx.now,
    perVendorId.map(([vendorId]) => vendorId),
    perVendorId.map(
      ([, some]) => some.map((one) => one.messageId?.toLowerCase() ?? '').find((id) => own.has(id)) ?? null,
    ),
    furthest.map(({ status }) => statusRank[status]),
    furthest.map(({ error }) => (error ? JSON.stringify(error) : null)),
  ]);
  const messageOf = new Map(rows.map((row) => [row.vendor_id, row.message_id]));
  const changes = statuses.flatMap(({ vendorId, status, error = null, pricing }) => {
    const messageId = messageOf.get(vendorId);
    return messageId ? [{ messageId, vendorId, status, error, ...(pricing ? { pricing } : {}) }] : [];
  });
  const changed = await advanceStatuses(tx, changes);
  const failed = changed.filter(({ status }) => status === 'failed');
  await learnFromFailures(tx, kind, failed);
  if (countFailed && failed.length > 0)
    tx.afterCommit(() => {
      for (const { error } of failed) countFailed(kind, reasonOf(error ?? NO_REASON));
    });
}

/** The statuses without those of recipients in copy: a mail that did not reach them still reached the contact. */
async function withoutCopies(
  tx: TenantTx,
  channelId: string,
  statuses: readonly InboundStatus[],
): Promise<readonly InboundStatus[]> {
  const named = statuses.filter(({ recipients }) => recipients !== undefined);
  if (named.length === 0) return statuses;
  const ids = named.flatMap(({ messageId }) => (messageId && isUuid(messageId) ? [messageId] : []));
  const rows = await tx.all(copiedMessages, [channelId, ids, named.map(({ vendorId }) => vendorId)]);
  const mailedTo = new Map(rows.flatMap((row) => [row.id, row.vendor_id].map((key) => [key, row.mailed_to])));
  return statuses.filter(({ messageId, vendorId, recipients }) => {
    const address = mailedTo.get(messageId?.toLowerCase() ?? '') ?? mailedTo.get(vendorId);
    return recipients === undefined || !address || recipients.includes(address);
  });
}

/** Which of the message ids in these statuses are messages that were sent over this channel. */
async function findOwn(
  tx: TenantTx,
  channelId: string,
  statuses: readonly InboundStatus[],
): Promise<Set<string>> {
  const given = statuses.flatMap(({ messageId }) => (messageId && isUuid(messageId) ? [messageId] : []));
  if (given.length === 0) return new Set();
  return new Set((await tx.all(ownMessages, [given, channelId])).map((row) => row.id));
}

/** A status that a message has reached. */
export interface StatusChange {
  messageId: string;
  /** The vendor's id of the message, if it has none yet. */
  vendorId: string | null;
  status: Message['status'];
  error: Message['error'];
  pricing?: Record<string, unknown>;
}

const eventTypeOf = {
  sent: 'message.sent',
  delivered: 'message.delivered',
  read: 'message.read',
  failed: 'message.failed',
} as const;

/**
 * Moves messages forward and publishes an event for each step. No message goes back, and no step is published twice. Returns
 * the messages that moved.
 */
export async function advanceStatuses(tx: TenantTx, changes: readonly StatusChange[]): Promise<MessageRow[]> {
  if (changes.length === 0) return [];
  const locked = await tx.all(lockSent, [[...new Set(changes.map(({ messageId }) => messageId))]]);
  const rows = new Map(locked.map((row) => [row.id, row]));
  const changed = new Map<string, MessageRow>();
  const events: NewEvent[] = [];
  const pricings = new Map<string, Record<string, unknown>>();
  for (const { messageId, vendorId, status, error, pricing } of changes) {
    const row = rows.get(messageId);
    const next = row && furthestStatus(row.status, status);
    // The answer to the send may have said before that it was sent, but not what it costs.
    if (row && pricing && row.deleted_at === null && row.content.pricing === undefined) {
      row.content = { ...row.content, pricing };
      pricings.set(row.id, pricing);
    }
    if (!row || next === row.status || next === undefined || next === 'queued') continue;
    row.vendor_id ??= vendorId;
    row.updated_at = tx.now;
    changed.set(row.id, row);
    // A message that was delivered was also sent, even if the vendor never reported that.
    const skipsSent = row.status === 'queued' && next !== 'failed' && next !== 'sent';
    for (const step of skipsSent ? (['sent', next] as const) : [next]) {
      row.status = step;
      row.error = step === 'failed' ? (error ?? NO_REASON) : null;
      events.push(messageEvent(eventTypeOf[step], row, row.is_sensitive, tx));
    }
  }
  const moved = [...changed.values()];
  const all = [...rows.values()].filter(({ id }) => changed.has(id) || pricings.has(id));
  if (all.length > 0)
    tx.enqueue(updateStatuses, [
      tx.now,
      all.map((row) => row.id),
      all.map((row) => row.status),
      all.map((row) => (row.error ? JSON.stringify(row.error) : null)),
      all.map((row) => row.vendor_id),
      all.map(({ id }) => (pricings.has(id) ? JSON.stringify(pricings.get(id)) : null)),
    ]);
  tx.publish(...events);
  return moved;
}

/** For vendors that report a failure without a reason. */
const NO_REASON = { code: 'failed', message: 'The vendor did not say why.' };

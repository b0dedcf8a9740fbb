import type { Tx } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { NewEvent, Publisher } from '../../engine/outbox.ts';
import { removeFilesOf } from '../../files/file.ts';
import type { InboundMutation } from '../../providers/adapter.ts';
import { MESSAGE_COLUMNS, type MessageRow } from '../message.ts';
import { messageEvent } from '../message-event.ts';

type MutableRow = MessageRow & { edited_at: Date | null; is_sensitive: boolean };

const knownIds = statement<
  [channelId: string, vendorIds: string[]],
  { vendor_id: string; message_id: string }
>(
  'messages.known_vendor_ids',
  `select vendor_id, message_id from vendor_messages
    where channel_id = $1 and vendor_id = any ($2::text[]) and message_id is not null`,
);
const lockMutable = statement<[ids: string[], tenantId: string], MutableRow>(
  'messages.lock_mutable',
  `select ${MESSAGE_COLUMNS}, c.is_sensitive
     from messages m join chats c on c.id = m.chat_id and c.tenant_id = m.tenant_id
    where m.id = any ($1::uuid[]) and m.tenant_id = $2 order by m.id for update of m`,
);
const update = statement<
  [
    tenantId: string,
    now: Date,
    ids: string[],
    texts: (string | null)[],
    edited: (Date | null)[],
    deleted: (Date | null)[],
  ]
>(
  'messages.mutate',
  `update messages m set text = n.text, edited_at = n.edited_at, deleted_at = n.deleted_at, updated_at = $2,
          media = case when n.deleted_at is null then m.media else '[]' end,
          content = case when n.deleted_at is null then m.content else '{}' end
     from unnest($3::uuid[], $4::text[], $5::timestamptz[], $6::timestamptz[]) as n (id, text, edited_at, deleted_at)
    where m.id = n.id and m.tenant_id = $1`,
);
const forgetFetches = statement<[messageIds: string[], tenantId: string]>(
  'media_fetches.delete_of_messages',
  'delete from media_fetches where message_id = any ($1::uuid[]) and tenant_id = $2',
);

/**
 * Changes messages as their writers did, and empties those that were taken back. Gives the mutations of messages that
 * nobody has heard of yet; of one that is gone there is nothing to change.
 */
export async function receiveMutations(
  tx: Tx,
  { id: channelId, tenantId }: { id: string; tenantId: string },
  mutations: readonly InboundMutation[],
  now: Date,
  { publish }: Publisher,
): Promise<InboundMutation[]> {
  if (mutations.length === 0) return [];
  const vendorIds = [...new Set(mutations.map(({ vendorId }) => vendorId))];
  const known = await tx.all(knownIds, [channelId, vendorIds]);
  const messageOf = new Map(known.map((row) => [row.vendor_id, row.message_id]));
  const rows = new Map<string, MutableRow>();
  if (known.length > 0)
    for (const row of await tx.all(lockMutable, [[...messageOf.values()], tenantId])) rows.set(row.id, row);

  const changed = new Set<MutableRow>();
  const events: NewEvent[] = [];
  for (const mutation of mutations) {
    const row = rows.get(messageOf.get(mutation.vendorId) ?? '');
    if (!row || !mutate(row, mutation)) continue;
    row.updated_at = now;
    changed.add(row);
    const type = row.deleted_at === null ? 'message.updated' : 'message.deleted';
    events.push(messageEvent(type, row, row.is_sensitive));
  }
  await write(tx, tenantId, [...changed], now);
  await publish(tx, tenantId, events);
  return mutations.filter(({ vendorId }) => !messageOf.has(vendorId));
}

/** Does to a row what its writer did, and says whether that changed anything: a repetition does not. */
function mutate(row: MutableRow, { change, text, occurredAt }: InboundMutation): boolean {
  if (row.deleted_at !== null) return false;
  if (change === 'delete') {
    Object.assign(row, { text: null, media: [], content: {}, deleted_at: occurredAt });
    return true;
  }
  // An older change that comes late does not undo a newer one.
  if (text === undefined || text === row.text || (row.edited_at !== null && occurredAt < row.edited_at))
    return false;
  Object.assign(row, { text, edited_at: occurredAt });
  return true;
}

async function write(tx: Tx, tenantId: string, rows: MutableRow[], now: Date): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(update, [
    tenantId,
    now,
    rows.map((row) => row.id),
    rows.map((row) => row.text),
    rows.map((row) => row.edited_at),
    rows.map((row) => row.deleted_at as Date | null),
  ]);
  const emptied = rows.filter((row) => row.deleted_at !== null).map((row) => row.id);
  if (emptied.length === 0) return;
  await tx.run(forgetFetches, [emptied, tenantId]);
  await removeFilesOf(tx, tenantId, emptied);
}

import type { NewEvent } from '../../base/events.ts';
import { statement, systemStatement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { removeFilesOf } from '../../files/file.ts';
import type { InboundMutation } from '../../providers/inbound-event.ts';
import { type MessageRow, messageColumns } from '../message.ts';
import { messageEvent } from '../message-event.ts';

type MutableRow = MessageRow & { edited_at: Date | null; is_sensitive: boolean };

const knownIds = systemStatement<
  [channelId: string, vendorIds: string[]],
  { vendor_id: string; message_id: string }
>(
  'messages.known_vendor_ids',
  `select vendor_id, message_id from vendor_messages
    where channel_id = $1 and vendor_id = any ($2::text[]) and message_id is not null`,
);
const lockMutable = statement<[ids: string[]], MutableRow>(
  'messages.lock_mutable',
  `select ${messageColumns('c')}, c.is_sensitive
     from visible_messages m join chats c on c.id = m.chat_id and c.tenant_id = m.tenant_id
    where m.id = any ($1::uuid[]) and m.tenant_id = $tenant order by m.id for no key update of m`,
);
const update = statement<
  [now: Date, ids: string[], texts: (string | null)[], edited: (Date | null)[], deleted: (Date | null)[]]
>(
  'messages.mutate',
  `update visible_messages m set text = n.text, edited_at = n.edited_at, deleted_at = n.deleted_at, updated_at = $1,
          media = case when n.deleted_at is null then m.media else '[]' end,
          content = case when n.deleted_at is null then m.content else '{}' end
     from unnest($2::uuid[], $3::text[], $4::timestamptz[], $5::timestamptz[]) as n (id, text, edited_at, deleted_at)
    where m.id = n.id and m.tenant_id = $tenant`,
);
const deleteFetches = statement<[messageIds: string[]]>(
  'media_fetches.delete_of_messages',
  'delete from media_fetches where message_id = any ($1::uuid[]) and tenant_id = $tenant',
);

/**
 * Edits messages as their authors did, and empties those that were deleted by their authors. Returns the mutations of
 * messages that have not been received yet. A message that was deleted here is not changed.
 */
export async function receiveMutations(
  tx: TenantTx,
  channelId: string,
  mutations: readonly InboundMutation[],
): Promise<InboundMutation[]> {
  if (mutations.length === 0) return [];
  const vendorIds = [...new Set(mutations.map(({ vendorId }) => vendorId))];
  const known = await tx.all(knownIds, [channelId, vendorIds]);
  const messageOf = new Map(known.map((row) => [row.vendor_id, row.message_id]));
  const rows = new Map<string, MutableRow>();
  if (known.length > 0)
    for (const row of await tx.all(lockMutable, [[...messageOf.values()]])) rows.set(row.id, row);

  const changed = new Set<MutableRow>();
  const events: NewEvent[] = [];
  for (const mutation of mutations) {
    const row = rows.get(messageOf.get(mutation.vendorId) ?? '');
    if (!row || !mutate(row, mutation)) continue;
    row.updated_at = tx.now;
    changed.add(row);
    const type = row.deleted_at === null ? 'message.updated' : 'message.deleted';
    events.push(messageEvent(type, row, row.is_sensitive, tx));
  }
  await storeMutated(tx, [...changed]);
  tx.publish(...events);
  return mutations.filter(({ vendorId }) => !messageOf.has(vendorId));
}

/** Applies a mutation to a row and returns whether it changed: a repeated mutation changes nothing. */
function mutate(row: MutableRow, { change, text, occurredAt }: InboundMutation): boolean {
  if (row.deleted_at !== null) return false;
  if (change === 'delete') {
    Object.assign(row, { text: null, media: [], content: {}, deleted_at: occurredAt });
    return true;
  }
  // An older edit that arrives late does not undo a newer one.
  if (text === undefined || text === row.text || (row.edited_at !== null && occurredAt < row.edited_at))
    return false;
  Object.assign(row, { text, edited_at: occurredAt });
  return true;
}

async function storeMutated(tx: TenantTx, rows: MutableRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.run(update, [
    tx.now,
    rows.map((row) => row.id),
    rows.map((row) => row.text),
    rows.map((row) => row.edited_at),
    rows.map((row) => row.deleted_at as Date | null),
  ]);
  const emptied = rows.filter((row) => row.deleted_at !== null).map((row) => row.id);
  if (emptied.length === 0) return;
  await tx.run(deleteFetches, [emptied]);
  await removeFilesOf(tx, emptied);
}

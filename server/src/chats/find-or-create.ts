import { newId } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Chat } from './schema.ts';

/** A chat under its row lock. */
export interface LockedChat {
  handle_value: string;
  id: string;
  contact_id: string;
  status: Chat['status'];
  read_at: Date | null;
  open_until: Date | null;
  latest_message_id: string | null;
  latest_message_at: Date | null;
  is_sensitive: boolean;
}

const lockChats = statement<
  [tenantId: string, channelId: string, type: string, values: string[]],
  LockedChat
>(
  'chats.lock',
  // Always in the order of ids, so that two who lock the same chats never wait for each other.
  `select h.value as handle_value, c.id, c.contact_id, c.status, c.read_at, c.open_until, c.latest_message_id,
          c.latest_message_at, c.is_sensitive
     from handles h join chats c on c.tenant_id = h.tenant_id and c.channel_id = $2 and c.handle_id = h.id
    where h.tenant_id = $1 and h.type = $3 and h.value = any ($4::text[])
    order by c.id for update of c`,
);
const insertChats = statement<
  [tenantId: string, channelId: string, type: string, values: string[], ids: string[], now: Date],
  { id: string }
>(
  'chats.insert',
  `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
   select p.id, $1, $2, h.contact_id, h.id, 'open', $6, $6
     from unnest($4::text[], $5::uuid[]) as p (value, id)
     join handles h on h.tenant_id = $1 and h.type = $3 and h.value = p.value
    order by h.id
   on conflict (tenant_id, channel_id, handle_id) do nothing returning id`,
);

/** Locks the chats that a channel has with these people. */
export function lockChatsOf(
  tx: Tx,
  tenantId: string,
  channelId: string,
  type: string,
  values: string[],
): Promise<LockedChat[]> {
  return tx.all(lockChats, [tenantId, channelId, type, values]);
}

/** Makes the chats that a channel does not yet have with these people, and gives the ids of the new ones. */
export async function createChats(
  tx: Tx,
  tenantId: string,
  channelId: string,
  type: string,
  values: string[],
  now: Date,
): Promise<string[]> {
  const rows = await tx.all(insertChats, [tenantId, channelId, type, values, values.map(() => newId()), now]);
  return rows.map((row) => row.id);
}

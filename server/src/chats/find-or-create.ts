import { newId } from '../base/ids.ts';
import { type PersonColumns, personColumns } from '../contacts/contact.ts';
import { keyOf } from '../contacts/handles/owners.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { Handle } from '../providers/kinds.ts';
import type { Chat } from './schema.ts';

/** A chat whose row is locked. */
export interface LockedChat extends PersonColumns {
  id: string;
  contact_id: string;
  status: Chat['status'];
  unread_count: number;
  read_at: Date | null;
  open_until: Date | null;
  latest_message_id: string | null;
  latest_message_at: Date | null;
  is_sensitive: boolean;
  waiting_since: Date | null;
  is_undeliverable: boolean;
  /** Whether it is assigned to a user. */
  is_assigned: boolean;
}

const LOCKED = `c.id, c.contact_id, c.status, c.unread_count, c.read_at, c.open_until, c.latest_message_id, c.latest_message_at,
  c.is_sensitive, c.waiting_since, h.undeliverable is not null as is_undeliverable,
  c.assigned_user_id is not null as is_assigned, ${personColumns('person', 'h')}`;
const CONTACT =
  'join contacts person on person.id = c.contact_id and (person.tenant_id = c.tenant_id) is true';

/**
 * SQL that, on a condition, locks the chats of the channel $1 over the handles with the types $2 and values $3. In the order of ids, so no
 * deadlocks. Chats are only found by their handle: by the index of the channel, whose entries change with every message, one
 * chat took half a millisecond between two vacuums.
 */
export const lockChatsIf = (condition: string): string => `select ${LOCKED}
     from unnest($2::text[], $3::text[]) as p (type, value)
     join handles h on h.tenant_id = $tenant and h.type = p.type and h.value = p.value
     join visible_chats c on c.handle_id = h.id and (c.tenant_id = h.tenant_id and c.channel_id = $1) is true
     ${CONTACT}
    where ${condition} order by c.id for no key update of c`;
/** SQL: those of the same handles that have no chat in the channel. */
export const WITHOUT_CHAT = `select p.type, p.value from unnest($2::text[], $3::text[]) as p (type, value)
    where not exists (
      select from handles h
        join visible_chats c on c.handle_id = h.id and (c.tenant_id = h.tenant_id and c.channel_id = $1) is true
       where h.tenant_id = $tenant and h.type = p.type and h.value = p.value)`;
const withoutChat = statement<[channelId: string, types: string[], values: string[]], Handle>(
  'chats.find_missing',
  WITHOUT_CHAT,
);
const chatsOfContacts = statement<
  [channelId: string, contactIds: string[]],
  Handle & { contact_id: string; latest_message_at: Date | null }
>(
  'chats.of_contacts',
  `select c.contact_id, h.type, h.value, c.latest_message_at
     from visible_chats c join handles h on h.id = c.handle_id and h.tenant_id = c.tenant_id
    where c.tenant_id = $tenant and c.channel_id = $1 and c.contact_id = any ($2::uuid[])`,
);
const insertChats = statement<
  [channelId: string, types: string[], values: string[], ids: string[], now: Date, isClosed: boolean],
  { id: string }
>(
  'chats.insert',
  `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, closed_at, created_at, updated_at)
   select p.id, $tenant, $1, h.contact_id, h.id, case when $6 then 'closed' else 'open' end, case when $6 then $5::timestamptz end,
          $5, $5
     from unnest($2::text[], $3::text[], $4::uuid[]) as p (type, value, id)
     join handles h on h.tenant_id = $tenant and h.type = p.type and h.value = p.value
    order by h.id
   on conflict (tenant_id, channel_id, handle_id) do nothing returning id`,
);

const typesOf = (handles: readonly Handle[]): string[] => handles.map(({ type }) => type);
const valuesOf = (handles: readonly Handle[]): string[] => handles.map(({ value }) => value);

/** Which of these handles have no chat in a channel, by `keyOf`. */
export async function findWithoutChat(
  tx: TenantTx,
  channelId: string,
  handles: readonly Handle[],
): Promise<Set<string>> {
  const rows = await tx.all(withoutChat, [channelId, typesOf(handles), valuesOf(handles)]);
  return new Set(rows.map(keyOf));
}

/** Finds all chats of a channel with these contacts, each with the handle that it is over. */
export const findChatsOfContacts = (tx: TenantTx, channelId: string, contactIds: string[]) =>
  tx.all(chatsOfContacts, [channelId, contactIds]);

/** Creates the chats of a channel over these handles that do not exist yet, and returns the ids of the new ones. */
export async function createChats(
  tx: TenantTx,
  channelId: string,
  handles: readonly Handle[],
  { isClosed = false } = {},
): Promise<string[]> {
  const ids = handles.map(() => newId());
  const rows = await tx.all(insertChats, [
    channelId,
    typesOf(handles),
    valuesOf(handles),
    ids,
    tx.now,
    isClosed,
  ]);
  return rows.map((row) => row.id);
}

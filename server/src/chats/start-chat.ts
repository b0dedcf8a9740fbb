import { ApiError, invalidParam } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { findHeldChannel, unknownChannel } from '../channels/channel.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import type { ChannelKind, HandleType } from '../providers/kinds.ts';
import { chatsForEvents, requireChat } from './chat.ts';
import type { Chat } from './schema.ts';

/** The types of handles by which contacts are reached on each kind of channel, the best first. */
export const reachedBy: Record<ChannelKind, readonly HandleType[]> = {
  whatsapp: ['phone_number', 'whatsapp_id'],
  sms: ['phone_number'],
  email: ['email'],
  instagram: ['instagram_id'],
};

interface HeldHandle {
  id: string;
  contact_id: string;
  type: HandleType;
  is_primary: boolean;
  created_at: Date;
}

// Locked until the transaction ends, so that they are not deleted before the chat refers to them.
const holdContacts = statement<[ids: string[]], { id: string }>(
  'chats.hold_contacts',
  'select id from visible_contacts where id = any ($1::uuid[]) and tenant_id = $tenant order by id for key share',
);
const holdHandles = statement<[contactIds: string[], types: readonly string[]], HeldHandle>(
  'chats.hold_handles',
  // The tenant is compared with `is true`, which no index can serve: one could lead to all handles of the tenant.
  `select id, contact_id, type, is_primary, created_at from handles
    where contact_id = any ($1::uuid[]) and (tenant_id = $tenant) is true and type = any ($2::text[])
    order by id for key share`,
);
const chatsOver = statement<[channelId: string, handleIds: string[]], { id: string; handle_id: string }>(
  'chats.over',
  'select id, handle_id from visible_chats where handle_id = any ($2::uuid[]) and (tenant_id = $tenant and channel_id = $1) is true',
);
const insertChats = statement<
  [channelId: string, ids: string[], contactIds: string[], handleIds: string[], now: Date, status: string],
  { id: string; handle_id: string }
>(
  'chats.insert_over',
  `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, closed_at, created_at, updated_at)
   select n.id, $tenant, $1, n.contact_id, n.handle_id, $6, case when $6 = 'closed' then $5::timestamptz end, $5, $5
     from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as n (id, contact_id, handle_id) order by n.handle_id
   on conflict (tenant_id, channel_id, handle_id) do nothing returning id, handle_id`,
);

/** The best handle of each contact that has any of these types. */
async function bestHandles(
  tx: TenantTx,
  contactIds: string[],
  types: readonly HandleType[],
): Promise<Map<string, HeldHandle>> {
  const better = (a: HeldHandle, b: HeldHandle): number =>
    types.indexOf(a.type) - types.indexOf(b.type) ||
    Number(b.is_primary) - Number(a.is_primary) ||
    a.created_at.getTime() - b.created_at.getTime() ||
    (a.id < b.id ? -1 : 1);
  const best = new Map<string, HeldHandle>();
  for (const handle of (await tx.all(holdHandles, [contactIds, types])).sort(better))
    if (!best.has(handle.contact_id)) best.set(handle.contact_id, handle);
  return best;
}

/**
 * Returns the ids of the chats with contacts on a channel, by the contacts' ids, or the error why there is none. Missing
 * chats are created. If several transactions ask at the same time, one creates the chat and all get the same.
 */
export async function startChats(
  tx: TenantTx,
  channelId: string,
  contactIds: readonly string[],
  { status = 'open' }: { status?: 'open' | 'closed' } = {},
): Promise<Map<string, string | ApiError>> {
  const wanted = [...new Set(contactIds)];
  const channel = await findHeldChannel(tx, channelId);
  if (!channel) {
    const error = unknownChannel(channelId);
    return new Map(wanted.map((id) => [id, error]));
  }
  const contacts = new Set((await tx.all(holdContacts, [wanted])).map(({ id }) => id));
  const types = reachedBy[channel.kind];
  const handles =
    contacts.size === 0 ? new Map<string, HeldHandle>() : await bestHandles(tx, [...contacts], types);
  /** By the id of their handle. */
  const chats = new Map<string, string>();
  const addChats = (rows: { id: string; handle_id: string }[]): void => {
    for (const row of rows) chats.set(row.handle_id, row.id);
  };
  const created: string[] = [];
  for (;;) {
    const withoutChat = [...handles.values()].filter(({ id }) => !chats.has(id));
    if (withoutChat.length === 0) break;
    const handleIds = withoutChat.map(({ id }) => id);
    addChats(await tx.all(chatsOver, [channel.id, handleIds]));
    const missing = withoutChat.filter(({ id }) => !chats.has(id));
    if (missing.length === 0) break;
    // A chat that another transaction creates meanwhile is found the next time, unless it has been deleted again.
    const rows = await tx.all(insertChats, [
      channel.id,
      missing.map(() => newId()),
      missing.map(({ contact_id }) => contact_id),
      missing.map(({ id }) => id),
      tx.now,
      status,
    ]);
    addChats(rows);
    created.push(...rows.map(({ id }) => id));
  }
  const newChats = created.length === 0 ? [] : await chatsForEvents(tx, created);
  tx.publish(
    ...newChats.map((data) => ({
      type: 'chat.created' as const,
      channelId: channel.id,
      contactId: data.contactId,
      chatId: data.id,
      data,
    })),
  );
  const resultFor = (contactId: string): string | ApiError => {
    if (!contacts.has(contactId)) return new ApiError('contact_not_found');
    const chat = chats.get(handles.get(contactId)?.id ?? '');
    return (
      chat ??
      invalidParam(
        'contactId',
        'custom',
        `The contact has no handle of the type ${types.join(' or ')}, which ${channel.kind} channels need`,
      )
    );
  };
  return new Map(wanted.map((id) => [id, resultFor(id)]));
}

/** The chat with a contact on a channel, created if it does not exist. */
export async function startChat(
  tx: TenantTx,
  { contactId, channelId }: { contactId: string; channelId: string },
): Promise<Chat> {
  const chat = (await startChats(tx, channelId, [contactId])).get(contactId);
  if (typeof chat !== 'string') throw chat;
  return requireChat(tx, chat);
}

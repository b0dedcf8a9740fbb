import { ApiError, invalidParam } from '../base/errors.ts';
import { newId } from '../base/ids.ts';
import { findHeldChannel, unknownChannelIssue } from '../channels/channel.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { ChannelKind, HandleType } from '../providers/adapter.ts';
import type { ChangeDeps } from './change-chat.ts';
import { chatsForEvents, requireChat } from './chat.ts';
import type { Chat } from './schema.ts';

/** By which handles a person is reached on each kind of channel, the best first. */
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

// Held until the transaction ends: nobody deletes them before the chat refers to them.
const holdContacts = statement<[ids: string[], tenantId: string], { id: string }>(
  'chats.hold_contacts',
  'select id from contacts where id = any ($1::uuid[]) and tenant_id = $2 order by id for key share',
);
const holdHandles = statement<[contactIds: string[], tenantId: string, types: readonly string[]], HeldHandle>(
  'chats.hold_handles',
  // The tenant is said so that no index serves: one of it would lead to all handles that it has.
  `select id, contact_id, type, is_primary, created_at from handles
    where contact_id = any ($1::uuid[]) and (tenant_id = $2) is true and type = any ($3::text[])
    order by id for key share`,
);
const chatsOver = statement<
  [channelId: string, tenantId: string, handleIds: string[]],
  { id: string; handle_id: string }
>(
  'chats.over',
  'select id, handle_id from chats where tenant_id = $2 and channel_id = $1 and handle_id = any ($3::uuid[])',
);
const insertChats = statement<
  [channelId: string, tenantId: string, ids: string[], contactIds: string[], handleIds: string[], now: Date],
  { id: string; handle_id: string }
>(
  'chats.insert_over',
  `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
   select n.id, $2, $1, n.contact_id, n.handle_id, 'open', $6, $6
     from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as n (id, contact_id, handle_id) order by n.handle_id
   on conflict (tenant_id, channel_id, handle_id) do nothing returning id, handle_id`,
);

/** The best handle of each contact that has any of these types. */
async function bestHandles(
  tx: Tx,
  tenantId: string,
  contactIds: string[],
  types: readonly HandleType[],
): Promise<Map<string, HeldHandle>> {
  const better = (a: HeldHandle, b: HeldHandle): number =>
    types.indexOf(a.type) - types.indexOf(b.type) ||
    Number(b.is_primary) - Number(a.is_primary) ||
    a.created_at.getTime() - b.created_at.getTime() ||
    (a.id < b.id ? -1 : 1);
  const best = new Map<string, HeldHandle>();
  for (const handle of (await tx.all(holdHandles, [contactIds, tenantId, types])).sort(better))
    if (!best.has(handle.contact_id)) best.set(handle.contact_id, handle);
  return best;
}

/**
 * The chats with contacts on a channel by the contacts' ids, made and told of where there are none yet, or why there is
 * none. Of many who ask at once one makes a chat, and all get the same.
 */
export async function startChats(
  tx: Tx,
  tenantId: string,
  channelId: string,
  contactIds: readonly string[],
  { clock, publisher }: ChangeDeps,
): Promise<Map<string, string | ApiError>> {
  const wanted = [...new Set(contactIds)];
  const channel = await findHeldChannel(tx, tenantId, channelId);
  if (!channel) {
    const error = new ApiError('invalid_body_params', { invalidParams: unknownChannelIssue(channelId) });
    return new Map(wanted.map((id) => [id, error]));
  }
  const contacts = new Set((await tx.all(holdContacts, [wanted, tenantId])).map(({ id }) => id));
  const types = reachedBy[channel.kind];
  const handles = contacts.size === 0 ? new Map() : await bestHandles(tx, tenantId, [...contacts], types);
  const chats = new Map<string, string>();
  const note = (rows: { id: string; handle_id: string }[]): void => {
    for (const row of rows) chats.set(row.handle_id, row.id);
  };
  const made: string[] = [];
  for (;;) {
    const without = [...handles.values()].filter(({ id }) => !chats.has(id));
    if (without.length === 0) break;
    const handleIds = without.map(({ id }) => id);
    note(await tx.all(chatsOver, [channel.id, tenantId, handleIds]));
    const open = without.filter(({ id }) => !chats.has(id));
    if (open.length === 0) break;
    // What somebody else makes meanwhile is there the next time, unless it has been deleted again.
    const rows = await tx.all(insertChats, [
      channel.id,
      tenantId,
      open.map(() => newId()),
      open.map(({ contact_id }) => contact_id),
      open.map(({ id }) => id),
      clock.now(tenantId),
    ]);
    note(rows);
    made.push(...rows.map(({ id }) => id));
  }
  const created = made.length === 0 ? [] : await chatsForEvents(tx, tenantId, made);
  await publisher.publish(
    tx,
    tenantId,
    created.map((data) => ({
      type: 'chat.created',
      channelId: channel.id,
      contactId: data.contactId,
      chatId: data.id,
      data,
    })),
  );
  const answerFor = (contactId: string): string | ApiError => {
    if (!contacts.has(contactId)) return new ApiError('contact_not_found');
    const chat = chats.get(handles.get(contactId)?.id ?? '');
    return (
      chat ??
      invalidParam(
        'contactId',
        'custom',
        `The contact has no handle of the type ${types.join(' or ')}, by which people are reached on ${channel.kind}`,
      )
    );
  };
  return new Map(wanted.map((id) => [id, answerFor(id)]));
}

/** The chat with a contact on a channel, made and told of where there is none yet. */
export async function startChat(
  tx: Tx,
  tenantId: string,
  { contactId, channelId }: { contactId: string; channelId: string },
  deps: ChangeDeps,
): Promise<Chat> {
  const chat = (await startChats(tx, tenantId, channelId, [contactId], deps)).get(contactId);
  if (typeof chat !== 'string') throw chat;
  return requireChat(tx, tenantId, chat);
}

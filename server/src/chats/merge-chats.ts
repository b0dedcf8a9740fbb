import { moveRunsToChat } from '../automations/runs/move-runs.ts';
import { removalStatement, statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { moveNewEventsToChat } from '../engine/move-events.ts';
import { countMessages, moveMessagesToChat } from '../messages/move-messages.ts';
import { moveNotesToChat } from '../notes/move-notes.ts';
import { moveNotificationsToChat } from '../notifications/move-notifications.ts';
import type { Handle, HandleType } from '../providers/kinds.ts';
import { deleteMergedChats } from './remove-chats.ts';

interface ChatOfContact {
  id: string;
  channel_id: string;
  contact_id: string;
  handle_type: HandleType;
  handle_value: string;
  latest_message_at: Date | null;
}

const lockOfContacts = removalStatement<[contactIds: string[]], ChatOfContact>(
  'chats.lock_to_merge',
  `select c.id, c.channel_id, c.contact_id, h.type as handle_type, h.value as handle_value, c.latest_message_at
     from chats c join handles h on h.id = c.handle_id and h.tenant_id = c.tenant_id
    where c.contact_id = any ($1::uuid[]) and c.tenant_id = $tenant order by c.id for update of c`,
);
const moveToContact = removalStatement<[fromId: string, toId: string, now: Date]>(
  'chats.move_to_contact',
  'update chats set contact_id = $2, updated_at = $3 where contact_id = $1 and tenant_id = $tenant',
);
const absorb = statement<[fromId: string, toId: string, now: Date]>(
  'chats.absorb',
  // The person waits if one of both waited, and nobody sees more than before: a sensitive chat makes both sensitive.
  `update visible_chats t
      set status = case when 'open' in (t.status, f.status) then 'open' else t.status end,
          snoozed_until = case when 'open' in (t.status, f.status) then null else t.snoozed_until end,
          shard = case when 'open' in (t.status, f.status) then null else t.shard end,
          due_at = case when 'open' in (t.status, f.status) then null else t.due_at end,
          closed_at = case when 'open' in (t.status, f.status) then null else t.closed_at end,
          unread_count = t.unread_count + f.unread_count, marked_unread = t.marked_unread or f.marked_unread,
          read_at = least(t.read_at, f.read_at),
          latest_message_id = case when f.latest_message_at > coalesce(t.latest_message_at, '-infinity')
                                   then f.latest_message_id else t.latest_message_id end,
          latest_message_at = greatest(t.latest_message_at, f.latest_message_at),
          open_until = greatest(t.open_until, f.open_until),
          assigned_user_id = coalesce(t.assigned_user_id, f.assigned_user_id),
          assigned_team_id = coalesce(t.assigned_team_id, f.assigned_team_id),
          is_sensitive = t.is_sensitive or f.is_sensitive,
          automation_pause = case when t.automation_pause or f.automation_pause then true
                                  else coalesce(t.automation_pause, f.automation_pause) end,
          waiting_since = least(t.waiting_since, f.waiting_since),
          first_responded_at = least(t.first_responded_at, f.first_responded_at), updated_at = $3
     from chats f
    where t.id = $2 and t.tenant_id = $tenant and f.id = $1 and f.tenant_id = $tenant`,
);

const lockOverHandles = statement<
  [fromId: string, toId: string],
  { id: string; handle_id: string; channel_id: string; contact_id: string }
>(
  'chats.lock_over_handles',
  `select id, handle_id, channel_id, contact_id from visible_chats
    where handle_id in ($1, $2) and (tenant_id = $tenant) is true order by id for no key update`,
);

/** A chat with more messages is not moved: it would take longer than a transaction may. */
const MAX_MOVED = 1_000;

/** A chat that is part of another one now. */
interface MergedChat {
  chatId: string;
  intoChatId: string;
}

/** Locks the chats of both contacts, and moves those of one to the other. */
export async function moveChats(tx: TenantTx, fromId: string, toId: string): Promise<ChatOfContact[]> {
  const chats = await tx.all(lockOfContacts, [[fromId, toId]]);
  await tx.run(moveToContact, [fromId, toId, tx.now]);
  return chats;
}

/**
 * Makes one chat of two of the same channel: what is written to one must be seen by who waits in the other. Two numbers that
 * `isSame` does not say are the same are two chats. The chat with fewer messages becomes part of the other; if both have
 * many, both stay.
 */
export async function mergeChats(
  tx: TenantTx,
  chats: readonly ChatOfContact[],
  fromId: string,
  toId: string,
  isSame: (one: Handle, other: Handle) => boolean,
): Promise<MergedChat[]> {
  const merged: MergedChat[] = [];
  const latestFirst = chats.toSorted(
    (a, b) => (b.latest_message_at?.getTime() ?? 0) - (a.latest_message_at?.getTime() ?? 0),
  );
  for (const channelId of new Set(chats.map((chat) => chat.channel_id))) {
    const own = latestFirst.filter((chat) => chat.channel_id === channelId);
    const stayed = own.filter((chat) => chat.contact_id === toId);
    const pairs = own
      .filter((chat) => chat.contact_id === fromId)
      .map((moved) => [moved, stayed.find((chat) => isOneChat(moved, chat, isSame))] as const);
    const [pair] = pairs.filter(([, chat]) => chat !== undefined);
    if (!pair?.[1]) continue;
    const done = await mergeTwo(tx, pair[0].id, pair[1].id, toId);
    if (done) merged.push(done);
  }
  return merged;
}

const handleOf = ({ handle_type: type, handle_value: value }: ChatOfContact): Handle => ({ type, value });

/** A vendor has a number and an id for the same person, and may have several numbers for different ones. */
const isOneChat = (
  one: ChatOfContact,
  other: ChatOfContact,
  isSame: (one: Handle, other: Handle) => boolean,
): boolean => one.handle_type !== other.handle_type || isSame(handleOf(one), handleOf(other));

async function mergeTwo(
  tx: TenantTx,
  movedId: string,
  stayedId: string,
  contactId: string,
): Promise<MergedChat | undefined> {
  const limit = MAX_MOVED + 1;
  const [ofMoved, ofStayed] = [
    await countMessages(tx, movedId, limit),
    await countMessages(tx, stayedId, limit),
  ];
  if (Math.min(ofMoved, ofStayed) > MAX_MOVED) return undefined;
  const [chatId, intoChatId] = ofMoved <= ofStayed ? [movedId, stayedId] : [stayedId, movedId];
  await tx.run(absorb, [chatId, intoChatId, tx.now]);
  await moveRunsToChat(tx, chatId, intoChatId);
  await moveMessagesToChat(tx, chatId, intoChatId);
  await moveNotesToChat(tx, chatId, intoChatId);
  await moveNotificationsToChat(tx, chatId, intoChatId);
  await moveNewEventsToChat(tx, contactId, chatId, intoChatId);
  await deleteMergedChats(tx, [chatId]);
  return { chatId, intoChatId };
}

/** Makes one chat of two over both handles of a contact, in every channel. */
export async function mergeChatsOverHandles(tx: TenantTx, fromId: string, toId: string): Promise<void> {
  const chats = await tx.all(lockOverHandles, [fromId, toId]);
  for (const moved of chats.filter((chat) => chat.handle_id === fromId)) {
    const stayed = chats.find((chat) => chat.handle_id === toId && chat.channel_id === moved.channel_id);
    if (stayed) await mergeTwo(tx, moved.id, stayed.id, moved.contact_id);
  }
}

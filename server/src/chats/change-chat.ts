import type { Clock } from '../base/clock.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { EventType } from '../engine/event-types.ts';
import type { Publisher } from '../engine/outbox.ts';
import { shardOf } from '../engine/queue.ts';
import { chatsForEvents, requireChat } from './chat.ts';
import type { EndingDeps } from './remove-chats.ts';
import type { Chat } from './schema.ts';

export interface ChangeDeps {
  clock: Clock;
  publisher: Publisher;
}

interface ChatState {
  id: string;
  channel_id: string;
  contact_id: string;
  status: Chat['status'];
  snoozed_until: Date | null;
  unread_count: number;
  marked_unread: boolean;
  assigned_user_id: string | null;
  assigned_team_id: string | null;
  is_sensitive: boolean;
}

const lockChat = statement<[id: string, tenantId: string], ChatState>(
  'chats.lock_one',
  `select id, channel_id, contact_id, status, snoozed_until, unread_count, marked_unread, assigned_user_id,
          assigned_team_id, is_sensitive
     from chats where id = $1 and tenant_id = $2 for update`,
);
const updateStatus = statement<
  [id: string, tenantId: string, status: string, until: Date | null, shard: number | null, now: Date]
>(
  'chats.update_status',
  `update chats set status = $3, snoozed_until = $4, due_at = $4, shard = $5, updated_at = $6
    where id = $1 and tenant_id = $2`,
);
const updateRead = statement<[id: string, tenantId: string, markedUnread: boolean, now: Date]>(
  'chats.update_read',
  `update chats set marked_unread = $3, unread_count = case when $3 then unread_count else 0 end,
          read_at = case when $3 then read_at else $4 end, updated_at = $4
    where id = $1 and tenant_id = $2`,
);
const updateAssignment = statement<
  [id: string, tenantId: string, userId: string | null, teamId: string | null, now: Date]
>(
  'chats.update_assignment',
  `update chats set assigned_user_id = $3, assigned_team_id = $4, updated_at = $5 where id = $1 and tenant_id = $2`,
);
const updateSensitive = statement<[id: string, tenantId: string, isSensitive: boolean, now: Date]>(
  'chats.update_sensitive',
  'update chats set is_sensitive = $3, updated_at = $4 where id = $1 and tenant_id = $2',
);
const deleteChat = statement<[id: string, tenantId: string]>(
  'chats.delete',
  'delete from chats where id = $1 and tenant_id = $2',
);
const knownAssignees = statement<
  [userId: string | null, teamId: string | null, tenantId: string],
  { has_user: boolean; has_team: boolean }
>(
  'chats.known_assignees',
  `select exists (select 1 from users where id = $1 and tenant_id = $3) as has_user,
          exists (select 1 from teams where id = $2 and tenant_id = $3) as has_team`,
);

async function requireLocked(tx: Tx, tenantId: string, chatId: string): Promise<ChatState> {
  const chat = isUuid(chatId) ? await tx.find(lockChat, [chatId, tenantId]) : undefined;
  if (!chat) throw new ApiError('chat_not_found');
  return chat;
}

/** Tells of a change and gives the chat as it now is. */
async function tell(
  tx: Tx,
  tenantId: string,
  chat: ChatState,
  type: EventType,
  { publisher }: ChangeDeps,
  facts?: Record<string, unknown>,
): Promise<Chat> {
  const [data] = await chatsForEvents(tx, tenantId, [chat.id]);
  await publisher.publish(tx, tenantId, [
    {
      type,
      channelId: chat.channel_id,
      contactId: chat.contact_id,
      chatId: chat.id,
      data,
      ...(facts ? { facts } : {}),
    },
  ]);
  return requireChat(tx, tenantId, chat.id);
}

export interface StatusChange {
  status?: Chat['status'];
  snoozedUntil?: string;
  /** Whether automations that wait for chats to be opened or closed start. */
  triggerAutomations?: boolean;
}

/** Which trigger of automations a status pulls; a snooze pulls none. */
export const chatTriggers: Partial<Record<Chat['status'], string>> = {
  open: 'chat_opened',
  closed: 'chat_closed',
};

/** When a snooze ends, if this change is one; a snooze must say so, and nothing else may. */
function snoozeEnd({ status = 'closed', snoozedUntil }: StatusChange, now: Date): Date | null {
  if (status !== 'snoozed') {
    if (snoozedUntil !== undefined)
      throw invalidParam('snoozedUntil', 'custom', 'Only the status "snoozed" has an end');
    return null;
  }
  if (snoozedUntil === undefined) throw invalidParam('snoozedUntil', 'invalid_type', 'Required');
  const until = new Date(snoozedUntil);
  if (until <= now) throw invalidParam('snoozedUntil', 'custom', 'Must be in the future');
  // An offset can push the last day of the year 9999 over the end, and nobody could read it back.
  if (until.getUTCFullYear() > 9999)
    throw invalidParam('snoozedUntil', 'custom', 'Must be before the year 10000');
  return until;
}

/** Sets the status; without one, closes the chat. Setting what it has already changes nothing and tells nobody. */
export async function setChatStatus(
  tx: Tx,
  tenantId: string,
  chatId: string,
  change: StatusChange,
  deps: ChangeDeps,
): Promise<Chat> {
  const now = deps.clock.now(tenantId);
  const until = snoozeEnd(change, now);
  const { status = 'closed' } = change;
  const chat = await requireLocked(tx, tenantId, chatId);
  if (chat.status === status && chat.snoozed_until?.getTime() === until?.getTime())
    return requireChat(tx, tenantId, chat.id);
  await tx.write(updateStatus, [
    chat.id,
    tenantId,
    status,
    until,
    until === null ? null : shardOf(chat.channel_id, tenantId),
    now,
  ]);
  const trigger = change.triggerAutomations ? chatTriggers[status] : undefined;
  return tell(tx, tenantId, chat, 'chat.status_changed', deps, trigger ? { trigger } : undefined);
}

/** Marks a chat as read, or by hand as unread. */
export async function setChatRead(
  tx: Tx,
  tenantId: string,
  chatId: string,
  isUnread: boolean,
  deps: ChangeDeps,
): Promise<Chat> {
  const chat = await requireLocked(tx, tenantId, chatId);
  if ((chat.marked_unread || chat.unread_count > 0) === isUnread) return requireChat(tx, tenantId, chat.id);
  await tx.write(updateRead, [chat.id, tenantId, isUnread, deps.clock.now(tenantId)]);
  return tell(tx, tenantId, chat, 'chat.read', deps);
}

/** Assigns a chat to a user and a team; null takes it from them, what is left out stays. */
export async function assignChat(
  tx: Tx,
  tenantId: string,
  chatId: string,
  change: { userId?: string | null; teamId?: string | null },
  deps: ChangeDeps,
): Promise<Chat> {
  const chat = await requireLocked(tx, tenantId, chatId);
  const { userId = chat.assigned_user_id, teamId = chat.assigned_team_id } = change;
  const known = await tx.find(knownAssignees, [userId, teamId, tenantId]);
  const issues = {
    ...(userId !== null && !known?.has_user
      ? { userId: { key: 'custom' as const, message: `There is no user ${userId}` } }
      : {}),
    ...(teamId !== null && !known?.has_team
      ? { teamId: { key: 'custom' as const, message: `There is no team ${teamId}` } }
      : {}),
  };
  if (Object.keys(issues).length > 0) throw new ApiError('invalid_body_params', { invalidParams: issues });
  if (userId === chat.assigned_user_id && teamId === chat.assigned_team_id)
    return requireChat(tx, tenantId, chat.id);
  await tx.write(updateAssignment, [chat.id, tenantId, userId, teamId, deps.clock.now(tenantId)]);
  return tell(tx, tenantId, chat, 'chat.assigned', deps);
}

/** Says whether what is said in a chat stays out of events and logs. */
export async function setSensitive(
  tx: Tx,
  tenantId: string,
  chatId: string,
  isSensitive: boolean,
  { clock }: ChangeDeps,
): Promise<Chat> {
  const chat = await requireLocked(tx, tenantId, chatId);
  if (chat.is_sensitive !== isSensitive)
    await tx.write(updateSensitive, [chat.id, tenantId, isSensitive, clock.now(tenantId)]);
  return requireChat(tx, tenantId, chat.id);
}

export interface RemovalDeps extends ChangeDeps, EndingDeps {}

/** Deletes a chat with its messages and says whether there was one; the contact stays. */
export async function removeChat(
  tx: Tx,
  tenantId: string,
  chatId: string,
  { clock, publisher, beforeRemoval }: RemovalDeps,
): Promise<boolean> {
  const chat = isUuid(chatId) ? await tx.find(lockChat, [chatId, tenantId]) : undefined;
  if (!chat) return false;
  const [data] = await chatsForEvents(tx, tenantId, [chat.id]);
  await beforeRemoval(tx, tenantId, [chat.id], clock.now(tenantId));
  await tx.run(deleteChat, [chat.id, tenantId]);
  await publisher.publish(tx, tenantId, [
    { type: 'chat.deleted', channelId: chat.channel_id, contactId: chat.contact_id, chatId: chat.id, data },
  ]);
  return true;
}

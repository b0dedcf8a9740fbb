import { takeOverChats } from '../automations/runs/take-over.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { chatsForEvents, requireChat } from './chat.ts';
import { snoozesQueue } from './queues.ts';
import type { BeforeChatRemoval } from './remove-chats.ts';
import type { Chat } from './schema.ts';
import { queueReadReceipts } from './tasks.ts';

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
  automation_pause: boolean | null;
}

const STATE = `id, channel_id, contact_id, status, snoozed_until, unread_count, marked_unread, assigned_user_id,
  assigned_team_id, is_sensitive, automation_pause`;
const lockChat = statement<[id: string], ChatState>(
  'chats.lock_one',
  `select ${STATE} from visible_chats where id = $1 and tenant_id = $tenant for no key update`,
);
const lockToDelete = statement<[id: string], ChatState>(
  'chats.lock_to_delete',
  `select ${STATE} from visible_chats where id = $1 and tenant_id = $tenant for update`,
);
const updateStatus = statement<
  [id: string, status: string, until: Date | null, shard: number | null, now: Date]
>(
  'chats.update_status',
  `update visible_chats set status = $2, snoozed_until = $3, due_at = $3, shard = $4, updated_at = $5,
          closed_at = case when $2 = 'closed' then $5::timestamptz end,
          waiting_since = case when $2 <> 'closed' then waiting_since end,
          automation_pause = case when $2 <> 'closed' then automation_pause end,
          first_responded_at = case when status <> 'closed' then first_responded_at end
    where id = $1 and tenant_id = $tenant`,
);
const updateRead = statement<[id: string, markedUnread: boolean, now: Date]>(
  'chats.update_read',
  `update visible_chats set marked_unread = $2, unread_count = case when $2 then unread_count else 0 end,
          read_at = case when $2 then read_at else $3 end, updated_at = $3
    where id = $1 and tenant_id = $tenant`,
);
const updateAssignment = statement<[id: string, userId: string | null, teamId: string | null, now: Date]>(
  'chats.update_assignment',
  // Another user decides again about a pause that was set by hand.
  `update visible_chats set assigned_user_id = $2, assigned_team_id = $3, updated_at = $4,
          automation_pause = case when assigned_user_id is not distinct from $2 then automation_pause end
    where id = $1 and tenant_id = $tenant`,
);
const updatePause = statement<[id: string, isPaused: boolean, now: Date]>(
  'chats.update_automation_pause',
  'update visible_chats set automation_pause = $2, updated_at = $3 where id = $1 and tenant_id = $tenant',
);
const updateSensitive = statement<[id: string, isSensitive: boolean, now: Date]>(
  'chats.update_sensitive',
  'update visible_chats set is_sensitive = $2, updated_at = $3 where id = $1 and tenant_id = $tenant',
);
const deleteChat = statement<[id: string]>(
  'chats.delete',
  'delete from chats where id = $1 and tenant_id = $tenant',
);
const knownAssignees = statement<
  [userId: string | null, teamId: string | null],
  { has_user: boolean; has_team: boolean }
>(
  'chats.known_assignees',
  `select exists (select 1 from users where id = $1 and tenant_id = $tenant) as has_user,
          exists (select 1 from teams where id = $2 and tenant_id = $tenant) as has_team`,
);

async function lockExisting(tx: TenantTx, chatId: string): Promise<ChatState> {
  const chat = isUuid(chatId) ? await tx.find(lockChat, [chatId]) : undefined;
  if (!chat) throw new ApiError('chat_not_found');
  return chat;
}

/** Publishes a change and returns the chat as it is now. */
async function publishChange(
  tx: TenantTx,
  chat: ChatState,
  type: EventType,
  facts?: Record<string, unknown>,
): Promise<Chat> {
  const [data] = await chatsForEvents(tx, [chat.id]);
  tx.publish({
    type,
    channelId: chat.channel_id,
    contactId: chat.contact_id,
    chatId: chat.id,
    data,
    ...(facts ? { facts } : {}),
  });
  return requireChat(tx, chat.id);
}

export interface StatusChange {
  status?: Chat['status'];
  snoozedUntil?: string;
  /** Whether automations with the trigger `chat_opened` or `chat_closed` start. */
  triggerAutomations?: boolean;
  /** Whether the time of a snooze has come. Its user is notified. */
  isSnoozeEnd?: boolean;
}

/** The automation trigger of each status; a snooze has none. */
const chatTriggers: Partial<Record<Chat['status'], string>> = {
  open: 'chat_opened',
  closed: 'chat_closed',
};

/** When a snooze ends; null for other statuses, which must not have an end. */
function validateSnooze({ status = 'closed', snoozedUntil }: StatusChange, now: Date): Date | null {
  if (status !== 'snoozed') {
    if (snoozedUntil !== undefined)
      throw invalidParam('snoozedUntil', 'custom', 'Only allowed with the status "snoozed"');
    return null;
  }
  if (snoozedUntil === undefined) throw invalidParam('snoozedUntil', 'invalid_type', 'Required');
  const until = new Date(snoozedUntil);
  if (until <= now) throw invalidParam('snoozedUntil', 'custom', 'Must be in the future');
  // An offset can move the last day of the year 9999 into the year 10000, which JavaScript cannot read back.
  if (until.getUTCFullYear() > 9999)
    throw invalidParam('snoozedUntil', 'custom', 'Must be before the year 10000');
  return until;
}

/** Sets the status; without one, closes the chat. Setting the status that it has changes nothing and has no event. */
export async function setChatStatus(tx: TenantTx, chatId: string, change: StatusChange): Promise<Chat> {
  const until = validateSnooze(change, tx.now);
  const { status = 'closed' } = change;
  const chat = await lockExisting(tx, chatId);
  if (chat.status === status && chat.snoozed_until?.getTime() === until?.getTime())
    return requireChat(tx, chat.id);
  const shard = until === null ? null : snoozesQueue.shardOf(chat.channel_id, tx.tenantId);
  tx.enqueue(updateStatus, [chat.id, status, until, shard, tx.now]);
  const trigger = change.triggerAutomations ? chatTriggers[status] : undefined;
  const { isSnoozeEnd } = change;
  return publishChange(
    tx,
    chat,
    'chat.status_changed',
    trigger || isSnoozeEnd ? { trigger, isSnoozeEnd } : undefined,
  );
}

/** Marks a chat as read, or manually as unread. If a person reads it, the vendor may show the contact that. */
export async function setChatRead(
  tx: TenantTx,
  chatId: string,
  isUnread: boolean,
  by: 'person' | 'api',
): Promise<Chat> {
  const chat = await lockExisting(tx, chatId);
  if ((chat.marked_unread || chat.unread_count > 0) === isUnread) return requireChat(tx, chat.id);
  if (by === 'person' && !isUnread) queueReadReceipts(tx, [chat]);
  tx.enqueue(updateRead, [chat.id, isUnread, tx.now]);
  return publishChange(tx, chat, 'chat.read');
}

/**
 * Assigns a chat to a user and a team; null removes the assignment, undefined keeps it. If a person does that for a user,
 * what automations wait for in the chat ends.
 */
export async function assignChat(
  tx: TenantTx,
  chatId: string,
  change: { userId?: string | null; teamId?: string | null },
  by: 'person' | 'automation',
): Promise<Chat> {
  const chat = await lockExisting(tx, chatId);
  const { userId = chat.assigned_user_id, teamId = chat.assigned_team_id } = change;
  const known = await tx.find(knownAssignees, [userId, teamId]);
  const issues = collectIssues();
  if (userId !== null && !known?.has_user) issues.add('userId', 'custom', `There is no user ${userId}`);
  if (teamId !== null && !known?.has_team) issues.add('teamId', 'custom', `There is no team ${teamId}`);
  issues.throwIfAny();
  if (userId === chat.assigned_user_id && teamId === chat.assigned_team_id) return requireChat(tx, chat.id);
  tx.enqueue(updateAssignment, [chat.id, userId, teamId, tx.now]);
  if (by === 'person' && userId !== null && userId !== chat.assigned_user_id)
    await takeOverChats(tx, [chat.id]);
  // The members of a team are notified if nobody has the chat yet.
  const assigned = {
    userId: userId === chat.assigned_user_id ? null : userId,
    teamId: teamId === chat.assigned_team_id || userId !== null ? null : teamId,
  };
  return publishChange(tx, chat, 'chat.assigned', { assigned });
}

/** Pauses automations in a chat, or lets them react again, also if it is assigned to a user. */
export async function setAutomationPause(tx: TenantTx, chatId: string, isPaused: boolean): Promise<Chat> {
  const chat = await lockExisting(tx, chatId);
  if (chat.automation_pause === isPaused) return requireChat(tx, chat.id);
  tx.enqueue(updatePause, [chat.id, isPaused, tx.now]);
  if (isPaused) await takeOverChats(tx, [chat.id]);
  return publishChange(tx, chat, 'chat.updated');
}

/** Sets whether the content of a chat is left out of events and logs. */
export async function setSensitive(tx: TenantTx, chatId: string, isSensitive: boolean): Promise<Chat> {
  const chat = await lockExisting(tx, chatId);
  if (chat.is_sensitive === isSensitive) return requireChat(tx, chat.id);
  tx.enqueue(updateSensitive, [chat.id, isSensitive, tx.now]);
  return publishChange(tx, chat, 'chat.updated');
}

/** Deletes a chat with its messages, and returns whether it existed. The contact stays. */
export async function removeChat(
  tx: TenantTx,
  chatId: string,
  beforeRemoval: BeforeChatRemoval,
): Promise<boolean> {
  const chat = isUuid(chatId) ? await tx.find(lockToDelete, [chatId]) : undefined;
  if (!chat) return false;
  const [data] = await chatsForEvents(tx, [chat.id]);
  await beforeRemoval(tx, [chat.id]);
  await tx.run(deleteChat, [chat.id]);
  tx.publish({
    type: 'chat.deleted',
    channelId: chat.channel_id,
    contactId: chat.contact_id,
    chatId: chat.id,
    data,
  });
  return true;
}

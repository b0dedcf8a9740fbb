import { takeOverChats } from '../automations/runs/take-over.ts';
import { ApiError, invalidParam } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { recountChat } from '../reports/marks.ts';
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
const lockChats = statement<[ids: string[]], ChatState>(
  'chats.lock_to_change',
  // Always in the order of ids, so that two transactions that lock the same chats never wait for each other.
  `select ${STATE} from visible_chats where id = any ($1::uuid[]) and tenant_id = $tenant order by id for no key update`,
);
const lockToDelete = statement<[id: string], ChatState>(
  'chats.lock_to_delete',
  `select ${STATE} from visible_chats where id = $1 and tenant_id = $tenant for update`,
);
const updateStatus = statement<
  [ids: string[], status: string, until: Date | null, shards: (number | null)[], now: Date]
>(
  'chats.update_status',
  `update visible_chats c set status = $2, snoozed_until = $3, due_at = $3, shard = n.shard, updated_at = $5,
          closed_at = case when $2 = 'closed' then $5::timestamptz end,
          waiting_since = case when $2 <> 'closed' then c.waiting_since end,
          automation_pause = case when $2 <> 'closed' then c.automation_pause end,
          first_responded_at = case when c.status <> 'closed' then c.first_responded_at end
     from unnest($1::uuid[], $4::smallint[]) as n (id, shard)
    where c.id = n.id and (c.tenant_id = $tenant) is true`,
);
const OF_IDS = 'where id = any ($1::uuid[]) and tenant_id = $tenant';
const updateRead = statement<[ids: string[], markedUnread: boolean, now: Date]>(
  'chats.update_read',
  `update visible_chats set marked_unread = $2, unread_count = case when $2 then unread_count else 0 end,
          read_at = case when $2 then read_at else $3 end, updated_at = $3 ${OF_IDS}`,
);
const updateAssignment = statement<
  [
    ids: string[],
    setsUser: boolean,
    userId: string | null,
    setsTeam: boolean,
    teamId: string | null,
    now: Date,
  ]
>(
  'chats.update_assignment',
  // Another user decides again about a pause that was set by hand.
  `update visible_chats set assigned_user_id = case when $2 then $3::uuid else assigned_user_id end,
          assigned_team_id = case when $4 then $5::uuid else assigned_team_id end, updated_at = $6,
          automation_pause = case when not $2 or assigned_user_id is not distinct from $3 then automation_pause end
    ${OF_IDS}`,
);
const updatePause = statement<[ids: string[], isPaused: boolean, now: Date]>(
  'chats.update_automation_pause',
  `update visible_chats set automation_pause = $2, updated_at = $3 ${OF_IDS}`,
);
const updateSensitive = statement<[ids: string[], isSensitive: boolean, now: Date]>(
  'chats.update_sensitive',
  `update visible_chats set is_sensitive = $2, updated_at = $3 ${OF_IDS}`,
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

/** What a change does to chats, and the event that it publishes for each. */
interface ChatsChange {
  event: EventType;
  /** Throws if it is not possible. */
  validate?(): Promise<void>;
  /** Whether it changes the chat. One that it does not change has no event. */
  isChange(chat: ChatState): boolean;
  /** Writes it for chats that it changes. */
  write(chats: readonly ChatState[], ids: string[]): void | Promise<void>;
  /** What its event carries for those who react to it. */
  factsOf?(chat: ChatState): Record<string, unknown>;
}

/** Changes chats and returns the ids of those that exist. One chat and many are changed by the same statements. */
async function changeChats(
  tx: TenantTx,
  chatIds: readonly string[],
  { event, validate, isChange, write, factsOf }: ChatsChange,
): Promise<string[]> {
  const chats = await tx.all(lockChats, [chatIds.filter(isUuid)]);
  if (chats.length > 0) await validate?.();
  const changed = chats.filter(isChange);
  if (changed.length > 0) {
    const ids = changed.map(({ id }) => id);
    await write(changed, ids);
    const facts = new Map(factsOf && changed.map((chat) => [chat.id, factsOf(chat)]));
    const events = (await chatsForEvents(tx, ids)).map((data) => ({
      type: event,
      channelId: data.channelId,
      contactId: data.contactId,
      chatId: data.id,
      data,
      ...(factsOf ? { facts: facts.get(data.id) } : {}),
    }));
    tx.publish(...events);
  }
  return chats.map(({ id }) => id);
}

/** The only one of the chats that were changed, as it is now. */
async function requireChanged(tx: TenantTx, [chatId]: string[]): Promise<Chat> {
  if (chatId === undefined) throw new ApiError('chat_not_found');
  return requireChat(tx, chatId);
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
export function validateSnooze({ status = 'closed', snoozedUntil }: StatusChange, now: Date): Date | null {
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

/** How a change of the status counts in reports; a snooze does not. */
const countedChange = (before: Chat['status'], after: Chat['status']): 'closed' | 'reopened' | undefined => {
  if (before === after || (before !== 'closed' && after !== 'closed')) return undefined;
  return after === 'closed' ? 'closed' : 'reopened';
};

/** Sets the status; without one, closes the chats. Setting the status that a chat has changes nothing and has no event. */
export async function setChatStatuses(
  tx: TenantTx,
  chatIds: readonly string[],
  change: StatusChange,
): Promise<string[]> {
  const until = validateSnooze(change, tx.now);
  const { status = 'closed', isSnoozeEnd } = change;
  const trigger = change.triggerAutomations ? chatTriggers[status] : undefined;
  return changeChats(tx, chatIds, {
    event: 'chat.status_changed',
    isChange: (chat) => chat.status !== status || chat.snoozed_until?.getTime() !== until?.getTime(),
    write: (chats, ids) => {
      const shards = chats.map(({ channel_id }) =>
        until === null ? null : snoozesQueue.shardOf(channel_id, tx.tenantId),
      );
      tx.enqueue(updateStatus, [ids, status, until, shards, tx.now]);
    },
    factsOf: (chat) => ({ trigger, isSnoozeEnd, change: countedChange(chat.status, status) }),
  });
}

export const setChatStatus = async (tx: TenantTx, chatId: string, change: StatusChange): Promise<Chat> =>
  requireChanged(tx, await setChatStatuses(tx, [chatId], change));

/** Marks chats as read, or manually as unread. If a person reads them, the vendor may show the contacts that. */
export const setChatsRead = (
  tx: TenantTx,
  chatIds: readonly string[],
  isUnread: boolean,
  by: 'person' | 'api',
): Promise<string[]> =>
  changeChats(tx, chatIds, {
    event: 'chat.read',
    isChange: (chat) => (chat.marked_unread || chat.unread_count > 0) !== isUnread,
    write: (chats, ids) => {
      if (by === 'person' && !isUnread) queueReadReceipts(tx, chats);
      tx.enqueue(updateRead, [ids, isUnread, tx.now]);
    },
  });

export const setChatRead = async (
  tx: TenantTx,
  chatId: string,
  isUnread: boolean,
  by: 'person' | 'api',
): Promise<Chat> => requireChanged(tx, await setChatsRead(tx, [chatId], isUnread, by));

/** Null removes an assignment, undefined keeps it. */
export interface AssignmentChange {
  userId?: string | null | undefined;
  teamId?: string | null | undefined;
}

/** Adds an issue for a user or a team that does not exist. */
export async function validateAssignees(
  tx: TenantTx,
  { userId = null, teamId = null }: AssignmentChange,
  issues: Issues,
): Promise<void> {
  const known = await tx.find(knownAssignees, [userId, teamId]);
  if (userId !== null && !known?.has_user) issues.add('userId', 'custom', `There is no user ${userId}`);
  if (teamId !== null && !known?.has_team) issues.add('teamId', 'custom', `There is no team ${teamId}`);
}

/** Assigns chats to a user and a team. If a person does that for a user, what automations wait for in the chats ends. */
export const assignChats = (
  tx: TenantTx,
  chatIds: readonly string[],
  change: AssignmentChange,
  by: 'person' | 'automation',
): Promise<string[]> => {
  const userId = change.userId?.toLowerCase() ?? change.userId;
  const teamId = change.teamId?.toLowerCase() ?? change.teamId;
  const isOtherUser = (chat: ChatState) => userId !== undefined && userId !== chat.assigned_user_id;
  const isOtherTeam = (chat: ChatState) => teamId !== undefined && teamId !== chat.assigned_team_id;
  return changeChats(tx, chatIds, {
    event: 'chat.assigned',
    validate: async () => {
      const issues = collectIssues();
      await validateAssignees(tx, change, issues);
      issues.throwIfAny();
    },
    isChange: (chat) => isOtherUser(chat) || isOtherTeam(chat),
    write: async (chats, ids) => {
      tx.enqueue(updateAssignment, [
        ids,
        userId !== undefined,
        userId ?? null,
        teamId !== undefined,
        teamId ?? null,
        tx.now,
      ]);
      if (by === 'person' && userId != null)
        await takeOverChats(
          tx,
          chats.filter(isOtherUser).map(({ id }) => id),
        );
    },
    // The members of a team are notified if nobody has the chat yet.
    factsOf: (chat) => ({
      assigned: {
        userId: isOtherUser(chat) ? userId : null,
        teamId:
          isOtherTeam(chat) && (userId === undefined ? chat.assigned_user_id : userId) === null
            ? teamId
            : null,
      },
    }),
  });
};

export const assignChat = async (
  tx: TenantTx,
  chatId: string,
  change: AssignmentChange,
  by: 'person' | 'automation',
): Promise<Chat> => requireChanged(tx, await assignChats(tx, [chatId], change, by));

/** Pauses automations in a chat, or lets them react again, also if it is assigned to a user. */
export async function setAutomationPause(tx: TenantTx, chatId: string, isPaused: boolean): Promise<Chat> {
  const found = await changeChats(tx, [chatId], {
    event: 'chat.updated',
    isChange: (chat) => chat.automation_pause !== isPaused,
    write: async (_, ids) => {
      tx.enqueue(updatePause, [ids, isPaused, tx.now]);
      if (isPaused) await takeOverChats(tx, ids);
    },
  });
  return requireChanged(tx, found);
}

/** Sets whether the content of a chat is left out of events and logs. */
export async function setSensitive(tx: TenantTx, chatId: string, isSensitive: boolean): Promise<Chat> {
  const found = await changeChats(tx, [chatId], {
    event: 'chat.updated',
    isChange: (chat) => chat.is_sensitive !== isSensitive,
    write: (_, ids) => tx.enqueue(updateSensitive, [ids, isSensitive, tx.now]),
  });
  return requireChanged(tx, found);
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
  await recountChat(tx, chat.id);
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

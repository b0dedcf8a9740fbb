import { takeOverChats } from '../automations/runs/take-over.ts';
import { ApiError } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantTx } from '../db/tenant.ts';
import { chatsForEvents, requireChat } from './chat.ts';
import type { Chat } from './schema.ts';

export interface ChatState {
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

export const OF_IDS = 'where id = any ($1::uuid[]) and tenant_id = $tenant';

const updatePause = statement<[ids: string[], isPaused: boolean, now: Date]>(
  'chats.update_automation_pause',
  `update visible_chats set automation_pause = $2, updated_at = $3 ${OF_IDS}`,
);
const updateSensitive = statement<[ids: string[], isSensitive: boolean, now: Date]>(
  'chats.update_sensitive',
  `update visible_chats set is_sensitive = $2, updated_at = $3 ${OF_IDS}`,
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
export async function changeChats(
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
export async function requireChanged(tx: TenantTx, [chatId]: string[]): Promise<Chat> {
  if (chatId === undefined) throw new ApiError('chat_not_found');
  return requireChat(tx, chatId);
}

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

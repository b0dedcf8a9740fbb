import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { type ContactFacts, contactFacts, presentContact, presentPersonOf } from '../contacts/contact.ts';
import type { Handle } from '../contacts/schema.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable, TenantReader } from '../db/tenant.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import { OWN_COLUMNS, type OwnMessageRow, presentMessageOf, withoutContent } from '../messages/message.ts';
import type { Chat } from './schema.ts';

interface ChatRow {
  id: string;
  created_at: Date;
  updated_at: Date;
  status: Chat['status'];
  unread_count: number;
  marked_unread: boolean;
  snoozed_until: Date | null;
  open_until: Date | null;
  channel_id: string;
  contact_id: string;
  handle_id: string;
  assigned_user_id: string | null;
  assigned_team_id: string | null;
  is_sensitive: boolean;
  automation_pause: boolean | null;
  waiting_since: Date | null;
  first_responded_at: Date | null;
  closed_at: Date | null;
  contact: ContactFacts;
  latest_message: OwnMessageRow | null;
}

/**
 * The tenant of contact and message is compared with `is true`, which no index can serve: on small tables the planner
 * would otherwise read all contacts and messages of the tenant for each chat. Of the message, a third of the columns are not
 * shown: without them, making JSON of 20,000 messages took 0.54 to 0.91 of the time.
 */
const selectChats = `select c.id, c.created_at, c.updated_at, c.status, c.unread_count, c.marked_unread, c.snoozed_until, c.open_until,
    c.channel_id, c.contact_id, c.handle_id, c.assigned_user_id, c.assigned_team_id, c.is_sensitive,
    c.automation_pause, c.waiting_since, c.first_responded_at, c.closed_at,
    ${contactFacts('p')} as contact,
    case when m.id is not null then (select to_json(own) from (select ${OWN_COLUMNS}) own) end as latest_message
  from visible_chats c
  join contacts p on p.id = c.contact_id and (p.tenant_id = c.tenant_id) is true
  left join messages m on m.id = c.latest_message_id and (m.tenant_id = c.tenant_id) is true`;

const chatById = statement<[id: string], ChatRow>(
  'chats.by_id',
  `${selectChats} where c.id = $1 and c.tenant_id = $tenant`,
);
const chatsByIds = statement<[ids: string[]], ChatRow>(
  'chats.by_ids',
  `${selectChats} where c.id = any ($1::uuid[]) and c.tenant_id = $tenant`,
);

function presentChat(row: ChatRow, reader: TenantReader): Chat {
  const contact = presentContact(row.contact);
  // The foreign keys guarantee that the chat's handle belongs to its contact.
  const handle = contact.handles.find(({ id }) => id === row.handle_id) as Handle;
  return {
    id: row.id,
    createdAt: timestamp(row.created_at),
    updatedAt: timestamp(row.updated_at),
    status: row.status,
    isUnread: row.marked_unread || row.unread_count > 0,
    snoozedUntil: timestampOrNull(row.snoozed_until),
    openUntil: timestampOrNull(row.open_until),
    unreadCount: row.unread_count,
    channelId: row.channel_id,
    contactId: row.contact_id,
    contact,
    handleId: row.handle_id,
    handle,
    latestMessage:
      row.latest_message && presentMessageOf(presentPersonOf(contact, handle), row.latest_message, reader),
    assignedUserId: row.assigned_user_id,
    assignedTeamId: row.assigned_team_id,
    isSensitive: row.is_sensitive,
    isAutomationPaused: row.automation_pause ?? row.assigned_user_id !== null,
    waitingSince: timestampOrNull(row.waiting_since),
    firstRespondedAt: timestampOrNull(row.first_responded_at),
    closedAt: timestampOrNull(row.closed_at),
  };
}

/** Throws `chat_not_found` if the tenant has no chat with this id, also if it is not a UUID. */
export async function requireChat(db: TenantReader, chatId: string): Promise<Chat> {
  const row = isUuid(chatId) ? await db.find(chatById, [chatId]) : undefined;
  if (!row) throw new ApiError('chat_not_found');
  return presentChat(row, db);
}

/** The chats with these ids that exist, in the order of the ids. */
export async function findChats(db: TenantReader, ids: string[]): Promise<Chat[]> {
  if (ids.length === 0) return [];
  const found = new Map((await db.all(chatsByIds, [ids])).map((row) => [row.id, row]));
  return ids.flatMap((id) => {
    const row = found.get(id);
    return row ? [presentChat(row, db)] : [];
  });
}

/** Chats as events show them: without the content of sensitive ones. */
export async function chatsForEvents(tx: TenantQueryable, ids: string[]): Promise<Chat[]> {
  return (await findChats(tx, ids)).map((chat) =>
    chat.isSensitive && chat.latestMessage
      ? { ...chat, latestMessage: withoutContent(chat.latestMessage) }
      : chat,
  );
}

import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import type { Queryable } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { type StoredTime, timestamp, timestampOrNull } from '../http/schema.ts';
import type { Message } from './schema.ts';

/** A row of `messages`, or the same as PostgreSQL's `to_json` gives it. */
export interface MessageRow {
  id: string;
  chat_id: string;
  channel_id: string;
  contact_id: string;
  sender: Message['sender'];
  author: Message['author'];
  type: Message['type'];
  text: string | null;
  media: Message['media'];
  content: Record<string, unknown>;
  status: Message['status'];
  error: Message['error'];
  vendor_id: string | null;
  reply_to_message_id: string | null;
  timestamp: StoredTime;
  scheduled_at: StoredTime | null;
  edited_at: StoredTime | null;
  deleted_at: StoredTime | null;
  created_at: StoredTime;
  updated_at: StoredTime;
}

export const MESSAGE_COLUMNS = `m.id, m.chat_id, m.channel_id, m.contact_id, m.sender, m.author, m.type, m.text, m.media,
  m.content, m.status, m.error, m.vendor_id, m.reply_to_message_id, m.timestamp, m.scheduled_at, m.edited_at,
  m.deleted_at, m.created_at, m.updated_at`;

const messageById = statement<[id: string, tenantId: string], MessageRow>(
  'messages.by_id',
  `select ${MESSAGE_COLUMNS} from messages m where m.id = $1 and m.tenant_id = $2`,
);

const messagesByIds = statement<[ids: string[], tenantId: string], MessageRow>(
  'messages.by_ids',
  `select ${MESSAGE_COLUMNS} from messages m where m.id = any ($1::uuid[]) and m.tenant_id = $2`,
);

/** Those of these messages that the tenant has. */
export async function findMessages(
  db: Pick<Queryable, 'all'>,
  tenantId: string,
  ids: string[],
): Promise<Message[]> {
  return ids.length === 0 ? [] : (await db.all(messagesByIds, [ids, tenantId])).map(presentMessage);
}

/** The message, or `message_not_found` for an id of another tenant, of nobody, or of no shape at all. */
export async function requireMessage(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  messageId: string,
): Promise<Message> {
  const row = isUuid(messageId) ? await db.find(messageById, [messageId, tenantId]) : undefined;
  if (!row) throw new ApiError('message_not_found');
  return presentMessage(row);
}

/** The message as the API shows it. */
export const presentMessage = (row: MessageRow): Message => ({
  id: row.id,
  chatId: row.chat_id,
  channelId: row.channel_id,
  contactId: row.contact_id,
  vendorId: row.vendor_id,
  sender: row.sender,
  author: row.author,
  type: row.type,
  text: row.text,
  media: row.media,
  content: row.content,
  status: row.status,
  error: row.error,
  replyToMessageId: row.reply_to_message_id,
  timestamp: timestamp(row.timestamp),
  scheduledAt: timestampOrNull(row.scheduled_at),
  editedAt: timestampOrNull(row.edited_at),
  deletedAt: timestampOrNull(row.deleted_at),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

/** What leaves the house about a message of a sensitive chat: that it exists, not what it says. */
export const withoutContent = (message: Message): Message => ({
  ...message,
  text: null,
  media: [],
  content: {},
});

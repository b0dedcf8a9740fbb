import { ApiError } from '../base/errors.ts';
import { isUuid } from '../base/ids.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { type StoredTime, timestamp, timestampOrNull } from '../http/schema.ts';
import type { Message } from './schema.ts';

/** A row of `messages`, or the same as JSON from PostgreSQL's `to_json`. */
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

const messageById = statement<[id: string], MessageRow>(
  'messages.by_id',
  `select ${MESSAGE_COLUMNS} from visible_messages m where m.id = $1 and m.tenant_id = $tenant`,
);

const messagesByIds = statement<[ids: string[]], MessageRow>(
  'messages.by_ids',
  `select ${MESSAGE_COLUMNS} from visible_messages m where m.id = any ($1::uuid[]) and m.tenant_id = $tenant`,
);

/** The messages with these ids that exist, in any order. */
export async function findMessages(db: TenantReader, ids: string[]): Promise<Message[]> {
  return ids.length === 0 ? [] : (await db.all(messagesByIds, [ids])).map(presentMessage);
}

/** Throws `message_not_found` if the tenant has no message with this id, also if it is not a UUID. */
export async function requireMessage(db: TenantReader, messageId: string): Promise<Message> {
  const row = isUuid(messageId) ? await db.find(messageById, [messageId]) : undefined;
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

/** A message of a sensitive chat as events show it: without text, media and content. */
export const withoutContent = (message: Message): Message => ({
  ...message,
  text: null,
  media: [],
  content: {},
});

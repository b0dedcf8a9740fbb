import { type StoredTime, timestamp } from '../http/schema.ts';
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
  created_at: StoredTime;
  updated_at: StoredTime;
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

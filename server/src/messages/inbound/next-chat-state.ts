import type { LockedChat } from '../../chats/find-or-create.ts';
import type { MessageRow } from '../message.ts';

/** How new messages change a chat. */
export interface NextChatState {
  chatId: string;
  /** By how much the number of unread messages changes. */
  unread: number;
  latestId: string;
  latestAt: Date;
  openUntil: Date | null;
  /** The customer wrote, so the chat is open. */
  reopens: boolean;
  /** When the business replied elsewhere, if that is later than what was read before: nothing up to then is unread. */
  repliedAt: Date | null;
}

type NewMessage = Pick<MessageRow, 'id' | 'sender'> & { timestamp: Date };

/** When the latest reply among new messages was written, if it is later than what was read before. */
export function findNewReplyTime({ read_at }: LockedChat, messages: readonly NewMessage[]): Date | null {
  let repliedAt: Date | null = null;
  for (const { sender, timestamp } of messages)
    if (sender === 'outbound' && (repliedAt === null || timestamp > repliedAt)) repliedAt = timestamp;
  return repliedAt !== null && (read_at === null || repliedAt > read_at) ? repliedAt : null;
}

/**
 * Applies new messages to one chat. Pure: messages after the last read or reply are unread, the latest message only
 * moves forward. `stillUnread` is the number of stored messages that are newer than a reply among the new ones.
 */
export function nextChatState(
  chat: LockedChat,
  messages: readonly NewMessage[],
  windowMs: number | null,
  stillUnread = 0,
): NextChatState {
  let latestId = chat.latest_message_id;
  let latestAt = chat.latest_message_at;
  let openUntil = chat.open_until;
  let reopens = false;
  const repliedAt = findNewReplyTime(chat, messages);
  const readAt = repliedAt ?? chat.read_at;
  let unread = repliedAt === null ? 0 : stillUnread - chat.unread_count;
  for (const { id, sender, timestamp } of messages) {
    if (
      latestAt === null ||
      timestamp > latestAt ||
      (timestamp.getTime() === latestAt.getTime() && id > (latestId ?? ''))
    ) {
      latestId = id;
      latestAt = timestamp;
    }
    if (sender !== 'inbound') continue;
    reopens = true;
    if (readAt === null || timestamp > readAt) unread += 1;
    if (windowMs !== null) {
      const until = new Date(timestamp.getTime() + windowMs);
      if (openUntil === null || until > openUntil) openUntil = until;
    }
  }
  return {
    chatId: chat.id,
    unread,
    latestId: latestId as string,
    latestAt: latestAt as Date,
    openUntil,
    reopens,
    repliedAt,
  };
}

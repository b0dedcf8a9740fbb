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
  /** The contact's first message that nobody but an automation has answered. */
  waitingSince: Date | null;
}

type NewMessage = Pick<MessageRow, 'id' | 'sender' | 'is_automatic'> &
  Partial<Pick<MessageRow, 'type'>> & { timestamp: Date };

/** Stored messages that are newer than a reply among the new ones. */
export interface StillUnread {
  count: number;
  /** The first of them, unless it is automatic. */
  since: Date | null;
}
const NOTHING_UNREAD: StillUnread = { count: 0, since: null };

/** When the latest reply among new messages was written, if it is later than what was read before. */
export function findNewReplyTime({ read_at }: LockedChat, messages: readonly NewMessage[]): Date | null {
  let repliedAt: Date | null = null;
  for (const { sender, timestamp } of messages)
    if (sender === 'outbound' && (repliedAt === null || timestamp > repliedAt)) repliedAt = timestamp;
  return repliedAt !== null && (read_at === null || repliedAt > read_at) ? repliedAt : null;
}

/**
 * Applies new messages to one chat. Pure: messages after the last read or reply are unread, the latest message only
 * moves forward.
 */
export function nextChatState(
  chat: LockedChat,
  messages: readonly NewMessage[],
  windowMs: number | null,
  stillUnread = NOTHING_UNREAD,
): NextChatState {
  let latestId = chat.latest_message_id;
  let latestAt = chat.latest_message_at;
  let openUntil = chat.open_until;
  let reopens = false;
  const repliedAt = findNewReplyTime(chat, messages);
  const readAt = repliedAt ?? chat.read_at;
  let unread = repliedAt === null ? 0 : stillUnread.count - chat.unread_count;
  let waitingSince =
    repliedAt !== null && chat.waiting_since !== null && chat.waiting_since <= repliedAt
      ? stillUnread.since
      : chat.waiting_since;
  for (const { id, sender, type, timestamp, is_automatic } of messages) {
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
    const isAnswered = is_automatic || (repliedAt !== null && timestamp <= repliedAt);
    if (!isAnswered && (waitingSince === null || timestamp < waitingSince)) waitingSince = timestamp;
    // A public comment allows one private answer, and opens no window.
    if (windowMs !== null && type !== 'comment') {
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
    waitingSince,
  };
}

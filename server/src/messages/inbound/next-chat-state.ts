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
  /** When the business last replied elsewhere; null if no reply is among the new messages. */
  answeredAt: Date | null;
  /** The same, if that is later than what was read before: nothing up to then is unread. */
  repliedAt: Date | null;
  /** The contact's first message that nobody but an automation has answered. */
  waitingSince: Date | null;
}

type NewMessage = Pick<MessageRow, 'id' | 'sender' | 'is_automatic'> &
  Partial<Pick<MessageRow, 'type'>> & { timestamp: Date };

/** What the stored messages of a chat add. */
export interface StoredFacts {
  /** How many messages of the contact are newer than the latest reply among the new ones. */
  count: number;
  /** The first of them that is not automatic. */
  since: Date | null;
  /** When the business last replied elsewhere, as far as that answers a new message that comes late. */
  repliedAt: Date | null;
}
const NOTHING_STORED: StoredFacts = { count: 0, since: null, repliedAt: null };

/** When the latest reply among new messages was written. */
export function findAnswerTime(messages: readonly NewMessage[]): Date | null {
  let answeredAt: Date | null = null;
  for (const { sender, timestamp } of messages)
    if (sender === 'outbound' && (answeredAt === null || timestamp > answeredAt)) answeredAt = timestamp;
  return answeredAt;
}

const isUpTo = (time: Date, end: Date | null): boolean => end !== null && time <= end;

/** Whether the message for which the contact waits was answered then. */
export const isAnsweredBy = ({ waiting_since: since }: LockedChat, answeredAt: Date | null): boolean =>
  since !== null && isUpTo(since, answeredAt);

/**
 * Applies new messages to one chat. Pure: messages after the last read or reply are unread; those that the business has not
 * answered elsewhere wait for an answer, however late either of them comes. The latest message only moves forward.
 */
export function nextChatState(
  chat: LockedChat,
  messages: readonly NewMessage[],
  windowMs: number | null,
  stored = NOTHING_STORED,
): NextChatState {
  let latestId = chat.latest_message_id;
  let latestAt = chat.latest_message_at;
  let openUntil = chat.open_until;
  let reopens = false;
  const answeredAt = findAnswerTime(messages);
  const repliedAt = answeredAt !== null && isUpTo(answeredAt, chat.read_at) ? null : answeredAt;
  let unread = repliedAt === null ? 0 : Math.min(stored.count - chat.unread_count, 0);
  let waitingSince = isAnsweredBy(chat, answeredAt) ? stored.since : chat.waiting_since;
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
    if (!isUpTo(timestamp, repliedAt ?? chat.read_at)) unread += 1;
    const isAnswered = is_automatic || isUpTo(timestamp, answeredAt) || isUpTo(timestamp, stored.repliedAt);
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
    answeredAt,
    repliedAt,
    waitingSince,
  };
}

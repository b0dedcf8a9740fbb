import type { LockedChat } from '../../chats/find-or-create.ts';
import type { MessageRow } from '../message.ts';

/** What new messages make of a chat. */
export interface NextChatState {
  chatId: string;
  /** By how much the number of unread messages changes. */
  unread: number;
  latestId: string;
  latestAt: Date;
  openUntil: Date | null;
  /** Somebody wrote in it, so it is open. */
  reopens: boolean;
  /** When the business answered elsewhere, if that is news: nothing up to then is unread. */
  answeredAt: Date | null;
}

type Arrived = Pick<MessageRow, 'id' | 'sender'> & { timestamp: Date };

/** The latest answer among new messages, if it is later than all that was read or answered before. */
export function newAnswerAt({ read_at }: LockedChat, messages: readonly Arrived[]): Date | null {
  let answered: Date | null = null;
  for (const { sender, timestamp } of messages)
    if (sender === 'outbound' && (answered === null || timestamp > answered)) answered = timestamp;
  return answered !== null && (read_at === null || answered > read_at) ? answered : null;
}

/**
 * What a run of new messages does to one chat. Pure: unread counts what came after the last look or answer, latest only
 * moves forward. `stillUnread`: how many that are stored already came after an answer that is among the new ones.
 */
export function nextChatState(
  chat: LockedChat,
  messages: readonly Arrived[],
  windowMs: number | null,
  stillUnread = 0,
): NextChatState {
  let latestId = chat.latest_message_id;
  let latestAt = chat.latest_message_at;
  let openUntil = chat.open_until;
  let reopens = false;
  const answeredAt = newAnswerAt(chat, messages);
  const readAt = answeredAt ?? chat.read_at;
  let unread = answeredAt === null ? 0 : stillUnread - chat.unread_count;
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
    answeredAt,
  };
}

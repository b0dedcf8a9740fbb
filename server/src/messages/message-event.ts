import type { EventType, NewEvent } from '../base/events.ts';
import { type MessageRow, presentMessage, withoutContent } from './message.ts';

/** An event about a message. The content of messages in sensitive chats is left out of events. */
export function messageEvent(type: EventType, row: MessageRow, isSensitive: boolean): NewEvent {
  const message = presentMessage(row);
  return {
    type,
    channelId: row.channel_id,
    contactId: row.contact_id,
    chatId: row.chat_id,
    data: isSensitive ? withoutContent(message) : message,
  };
}

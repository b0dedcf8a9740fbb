import type { EventType } from '../engine/event-types.ts';
import type { NewEvent } from '../engine/outbox.ts';
import { type MessageRow, presentMessage, withoutContent } from './message.ts';

/** What is told of a message. What is said in a sensitive chat stays in the house. */
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

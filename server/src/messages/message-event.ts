import type { EventType, NewEvent } from '../base/events.ts';
import type { TenantReader } from '../db/tenant.ts';
import { type MessageRow, presentMessage, withoutContent } from './message.ts';

/** An event about a message. The content of messages in sensitive chats is left out of events. */
export function messageEvent(
  type: EventType,
  row: MessageRow,
  isSensitive: boolean,
  reader: Pick<TenantReader, 'fileUrl'>,
): NewEvent {
  const message = presentMessage(row, reader);
  return {
    type,
    channelId: row.channel_id,
    contactId: row.contact_id,
    chatId: row.chat_id,
    data: isSensitive ? withoutContent(message) : message,
  };
}

import { type EventType, mergeFacts, type NewEvent } from '../base/events.ts';
import { statement } from '../db/statement.ts';
import type { TenantReader } from '../db/tenant.ts';
import { countsAt } from '../reports/counts-at.ts';
import { type MessageRow, messageColumns, presentMessage, withoutContent } from './message.ts';
import type { Message } from './schema.ts';

const messagesOfEvents = statement<[ids: string[]], MessageRow & { is_sensitive: boolean }>(
  'messages.of_events',
  `select ${messageColumns('k')}, k.is_sensitive from visible_messages m
     join chats k on k.id = m.chat_id and (k.tenant_id = m.tenant_id) is true
    where m.id = any ($1::uuid[]) and m.tenant_id = $tenant`,
);

/** The data of `message.queued`, by the ids of messages. */
export async function loadQueuedMessages(
  reader: TenantReader,
  ids: string[],
): Promise<ReadonlyMap<string, Message>> {
  const rows = await reader.all(messagesOfEvents, [ids]);
  return new Map(
    rows.map((row) => {
      const message = presentMessage(row, reader);
      return [row.id, row.is_sensitive ? withoutContent(message) : message];
    }),
  );
}

/** Who reacts to the event: the author of a failed message is notified, and a campaign proceeds. */
function factsOf(type: EventType, { author, author_id, id }: MessageRow): NewEvent['facts'] {
  if (author_id === null) return undefined;
  if (author === 'campaign') return { campaignId: author_id };
  return type === 'message.failed' && author === 'user'
    ? { failed: { userId: author_id, messageId: id } }
    : undefined;
}

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
    facts: mergeFacts(
      factsOf(type, row),
      countsAt(row.scheduled_at === null ? row.created_at : row.timestamp, row.updated_at),
    ),
  };
}

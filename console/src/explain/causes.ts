import type { Event, Message } from '@parley/sdk';

/** The events that can start automations, besides messages. */
export const STARTING = [
  'chat.created',
  'chat.status_changed',
  'contact.created',
  'contact.labels_added',
] as const;
const isStarting = (type: string): type is (typeof STARTING)[number] =>
  STARTING.some((starting) => starting === type);

/** What may have started automations: a message, or an event. */
export type Cause =
  | { id: string; createdAt: string; text: string | null; type?: undefined }
  | { id: string; createdAt: string; type: (typeof STARTING)[number] };

/** So many are listed. */
export const LATEST = 20;

/** The latest first. What a message has opened and created belongs to the message. */
export function listCauses(
  messages: readonly Pick<Message, 'id' | 'createdAt' | 'text'>[],
  events: readonly Pick<Event, 'id' | 'createdAt' | 'type'>[],
): Cause[] {
  const times = new Set(messages.map(({ createdAt }) => createdAt));
  const others = events.flatMap(({ id, createdAt, type }) =>
    isStarting(type) && (type === 'contact.labels_added' || !times.has(createdAt))
      ? [{ id, createdAt, type }]
      : [],
  );
  return [...messages.map(({ id, createdAt, text }) => ({ id, createdAt, text })), ...others]
    .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt))
    .slice(0, LATEST);
}

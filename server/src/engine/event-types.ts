/** Every event that a subscription can name, in the order in which the reference shows them. */
export const eventTypes = [
  'message.received',
  'chat.created',
  'chat.status_changed',
  'contact.created',
] as const;

export type EventType = (typeof eventTypes)[number];

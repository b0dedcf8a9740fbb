/** Every event that a subscription can name, in the order in which the reference shows them. */
export const eventTypes = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.echo',
  'message.updated',
  'message.deleted',
  'chat.created',
  'chat.status_changed',
  'chat.assigned',
  'chat.read',
  'chat.deleted',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.labels_added',
  'contact.labels_removed',
  'contact.unsubscribed',
  'template.status_changed',
  'file.created',
  'campaign.started',
  'webhook.test',
  'webhook.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

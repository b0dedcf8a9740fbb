/** Every event that a subscription can name, in the order in which the reference shows them. */
export const eventTypes = [
  'message.received',
  'message.failed',
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
  'automation.run_started',
  'automation.run_completed',
  'automation.run_failed',
  'campaign.started',
  'campaign.completed',
  'campaign.failed',
  'webhook.test',
  'webhook.disabled',
] as const;

export type EventType = (typeof eventTypes)[number];

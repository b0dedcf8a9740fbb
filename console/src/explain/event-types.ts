import type { Event } from '@parley/sdk';

export type EventType = Event['type'];

/** Every type of event that is stored, in the order of the API reference. */
export const eventTypes: readonly EventType[] = [
  'message.received',
  'message.sent',
  'message.delivered',
  'message.read',
  'message.failed',
  'message.echo',
  'message.updated',
  'message.deleted',
  'channel.health_changed',
  'chat.created',
  'chat.status_changed',
  'chat.assigned',
  'chat.read',
  'chat.updated',
  'chat.deleted',
  'note.created',
  'note.updated',
  'note.deleted',
  'contact.created',
  'contact.updated',
  'contact.deleted',
  'contact.merged',
  'contact.labels_added',
  'contact.labels_removed',
  'contact.unsubscribed',
  'contact.subscribed',
  'template.status_changed',
  'file.created',
  'automation.run_started',
  'automation.run_completed',
  'automation.run_failed',
  'automation.run_cancelled',
  'campaign.started',
  'campaign.completed',
  'campaign.failed',
  'job.completed',
  'webhook.test',
  'webhook.disabled',
];

/** A newer server may have more. */
export const isEventType = (type: string): type is EventType => eventTypes.some((known) => known === type);

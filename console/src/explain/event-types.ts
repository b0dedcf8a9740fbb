import type { Event } from '@parley/sdk';

export type EventType = Event['type'];

/** Every type of event that is stored, in the order of the API reference. A missing one does not compile. */
export const eventTypes = Object.keys({
  'message.received': true,
  'message.sent': true,
  'message.delivered': true,
  'message.read': true,
  'message.failed': true,
  'message.echo': true,
  'message.updated': true,
  'message.deleted': true,
  'channel.health_changed': true,
  'chat.created': true,
  'chat.status_changed': true,
  'chat.assigned': true,
  'chat.read': true,
  'chat.updated': true,
  'chat.deleted': true,
  'note.created': true,
  'note.updated': true,
  'note.deleted': true,
  'contact.created': true,
  'contact.updated': true,
  'contact.deleted': true,
  'contact.merged': true,
  'contact.labels_added': true,
  'contact.labels_removed': true,
  'contact.unsubscribed': true,
  'contact.subscribed': true,
  'template.status_changed': true,
  'file.created': true,
  'automation.run_started': true,
  'automation.run_completed': true,
  'automation.run_failed': true,
  'automation.run_cancelled': true,
  'campaign.started': true,
  'campaign.completed': true,
  'campaign.failed': true,
  'job.completed': true,
  'webhook.test': true,
  'webhook.disabled': true,
} satisfies Record<EventType, true>) as readonly EventType[];

/** A newer server may have more. */
export const isEventType = (type: string): type is EventType => eventTypes.some((known) => known === type);

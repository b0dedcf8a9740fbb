import type { Event } from '@parley/sdk';
import type { IconName } from '../ui/icon.tsx';

export type EventType = Event['type'];

/** Every type of event, with its picture. */
export const EVENT_ICONS: Readonly<Record<EventType, IconName>> = {
  'message.received': 'reply',
  'message.sent': 'send',
  'message.delivered': 'check',
  'message.read': 'eye',
  'message.failed': 'warning',
  'message.echo': 'send',
  'message.updated': 'edit',
  'message.deleted': 'trash',
  'channel.health_changed': 'channel',
  'chat.created': 'channel',
  'chat.status_changed': 'inbox',
  'chat.assigned': 'assign',
  'chat.read': 'eye',
  'chat.updated': 'edit',
  'chat.deleted': 'trash',
  'note.created': 'note',
  'note.updated': 'note',
  'note.deleted': 'trash',
  'contact.created': 'contacts',
  'contact.updated': 'edit',
  'contact.deleted': 'trash',
  'contact.merged': 'merge',
  'contact.labels_added': 'label',
  'contact.labels_removed': 'label',
  'contact.unsubscribed': 'close',
  'contact.subscribed': 'check',
  'template.status_changed': 'template',
  'file.created': 'attach',
  'automation.run_started': 'automation',
  'automation.run_completed': 'check',
  'automation.run_failed': 'warning',
  'automation.run_cancelled': 'close',
  'campaign.started': 'campaign',
  'campaign.completed': 'campaign',
  'campaign.failed': 'warning',
  'job.completed': 'check',
  'webhook.test': 'webhook',
  'webhook.disabled': 'warning',
};
export const eventTypes = Object.keys(EVENT_ICONS) as EventType[];

/** A newer server may have more. */
export const isEventType = (type: string): type is EventType => Object.hasOwn(EVENT_ICONS, type);

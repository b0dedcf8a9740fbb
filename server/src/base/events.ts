/** Every type of event, in the order of the API reference. */
export const eventTypes = [
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
] as const;

export type EventType = (typeof eventTypes)[number];

/**
 * Events that only open streams get: they are not stored, have no number, are sent to no webhook, and may be missed. What changes
 * often belongs here too, at most once a second.
 */
export const streamOnlyTypes = [
  'chat.presence',
  'message.queued',
  'notification.created',
  'campaign.progressed',
  'automation.run_progressed',
  'resource.deleted',
] as const;

/** What `resource.deleted` is published for: resources without stored events of their own. */
export const deletedResources = [
  'campaign',
  'automation',
  'message_template',
  'api_webhook',
  'segment',
  'saved_reply',
  'channel',
] as const;

export type StreamOnlyType = (typeof streamOnlyTypes)[number];

export const isStreamOnly = (type: string): type is StreamOnlyType =>
  (streamOnlyTypes as readonly string[]).includes(type);

/** A stream-only event. What is stored is read by each process that has streams for it, so that it may be of any size. */
export type Announcement = {
  /** Null for what belongs to no channel. */
  channelId: string | null;
  /** Only this user gets it. */
  toUserId?: string;
  /** This user does not get it. */
  exceptUserId?: string;
} & (
  | { type: 'chat.presence' | 'resource.deleted'; data: object }
  | {
      type: 'message.queued' | 'notification.created' | 'campaign.progressed' | 'automation.run_progressed';
      id: string;
    }
);

/**
 * Closes what somebody else has open: `tx.announce(deletionOf('segment', id))`. A channel stands for all that goes with it:
 * it may have thousands of chats and templates, and only some events a second are sent to a tenant.
 */
export const deletionOf = (resource: (typeof deletedResources)[number], id: string): Announcement => ({
  type: 'resource.deleted',
  channelId: null,
  data: { resource, id: id.toLowerCase() },
});

/** An event to publish. */
export interface NewEvent {
  type: EventType;
  channelId: string | null;
  contactId: string | null;
  chatId: string | null;
  /** The resource as the API returns it. */
  data: unknown;
  /** The automation run that caused it. */
  originRunId?: string;
  /** What subscribers inside the server need in addition to `data`, such as which labels were added. Never sent to clients. */
  facts?: Record<string, unknown> | undefined;
}

/** The facts of an event from those of several readers; undefined if there are none. */
export const mergeFacts = (...parts: NewEvent['facts'][]): NewEvent['facts'] =>
  parts.some((part) => part !== undefined) ? Object.assign({}, ...parts) : undefined;

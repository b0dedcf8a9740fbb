import { type TSchema, Type } from 'typebox';
import { exampleRun } from './automations/example.ts';
import { AutomationRun } from './automations/schema.ts';
import type { EventType, StreamOnlyType } from './base/events.ts';
import { exampleCampaign } from './campaigns/example.ts';
import { Campaign, CampaignWithCounts } from './campaigns/schema.ts';
import { exampleChannel } from './channels/example.ts';
import { Channel } from './channels/schema.ts';
import { exampleChat } from './chats/example.ts';
import { Chat, PresenceEvent } from './chats/schema.ts';
import { exampleContact } from './contacts/example.ts';
import { exampleMergedContacts, MergedContacts } from './contacts/merge/schema.ts';
import { Contact } from './contacts/schema.ts';
import { DeletedResource } from './events/schema.ts';
import { exampleFile } from './files/example.ts';
import { File } from './files/schema.ts';
import { Uuid } from './http/schema.ts';
import { exampleJob, Job } from './jobs/schema.ts';
import { exampleSentMessage } from './messages/example.ts';
import { Message } from './messages/schema.ts';
import { exampleNote } from './notes/example.ts';
import { Note } from './notes/schema.ts';
import { exampleNotification } from './notifications/example.ts';
import { Notification } from './notifications/schema.ts';
import { exampleTemplate } from './templates/example.ts';
import { MessageTemplate } from './templates/schema.ts';
import { exampleWebhook } from './webhooks/example.ts';
import { ApiWebhook } from './webhooks/schema.ts';

export interface EventEntry {
  /** A sentence that says when it is published. */
  when: string;
  /** The resource as the API returns it. */
  data: TSchema;
  example: unknown;
  /** Whether it belongs to a channel, so that a subscription can be limited to channels. */
  hasChannel: boolean;
}

const ErasedContact = Type.Object({ id: Uuid() }, { title: 'ErasedContact' });

const ofChat = { data: Chat, example: exampleChat, hasChannel: true };
const ofNote = { data: Note, example: exampleNote, hasChannel: true };
const ofContact = { data: Contact, example: exampleContact, hasChannel: false };
const exampleMessage = exampleChat.latestMessage as Message;
const ofMessage = { data: Message, example: exampleMessage, hasChannel: true };
/** A message that was sent, with its status. */
const ofSent = (status: Message['status'], error: Message['error'] = null) => ({
  data: Message,
  example: { ...exampleSentMessage, status, error },
  hasChannel: true,
});
const ofRun = { data: AutomationRun, hasChannel: false };
const runStarted = { startedAt: exampleRun.createdAt };
const ofWebhook = { data: ApiWebhook, example: exampleWebhook, hasChannel: false };

/** The meaning and the data of every event. The API reference, docs/use/events.md and the receiver of the tests use it. */
export const eventCatalogue: Record<EventType, EventEntry> = {
  'message.received': { ...ofMessage, when: 'A contact sent a message.' },
  'message.sent': { ...ofSent('sent'), when: 'The vendor accepted a message.' },
  'message.delivered': { ...ofSent('delivered'), when: 'A message reached the contact’s device.' },
  'message.read': { ...ofSent('read'), when: 'The contact read a message.' },
  'message.failed': {
    ...ofSent('failed', { code: '131026', message: 'The message cannot be delivered to this recipient.' }),
    when: 'A message was not sent, or not delivered; `error` says why.',
  },
  'message.echo': {
    ...ofSent('sent'),
    when: 'A message was sent to a contact outside of Parley, such as in the vendor’s own app.',
  },
  'message.updated': {
    ...ofMessage,
    when: 'The sender edited a message, or one of its files was downloaded.',
  },
  'message.deleted': {
    ...ofMessage,
    example: {
      ...exampleMessage,
      text: null,
      deletedAt: '2026-11-15T01:03:03.456Z',
      updatedAt: '2026-11-15T01:03:03.456Z',
    },
    when: 'The sender deleted a message, or a scheduled one was cancelled; its content is removed.',
  },
  'channel.health_changed': {
    data: Channel,
    example: { ...exampleChannel, health: 'failing' },
    hasChannel: true,
    when: 'A channel cannot send any more, the vendor warns about it, or all is well again; `problem` says why.',
  },
  'chat.created': { ...ofChat, when: 'A chat was created.' },
  'chat.status_changed': { ...ofChat, when: 'A chat was opened, snoozed or closed.' },
  'chat.assigned': { ...ofChat, when: 'A chat was assigned to a user or a team, or unassigned.' },
  'chat.read': { ...ofChat, when: 'A chat was marked as read or as unread.' },
  'chat.updated': {
    ...ofChat,
    when: 'Automations were paused or resumed in a chat, or it became sensitive or is no longer.',
  },
  'chat.deleted': { ...ofChat, when: 'A chat was deleted with its messages; the data is its last state.' },
  'note.created': { ...ofNote, when: 'Somebody wrote a note about a chat.' },
  'note.updated': { ...ofNote, when: 'A note was changed.' },
  'note.deleted': { ...ofNote, when: 'A note was deleted; the data is its last state.' },
  'contact.created': {
    ...ofContact,
    when: 'A contact was created, for example by a message from an unknown sender.',
  },
  'contact.updated': {
    ...ofContact,
    when: 'The name, handles, attributes, metadata or subscription of a contact changed.',
  },
  'contact.deleted': {
    data: ErasedContact,
    example: { id: exampleContact.id },
    hasChannel: false,
    when: 'A contact was deleted with everything that was stored about it.',
  },
  'contact.merged': {
    data: MergedContacts,
    example: exampleMergedContacts,
    hasChannel: false,
    when: 'Two contacts turned out to be the same person, and are one contact now.',
  },
  'contact.labels_added': { ...ofContact, when: 'Labels were added to a contact.' },
  'contact.labels_removed': { ...ofContact, when: 'A label was removed from a contact.' },
  'contact.unsubscribed': {
    ...ofContact,
    when: 'A contact opted out of marketing over one kind of channel or several.',
  },
  'contact.subscribed': { ...ofContact, when: 'A contact that had opted out subscribed again.' },
  'template.status_changed': {
    data: MessageTemplate,
    example: exampleTemplate,
    hasChannel: true,
    when: 'A message template was approved, rejected, paused or disabled.',
  },
  'file.created': { data: File, example: exampleFile, hasChannel: false, when: 'A file was uploaded.' },
  'automation.run_started': {
    ...ofRun,
    example: { ...exampleRun, ...runStarted, status: 'running' },
    when: 'A run of an automation started.',
  },
  'automation.run_completed': {
    ...ofRun,
    example: { ...exampleRun, ...runStarted, status: 'completed', endedAt: exampleRun.updatedAt },
    when: 'A run of an automation was completed.',
  },
  'automation.run_failed': {
    ...ofRun,
    example: {
      ...exampleRun,
      ...runStarted,
      status: 'failed',
      step: 'hello',
      endedAt: exampleRun.updatedAt,
      error: { code: 'window_closed', message: 'The last message of the contact is more than 24 hours old' },
    },
    when: 'A step of a run failed; the run can be retried from there.',
  },
  'automation.run_cancelled': {
    ...ofRun,
    example: {
      ...exampleRun,
      ...runStarted,
      status: 'cancelled',
      endedAt: exampleRun.updatedAt,
      error: { code: 'taken_over', message: 'A person has taken over the chat' },
    },
    when: 'A run was cancelled: through the API, with its campaign, because a person took over the chat, or because the contact is unsubscribed.',
  },
  'campaign.started': {
    data: Campaign,
    example: exampleCampaign,
    hasChannel: true,
    when: 'A campaign started.',
  },
  'campaign.completed': {
    data: Campaign,
    example: {
      ...exampleCampaign,
      status: 'completed',
      startedAt: '2027-01-02T09:00:00.000Z',
      nextOccurrenceAt: null,
    },
    hasChannel: true,
    when: 'A campaign has reached all its recipients and has no further occurrence.',
  },
  'campaign.failed': {
    data: Campaign,
    example: {
      ...exampleCampaign,
      status: 'failed',
      nextOccurrenceAt: null,
      error: { code: 'automation_not_active', message: 'The automation is inactive' },
    },
    hasChannel: true,
    when: 'A campaign could not start or continue; `error` says why.',
  },
  'job.completed': {
    data: Job,
    example: { ...exampleJob, status: 'completed', done: 2100, endedAt: exampleJob.updatedAt },
    hasChannel: false,
    when: 'A job has ended: a bulk action is done, has failed or was cancelled, or a large deletion is finished; `status` says which.',
  },
  'webhook.test': {
    ...ofWebhook,
    when: 'A test of this webhook was requested. It is sent to no other webhook, and needs no subscription.',
  },
  'webhook.disabled': {
    ...ofWebhook,
    example: { ...exampleWebhook, status: 'disabled', failingSince: '2026-11-10T01:02:03.456Z' },
    when: 'A webhook was disabled: its receiver answered 410, or it only failed for five days.',
  },
};

/** The meaning and the data of events that only streams get. */
export const streamOnlyCatalogue: Record<StreamOnlyType, EventEntry> = {
  'chat.presence': {
    data: PresenceEvent,
    example: {
      chatId: exampleChat.id,
      user: { id: '019a82a0-0000-7000-8000-000000000060', name: 'Grace Hopper' },
      state: 'typing',
      until: '2026-11-15T01:02:13.456Z',
    },
    hasChannel: true,
    when: 'Another user looks at a chat, types, or has left; it counts until `until`.',
  },
  'message.queued': {
    data: Message,
    example: { ...exampleSentMessage, status: 'queued', error: null },
    hasChannel: true,
    when: 'A message was accepted for sending; the data is the message as it is now.',
  },
  'notification.created': {
    data: Notification,
    example: exampleNotification,
    hasChannel: true,
    when: 'The user of this stream has a notification, or an unread one counts one more; nobody else gets it.',
  },
  'campaign.progressed': {
    data: CampaignWithCounts,
    example: {
      ...exampleCampaign,
      status: 'running',
      startedAt: exampleCampaign.scheduledAt,
      nextOccurrenceAt: null,
      waiting: null,
      recipientCounts: { queued: 120, sent: 30, delivered: 41, read: 9, failed: 1, skipped: 4 },
    },
    hasChannel: true,
    when: 'The number of recipients in a status changed, or the campaign itself; at most once a second, less often the longer it takes.',
  },
  'automation.run_progressed': {
    ...ofRun,
    example: { ...exampleRun, ...runStarted, status: 'waiting', step: 'hello' },
    when: 'A run has come to another step, waits, or was retried; the data is the run as it is now. At most one a second for each run.',
  },
  'resource.deleted': {
    data: DeletedResource,
    example: { resource: 'campaign', id: exampleCampaign.id },
    hasChannel: false,
    when: 'A campaign, automation, template, webhook, segment, saved reply or channel was deleted. The chats, templates and campaigns of a channel are deleted with it and have no event of their own.',
  },
};

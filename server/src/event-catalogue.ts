import { type TSchema, Type } from 'typebox';
import { exampleRun } from './automations/example.ts';
import { AutomationRun } from './automations/schema.ts';
import { exampleCampaign } from './campaigns/example.ts';
import { Campaign } from './campaigns/schema.ts';
import { exampleChannel } from './channels/example.ts';
import { Channel } from './channels/schema.ts';
import { exampleChat } from './chats/example.ts';
import { Chat } from './chats/schema.ts';
import { exampleContact } from './contacts/example.ts';
import { Contact } from './contacts/schema.ts';
import { type EventType, eventTypes } from './engine/event-types.ts';
import { exampleFile } from './files/example.ts';
import { File } from './files/schema.ts';
import type { DocumentedEvent } from './http/openapi-webhooks.ts';
import { Nullable, Timestamp, Uuid } from './http/schema.ts';
import { exampleSentMessage } from './messages/example.ts';
import { Message } from './messages/schema.ts';
import { exampleTemplate } from './templates/example.ts';
import { MessageTemplate } from './templates/schema.ts';
import { exampleWebhook } from './webhooks/example.ts';
import { ApiWebhook } from './webhooks/schema.ts';

interface EventEntry {
  /** When it happens, as a sentence. */
  when: string;
  /** The resource as the API returns it. */
  data: TSchema;
  example: unknown;
  /** Whether it belongs to a channel, so that a subscription can be limited to some. */
  hasChannel: boolean;
}

const ErasedContact = Type.Object({ id: Uuid() }, { title: 'ErasedContact' });

const ofChat = { data: Chat, example: exampleChat, hasChannel: true };
const ofContact = { data: Contact, example: exampleContact, hasChannel: false };
const exampleMessage = exampleChat.latestMessage as Message;
const ofMessage = { data: Message, example: exampleMessage, hasChannel: true };
/** A message of ours, as far as it has come. */
const ofSent = (status: Message['status'], error: Message['error'] = null) => ({
  data: Message,
  example: { ...exampleSentMessage, status, error },
  hasChannel: true,
});
const ofRun = { data: AutomationRun, hasChannel: false };
const runBegan = { startedAt: exampleRun.createdAt };
const ofWebhook = { data: ApiWebhook, example: exampleWebhook, hasChannel: false };

/** What every event means and carries: the reference, docs/events.md and the tests' receiver are made from it. */
export const eventCatalogue: Record<EventType, EventEntry> = {
  'message.received': { ...ofMessage, when: 'A customer wrote.' },
  'message.sent': { ...ofSent('sent'), when: 'The vendor took a message.' },
  'message.delivered': { ...ofSent('delivered'), when: 'A message reached the customer’s device.' },
  'message.read': { ...ofSent('read'), when: 'The customer saw a message.' },
  'message.failed': {
    ...ofSent('failed', { code: '131026', message: 'The message cannot be delivered to this recipient.' }),
    when: 'A message was not sent, or not delivered; `error` says why.',
  },
  'message.echo': {
    ...ofSent('sent'),
    when: 'Somebody of yours wrote elsewhere, such as in the vendor’s own app.',
  },
  'message.updated': {
    ...ofMessage,
    when: 'Whoever wrote a message has changed it, or one of its files has been fetched.',
  },
  'message.deleted': {
    ...ofMessage,
    example: {
      ...exampleMessage,
      text: null,
      deletedAt: '2026-11-15T01:03:03.456Z',
      updatedAt: '2026-11-15T01:03:03.456Z',
    },
    when: 'Whoever wrote a message has taken it back: what it said is gone.',
  },
  'channel.health_changed': {
    data: Channel,
    example: { ...exampleChannel, health: 'failing' },
    hasChannel: true,
    when: 'A channel stopped sending because the vendor refuses its credentials, or sends again.',
  },
  'chat.created': { ...ofChat, when: 'A chat began.' },
  'chat.status_changed': { ...ofChat, when: 'A chat was opened, snoozed or closed.' },
  'chat.assigned': { ...ofChat, when: 'A chat was given to a user or a team, or taken from them.' },
  'chat.read': { ...ofChat, when: 'A chat was marked as read or as unread.' },
  'chat.deleted': { ...ofChat, when: 'A chat was deleted with its messages; this is how it last was.' },
  'contact.created': { ...ofContact, when: 'A contact was made, for example because somebody new wrote.' },
  'contact.updated': {
    ...ofContact,
    when: 'A contact has another name, handle, attribute, metadata or subscription.',
  },
  'contact.deleted': {
    data: ErasedContact,
    example: { id: exampleContact.id },
    hasChannel: false,
    when: 'A contact was erased with everything that was held about the person.',
  },
  'contact.labels_added': { ...ofContact, when: 'A contact got labels that it did not have.' },
  'contact.labels_removed': { ...ofContact, when: 'A contact lost a label.' },
  'contact.unsubscribed': {
    ...ofContact,
    when: 'A contact no longer wants to hear from campaigns and automations.',
  },
  'template.status_changed': {
    data: MessageTemplate,
    example: exampleTemplate,
    hasChannel: true,
    when: 'A message template was approved, rejected, paused or disabled.',
  },
  'file.created': { data: File, example: exampleFile, hasChannel: false, when: 'A file was uploaded.' },
  'automation.run_started': {
    ...ofRun,
    example: { ...exampleRun, ...runBegan, status: 'running' },
    when: 'A run of an automation began.',
  },
  'automation.run_completed': {
    ...ofRun,
    example: { ...exampleRun, ...runBegan, status: 'completed', endedAt: exampleRun.updatedAt },
    when: 'A run of an automation came to its end.',
  },
  'automation.run_failed': {
    ...ofRun,
    example: {
      ...exampleRun,
      ...runBegan,
      status: 'failed',
      step: 'hello',
      endedAt: exampleRun.updatedAt,
      error: { code: 'window_closed', message: 'The last message of the person is more than 24 hours old' },
    },
    when: 'A step of a run could not be done; the run can be tried again from there.',
  },
  'campaign.started': {
    data: Campaign,
    example: exampleCampaign,
    hasChannel: true,
    when: 'A campaign began.',
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
    when: 'Every recipient of a campaign was served, and it comes no more.',
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
    when: 'A campaign could not begin, or not go on; `error` says why.',
  },
  'webhook.test': {
    ...ofWebhook,
    when: 'You asked for a test of this webhook. No other webhook hears of it, and no subscription is needed.',
  },
  'webhook.disabled': {
    ...ofWebhook,
    example: { ...exampleWebhook, status: 'disabled', failingSince: '2026-11-10T01:02:03.456Z' },
    when: 'A webhook was disabled: its receiver answered 410, or nothing but failures came from it for five days.',
  },
};

/** The whole body of a delivery. */
const bodySchema = (type: EventType, { data, hasChannel }: EventEntry): TSchema =>
  Type.Object({
    id: Uuid('Also the `webhook-id` header: the same on every attempt'),
    type: Type.Literal(type),
    createdAt: Timestamp(),
    tenantId: Uuid(),
    channelId: hasChannel ? Uuid() : Nullable(Uuid()),
    sequence: Type.Integer({
      description: 'Grows with every event of the tenant; numbers may be left out, never reused',
    }),
    data,
  });

const bodyExample = (type: EventType, { example, hasChannel }: EventEntry): object => ({
  id: '019a82a0-0000-7000-8000-000000000032',
  type,
  createdAt: '2026-11-15T01:02:03.456Z',
  tenantId: '019a82a0-0000-7000-8000-000000000001',
  channelId: hasChannel ? exampleChat.channelId : null,
  sequence: 42,
  data: example,
});

/** Every event with the body that a receiver gets, in the order of the list of types. */
export const documentedEvents: readonly DocumentedEvent[] = eventTypes.map((type) => ({
  type,
  when: eventCatalogue[type].when,
  schema: bodySchema(type, eventCatalogue[type]),
  example: bodyExample(type, eventCatalogue[type]),
}));

import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../../http/schema.ts';
import { Author } from '../../users/author.ts';

/** What the timeline of a contact shows. Deliveries and read receipts of single messages are left out. */
export const timelineTypes = [
  'message.received',
  'message.sent',
  'message.failed',
  'message.echo',
  'message.deleted',
  'chat.created',
  'chat.status_changed',
  'chat.assigned',
  'chat.deleted',
  'note.created',
  'note.updated',
  'note.deleted',
  'contact.created',
  'contact.updated',
  'contact.merged',
  'contact.labels_added',
  'contact.labels_removed',
  'contact.unsubscribed',
  'contact.subscribed',
  'automation.run_started',
  'automation.run_completed',
  'automation.run_failed',
  'automation.run_cancelled',
] as const;

const value = (description: string) => Nullable(Type.String({ description }));

export const Change = Type.Object({
  field: Type.String({
    description: 'Such as `status`, `firstName`, `labels`, `attributes.plan` or `subscriptions.email`',
  }),
  from: value('The value before; null if there was none, or if it is not stored any more'),
  to: value('The value after; null if there is none'),
});
export type Change = Static<typeof Change>;

export const TimelineItem = Type.Object(
  {
    id: Uuid('That of the event'),
    type: OneOf(timelineTypes, 'The type of the event'),
    createdAt: Timestamp(),
    channelId: Nullable(Uuid()),
    chatId: Nullable(Uuid()),
    resourceId: Uuid('The message, chat, note, contact or run; for a merge the contact that exists no more'),
    author: Nullable({
      ...Author,
      description: 'Who wrote a message or note; a campaign or automation if it sent the message',
    }),
    text: value('Of a message or note; null if it has none, or in a sensitive chat'),
    automationId: Nullable(Uuid('The automation of a run')),
    changes: Type.Array(Change, {
      description: 'What changed, compared with the event about the same contact or chat before',
    }),
  },
  { title: 'TimelineItem' },
);
export type TimelineItem = Static<typeof TimelineItem>;

const MAX_LIMIT = 100;
export const DEFAULT_LIMIT = 25;
export const TimelineQuery = Type.Object({
  cursor: Type.Optional(
    Type.String({
      pattern: '^[0-9]{0,15}$',
      description: 'The `nextCursor` of the page before; empty for the newest items',
    }),
  ),
  limit: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,3}$',
      description: `How many items, at most ${MAX_LIMIT}; ${DEFAULT_LIMIT} by default`,
    }),
  ),
});
export type TimelineQuery = Static<typeof TimelineQuery>;
export const maxTimelineItems = MAX_LIMIT;

export const TimelinePage = Type.Object({
  data: Type.Array(TimelineItem),
  pagination: Type.Object({
    limit: Type.Integer(),
    nextCursor: value('The cursor of the next page, with older items; null on the last one'),
  }),
});
export type TimelinePage = Static<typeof TimelinePage>;

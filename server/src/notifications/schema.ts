import { type Static, Type } from 'typebox';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';

export const notificationTypes = [
  'mentioned',
  'assigned',
  'message_received',
  'snooze_ended',
  'message_failed',
] as const;
export type NotificationType = (typeof notificationTypes)[number];

export const Notification = Type.Object(
  {
    id: Uuid(),
    type: OneOf(
      notificationTypes,
      '`mentioned` in a note; a chat was `assigned` to the user or to a team of the user; `message_received`, `snooze_ended`: in a chat that is assigned to the user; `message_failed`: a message that the user wrote',
    ),
    chatId: Uuid(),
    channelId: Uuid(),
    contact: Type.Object({
      id: Uuid(),
      displayName: Type.String({ description: 'The name, else the number, address or first handle' }),
    }),
    causedBy: Nullable(
      Type.Object(
        { id: Uuid(), name: Type.String() },
        { description: 'The user who caused it; null for a contact, a program, or the passing of time' },
      ),
    ),
    teamId: Nullable(Uuid('The team that was mentioned, or to which the chat was assigned')),
    noteId: Nullable(Uuid()),
    messageId: Nullable(Uuid('The latest message')),
    count: Type.Integer({
      minimum: 1,
      description: 'How often it happened since the user last read: one notification stands for all of them',
    }),
    isRead: Type.Boolean(),
    readAt: Nullable(Timestamp()),
    createdAt: Timestamp(),
    updatedAt: Timestamp('When it happened last'),
  },
  { title: 'Notification', description: 'Tells a user about a chat' },
);
export type Notification = Static<typeof Notification>;

export const NotificationsRead = Type.Object({
  ids: Type.Optional(
    Type.Array(Uuid(), { minItems: 1, maxItems: 500, uniqueItems: true, description: 'These notifications' }),
  ),
  all: Type.Optional(Type.Literal(true, { description: 'All of them, instead of `ids`' })),
});

export const UnreadCount = Type.Object(
  {
    unreadCount: Type.Integer({ minimum: 0, description: 'How many are unread now' }),
  },
  { title: 'UnreadNotifications' },
);

import { type Static, Type } from 'typebox';
import { Contact, Handle } from '../contacts/schema.ts';
import { Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { Message } from '../messages/schema.ts';

export const chatStatuses = ['open', 'snoozed', 'closed'] as const;

export const Chat = Type.Object(
  {
    id: Uuid(),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
    status: OneOf(chatStatuses),
    isUnread: Type.Boolean(),
    snoozedUntil: Nullable(Timestamp('When a snoozed chat opens again by itself')),
    openUntil: Nullable(
      Timestamp('Until when a free-form reply is allowed; null if the channel has no reply window'),
    ),
    unreadCount: Type.Integer(),
    channelId: Uuid(),
    contactId: Uuid(),
    contact: Contact,
    handleId: Uuid(),
    handle: Handle,
    latestMessage: Type.Unsafe<Static<typeof Message> | null>({ ...Message, type: ['object', 'null'] }),
    assignedUserId: Nullable(Uuid()),
    assignedTeamId: Nullable(Uuid()),
    isSensitive: Type.Boolean({
      description: 'Texts and media of a sensitive chat are left out of events and logs',
    }),
  },
  { title: 'Chat' },
);
export type Chat = Static<typeof Chat>;

export const NewChat = Type.Object({ contactId: Uuid(), channelId: Uuid() });

export const ChatStatusChange = Type.Object({
  triggerAutomations: Type.Optional(
    Type.Boolean({
      description: 'Whether automations on opened or closed chats may start; false by default',
    }),
  ),
  status: Type.Optional(OneOf(chatStatuses, '`closed` by default')),
  snoozedUntil: Type.Optional(Timestamp('Required for `snoozed`, and only allowed there')),
});

export const ChatChange = Type.Object({ isSensitive: Type.Boolean() });

export const ChatReadChange = Type.Object({
  isUnread: Type.Optional(Type.Boolean({ description: 'True marks it as unread; false by default' })),
});

export const ChatAssignment = Type.Object({
  userId: Type.Optional(Nullable(Uuid('Null removes the assignment; if left out it is not changed'))),
  teamId: Type.Optional(Nullable(Uuid('Null removes the assignment; if left out it is not changed'))),
});

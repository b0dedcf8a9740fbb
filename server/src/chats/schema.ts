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
    isAutomationPaused: Type.Boolean({
      description:
        'Whether automations stay silent when the contact writes or the chat opens: while it is assigned to a user, or as it was set by hand',
    }),
    waitingSince: Nullable(
      Timestamp('Since when the contact waits: its first message that nobody but an automation has answered'),
    ),
    firstRespondedAt: Nullable(
      Timestamp('When a person first answered the contact after the chat was opened'),
    ),
    closedAt: Nullable(Timestamp('When the chat was closed; null if it is not closed')),
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
  userId: Type.Optional(Uuid('The user who has read the chat')),
});

const presenceStates = ['viewing', 'typing', 'left'] as const;
export const ChatPresenceChange = Type.Object({
  state: OneOf(presenceStates, '`left`: the person no longer types or looks at the chat'),
  userId: Type.Optional(
    Uuid('The user who looks or types. Without one, nothing is shown: a program does neither'),
  ),
});
export const ChatPresence = Type.Object(
  {
    chatId: Uuid(),
    state: OneOf(presenceStates),
    isShown: Type.Boolean({
      description:
        'Whether the vendor is asked to show it to the contact: only `typing` and `left`, on WhatsApp and Instagram, for a user',
    }),
  },
  { title: 'ChatPresence' },
);
export type ChatPresence = Static<typeof ChatPresence>;

/** The data of `chat.presence`. */
export const PresenceEvent = Type.Object(
  {
    chatId: Uuid(),
    user: Type.Object({ id: Uuid(), name: Type.String() }),
    state: OneOf(presenceStates),
    until: Timestamp('When it ends unless it comes again'),
  },
  { title: 'PresenceOfUser' },
);
export type PresenceEvent = Static<typeof PresenceEvent>;

export const ChatAutomationChange = Type.Object({
  isPaused: Type.Boolean({ description: 'True also ends what automations wait for in the chat' }),
});

export const ChatAssignment = Type.Object({
  userId: Type.Optional(Nullable(Uuid('Null removes the assignment; if left out it is not changed'))),
  teamId: Type.Optional(Nullable(Uuid('Null removes the assignment; if left out it is not changed'))),
});

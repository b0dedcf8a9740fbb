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
    openUntil: Nullable(
      Timestamp('Until when a free-form reply is allowed; null where there is no such window'),
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

import { type Static, Type } from 'typebox';
import { Nullable, Timestamp, Uuid } from '../http/schema.ts';
import { Author, OnBehalfOf } from '../users/author.ts';

const Text = Type.String({ minLength: 1, maxLength: 10_000, description: 'Only colleagues see it' });
const MentionedUserIds = Type.Array(Uuid(), {
  maxItems: 50,
  uniqueItems: true,
  description: 'The users whom the note is to reach. Each gets a notification, except the author',
});
const MentionedTeamIds = Type.Array(Uuid(), {
  maxItems: 50,
  uniqueItems: true,
  description: 'The teams whom the note is to reach: every member gets a notification',
});

export const Note = Type.Object(
  {
    id: Uuid(),
    chatId: Uuid(),
    channelId: Uuid(),
    contactId: Uuid(),
    author: Author,
    text: Nullable(Type.String({ description: 'Null in events of sensitive chats' })),
    mentionedUserIds: Type.Array(Uuid()),
    mentionedTeamIds: Type.Array(Uuid()),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'Note', description: 'A note of colleagues about a chat. It is never sent to anybody outside' },
);
export type Note = Static<typeof Note>;

export const NewNote = Type.Object({
  text: Text,
  mentionedUserIds: Type.Optional(MentionedUserIds),
  mentionedTeamIds: Type.Optional(MentionedTeamIds),
  ...OnBehalfOf,
});
export const NoteChange = Type.Object({
  text: Type.Optional(Text),
  mentionedUserIds: Type.Optional(MentionedUserIds),
  mentionedTeamIds: Type.Optional(MentionedTeamIds),
});

import { exampleChat } from '../chats/example.ts';
import type { Note } from './schema.ts';

const time = '2026-11-15T01:02:03.456Z';

/** The API reference's example of a note. */
export const exampleNote: Note = {
  id: '019a82a0-0000-7000-8000-000000000064',
  chatId: exampleChat.id,
  channelId: exampleChat.channelId,
  contactId: exampleChat.contactId,
  author: { type: 'user', id: '019a82a0-0000-7000-8000-000000000060', name: 'Grace Hopper' },
  text: 'Wants it in blue. Please ask the warehouse.',
  mentionedUserIds: [],
  mentionedTeamIds: [],
  createdAt: time,
  updatedAt: time,
};

import { exampleChat } from '../chats/example.ts';
import { exampleNote } from '../notes/example.ts';
import type { Notification } from './schema.ts';

const time = '2026-11-15T01:02:03.456Z';

/** The API reference's example of a notification. */
export const exampleNotification: Notification = {
  id: '019a82a0-0000-7000-8000-0000000000b0',
  type: 'mentioned',
  chatId: exampleChat.id,
  channelId: exampleChat.channelId,
  contact: { id: exampleChat.contactId, displayName: 'Ada Lovelace' },
  causedBy: { id: '019a82a0-0000-7000-8000-000000000060', name: 'Grace Hopper' },
  teamId: null,
  noteId: exampleNote.id,
  messageId: null,
  count: 1,
  isRead: false,
  readAt: null,
  createdAt: time,
  updatedAt: time,
};

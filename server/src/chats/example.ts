import { exampleContact } from '../contacts/example.ts';
import type { Handle } from '../contacts/schema.ts';
import type { Chat } from './schema.ts';

const time = '2026-11-15T01:02:03.456Z';
const [handle] = exampleContact.handles as [Handle];

/** The API reference's example of a chat. */
export const exampleChat: Chat = {
  id: '019a82a0-0000-7000-8000-000000000010',
  createdAt: time,
  updatedAt: time,
  status: 'open',
  isUnread: true,
  snoozedUntil: null,
  openUntil: '2026-11-16T01:02:03.456Z',
  unreadCount: 1,
  channelId: '019a82a0-0000-7000-8000-000000000020',
  contactId: '019a82a0-0000-7000-8000-000000000011',
  contact: exampleContact,
  handleId: handle.id,
  handle,
  latestMessage: {
    id: '019a82a0-0000-7000-8000-000000000013',
    chatId: '019a82a0-0000-7000-8000-000000000010',
    channelId: '019a82a0-0000-7000-8000-000000000020',
    contactId: '019a82a0-0000-7000-8000-000000000011',
    vendorId: 'sandbox-019a82a0000070008000000000000014',
    sender: 'inbound',
    contact: {
      id: exampleContact.id,
      displayName: exampleContact.displayName,
      phoneNumber: exampleContact.phoneNumber,
      email: exampleContact.email,
    },
    handle: { type: handle.type, value: handle.value },
    purpose: 'service',
    isAutomatic: false,
    author: { type: 'contact', id: exampleContact.id, name: exampleContact.displayName },
    type: 'text',
    text: 'Is this still available?',
    media: [],
    content: {},
    status: 'delivered',
    error: null,
    replyToMessageId: null,
    timestamp: time,
    scheduledAt: null,
    editedAt: null,
    deletedAt: null,
    createdAt: time,
    updatedAt: time,
  },
  assignedUserId: null,
  assignedTeamId: null,
  isSensitive: false,
  isAutomationPaused: false,
  waitingSince: time,
  firstRespondedAt: null,
  closedAt: null,
};

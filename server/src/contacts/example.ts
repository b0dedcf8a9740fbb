import type { Contact } from './schema.ts';

const at = '2026-11-15T01:02:03.456Z';
const handle = {
  id: '019a82a0-0000-7000-8000-000000000012',
  createdAt: at,
  updatedAt: at,
  type: 'phone_number' as const,
  isPrimary: true,
  value: '+15550001111',
  extra: { name: 'Ada Lovelace' },
  hasChats: true,
};

/** The contact that the reference shows. */
export const exampleContact: Contact = {
  id: '019a82a0-0000-7000-8000-000000000011',
  createdAt: at,
  updatedAt: at,
  firstName: 'Ada',
  lastName: 'Lovelace',
  fullName: 'Ada Lovelace',
  displayName: 'Ada Lovelace',
  isSubscribed: true,
  handles: [handle],
  labels: [],
  attributes: [],
  phoneNumber: '+15550001111',
  email: null,
  chats: [
    {
      id: '019a82a0-0000-7000-8000-000000000010',
      channelId: '019a82a0-0000-7000-8000-000000000020',
      status: 'open',
      updatedAt: at,
    },
  ],
  metadata: {},
};

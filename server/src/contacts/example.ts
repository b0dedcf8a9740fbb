import type { Contact } from './schema.ts';

const EXAMPLE_TIME = '2026-11-15T01:02:03.456Z';
const handle = {
  id: '019a82a0-0000-7000-8000-000000000012',
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
  type: 'phone_number' as const,
  isPrimary: true,
  value: '+15550001111',
  extra: { name: 'Ada Lovelace' },
  undeliverable: [],
  hasChats: true,
};

/** The contact of the examples in the API reference. */
export const exampleContact: Contact = {
  id: '019a82a0-0000-7000-8000-000000000011',
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
  firstName: 'Ada',
  lastName: 'Lovelace',
  fullName: 'Ada Lovelace',
  displayName: 'Ada Lovelace',
  language: 'en-GB',
  timezone: 'Europe/London',
  isSubscribed: true,
  subscriptions: [],
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
      updatedAt: EXAMPLE_TIME,
    },
  ],
  metadata: {},
};

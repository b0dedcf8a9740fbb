import { exampleQueuedMessage } from '../messages/example.ts';
import type { CampaignPreview } from './preview-schema.ts';
import type { Campaign, CampaignWithCounts } from './schema.ts';

const createdAt = '2026-11-15T01:02:03.456Z';

/** The campaign in the examples of the API reference. */
export const exampleCampaign: Campaign = {
  id: '019a82a0-0000-7000-8000-000000000080',
  channelId: '019a82a0-0000-7000-8000-000000000020',
  name: 'Winter sale',
  status: 'scheduled',
  automationId: '019a82a0-0000-7000-8000-000000000070',
  message: null,
  messageTemplateId: null,
  templateHeader: null,
  purpose: 'marketing',
  closeChats: false,
  isScheduled: true,
  scheduledAt: '2027-01-02T09:00:00.000Z',
  isReoccurring: true,
  recurrenceRules: ['RRULE:FREQ=WEEKLY;BYDAY=SA;COUNT=4', 'EXDATE:20270109T090000Z'],
  timezone: 'UTC',
  variables: [{ name: 'discount', value: '20' }],
  audience: null,
  segmentId: null,
  isTest: false,
  startedAt: null,
  nextOccurrenceAt: '2027-01-02T09:00:00.000Z',
  error: null,
  createdAt,
  updatedAt: createdAt,
};

export const exampleWithCounts: CampaignWithCounts = {
  ...exampleCampaign,
  waiting: null,
  recipientCounts: { queued: 2, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 },
};

export const exampleContacts = [
  {
    firstName: 'Ada',
    lastName: 'Lovelace',
    phoneNumber: '+15550001111',
    email: null,
    labels: [{ name: 'VIP' }],
  },
  { firstName: 'Grace', phoneNumber: '+15550002222' },
];

export const examplePreview: CampaignPreview = {
  matched: 2,
  matchedIsCapped: false,
  examined: 2,
  sendable: 1,
  skipped: { unsubscribed: 1 },
  samples: [
    {
      contactId: '019a82a0-0000-7000-8000-000000000011',
      displayName: 'Ada Lovelace',
      messages: [
        {
          ...exampleQueuedMessage,
          author: { type: 'campaign', id: exampleCampaign.id, name: exampleCampaign.name },
          contactId: '019a82a0-0000-7000-8000-000000000011',
          text: 'Hello Ada, 20 % off everything until Sunday!',
        },
      ],
      error: null,
    },
  ],
  quietHours: null,
  estimatedMinutes: 1,
};

/** The results in the examples of the API reference. */
export const exampleResults = [
  'contactId,displayName,handle,status,code,messageId,sentAt',
  '019a82a0-0000-7000-8000-000000000011,Ada Lovelace,+15550001111,delivered,,019a82a0-0000-7000-8000-000000000031,2027-01-02T09:00:01.200Z',
  '019a82a0-0000-7000-8000-000000000012,Grace,+15550002222,skipped,unsubscribed,,',
  '',
].join('\r\n');

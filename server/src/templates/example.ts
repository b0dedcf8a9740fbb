import type { MessageTemplate } from './schema.ts';

/** The API reference's example of a template. */
export const exampleTemplate: MessageTemplate = {
  id: '019a82a0-0000-7000-8000-000000000070',
  channelId: '019a82a0-0000-7000-8000-000000000020',
  name: 'order_shipped',
  language: 'en_US',
  category: 'utility',
  status: 'approved',
  rejectionReason: null,
  problem: null,
  quality: null,
  vendorId: null,
  body: 'Hello {{name}}, your order {{number}} is on its way.',
  header: { type: 'text', text: 'Good news', url: null },
  footer: 'Reply STOP to unsubscribe.',
  buttons: [
    { type: 'url', text: 'Track it', url: 'https://example.com/track/{{number}}', phoneNumber: null },
  ],
  cards: null,
  offer: null,
  authentication: null,
  variables: ['name', 'number'],
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};

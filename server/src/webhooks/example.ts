import type { ApiWebhook, WebhookDelivery, WebhookDeliveryWithAttempts } from './schema.ts';

const EXAMPLE_TIME = '2026-11-15T01:02:03.456Z';

/** The webhook of the examples in the API reference. */
export const exampleWebhook: ApiWebhook = {
  id: '019a82a0-0000-7000-8000-000000000030',
  url: 'https://example.com/hooks/parley',
  status: 'active',
  events: [
    {
      type: 'message.received',
      scopes: [{ type: 'channel', ids: ['019a82a0-0000-7000-8000-000000000020'] }],
    },
  ],
  failingSince: null,
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
};

export const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

export const exampleDelivery: WebhookDelivery = {
  id: '019a82a0-0000-7000-8000-000000000031',
  webhookId: exampleWebhook.id,
  eventId: '019a82a0-0000-7000-8000-000000000032',
  eventType: 'message.received',
  sequence: 42,
  status: 'delivered',
  attemptCount: 1,
  nextAttemptAt: null,
  createdAt: EXAMPLE_TIME,
  updatedAt: EXAMPLE_TIME,
};

/** A delivery that was just created. */
export const examplePending: WebhookDelivery = {
  ...exampleDelivery,
  status: 'pending',
  attemptCount: 0,
  nextAttemptAt: EXAMPLE_TIME,
};

export const exampleDeliveryWithAttempts: WebhookDeliveryWithAttempts = {
  ...exampleDelivery,
  requestBody: `{"id":"${exampleDelivery.eventId}","type":"message.received",…}`,
  attempts: [
    {
      number: 1,
      startedAt: '2026-11-15T01:02:03.500Z',
      timings: { lookupMs: 1.2, connectMs: 3.4, tlsMs: 8.1, waitMs: 20.5, readMs: 0.4, totalMs: 33.6 },
      request: {
        url: exampleWebhook.url,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'Parley/3.0.0',
          'webhook-id': exampleDelivery.eventId,
          'webhook-timestamp': '1794704523',
        },
      },
      response: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' },
      error: null,
    },
  ],
};

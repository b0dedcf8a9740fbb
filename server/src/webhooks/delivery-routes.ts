import { Type } from 'typebox';
import { data } from '../http/answer.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { OneOf, Timestamp } from '../http/schema.ts';
import { searchRoute } from '../http/search-route.ts';
import { exampleJob, presentStarted, StartedJob } from '../jobs/schema.ts';
import { Query } from '../search/schema.ts';
import { allDeliverySource, foundDeliveryFields, presentFoundDelivery } from './deliveries.ts';
import { exampleDelivery, exampleWebhook } from './example.ts';
import { startRetries } from './retry-many.ts';
import { FoundDelivery, WebhookStats } from './schema.ts';
import { statIntervals, webhookStats } from './stats.ts';

const TAG = 'API webhooks';
const webhooks = routeFamily({
  tag: TAG,
  params: Type.Object({ webhookId: Type.String() }),
  exampleParams: { webhookId: exampleWebhook.id },
});

/** Operations about many deliveries. */
export function deliveryRoutes(): Route[] {
  return [
    searchRoute({
      path: '/v3/webhook_deliveries/search',
      operationId: 'searchAllWebhookDeliveries',
      tag: TAG,
      noun: 'the deliveries of all webhooks',
      access: 'webhooks:read',
      searchable: foundDeliveryFields,
      source: allDeliverySource,
      schema: FoundDelivery,
      present: presentFoundDelivery,
      example: {
        query: 'and(eq(status,"failed"),ge(createdAt,now("-P1D")))',
        item: { ...exampleDelivery, responseStatus: 200, totalMs: 41.2 },
      },
    }),
    webhooks.call(
      {
        method: 'POST',
        path: '/v3/api_webhooks/:webhookId/deliveries/retry',
        operationId: 'retryWebhookDeliveries',
        summary: 'Send many deliveries again',
        description:
          'Makes the deliveries of the webhook that match `query` and have ended due again, with the same `webhook-id` and body and all attempts of the schedule. Which ones is chosen at the moment of the request, at most 100,000. The job is done when all are due; they are then sent in their order.',
        access: 'webhooks:write',
        body: Type.Object({ query: Query }),
        answer: data(StartedJob),
        failures: ['api_webhook_not_found', 'conflict', 'limit_reached', 'search_too_slow'],
        example: {
          body: { query: 'and(eq(status,"failed"),ge(createdAt,now("-P1D")))' },
          answer: presentStarted({
            ...exampleJob,
            kind: 'retry_deliveries',
            status: 'queued',
            action: null,
            done: 0,
            total: 12,
          }),
        },
      },
      ({ principal, params, body }, db) => startRetries(db, params.webhookId, body.query, principal),
    ),
    webhooks.read(
      {
        method: 'GET',
        path: '/v3/api_webhooks/:webhookId/stats',
        operationId: 'getApiWebhookStats',
        summary: 'Get statistics of a webhook',
        description:
          'How many deliveries were created per hour or day (in UTC), what became of them, and how long the last attempt of each took: half of them at most `p50Ms`, 95 % at most `p95Ms`. The last 24 hours or 30 days by default, at most 200 intervals.',
        access: 'webhooks:read',
        query: Type.Object({
          interval: Type.Optional(OneOf(statIntervals, '`hour` by default')),
          from: Type.Optional(Timestamp('The beginning of the interval that contains it is the first')),
          to: Type.Optional(Timestamp('Now by default')),
        }),
        answer: data(WebhookStats),
        failures: ['api_webhook_not_found', 'search_too_slow'],
        example: {
          answer: {
            interval: 'hour',
            intervals: [
              {
                start: '2026-11-15T01:00:00.000Z',
                delivered: 420,
                failed: 1,
                pending: 0,
                p50Ms: 35.5,
                p95Ms: 210,
              },
            ],
          },
        },
      },
      ({ params, query }, db) => webhookStats(db, params.webhookId, query),
    ),
  ];
}

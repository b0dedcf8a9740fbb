import { Type } from 'typebox';
import type { Keys } from '../base/crypto.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { readerOf } from '../http/permissions.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { deliveryFields, deliverySource, presentDelivery, requireDelivery } from './deliveries.ts';
import {
  exampleDelivery,
  exampleDeliveryWithAttempts,
  examplePending,
  exampleSecret,
  exampleWebhook,
} from './example.ts';
import { recoverDeliveries, retryDelivery, testWebhook } from './replay.ts';
import { rotateSecret } from './rotate-secret.ts';
import {
  ApiWebhook,
  ApiWebhookChange,
  CreatedApiWebhook,
  NewApiWebhook,
  Recovery,
  RecoveryResult,
  RotatedApiWebhook,
  WebhookDelivery,
  WebhookDeliveryWithAttempts,
  webhookStatuses,
} from './schema.ts';
import {
  changeWebhook,
  createWebhook,
  presentWebhook,
  removeWebhook,
  requireWebhook,
  WEBHOOK_COLUMNS,
} from './webhook.ts';

const TAG = 'API webhooks';
const WebhookId = Type.Object({ webhookId: Type.String() });
const exampleParams = { webhookId: exampleWebhook.id };

const webhooks = routeFamily({ tag: TAG, params: WebhookId, exampleParams });
const deliveries = routeFamily({
  tag: TAG,
  params: Type.Object({ deliveryId: Type.String() }),
  exampleParams: { deliveryId: exampleDelivery.id },
});

interface WebhookDeps {
  keys: Keys;
  policy: OutboundPolicy;
  /** The version of Parley, which deliveries have as their user agent. */
  version: string;
}

export function webhookRoutes({ keys, policy, version }: WebhookDeps): Route[] {
  return [
    webhooks.write(
      {
        method: 'POST',
        path: '/v3/api_webhooks',
        operationId: 'createApiWebhook',
        summary: 'Create a webhook',
        description:
          'Events are POSTed to `url`, signed according to Standard Webhooks with the `secret` of this answer. An entry of `events` without `type` matches every event; one without `scopes` matches every channel. The token also needs `events:read`, or the read scope of each resource whose events are subscribed to, such as `messages:read`.',
        access: 'webhooks:write',
        body: NewApiWebhook,
        answer: data(CreatedApiWebhook),
        failures: ['limit_reached'],
        example: {
          body: { url: exampleWebhook.url, events: exampleWebhook.events },
          answer: { ...exampleWebhook, secret: exampleSecret },
        },
      },
      ({ principal, body }, tx) => createWebhook(tx, body, { keys, policy, canRead: readerOf(principal) }),
    ),
    webhooks.read(
      {
        method: 'GET',
        path: '/v3/api_webhooks/:webhookId',
        operationId: 'getApiWebhook',
        summary: 'Get a webhook',
        description: 'Without its secret.',
        access: 'webhooks:read',
        answer: data(ApiWebhook),
        failures: ['api_webhook_not_found'],
        example: { answer: exampleWebhook },
      },
      ({ params }, tenant) => requireWebhook(tenant.byKey, params.webhookId),
    ),
    searchRoute({
      path: '/v3/api_webhooks/search',
      operationId: 'searchApiWebhooks',
      tag: TAG,
      noun: 'webhooks',
      access: 'webhooks:read',
      searchable: {
        fields: {
          id: { type: 'uuid', sql: 'w.id' },
          url: { type: 'string', sql: 'w.url' },
          status: { type: 'enum', sql: 'w.status', values: webhookStatuses },
          createdAt: { type: 'time', sql: 'w.created_at' },
          updatedAt: { type: 'time', sql: 'w.updated_at' },
        },
        names: ['w.url'],
        id: 'w.id',
      },
      source: { select: WEBHOOK_COLUMNS, from: 'webhooks w', tenantColumn: 'w.tenant_id' },
      schema: ApiWebhook,
      present: presentWebhook,
      example: { query: 'eq(status,"active")', item: exampleWebhook },
    }),
    webhooks.write(
      {
        method: 'POST',
        path: '/v3/api_webhooks/:webhookId/test',
        operationId: 'testApiWebhook',
        summary: 'Send a test event',
        description:
          'Sends `webhook.test` to this webhook only, independent of its subscriptions, signed and retried like every event. Get the returned delivery to see the result.',
        access: 'webhooks:write',
        answer: data(WebhookDelivery),
        failures: ['api_webhook_not_found', 'conflict'],
        example: { answer: { ...examplePending, eventType: 'webhook.test' } },
      },
      ({ params }, tx) => testWebhook(tx, params.webhookId),
    ),
    webhooks.write(
      {
        method: 'POST',
        path: '/v3/api_webhooks/:webhookId/rotate_secret',
        operationId: 'rotateApiWebhookSecret',
        summary: 'Rotate the secret of a webhook',
        description:
          'Returns the new secret, which cannot be read again. For 24 hours every delivery has two signatures, by the new secret and by the previous one. A second rotation within that time ends the first.',
        access: 'webhooks:write',
        answer: data(RotatedApiWebhook),
        failures: ['api_webhook_not_found'],
        example: {
          answer: { ...exampleWebhook, secret: exampleSecret, oldSecretUntil: '2026-11-16T01:02:03.456Z' },
        },
      },
      ({ params }, tx) => rotateSecret(tx, params.webhookId, keys),
    ),
    webhooks.write(
      {
        method: 'POST',
        path: '/v3/api_webhooks/:webhookId/recover',
        operationId: 'recoverApiWebhook',
        summary: 'Send missed events',
        description:
          'Makes due, in order, every event from `since` on that matches the present subscriptions of this webhook and that it has not received: failed and cancelled deliveries, and events that were published while it was paused, disabled or not created yet. One call recovers up to 10,000; continue with `nextSince` until that is null.',
        access: 'webhooks:write',
        body: Recovery,
        answer: data(RecoveryResult),
        failures: ['api_webhook_not_found', 'conflict'],
        example: {
          body: { since: '2026-11-14T00:00:00.000Z', until: '2026-11-15T00:00:00.000Z' },
          answer: { count: 12, nextSince: null },
        },
      },
      ({ params, body }, tx) => recoverDeliveries(tx, params.webhookId, body),
    ),
    webhooks.write(
      {
        method: 'PUT',
        path: '/v3/api_webhooks/:webhookId',
        operationId: 'updateApiWebhook',
        summary: 'Update a webhook',
        description:
          'Changes the given fields; `events` replaces the whole list. `status: inactive` pauses the webhook: no new deliveries are created, and pending ones are sent when it is active again. `status: active` also reactivates a webhook that was disabled.',
        access: 'webhooks:write',
        body: ApiWebhookChange,
        answer: data(ApiWebhook),
        failures: ['api_webhook_not_found'],
        example: {
          body: { url: exampleWebhook.url, events: exampleWebhook.events },
          answer: exampleWebhook,
        },
      },
      ({ principal, params, body }, tx) =>
        changeWebhook(tx, params.webhookId, body, { policy, canRead: readerOf(principal) }),
    ),
    webhooks.write(
      {
        method: 'DELETE',
        path: '/v3/api_webhooks/:webhookId',
        operationId: 'deleteApiWebhook',
        summary: 'Delete a webhook',
        description: 'Its pending deliveries are cancelled.',
        access: 'webhooks:write',
        answer: data(DeleteResult),
        failures: [],
        example: { answer: { deletedIds: [exampleWebhook.id], notFoundIds: [] } },
      },
      async ({ params }, tx) => deleted(params.webhookId, await removeWebhook(tx, params.webhookId)),
    ),
    searchRoute({
      path: '/v3/api_webhooks/:webhookId/deliveries/search',
      operationId: 'searchWebhookDeliveries',
      tag: TAG,
      noun: 'the deliveries of a webhook',
      access: 'webhooks:read',
      params: WebhookId,
      searchable: deliveryFields,
      source: async (tenant, params) =>
        deliverySource((await requireWebhook(tenant, params.webhookId as string)).id),
      schema: WebhookDelivery,
      present: presentDelivery,
      failures: ['api_webhook_not_found'],
      example: { params: exampleParams, query: 'eq(status,"delivered")', item: exampleDelivery },
    }),
    deliveries.read(
      {
        method: 'GET',
        path: '/v3/webhook_deliveries/:deliveryId',
        operationId: 'getWebhookDelivery',
        summary: 'Get a delivery with its attempts',
        description:
          'For each attempt: the request, the response, how long each part took, or why the attempt failed. `requestBody` is null if the token may not read the event: that needs `events:read`, or the read scope of its resource.',
        access: 'webhooks:read',
        answer: data(WebhookDeliveryWithAttempts),
        failures: ['webhook_delivery_not_found'],
        example: { answer: exampleDeliveryWithAttempts },
      },
      ({ principal, params }, tenant) =>
        requireDelivery(tenant.byKey, params.deliveryId, version, readerOf(principal)),
    ),
    deliveries.write(
      {
        method: 'POST',
        path: '/v3/webhook_deliveries/:deliveryId/retry',
        operationId: 'retryWebhookDelivery',
        summary: 'Send a delivery again',
        description:
          'Makes a delivery that has ended, successfully or not, due again now: with the same `webhook-id`, the same body and all attempts of the schedule.',
        access: 'webhooks:write',
        answer: data(WebhookDelivery),
        failures: ['webhook_delivery_not_found', 'conflict'],
        example: { answer: examplePending },
      },
      ({ params }, tx) => retryDelivery(tx, params.deliveryId),
    ),
  ];
}

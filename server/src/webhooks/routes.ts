import { type Static, Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { deliveryFields, deliverySource, presentDelivery, requireDelivery } from './deliveries.ts';
import {
  ApiWebhook,
  ApiWebhookChange,
  CreatedApiWebhook,
  NewApiWebhook,
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

const exampleWebhook: Static<typeof ApiWebhook> = {
  id: '019a82a0-0000-7000-8000-000000000030',
  url: 'https://example.com/hooks/parley',
  status: 'active',
  events: [
    {
      type: 'message.received',
      scopes: [{ type: 'channel', ids: ['019a82a0-0000-7000-8000-000000000020'] }],
    },
  ],
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const exampleDelivery: Static<typeof WebhookDelivery> = {
  id: '019a82a0-0000-7000-8000-000000000031',
  webhookId: exampleWebhook.id,
  eventId: '019a82a0-0000-7000-8000-000000000032',
  eventType: 'message.received',
  sequence: 42,
  status: 'delivered',
  attemptCount: 1,
  nextAttemptAt: null,
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};
const WebhookId = Type.Object({ webhookId: Type.String() });

export interface WebhookNeeds {
  db: Database;
  clock: Clock;
  keys: Keys;
  policy: OutboundPolicy;
}

export function webhookRoutes({ db, clock, keys, policy }: WebhookNeeds): Route[] {
  return [
    write(
      {
        method: 'POST',
        path: '/v3/api_webhooks',
        operationId: 'createApiWebhook',
        tag: 'API webhooks',
        summary: 'Subscribe to events',
        description:
          'Events are POSTed to `url`, signed as Standard Webhooks says with the `secret` of this answer. An entry of `events` without `type` means every event; without `scopes`, of every channel.',
        access: 'webhooks:write',
        body: NewApiWebhook,
        answer: data(CreatedApiWebhook),
        failures: [],
        example: {
          body: { url: exampleWebhook.url, events: exampleWebhook.events },
          answer: { ...exampleWebhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
        },
      },
      ({ principal, body }, tx) =>
        createWebhook(tx, principal.tenantId, body, { keys, policy, now: clock.now() }),
    ),
    read(
      {
        method: 'GET',
        path: '/v3/api_webhooks/:webhookId',
        operationId: 'getApiWebhook',
        tag: 'API webhooks',
        summary: 'Read a subscription',
        description: 'Without its secret.',
        access: 'webhooks:read',
        params: WebhookId,
        answer: data(ApiWebhook),
        failures: ['api_webhook_not_found'],
        example: { params: { webhookId: exampleWebhook.id }, answer: exampleWebhook },
      },
      ({ principal, params }) => requireWebhook(db.byKey, principal.tenantId, params.webhookId),
    ),
    searchRoute(db, {
      path: '/v3/api_webhooks/search',
      operationId: 'searchApiWebhooks',
      tag: 'API webhooks',
      noun: 'subscriptions',
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
    write(
      {
        method: 'PUT',
        path: '/v3/api_webhooks/:webhookId',
        operationId: 'updateApiWebhook',
        tag: 'API webhooks',
        summary: 'Change a subscription',
        description:
          'Changes what is given; `events` replaces the whole list. `status: inactive` pauses it, `status: active` also revives one that was disabled.',
        access: 'webhooks:write',
        params: WebhookId,
        body: ApiWebhookChange,
        answer: data(ApiWebhook),
        failures: ['api_webhook_not_found'],
        example: {
          params: { webhookId: exampleWebhook.id },
          body: { url: exampleWebhook.url, events: exampleWebhook.events },
          answer: exampleWebhook,
        },
      },
      ({ principal, params, body }, tx) =>
        changeWebhook(tx, principal.tenantId, params.webhookId, body, { policy, now: clock.now() }),
    ),
    write(
      {
        method: 'DELETE',
        path: '/v3/api_webhooks/:webhookId',
        operationId: 'deleteApiWebhook',
        tag: 'API webhooks',
        summary: 'Delete a subscription',
        description: 'What was still waiting to be sent to it is cancelled.',
        access: 'webhooks:write',
        params: WebhookId,
        answer: data(DeleteResult),
        failures: [],
        example: {
          params: { webhookId: exampleWebhook.id },
          answer: { deletedIds: [exampleWebhook.id], notFoundIds: [] },
        },
      },
      async ({ principal, params }, tx) =>
        deleted(params.webhookId, await removeWebhook(tx, principal.tenantId, params.webhookId, clock.now())),
    ),
    searchRoute(db, {
      path: '/v3/api_webhooks/:webhookId/deliveries/search',
      operationId: 'searchWebhookDeliveries',
      tag: 'API webhooks',
      noun: "a subscription's deliveries",
      access: 'webhooks:read',
      params: WebhookId,
      searchable: deliveryFields,
      source: async ({ tenantId }, params) => {
        const webhook = await requireWebhook(db.byKey, tenantId, params.webhookId as string);
        return deliverySource(webhook.id);
      },
      schema: WebhookDelivery,
      present: presentDelivery,
      failures: ['api_webhook_not_found'],
      example: {
        params: { webhookId: exampleWebhook.id },
        query: 'eq(status,"delivered")',
        item: exampleDelivery,
      },
    }),
    read(
      {
        method: 'GET',
        path: '/v3/webhook_deliveries/:deliveryId',
        operationId: 'getWebhookDelivery',
        tag: 'API webhooks',
        summary: 'Read a delivery with its attempts',
        description: 'What was answered to each attempt, how long it took, or why it failed.',
        access: 'webhooks:read',
        params: Type.Object({ deliveryId: Type.String() }),
        answer: data(WebhookDeliveryWithAttempts),
        failures: ['webhook_delivery_not_found'],
        example: {
          params: { deliveryId: exampleDelivery.id },
          answer: {
            ...exampleDelivery,
            attempts: [
              {
                number: 1,
                startedAt: '2026-11-15T01:02:03.500Z',
                timings: { lookupMs: 1.2, connectMs: 3.4, firstByteMs: 20.5, totalMs: 20.9 },
                response: { status: 200, headers: { 'content-type': 'text/plain' }, body: 'ok' },
                error: null,
              },
            ],
          },
        },
      },
      ({ principal, params }) => requireDelivery(db.byKey, principal.tenantId, params.deliveryId),
    ),
  ];
}

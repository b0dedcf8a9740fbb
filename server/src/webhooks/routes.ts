import { Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import type { Database } from '../db/database.ts';
import type { WakeUps } from '../engine/wakeups.ts';
import { DeleteResult, data, deleted, type Route, type RouteSpec, read, write } from '../http/route.ts';
import { searchRoute } from '../http/search-route.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { deliveryFields, deliverySource, presentDelivery, requireDelivery } from './deliveries.ts';
import {
  exampleDelivery,
  exampleDeliveryWithAttempts,
  exampleSecret,
  exampleWaiting,
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

const WebhookId = Type.Object({ webhookId: Type.String() });
const DeliveryId = Type.Object({ deliveryId: Type.String() });
const at = { params: { webhookId: exampleWebhook.id } };

/** What the tools of a subscription have in common. */
const tool = {
  method: 'POST',
  tag: 'API webhooks',
  access: 'webhooks:write',
  params: WebhookId,
} as const satisfies Partial<RouteSpec>;

export interface WebhookDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  policy: OutboundPolicy;
  wakeUps: WakeUps;
  version: string;
}

export function webhookRoutes(deps: WebhookDeps): Route[] {
  const { db, clock, keys, policy, version } = deps;
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
          answer: { ...exampleWebhook, secret: exampleSecret },
        },
      },
      ({ principal, body }, tx) =>
        createWebhook(tx, principal.tenantId, body, { keys, policy, now: clock.now(principal.tenantId) }),
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
        example: { ...at, answer: exampleWebhook },
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
        ...tool,
        path: '/v3/api_webhooks/:webhookId/test',
        operationId: 'testApiWebhook',
        summary: 'Send a test event',
        description:
          'Sends `webhook.test` to this subscription only, whatever it is for, signed and retried like every event. Read the delivery that is answered to see what came of it.',
        answer: data(WebhookDelivery),
        failures: ['api_webhook_not_found', 'conflict'],
        example: { ...at, answer: { ...exampleWaiting, eventType: 'webhook.test' } },
      },
      ({ principal, params }, tx) => testWebhook(tx, principal.tenantId, params.webhookId, deps),
    ),
    write(
      {
        ...tool,
        path: '/v3/api_webhooks/:webhookId/rotate_secret',
        operationId: 'rotateApiWebhookSecret',
        summary: 'Change the secret',
        description:
          'Answers the new secret, this once. For 24 hours every delivery carries two signatures, of the new secret and of the one before it; a second rotation within that time ends the first one’s.',
        answer: data(RotatedApiWebhook),
        failures: ['api_webhook_not_found'],
        example: {
          ...at,
          answer: { ...exampleWebhook, secret: exampleSecret, oldSecretUntil: '2026-11-16T01:02:03.456Z' },
        },
      },
      ({ principal, params }, tx) =>
        rotateSecret(tx, principal.tenantId, params.webhookId, { keys, now: clock.now(principal.tenantId) }),
    ),
    write(
      {
        ...tool,
        path: '/v3/api_webhooks/:webhookId/recover',
        operationId: 'recoverApiWebhook',
        summary: 'Send what was missed',
        description:
          'Makes due, in order, every event from `since` on that this subscription asks for today and has not received: failed and cancelled deliveries, and what happened while it was paused, disabled or not yet made. One call takes 10,000; go on with `nextSince` until that is null.',
        body: Recovery,
        answer: data(RecoveryResult),
        failures: ['api_webhook_not_found', 'conflict'],
        example: {
          ...at,
          body: { since: '2026-11-14T00:00:00.000Z', until: '2026-11-15T00:00:00.000Z' },
          answer: { count: 12, nextSince: null },
        },
      },
      ({ principal, params, body }, tx) =>
        recoverDeliveries(tx, principal.tenantId, params.webhookId, body, deps),
    ),
    write(
      {
        method: 'PUT',
        path: '/v3/api_webhooks/:webhookId',
        operationId: 'updateApiWebhook',
        tag: 'API webhooks',
        summary: 'Change a subscription',
        description:
          'Changes what is given; `events` replaces the whole list. `status: inactive` pauses it: nothing new is delivered, and what waits is sent when it is active again. `status: active` also revives one that was disabled.',
        access: 'webhooks:write',
        params: WebhookId,
        body: ApiWebhookChange,
        answer: data(ApiWebhook),
        failures: ['api_webhook_not_found'],
        example: {
          ...at,
          body: { url: exampleWebhook.url, events: exampleWebhook.events },
          answer: exampleWebhook,
        },
      },
      ({ principal, params, body }, tx) =>
        changeWebhook(tx, principal.tenantId, params.webhookId, body, {
          policy,
          now: clock.now(principal.tenantId),
        }),
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
          ...at,
          answer: { deletedIds: [exampleWebhook.id], notFoundIds: [] },
        },
      },
      async ({ principal, params }, tx) =>
        deleted(
          params.webhookId,
          await removeWebhook(tx, principal.tenantId, params.webhookId, clock.now(principal.tenantId)),
        ),
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
        ...at,
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
        description:
          'What was sent with each attempt, what was answered, how long each part took, or why it failed.',
        access: 'webhooks:read',
        params: DeliveryId,
        answer: data(WebhookDeliveryWithAttempts),
        failures: ['webhook_delivery_not_found'],
        example: { params: { deliveryId: exampleDelivery.id }, answer: exampleDeliveryWithAttempts },
      },
      ({ principal, params }) => requireDelivery(db.byKey, principal.tenantId, params.deliveryId, version),
    ),
    write(
      {
        ...tool,
        path: '/v3/webhook_deliveries/:deliveryId/retry',
        operationId: 'retryWebhookDelivery',
        summary: 'Send a delivery again',
        description:
          'A delivery that has ended, well or not, is due again at once: with the same `webhook-id`, the same body and the whole schedule of attempts.',
        params: DeliveryId,
        answer: data(WebhookDelivery),
        failures: ['webhook_delivery_not_found', 'conflict'],
        example: { params: { deliveryId: exampleDelivery.id }, answer: exampleWaiting },
      },
      ({ principal, params }, tx) => retryDelivery(tx, principal.tenantId, params.deliveryId, deps),
    ),
  ];
}

import { type Static, Type } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import type { Database } from '../db/database.ts';
import { DeleteResult, data, deleted, type Route, read, write } from '../http/route.ts';
import { OneOf, Timestamp, Uuid } from '../http/schema.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { type ApiWebhook, NewApiWebhook } from '../webhooks/schema.ts';
import { v2TypeNames, v2Types } from '../webhooks/v2-types.ts';
import {
  allV2Webhooks,
  changeWebhook,
  createWebhook,
  findWebhook,
  removeWebhook,
} from '../webhooks/webhook.ts';
import { inV2Words } from './words.ts';

const NewWebhook = Type.Object({
  tenantId: Type.String({ description: "The tenant of the caller's token" }),
  type: OneOf(v2TypeNames, 'What it is for'),
  url: NewApiWebhook.properties.url,
  channelId: Type.Optional(Uuid('Only events of this channel, which is of the kind that `type` names')),
});

const WebhookChange = Type.Object({
  url: Type.Optional(NewApiWebhook.properties.url),
  isActive: Type.Optional(Type.Boolean({ description: '`true` also revives one that was disabled' })),
});

const Webhook = Type.Object(
  {
    id: Uuid(),
    type: OneOf(v2TypeNames),
    url: Type.String(),
    isActive: Type.Boolean(),
    channelId: Type.Optional(Uuid('Left out where it is for every channel of its kind')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'ApiWebhook' },
);
type Webhook = Static<typeof Webhook>;

const CreatedWebhook = Type.Object(
  {
    ...Webhook.properties,
    secret: Type.String({ description: 'Signs the deliveries, as Standard Webhooks says; shown this once' }),
  },
  { title: 'CreatedApiWebhook' },
);

const WebhookId = Type.Object({ webhookId: Type.String() });

const example: Webhook = {
  id: '019a82a0-0000-7000-8000-000000000033',
  type: 'WHATSAPP_MESSAGE_RECEIVED',
  url: 'https://example.com/hooks/parley',
  isActive: true,
  channelId: '019a82a0-0000-7000-8000-000000000020',
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};

/** Undefined for a subscription that version 2 has no words for. */
function present({ v2Type, ...webhook }: ApiWebhook): Webhook | undefined {
  if (v2Type === undefined) return undefined;
  const channelId = webhook.events[0]?.scopes[0]?.ids[0];
  return {
    id: webhook.id,
    type: v2Type,
    url: webhook.url,
    isActive: webhook.status === 'active',
    ...(channelId === undefined ? {} : { channelId }),
    createdAt: webhook.createdAt,
    updatedAt: webhook.updatedAt,
  };
}

export interface V2WebhookDeps {
  db: Database;
  clock: Clock;
  keys: Keys;
  policy: OutboundPolicy;
}

export function v2WebhookRoutes({ db, clock, keys, policy }: V2WebhookDeps): Route[] {
  const shared = { tag: 'API webhooks', failures: ['api_version_sunset'] } as const;
  return [
    read(
      {
        ...shared,
        method: 'GET',
        path: '/v2/api_webhooks',
        operationId: 'listApiWebhooksV2',
        summary: 'List the subscriptions',
        description: 'All that were made through v2, the oldest first. v3 shows those and its own.',
        access: 'webhooks:read',
        answer: data(Type.Array(Webhook)),
        example: { answer: [example] },
        successor: 'POST /v3/api_webhooks/search',
      },
      async ({ principal }) =>
        (await allV2Webhooks(db, principal.tenantId)).flatMap((webhook) => present(webhook) ?? []),
    ),
    write(
      {
        ...shared,
        method: 'POST',
        path: '/v2/api_webhooks',
        operationId: 'createApiWebhookV2',
        summary: 'Subscribe to a type of event',
        description:
          'Events of the type are POSTed to `url` as `{ id, type, createdAt, channelId, data }`, signed as Standard Webhooks says with the `secret` of this answer.',
        access: 'webhooks:write',
        body: NewWebhook,
        answer: data(CreatedWebhook),
        example: {
          body: {
            tenantId: '019a82a0-0000-7000-8000-000000000002',
            type: example.type,
            url: example.url,
            channelId: '019a82a0-0000-7000-8000-000000000020',
          },
          answer: { ...example, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
        },
        successor: 'POST /v3/api_webhooks',
      },
      async ({ principal, body }, tx) => {
        if (body.tenantId.toLowerCase() !== principal.tenantId)
          throw new ApiError('forbidden', { detail: 'tenantId is not the tenant of the token' });
        const scopes =
          body.channelId === undefined ? [] : [{ type: 'channel' as const, ids: [body.channelId] }];
        const { secret, ...webhook } = await inV2Words(
          createWebhook(
            tx,
            principal.tenantId,
            {
              url: body.url,
              events: v2Types[body.type].events.map((type) => ({ type, scopes })),
              v2Type: body.type,
            },
            { keys, policy, now: clock.now(principal.tenantId) },
          ),
          { events: 'channelId' },
        );
        return { ...(present(webhook) as Webhook), secret };
      },
    ),
    write(
      {
        ...shared,
        method: 'PUT',
        path: '/v2/api_webhooks/:webhookId',
        operationId: 'updateApiWebhookV2',
        summary: 'Change a subscription',
        description: 'Changes what is given. Subscriptions of v3 are not found here.',
        access: 'webhooks:write',
        params: WebhookId,
        body: WebhookChange,
        answer: data(Webhook),
        failures: [...shared.failures, 'api_webhook_not_found'],
        example: { params: { webhookId: example.id }, body: { isActive: true }, answer: example },
        successor: 'PUT /v3/api_webhooks/:webhookId',
      },
      async ({ principal, params, body: { url, isActive } }, tx) => {
        const changed = await changeWebhook(
          tx,
          principal.tenantId,
          params.webhookId,
          {
            ...(url === undefined ? {} : { url }),
            ...(isActive === undefined ? {} : { status: isActive ? 'active' : 'inactive' }),
          },
          { policy, now: clock.now(principal.tenantId) },
        );
        const shown = present(changed);
        // Nothing is changed then: the transaction ends with this error.
        if (!shown) throw new ApiError('api_webhook_not_found');
        return shown;
      },
    ),
    write(
      {
        ...shared,
        method: 'DELETE',
        path: '/v2/api_webhooks/:webhookId',
        operationId: 'deleteApiWebhookV2',
        summary: 'Delete a subscription',
        description: 'What was still waiting to be sent to it is cancelled. Those of v3 are not found here.',
        access: 'webhooks:write',
        params: WebhookId,
        answer: data(DeleteResult),
        example: {
          params: { webhookId: example.id },
          answer: { deletedIds: [example.id], notFoundIds: [] },
        },
        successor: 'DELETE /v3/api_webhooks/:webhookId',
      },
      async ({ principal, params: { webhookId } }, tx) => {
        const webhook = await findWebhook(tx, principal.tenantId, webhookId);
        const isOurs = webhook?.v2Type !== undefined;
        return deleted(
          webhookId,
          isOurs && (await removeWebhook(tx, principal.tenantId, webhookId, clock.now(principal.tenantId))),
        );
      },
    ),
  ];
}

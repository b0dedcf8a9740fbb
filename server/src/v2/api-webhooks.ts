import { type Static, Type } from 'typebox';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import type { EventType } from '../base/events.ts';
import { DeleteResult, data, deleted } from '../http/answer.ts';
import { readerOf } from '../http/permissions.ts';
import { type Route, routeFamily } from '../http/route.ts';
import { OneOf, Timestamp, Uuid } from '../http/schema.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { type ApiWebhook, NewApiWebhook } from '../webhooks/schema.ts';
import { kindOf, type V2Type, v2TypeNames } from '../webhooks/v2-types.ts';
import {
  allV2Webhooks,
  changeWebhook,
  createWebhook,
  findWebhook,
  removeWebhook,
} from '../webhooks/webhook.ts';
import { withV2ParamNames } from './param-names.ts';

/** The events that a type stands for. */
const EVENTS: Record<'RECEIVED' | 'STATUS' | 'ECHO', EventType[]> = {
  RECEIVED: ['message.received'],
  STATUS: ['message.sent', 'message.delivered', 'message.read', 'message.failed'],
  ECHO: ['message.echo'],
};
const eventsOf = (type: V2Type): EventType[] => EVENTS[type.split('_').at(-1) as keyof typeof EVENTS];

const NewWebhook = Type.Object({
  tenantId: Type.String({ description: "The tenant of the caller's token" }),
  type: OneOf(v2TypeNames, 'Which events it gets'),
  url: NewApiWebhook.properties.url,
  channelId: Type.Optional(Uuid('Only events of this channel, whose kind must be that of `type`')),
});

const WebhookChange = Type.Object({
  url: Type.Optional(NewApiWebhook.properties.url),
  isActive: Type.Optional(
    Type.Boolean({ description: '`true` also reactivates a webhook that was disabled' }),
  ),
});

const Webhook = Type.Object(
  {
    id: Uuid(),
    type: OneOf(v2TypeNames),
    url: Type.String(),
    isActive: Type.Boolean(),
    channelId: Type.Optional(Uuid('Left out if it is for every channel of its kind')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'ApiWebhook' },
);
type Webhook = Static<typeof Webhook>;

const CreatedWebhook = Type.Object(
  {
    ...Webhook.properties,
    secret: Type.String({
      description: 'Signs the deliveries according to Standard Webhooks; cannot be read again',
    }),
  },
  { title: 'CreatedApiWebhook' },
);

const example: Webhook = {
  id: '019a82a0-0000-7000-8000-000000000033',
  type: 'WHATSAPP_MESSAGE_RECEIVED',
  url: 'https://example.com/hooks/parley',
  isActive: true,
  channelId: '019a82a0-0000-7000-8000-000000000020',
  createdAt: '2026-11-15T01:02:03.456Z',
  updatedAt: '2026-11-15T01:02:03.456Z',
};

const webhooks = routeFamily({
  tag: 'API webhooks',
  params: Type.Object({ webhookId: Type.String() }),
  exampleParams: { webhookId: example.id },
});

/** Undefined for a webhook of version 3. */
function present({ v2Type, ...webhook }: ApiWebhook): Webhook | undefined {
  if (v2Type === undefined) return undefined;
  const channelId = webhook.events[0]?.scopes.find(({ type }) => type === 'channel')?.ids[0];
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
  keys: Keys;
  policy: OutboundPolicy;
}

export function v2WebhookRoutes({ keys, policy }: V2WebhookDeps): Route[] {
  return [
    webhooks.read(
      {
        method: 'GET',
        path: '/v2/api_webhooks',
        operationId: 'listApiWebhooksV2',
        summary: 'List the webhooks',
        description: 'All that were created through v2, the oldest first. v3 shows these and its own.',
        access: 'webhooks:read',
        answer: data(Type.Array(Webhook)),
        failures: ['api_version_sunset'],
        example: { answer: [example] },
        successor: 'POST /v3/api_webhooks/search',
      },
      async (_call, tenant) => (await allV2Webhooks(tenant)).flatMap((webhook) => present(webhook) ?? []),
    ),
    webhooks.write(
      {
        method: 'POST',
        path: '/v2/api_webhooks',
        operationId: 'createApiWebhookV2',
        summary: 'Create a webhook',
        description:
          'Events of the type are POSTed to `url` as `{ id, type, createdAt, channelId, data }`, signed according to Standard Webhooks with the `secret` of this answer.',
        access: 'webhooks:write',
        body: NewWebhook,
        answer: data(CreatedWebhook),
        failures: ['api_version_sunset', 'limit_reached'],
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
        const scope =
          body.channelId === undefined
            ? { type: 'channel_kind' as const, ids: [kindOf(body.type)] }
            : { type: 'channel' as const, ids: [body.channelId] };
        const { secret, ...webhook } = await withV2ParamNames(
          createWebhook(
            tx,
            {
              url: body.url,
              events: eventsOf(body.type).map((type) => ({ type, scopes: [scope] })),
              v2Type: body.type,
            },
            { keys, policy, canRead: readerOf(principal) },
          ),
          { 'events.type': 'type', events: 'channelId' },
        );
        return { ...(present(webhook) as Webhook), secret };
      },
    ),
    webhooks.write(
      {
        method: 'PUT',
        path: '/v2/api_webhooks/:webhookId',
        operationId: 'updateApiWebhookV2',
        summary: 'Update a webhook',
        description: 'Changes the given fields. Webhooks of v3 are not found here.',
        access: 'webhooks:write',
        body: WebhookChange,
        answer: data(Webhook),
        failures: ['api_version_sunset', 'api_webhook_not_found'],
        example: { body: { isActive: true }, answer: example },
        successor: 'PUT /v3/api_webhooks/:webhookId',
      },
      async ({ principal, params, body: { url, isActive } }, tx) => {
        const changed = await withV2ParamNames(
          changeWebhook(
            tx,
            params.webhookId,
            {
              ...(url === undefined ? {} : { url }),
              ...(isActive === undefined ? {} : { status: isActive ? 'active' : 'inactive' }),
            },
            { policy, canRead: readerOf(principal) },
          ),
          { 'events.type': 'type' },
        );
        const shown = present(changed);
        // The error rolls the change back.
        if (!shown) throw new ApiError('api_webhook_not_found');
        return shown;
      },
    ),
    webhooks.write(
      {
        method: 'DELETE',
        path: '/v2/api_webhooks/:webhookId',
        operationId: 'deleteApiWebhookV2',
        summary: 'Delete a webhook',
        description: 'Its pending deliveries are cancelled. Webhooks of v3 are not found here.',
        access: 'webhooks:write',
        answer: data(DeleteResult),
        failures: ['api_version_sunset'],
        example: { answer: { deletedIds: [example.id], notFoundIds: [] } },
        successor: 'DELETE /v3/api_webhooks/:webhookId',
      },
      async ({ params: { webhookId } }, tx) => {
        const webhook = await findWebhook(tx, webhookId);
        const isV2 = webhook?.v2Type !== undefined;
        return deleted(webhookId, isV2 && (await removeWebhook(tx, webhookId)));
      },
    ),
  ];
}

import { type Static, Type } from 'typebox';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { channelKinds } from '../providers/kinds.ts';
import { v2TypeNames } from './v2-types.ts';

export const webhookStatuses = ['active', 'inactive', 'disabled'] as const;
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;

const Scope = Type.Object({
  type: OneOf(['channel', 'channel_kind']),
  ids: Type.Array(Type.String({ pattern: `^([0-9A-Fa-f-]{36}|${channelKinds.join('|')})$` }), {
    minItems: 1,
    maxItems: 1000,
    description:
      'Ids of channels; of the type `channel_kind`: `whatsapp`, `sms`, `email` or `instagram`, for all channels of the kind, also later ones',
  }),
});

const EventType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A name such as `message.received`, or a prefix such as `message.*`; every event if left out',
});

export const NewApiWebhook = Type.Object({
  url: Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Where events are POSTed to; http or https',
  }),
  events: Type.Array(
    Type.Object({
      type: Type.Optional(EventType),
      scopes: Type.Optional(
        Type.Array(Scope, {
          maxItems: 100,
          description:
            'Only events of these channels, or of all channels of these kinds; if empty or left out, all events',
        }),
      ),
    }),
    { minItems: 1, maxItems: 100 },
  ),
  status: Type.Optional(OneOf(['active', 'inactive'])),
});

export const ApiWebhookChange = Type.Object({
  url: Type.Optional(NewApiWebhook.properties.url),
  events: Type.Optional(NewApiWebhook.properties.events),
  status: Type.Optional(OneOf(webhookStatuses, '`disabled` only if it is disabled already')),
});

export const ApiWebhook = Type.Object(
  {
    id: Uuid(),
    url: Type.String(),
    status: OneOf(webhookStatuses),
    events: Type.Array(Type.Object({ type: Type.Optional(EventType), scopes: Type.Array(Scope) })),
    v2Type: Type.Optional(
      OneOf(
        v2TypeNames,
        'Only on webhooks created through v2: they get the format of v2, until other `events` are set',
      ),
    ),
    failingSince: Nullable(
      Timestamp(
        'The first failure after the last success; after five days of failures the webhook is disabled',
      ),
    ),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'ApiWebhook' },
);
export type ApiWebhook = Static<typeof ApiWebhook>;

export const CreatedApiWebhook = Type.Object(
  {
    ...ApiWebhook.properties,
    secret: Type.String({
      description: 'Signs the deliveries according to Standard Webhooks; cannot be read again',
    }),
  },
  { title: 'CreatedApiWebhook' },
);
export type CreatedApiWebhook = Static<typeof CreatedApiWebhook>;

export const RotatedApiWebhook = Type.Object(
  {
    ...CreatedApiWebhook.properties,
    oldSecretUntil: Timestamp('Until then deliveries are also signed with the old secret'),
  },
  { title: 'RotatedApiWebhook' },
);
export type RotatedApiWebhook = Static<typeof RotatedApiWebhook>;

export const Recovery = Type.Object({
  since: Timestamp('Events created at or after this time'),
  until: Type.Optional(Timestamp('Events created before this time; all until now if left out')),
});

export const RecoveryResult = Type.Object(
  {
    count: Type.Integer({ description: 'How many deliveries are due again' }),
    nextSince: Nullable(
      Timestamp('Where to continue, if there were more events than one call takes; null if all are done'),
    ),
  },
  { title: 'RecoveryResult' },
);
export type RecoveryResult = Static<typeof RecoveryResult>;

export const WebhookDelivery = Type.Object(
  {
    id: Uuid(),
    webhookId: Uuid(),
    eventId: Uuid('The `webhook-id` header of every attempt'),
    eventType: Type.String(),
    sequence: Type.Integer(),
    status: OneOf(deliveryStatuses),
    attemptCount: Type.Integer(),
    nextAttemptAt: Nullable(Timestamp('Null if there will be none, or while the webhook is paused')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const Milliseconds = Nullable(Type.Number());

export const FoundDelivery = Type.Object(
  {
    ...WebhookDelivery.properties,
    responseStatus: Nullable(
      Type.Integer({ description: 'The status code of the last answer; null if there was none' }),
    ),
    totalMs: Nullable(Type.Number({ description: 'How long the last attempt took' })),
  },
  { title: 'FoundDelivery' },
);
export type FoundDelivery = Static<typeof FoundDelivery>;

export const WebhookStats = Type.Object(
  {
    interval: OneOf(['hour', 'day']),
    intervals: Type.Array(
      Type.Object({
        start: Timestamp(),
        delivered: Type.Integer(),
        failed: Type.Integer({ description: 'Also those that were cancelled' }),
        pending: Type.Integer(),
        p50Ms: Milliseconds,
        p95Ms: Milliseconds,
      }),
    ),
  },
  { title: 'WebhookStats' },
);
export type WebhookStats = Static<typeof WebhookStats>;

export const WebhookDeliveryWithAttempts = Type.Object(
  {
    ...WebhookDelivery.properties,
    requestBody: Nullable(
      Type.String({
        description:
          'The body of every attempt; null if the event is no longer stored, or the token may not read it',
      }),
    ),
    attempts: Type.Array(
      Type.Object({
        number: Type.Integer(),
        startedAt: Timestamp(),
        timings: Type.Object({
          lookupMs: Milliseconds,
          connectMs: Milliseconds,
          tlsMs: Milliseconds,
          waitMs: Milliseconds,
          readMs: Milliseconds,
          totalMs: Milliseconds,
        }),
        request: Type.Object({
          url: Nullable(Type.String()),
          headers: FreeObject('As sent, without the signature, so that a reader cannot repeat the request'),
        }),
        response: Type.Unsafe<{ status: number; headers: Record<string, string>; body: string } | null>({
          type: ['object', 'null'],
          description: 'Null if there was no response',
          properties: {
            status: { type: 'integer' },
            headers: FreeObject('As received'),
            body: { type: 'string', description: 'The first 1024 bytes' },
          },
        }),
        error: Nullable(Type.String({ description: 'Why the attempt failed' })),
      }),
    ),
  },
  { title: 'WebhookDeliveryWithAttempts' },
);
export type WebhookDeliveryWithAttempts = Static<typeof WebhookDeliveryWithAttempts>;

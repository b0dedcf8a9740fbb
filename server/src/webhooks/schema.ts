import { type Static, Type } from 'typebox';
import { FreeObject, Nullable, OneOf, Timestamp, Uuid } from '../http/schema.ts';
import { v2TypeNames } from './v2-types.ts';

export const webhookStatuses = ['active', 'inactive', 'disabled'] as const;
export const deliveryStatuses = ['pending', 'delivered', 'failed', 'cancelled'] as const;

const Scope = Type.Object({
  type: OneOf(['channel']),
  ids: Type.Array(Uuid(), { minItems: 1, maxItems: 1000, description: 'Ids of channels' }),
});

const EventType = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'A name such as `message.received`, or a prefix such as `message.*`; left out: every event',
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
          description: 'Only events of these channels; empty or left out: of every channel, and of none',
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
  status: NewApiWebhook.properties.status,
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
        'Only on subscriptions made through v2: they hear of channels of one kind, in the form of v2, until `events` is set',
      ),
    ),
    failingSince: Nullable(
      Timestamp('The first failure after the last success; after five days of nothing else it is disabled'),
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
    secret: Type.String({ description: 'Signs the deliveries, as Standard Webhooks says; shown this once' }),
  },
  { title: 'CreatedApiWebhook' },
);
export type CreatedApiWebhook = Static<typeof CreatedApiWebhook>;

export const RotatedApiWebhook = Type.Object(
  {
    ...CreatedApiWebhook.properties,
    oldSecretUntil: Timestamp('Until then deliveries carry a signature of the old secret as well'),
  },
  { title: 'RotatedApiWebhook' },
);
export type RotatedApiWebhook = Static<typeof RotatedApiWebhook>;

export const Recovery = Type.Object({
  since: Timestamp('From this moment on, by the time of the events'),
  until: Type.Optional(Timestamp('Up to this moment, and without it; left out: now')),
});

export const RecoveryResult = Type.Object(
  {
    count: Type.Integer({ description: 'How many deliveries are due again' }),
    nextSince: Nullable(
      Timestamp('Where to go on: there was more than one call takes. Null when all of it is done'),
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
    nextAttemptAt: Nullable(Timestamp('Null when there will be none, or not before the webhook is active')),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { title: 'WebhookDelivery' },
);
export type WebhookDelivery = Static<typeof WebhookDelivery>;

const Milliseconds = Nullable(Type.Number());

export const WebhookDeliveryWithAttempts = Type.Object(
  {
    ...WebhookDelivery.properties,
    requestBody: Nullable(
      Type.String({ description: 'The body of every attempt; null when the event is no longer kept' }),
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
          headers: FreeObject(
            'As sent, but for the signature: whoever may look shall not be able to repeat it',
          ),
        }),
        response: Type.Unsafe<{ status: number; headers: Record<string, string>; body: string } | null>({
          type: ['object', 'null'],
          description: 'Null where no response came',
          properties: {
            status: { type: 'integer' },
            headers: FreeObject('As received'),
            body: { type: 'string', description: 'The first 1024 bytes' },
          },
        }),
        error: Nullable(Type.String({ description: 'Why it failed, in words' })),
      }),
    ),
  },
  { title: 'WebhookDeliveryWithAttempts' },
);
export type WebhookDeliveryWithAttempts = Static<typeof WebhookDeliveryWithAttempts>;

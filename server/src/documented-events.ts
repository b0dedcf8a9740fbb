import { type TSchema, Type } from 'typebox';
import { type EventType, eventTypes, streamOnlyTypes } from './base/events.ts';
import { exampleChat } from './chats/example.ts';
import { type EventEntry, eventCatalogue, streamOnlyCatalogue } from './event-catalogue.ts';
import type { DocumentedEvent } from './http/openapi-webhooks.ts';
import { Nullable, Timestamp, Uuid } from './http/schema.ts';

/** The whole body of a delivery. */
const bodySchema = (type: EventType, { data, hasChannel }: EventEntry): TSchema =>
  Type.Object({
    id: Uuid('Also the `webhook-id` header: the same on every attempt'),
    type: Type.Literal(type),
    createdAt: Timestamp(),
    tenantId: Uuid(),
    channelId: hasChannel ? Uuid() : Nullable(Uuid()),
    sequence: Type.Integer({
      description:
        'Increases with every event of the tenant; there may be gaps, and numbers are never reused',
    }),
    data,
  });

const EXAMPLE_HEAD = {
  id: '019a82a0-0000-7000-8000-000000000032',
  type: '',
  createdAt: '2026-11-15T01:02:03.456Z',
  tenantId: '019a82a0-0000-7000-8000-000000000001',
};
const bodyExample = (type: EventType, { example, hasChannel }: EventEntry): object => ({
  ...EXAMPLE_HEAD,
  type,
  channelId: hasChannel ? exampleChat.channelId : null,
  sequence: 42,
  data: example,
});

/** Every event with the body that receivers get, in the order of `eventTypes`. */
export const documentedEvents: readonly DocumentedEvent[] = eventTypes.map((type) => ({
  type,
  when: eventCatalogue[type].when,
  schema: bodySchema(type, eventCatalogue[type]),
  example: bodyExample(type, eventCatalogue[type]),
}));

/** Every stream-only event as streams send it, in the order of `streamOnlyTypes`. */
export const documentedStreamOnlyEvents: readonly DocumentedEvent[] = streamOnlyTypes.map((type) => {
  const { when, data, example, hasChannel } = streamOnlyCatalogue[type];
  return {
    type,
    when,
    schema: Type.Object({
      id: Uuid('Another one for every event'),
      type: Type.Literal(type),
      createdAt: Timestamp(),
      tenantId: Uuid(),
      channelId: hasChannel ? Uuid() : Type.Null(),
      sequence: Type.Null({ description: 'It is not stored, so it has no number' }),
      data,
    }),
    example: {
      ...EXAMPLE_HEAD,
      type,
      channelId: hasChannel ? exampleChat.channelId : null,
      sequence: null,
      data: example,
    },
  };
});

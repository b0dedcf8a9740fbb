import type { TSchema } from 'typebox';
import { hoist, type Json } from './openapi-components.ts';

/** An event in the API reference. */
export interface DocumentedEvent {
  type: string;
  when: string;
  /** The schema of the whole body. */
  schema: TSchema;
  example: unknown;
}

const headers = Object.entries({
  'webhook-id': 'The id of the event, the same on every attempt',
  'webhook-timestamp': 'Unix seconds of the attempt',
  'webhook-signature':
    '`v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`, as defined by Standard Webhooks; two signatures, separated by a space, during the rotation of a secret',
}).map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description,
}));

/** Adds the webhook requests to an OpenAPI document. */
export function withWebhooks(document: Json, events: readonly DocumentedEvent[]): Json {
  const { schemas } = document.components as { schemas: Json };
  const webhooks = events.map(({ type, when, schema, example }) => [
    type,
    {
      post: {
        operationId: `on${type.replaceAll(/(^|[._])([a-z])/g, (_, _before, letter: string) => letter.toUpperCase())}`,
        security: [],
        summary: type,
        description: when,
        parameters: headers,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: hoist(schema, schemas), example } },
        },
        responses: {
          '2XX': { description: 'Received. Any other status, including redirects, is a failed attempt' },
          410: { description: 'The receiver is gone: the webhook is disabled immediately' },
        },
      },
    },
  ]);
  return { ...document, webhooks: Object.fromEntries(webhooks) };
}

/** The schema of an event, whose data becomes a component only if that exists: linters do not see what an extension refers to. */
function inlineNewData(schema: TSchema, schemas: Json): TSchema {
  const { properties } = schema as TSchema & { properties: { data: { title?: string } } };
  const { title = '', ...data } = properties.data;
  return title in schemas ? schema : ({ ...schema, properties: { ...properties, data } } as TSchema);
}

/** Adds the events that only streams get to the operation that opens a stream. */
export function withStreamOnlyEvents(
  document: Json,
  streamPath: string,
  events: readonly DocumentedEvent[],
): Json {
  const { schemas } = document.components as { schemas: Json };
  const paths = document.paths as Record<string, { get: Json }>;
  const listed = events.map(({ type, when, schema, example }) => [
    type,
    { description: when, schema: hoist(inlineNewData(schema, schemas), schemas), example },
  ]);
  const { get } = paths[streamPath] as { get: Json };
  const operation = { ...get, 'x-stream-only-events': Object.fromEntries(listed) };
  return { ...document, paths: { ...paths, [streamPath]: { ...paths[streamPath], get: operation } } };
}

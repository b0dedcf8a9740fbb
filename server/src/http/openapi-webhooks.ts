import type { TSchema } from 'typebox';
import { hoist, type Json } from './openapi.ts';

/** An event as the reference shows it. */
export interface DocumentedEvent {
  type: string;
  when: string;
  /** Of the whole body. */
  schema: TSchema;
  example: unknown;
}

const headers = Object.entries({
  'webhook-id': 'The id of the event: the same on every attempt',
  'webhook-timestamp': 'Unix seconds of the attempt',
  'webhook-signature':
    '`v1,` and the base64 HMAC-SHA256 of `webhook-id.webhook-timestamp.body`, as Standard Webhooks says; two of them, with a blank between, while a secret is being rotated',
}).map(([name, description]) => ({
  name,
  in: 'header',
  required: true,
  schema: { type: 'string' },
  description,
}));

/** Adds to a document the requests that Parley makes to subscribers. */
export function withWebhooks(document: Json, events: readonly DocumentedEvent[]): Json {
  const { schemas } = document.components as { schemas: Json };
  const webhooks = events.map(({ type, when, schema, example }) => [
    type,
    {
      post: {
        summary: type,
        description: when,
        parameters: headers,
        requestBody: {
          required: true,
          content: { 'application/json': { schema: hoist(schema, schemas), example } },
        },
        responses: {
          '2XX': { description: 'Received. Everything else is a failed attempt, redirects included' },
          410: { description: 'The receiver is gone: the webhook is disabled at once' },
        },
      },
    },
  ]);
  return { ...document, webhooks: Object.fromEntries(webhooks) };
}

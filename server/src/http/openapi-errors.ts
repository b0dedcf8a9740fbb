import { type ErrorKey, errorCatalogue } from '../base/errors.ts';
import { groupBy } from '../base/group-by.ts';
import type { Json } from './openapi-components.ts';
import { isReplayable, type Route } from './route.ts';

/** The errors that every operation lists, in the order of the specification. */
export const commonErrors: readonly ErrorKey[] = [
  'invalid_body_params',
  'unauthorized',
  'insufficient_billing_plan',
  'forbidden',
  'contact_not_found',
  'too_many_requests',
  'internal_error',
];

export const errorSchema: Json = {
  type: 'object',
  title: 'Error',
  required: ['success', 'error'],
  properties: {
    success: { const: false },
    error: {
      type: 'object',
      required: ['messageKey', 'message', 'requestId'],
      properties: {
        messageKey: { type: 'string', enum: Object.keys(errorCatalogue) },
        message: { type: 'string' },
        invalidParams: {
          type: 'object',
          description: 'Every invalid parameter by its path, at most 100',
          additionalProperties: {
            type: 'object',
            required: ['key', 'message'],
            properties: { key: { type: 'string' }, message: { type: 'string' } },
          },
        },
        requestId: { type: 'string', description: 'Also in the X-Request-Id header and in the log' },
      },
    },
  },
};

/** The errors that follow from what an operation is, besides those that it declares. */
export function ownErrors(route: Route): ErrorKey[] {
  const { spec } = route;
  return [
    'method_not_allowed',
    'service_unavailable',
    ...(spec.body || spec.upload ? (['payload_too_large', 'unsupported_media_type'] as const) : []),
    ...(isReplayable(route) ? (['conflict', 'idempotency_key_reused'] as const) : []),
    ...(spec.path.endsWith('/search') ? (['search_too_slow'] as const) : []),
    ...(spec.successor === undefined ? [] : (['api_version_sunset'] as const)),
  ];
}

/** One entry per status; several errors can share it. */
export function describeFailures(own: readonly ErrorKey[]): Json {
  const byStatus = groupBy(new Set([...commonErrors, ...own]), (key) => errorCatalogue[key].status);
  return Object.fromEntries(
    [...byStatus].map(([status, keys]) => [
      status,
      {
        description: keys.map((key) => `\`${key}\``).join(', '),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(keys.map((key) => [key, { $ref: `#/components/examples/${key}` }])),
          },
        },
      },
    ]),
  );
}

const invalidParams = { 'labels.0.id': { key: 'invalid_string', message: 'Must be a UUID, received "x"' } };

/** An example of each error, shared by all operations. */
export const errorExamples: Json = Object.fromEntries(
  Object.entries(errorCatalogue).map(([messageKey, { message }]) => [
    messageKey,
    {
      value: {
        success: false,
        error: {
          messageKey,
          message,
          ...(messageKey === 'invalid_body_params' ? { invalidParams } : {}),
          requestId: 'req_019a82a0-0000-7000-8000-000000000099',
        },
      },
    },
  ]),
);

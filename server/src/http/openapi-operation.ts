import type { TSchema } from 'typebox';
import type { Upload } from './call.ts';
import { hoist, type Json } from './openapi-components.ts';
import { describeFailures, ownErrors } from './openapi-errors.ts';
import { documented, isReplayable, type Route, type RouteSpec } from './route.ts';
import { strictBody } from './strict-body.ts';
import { FILE_FIELD } from './upload.ts';

const rateLimitHeaders: Json = Object.fromEntries(
  Object.entries({
    'X-RateLimit-Limit': 'The limit of requests per minute of the tenant',
    'X-RateLimit-Remaining': 'The remaining requests in this minute',
    'X-RateLimit-Reset': 'When the minute ends, in Unix seconds',
  }).map(([name, description]) => [name, { description, schema: { type: 'integer' } }]),
);

const retirementHeaders: Json = Object.fromEntries(
  Object.entries({
    Deprecation: 'Since when the version is deprecated: `@` and Unix seconds',
    Sunset: 'When the version ends; absent if no end is set',
    Link: 'The URL of the same resource in the next version, with `rel="successor-version"`',
  }).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
);

const uploadBody = ({ flags = {} }: Upload): Json => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: [FILE_FIELD],
        properties: {
          [FILE_FIELD]: { type: 'string', format: 'binary' },
          ...Object.fromEntries(
            Object.entries(flags).map(([name, description]) => [name, { type: 'boolean', description }]),
          ),
        },
      },
    },
  },
});

const redirectTo = (example: unknown): Json => ({
  description: 'The browser goes to another address',
  headers: { Location: { description: 'The address', schema: { type: 'string', format: 'uri' }, example } },
});

const ACCESS_WITHOUT_SCOPE: ReadonlySet<string> = new Set([
  'operator',
  'public',
  'token',
  'session',
  'login',
]);

/** What a caller is recognised by: one of these. People do not use a deprecated version. */
function securityOf({ access, successor }: RouteSpec): Json[] {
  if (access === 'public' || access === 'login') return [];
  if (access === 'session') return [{ session: [] }];
  const ofPeople = successor === undefined ? [{ session: [] }] : [];
  if (access === 'operator') return [{ operator: [] }, ...ofPeople];
  return [{ token: [] }, ...ofPeople];
}

export function describeOperation(route: Route, schemas: Json): Json {
  const { spec } = route;
  const needsBody = spec.body !== undefined && (spec.body as { required?: string[] }).required !== undefined;
  const scope = ACCESS_WITHOUT_SCOPE.has(spec.access) ? undefined : spec.access;
  const answer = spec.answer.wrap(spec.example.answer as never);
  const success = (): Json => ({
    description: 'Success',
    ...(scope === undefined && spec.access !== 'token'
      ? {}
      : {
          headers: {
            ...rateLimitHeaders,
            ...(spec.successor === undefined ? {} : retirementHeaders),
          },
        }),
    content: spec.answer.isContent
      ? { '*/*': { schema: spec.answer.schema } }
      : {
          [spec.answer.mediaType ?? 'application/json']: {
            schema: hoist(spec.answer.schema, schemas),
            example: answer,
          },
        },
  });
  return {
    operationId: spec.operationId,
    tags: [spec.tag],
    ...(spec.successor === undefined ? {} : { deprecated: true }),
    summary: spec.summary,
    description: [
      spec.description,
      ...(scope === undefined ? [] : [`Requires the scope \`${scope}\`.`]),
      ...(spec.isForAdmins || spec.answer.isExport ? ['People need the role `admin` or `owner`.'] : []),
      ...(spec.successor === undefined ? [] : [`Use \`${documented(spec.successor)}\` instead.`]),
    ].join('\n\n'),
    security: securityOf(spec),
    // For programs. In `security` only OAuth may have scopes, say the checkers of documents.
    ...(scope === undefined ? {} : { 'x-scope': scope }),
    parameters: [
      ...[...spec.path.matchAll(/:([^/]+)/g)].map(([, name]) => ({
        name,
        in: 'path',
        required: true,
        schema: { type: 'string' },
        ...(spec.example.params?.[name as string] ? { example: spec.example.params[name as string] } : {}),
      })),
      ...queryParameters(spec.query),
      ...(isReplayable(route)
        ? [
            {
              name: 'Idempotency-Key',
              in: 'header',
              required: false,
              schema: { type: 'string', maxLength: 255 },
              description:
                'A request that is repeated with the same key within 24 hours returns the first answer and has no further effect',
            },
          ]
        : []),
    ],
    ...(spec.upload ? { requestBody: uploadBody(spec.upload) } : {}),
    ...(spec.body === undefined
      ? {}
      : {
          requestBody: {
            required: needsBody,
            content: {
              'application/json': { schema: hoist(bodySchema(route), schemas), example: spec.example.body },
            },
          },
        }),
    responses: {
      ...(spec.answer.isRedirect ? { 302: redirectTo(answer) } : { 200: success() }),
      ...describeFailures([...spec.failures, ...ownErrors(route)]),
    },
  };
}

/** Version 2 ignores unknown keys, as it always did. */
const bodySchema = ({ spec }: Route): unknown =>
  spec.path.startsWith('/v2/') ? spec.body : strictBody(spec.body as TSchema);

function queryParameters(query: object | undefined): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as Json;
    return { name, in: 'query', required: required.includes(name), description, schema: rest };
  });
}

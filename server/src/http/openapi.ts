import type { TSchema } from 'typebox';
import { type ErrorKey, errorCatalogue } from '../base/errors.ts';
import { groupBy } from '../base/group-by.ts';
import { GUIDES_PATH } from './guides.ts';
import { documented, isReplayable, type Route, type RouteSpec, type Upload } from './route.ts';
import { DOCUMENTED } from './schema.ts';
import { strictBody } from './strict-body.ts';
import { FILE_FIELD } from './upload.ts';

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

export type Json = Record<string, unknown>;

const errorSchema: Json = {
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

const rateLimitHeaders: Json = Object.fromEntries(
  Object.entries({
    'X-RateLimit-Limit': 'The limit of requests per minute of the tenant',
    'X-RateLimit-Remaining': 'The remaining requests in this minute',
    'X-RateLimit-Reset': 'When the minute ends, in Unix seconds',
  }).map(([name, description]) => [name, { description, schema: { type: 'integer' } }]),
);

/** Moves schemas with a title to the components of the document and replaces them by a reference. */
export function hoist(schema: unknown, components: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { [DOCUMENTED]: shown } = schema as { [DOCUMENTED]?: unknown };
  if (shown !== undefined) return hoist(shown, components);
  const walked = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, hoist(value, components)]),
  );
  const { title, type } = walked;
  // A nullable variant of a schema with a title is another schema and stays.
  if (typeof title !== 'string' || Array.isArray(type)) return walked;
  const { title: _, ...component } = walked;
  components[title] = component;
  return { $ref: `#/components/schemas/${title}` };
}

const retirementHeaders: Json = Object.fromEntries(
  Object.entries({
    Deprecation: 'Since when the version is deprecated: `@` and Unix seconds',
    Sunset: 'When the version ends; absent if no end is set',
    Link: 'The URL of the same resource in the next version, with `rel="successor-version"`',
  }).map(([name, description]) => [name, { description, schema: { type: 'string' } }]),
);

/** What the operations of each group are about. */
const tagDescriptions: Readonly<Record<string, string>> = {
  Access: 'The caller, and the tokens of the tenant.',
  Session: 'People who log in, and their own account.',
  'Audit log': 'Who changed what.',
  Operator: 'Tenants and the installation, with the operator’s token.',
  'Test clock': 'The own time of a test tenant.',
  Channels: 'Numbers, addresses and accounts at vendors, and requests that could not be processed.',
  Sandbox: 'Channels without a vendor, to try everything.',
  Contacts: 'People, their handles, and what they have decided about messages.',
  Labels: 'Names by which contacts are grouped.',
  Attributes: 'Fields of contacts that the tenant defines.',
  Chats: 'Conversations of a contact on a channel.',
  'Message templates': 'Texts that vendors approve before they are sent.',
  Messages: 'What was received and what is sent.',
  Notes: 'What colleagues write about a chat. It is never sent.',
  'API webhooks': 'Subscriptions to events, and their deliveries.',
  Events: 'Everything that happened, as a search and as a stream.',
  'Users and teams': 'People who answer chats.',
  Files: 'Uploaded files.',
  Automations: 'What is done for a contact, step by step.',
  'Automation runs': 'Executions of automations.',
  Campaigns: 'Automations for many contacts.',
  Jobs: 'Work in the background.',
  Broadcasts: 'Campaigns of version 2.',
};

/** Creates the OpenAPI 3.1 document of a version from its routes. */
export function openapiDocument(
  routes: readonly Route[],
  prefixes: readonly string[],
  { title, version, description }: { title: string; version: string; description: string },
): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  const used = new Set<ErrorKey>(commonErrors);
  const listed = routes.filter(({ spec }) => prefixes.some((prefix) => spec.path.startsWith(prefix)));
  for (const route of listed) {
    const path = documented(route.spec.path);
    paths[path] ??= {};
    for (const key of [...route.spec.failures, ...ownErrors(route)]) used.add(key);
    (paths[path] as Json)[route.spec.method.toLowerCase()] = operation(route, schemas);
  }
  hoist(errorSchema, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title,
      version,
      description: `${description} Every answer is JSON with a boolean \`success\`; on failure \`error\` describes the problem. Send \`Authorization: Bearer <ACCESS_TOKEN>\`. The [guides](${GUIDES_PATH}) explain it by example.`,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The operator of this server' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(listed.map(({ spec }) => spec.tag))].map((name) => ({
      name,
      description: tagDescriptions[name] ?? name,
    })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description: 'An access token of a tenant',
        },
        operator: { type: 'http', scheme: 'bearer', description: "The operator's token, for /admin" },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-parley',
          description:
            'The cookie of a person who has logged in; `parley` over http. Requests other than GET must come from a page of this server, and name the tenant in the header `Parley-Tenant`',
        },
      },
      schemas,
      examples: Object.fromEntries(
        Object.entries(errorExamples).filter(([key]) => used.has(key as ErrorKey)),
      ),
    },
  };
}

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

function operation(route: Route, schemas: Json): Json {
  const { spec } = route;
  const needsBody = spec.body !== undefined && (spec.body as { required?: string[] }).required !== undefined;
  const scope = ACCESS_WITHOUT_SCOPE.has(spec.access) ? undefined : spec.access;
  const answer = spec.answer.wrap(spec.example.answer as never);
  return {
    operationId: spec.operationId,
    tags: [spec.tag],
    ...(spec.successor === undefined ? {} : { deprecated: true }),
    summary: spec.summary,
    description: [
      spec.description,
      ...(scope === undefined ? [] : [`Requires the scope \`${scope}\`.`]),
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
      200: {
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
      },
      ...failures([...spec.failures, ...ownErrors(route)]),
    },
  };
}

/** Version 2 ignores unknown keys, as it always did. */
const bodySchema = ({ spec }: Route): unknown =>
  spec.path.startsWith('/v2/') ? spec.body : strictBody(spec.body as TSchema);

/** The errors that follow from what an operation is, besides those that it declares. */
function ownErrors(route: Route): ErrorKey[] {
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

function queryParameters(query: object | undefined): Json[] {
  const { properties = {}, required = [] } = (query ?? {}) as { properties?: Json; required?: string[] };
  return Object.entries(properties).map(([name, schema]) => {
    const { description, ...rest } = schema as Json;
    return { name, in: 'query', required: required.includes(name), description, schema: rest };
  });
}

/** One entry per status; several errors can share it. */
function failures(own: readonly ErrorKey[]): Json {
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
const errorExamples: Json = Object.fromEntries(
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

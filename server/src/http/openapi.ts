import type { ErrorKey } from '../base/errors.ts';
import { GUIDES_PATH } from './guides.ts';
import { hoist, type Json } from './openapi-components.ts';
import { commonErrors, errorExamples, errorSchema, ownErrors } from './openapi-errors.ts';
import { describeOperation } from './openapi-operation.ts';
import { documented, type Route } from './route.ts';

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
  Views: 'Filters of chats that people have saved.',
  'Saved replies': 'Texts that people write again and again.',
  'Message templates': 'Texts that vendors approve before they are sent.',
  Messages: 'What was received and what is sent.',
  Notes: 'What colleagues write about a chat. It is never sent.',
  Notifications: 'What users should look at, each for one of them.',
  'API webhooks': 'Subscriptions to events, and their deliveries.',
  Events: 'Everything that happened, as a search and as a stream.',
  'Users and teams': 'People who answer chats.',
  Files: 'Uploaded files.',
  Automations: 'What is done for a contact, step by step.',
  'Automation runs': 'Executions of automations.',
  Campaigns: 'Automations for many contacts.',
  Segments: 'Filters of contacts that have a name.',
  Imports: 'Contacts from a file.',
  Reports: 'Counts of what happened.',
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
    (paths[path] as Json)[route.spec.method.toLowerCase()] = describeOperation(route, schemas);
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

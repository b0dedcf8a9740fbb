import { apiDocuments, contracts } from '../src/app.ts';
import { DEFAULT_BOUNDS } from '../src/http/body.ts';
import { type LimitName, limitNames, planNames, plans } from '../src/http/permissions.ts';
import { documented } from '../src/http/route.ts';
import { MAX_CONDITIONS, MAX_TEXT_CONDITIONS } from '../src/search/grammar/filter.ts';
import { MAX_LIMIT, MAX_PAGE, MAX_SEARCH_CHARACTERS } from '../src/search/schema.ts';

/** The parts of a JSON schema that state a limit. */
interface Schema {
  $ref?: string;
  type?: string | string[];
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}

interface OpenApi {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: Schema } | undefined> } }>
  >;
  components: { schemas: Record<string, Schema> };
}

const routes = contracts();
const document = apiDocuments(routes).v3?.create() as unknown as OpenApi;

const number = (value: number): string => value.toLocaleString('en-US');

/** Deeper fields are in the reference. */
const MAX_DEPTH = 2;

/** Every limit in a schema, by the path of its field. */
function limitsIn(schema: Schema, path: string, found = new Map<string, string>()): Map<string, string> {
  const { maxLength, maxItems, items, properties, anyOf } = schema.$ref
    ? (document.components.schemas[schema.$ref.split('/').at(-1) as string] as Schema)
    : schema;
  if (maxLength !== undefined) found.set(path, `${number(maxLength)} characters`);
  if (maxItems !== undefined) found.set(path, `${number(maxItems)} items`);
  const isDeep = path.split('.').length >= MAX_DEPTH;
  for (const [name, inner] of Object.entries(isDeep ? {} : (properties ?? {})))
    limitsIn(inner, path === '' ? name : `${path}.${name}`, found);
  if (items) limitsIn(items, `${path}[]`, found);
  // One element or a list of them: the list says it all.
  for (const inner of anyOf?.filter(({ items }) => items) ?? []) limitsIn(inner, path, found);
  return found;
}

/** One row per operation that creates something; changing it has the same limits. */
const rows = Object.entries(document.paths).flatMap(([path, methods]) => {
  const schema = methods.post?.requestBody?.content['application/json']?.schema;
  if (!schema || !path.startsWith('/v3/') || path.endsWith('/search')) return [];
  const byLimit = new Map<string, string[]>();
  for (const [field, limit] of limitsIn(schema, ''))
    byLimit.set(limit, [...(byLimit.get(limit) ?? []), `\`${field}\``]);
  const limits = [...byLimit].map(([limit, fields]) => `${fields.join(', ')}: ${limit}`);
  return limits.length === 0 ? [] : [`| \`POST ${path}\` | ${limits.join('; ')} |`];
});

const KIB = 1024;
const sizeText = (bytes: number): string =>
  bytes < KIB * KIB ? `${bytes / KIB} KiB` : `${bytes / KIB / KIB} MiB`;
/** Other bodies than most operations take. */
const otherBodies = routes.flatMap(({ spec: { method, path, body, bodyBytes, bodyBounds } }) =>
  body === undefined || bodyBytes === undefined
    ? []
    : [
        `| \`${method} ${documented(path)}\` | ${sizeText(bodyBytes)}${bodyBounds ? `, ${number(bodyBounds.nodes)} values` : ''} |`,
      ],
);

const LIMITED: Record<LimitName, string> = {
  webhooks: 'webhooks, whatever their status',
  activeAutomations: 'automations with the status `active`',
  runsPerMinute:
    'runs that the API and events start. A trigger is refused; runs of events start later. Those of campaigns and schedules are not counted',
  streams: 'event streams open at one server',
  storedFailedRequests: "vendors' requests that could not be processed; the oldest are deleted",
  storageBytes: 'bytes of all files. Uploads are refused, and files of received messages are not fetched',
  unfinishedJobs: 'bulk actions, imports and repeated deliveries that have not ended',
  segments: 'saved filters of contacts',
  inboxViews: 'saved filters of chats, those of all users together',
  savedReplies: 'saved replies',
  secrets: 'secrets of automations',
};

export const limitsPage = `# Limits

Generated from the code by \`npm run docs\`.

## Requests per minute

The limit applies per tenant and clock minute, to all tokens and processes together. The operator can set another limit per
tenant.

| Plan | Requests per minute | Includes |
|---|---|---|
${Object.entries(plans)
  .map(
    ([plan, { requestsPerMinute, features }]) =>
      `| \`${plan}\` | ${requestsPerMinute} | ${features.join(', ')} |`,
  )
  .join('\n')}

Every authenticated response has \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (Unix seconds at which the
minute ends). A refused request is 429 and also has \`Retry-After\`, in seconds. Refused requests count too.

## Per tenant

\`GET /v3/me\` has the limits of the tenant in \`limits\`. More is refused with 409 \`limit_reached\`, except where the table says what
happens instead. The operator can set each of them for a tenant, with \`PUT /admin/tenants/{tenantId}\`.

| Limit | ${planNames.map((plan) => `\`${plan}\``).join(' | ')} | Of what |
|---|${planNames.map(() => '---|').join('')}---|
${limitNames
  .map(
    (name) =>
      `| \`${name}\` | ${planNames.map((plan) => number(plans[plan].limits[name])).join(' | ')} | ${LIMITED[name]} |`,
  )
  .join('\n')}

## Request bodies

| Body | At most |
|---|---|
| JSON | 1 MiB, 64 levels deep, ${number(DEFAULT_BOUNDS.arrayItems)} items per list, ${number(DEFAULT_BOUNDS.nodes)} values |
${otherBodies.join('\n')}
| an uploaded file | 100 MiB, or \`PARLEY_FILE_BYTES\` |

A larger body is 413 \`payload_too_large\`; one with more values is 400. Every list, object, text, number, boolean and null is a value: a
contact of a campaign with 16 attributes has 52. Send contacts with more attributes in several calls. A request must arrive within 15
seconds, an upload within an hour.

## Search

At most ${number(MAX_LIMIT)} rows per page, page ${number(MAX_PAGE)}, ${number(MAX_SEARCH_CHARACTERS)} characters of \`search\`; in a filter or an audience ${number(MAX_CONDITIONS)} conditions,
with those of its segments, and ${number(MAX_TEXT_CONDITIONS)} with \`contains\`, \`startsWith\` or \`hasWord\` on texts. A search may take five seconds; a slower one is 503 \`search_too_slow\`. A tenant can run
a few searches at the same time; others wait for up to five seconds. See [Search](search.md) for filters and totals.

## Texts

- The \`externalId\` of an attribute has up to 100 letters, digits and \`_\`, and starts with a letter. The values of an attribute have
  up to 2000 characters.
- The \`metadata\` of a contact has up to 16,384 characters as JSON.
- An \`Idempotency-Key\` has up to 255 characters and is valid for 24 hours. It belongs to the token that sent it: the same key sent with
  another token is a new request.
- First and last names of contacts, phone numbers, email addresses and the label names of campaign contacts are trimmed. Other
  names are stored as they are, and \`search\` is not trimmed.
- Messages have the limits of their channel: [WhatsApp](channels/whatsapp.md#outgoing-messages),
  [SMS](channels/sms.md#outgoing-messages), [email](channels/email.md#outgoing-mail),
  [Instagram](channels/instagram.md#outgoing-messages).
- Definitions and runs of automations have [limits of their own](automations.md#definition). A campaign has one \`RRULE\`; see
  [recurrence rules](automations.md#recurrence-rules).

## Fields

Longer values are \`too_big\` at their path. \`[]\` stands for an element of a list. Changing something has the same limits as creating
it. The reference at \`/docs\` has the limits of deeper fields.

| Operation | At most |
|---|---|
${rows.join('\n')}
`;

import { randomBytes } from 'node:crypto';
import type { Keys } from '../base/crypto.ts';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { findKnownChannelIds } from '../channels/channel.ts';
import type { Queryable, Tx } from '../db/database.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement } from '../db/statement.ts';
import { eventTypes } from '../engine/event-types.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { validateUrl } from '../outbound/validate-url.ts';
import { isKnownPattern } from './match.ts';
import type { ApiWebhook, CreatedApiWebhook } from './schema.ts';
import { type V2Type, v2Types } from './v2-types.ts';
import { cancelWaiting, holdWaiting, resumeWaiting } from './waiting.ts';

export interface WebhookRow {
  id: string;
  url: string;
  status: ApiWebhook['status'];
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
  events: { type_pattern: string | null; channel_ids: string[] | null }[];
  v2_type: V2Type | null;
}

/** What secrets are encrypted for. */
export const SECRET = 'webhooks.secret';
export const encryptedSecrets: EncryptedColumn[] = ['secret_encrypted', 'old_secret_encrypted'].map(
  (column) => ({
    table: 'webhooks',
    column,
    key: [
      ['id', 'uuid'],
      ['tenant_id', 'uuid'],
    ],
    purpose: SECRET,
  }),
);
const SECRET_BYTES = 24;
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
const V2 = 2;
const V3 = 3;

/** Rows of `webhook_events`. Lists of different lengths do not fit into one array, so each event's channels are JSON. */
const EVENTS_OF = (patterns: string, channels: string): string =>
  `select $1, $2, e.number, e.pattern,
          (select array_agg(c.id::uuid) from json_array_elements_text(e.channels::json) as c (id))
     from unnest(${patterns}::text[], ${channels}::text[]) with ordinality as e (pattern, channels, number)`;

const insertWebhook = statement<
  [
    id: string,
    tenantId: string,
    url: string,
    status: string,
    secret: Buffer,
    version: number,
    now: Date,
    patterns: (string | null)[],
    channelIds: string[],
    v2Type: string | null,
  ]
>(
  'webhooks.insert',
  `with made as (
     insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at, v2_type)
     values ($1, $2, $3, $4, $5, $6, $7, $7, $10))
   insert into webhook_events (webhook_id, tenant_id, number, type_pattern, channel_ids)
   ${EVENTS_OF('$8', '$9')}`,
);
/** A webhook with its events, in the order in which they were given. */
export const WEBHOOK_COLUMNS = `w.id, w.url, w.status, w.v2_type, w.failing_since, w.created_at, w.updated_at,
  (select json_agg(json_build_object('type_pattern', e.type_pattern, 'channel_ids', e.channel_ids)
     order by e.number) from webhook_events e where e.webhook_id = w.id) as events`;

const webhookById = statement<[id: string, tenantId: string], WebhookRow>(
  'webhooks.by_id',
  `select ${WEBHOOK_COLUMNS} from webhooks w where w.id = $1 and w.tenant_id = $2`,
);
const listV2Webhooks = statement<[tenantId: string], WebhookRow>(
  'webhooks.list_v2',
  `select ${WEBHOOK_COLUMNS} from webhooks w
    where w.tenant_id = $1 and w.v2_type is not null order by w.created_at, w.id`,
);
const updateWebhook = statement<
  [id: string, tenantId: string, url: string | null, status: string | null, now: Date],
  { id: string; status_before: ApiWebhook['status'] }
>(
  'webhooks.update',
  // Another receiver, or the same one given another chance, has not failed yet.
  `with before as (select id, status from webhooks where id = $1 and tenant_id = $2 for update)
   update webhooks w set url = coalesce($3, w.url), status = coalesce($4, w.status), updated_at = $5,
          failing_since = case when w.url <> $3 or (w.status <> 'active' and $4 = 'active') then null
                               else w.failing_since end
     from before b where w.id = b.id and w.tenant_id = $2 returning w.id, b.status as status_before`,
);
const replaceEvents = statement<
  [id: string, tenantId: string, patterns: (string | null)[], channelIds: string[]]
>(
  'webhooks.replace_events',
  `with gone as (delete from webhook_events where webhook_id = $1 and number > cardinality($3::text[])),
   renewed as (update webhooks set api_version = ${V3}, v2_type = null where id = $1 and tenant_id = $2 and v2_type is not null)
   insert into webhook_events (webhook_id, tenant_id, number, type_pattern, channel_ids)
   ${EVENTS_OF('$3', '$4')}
   on conflict (webhook_id, number) do update
     set type_pattern = excluded.type_pattern, channel_ids = excluded.channel_ids`,
);
const deleteWebhook = statement<[id: string, tenantId: string]>(
  'webhooks.delete',
  'delete from webhooks where id = $1 and tenant_id = $2',
);

export const presentWebhook = (row: WebhookRow): ApiWebhook => ({
  id: row.id,
  url: row.url,
  status: row.status,
  events: row.events.map(({ type_pattern, channel_ids }) => ({
    ...(type_pattern === null ? {} : { type: type_pattern }),
    scopes: channel_ids === null ? [] : [{ type: 'channel' as const, ids: channel_ids }],
  })),
  ...(row.v2_type === null ? {} : { v2Type: row.v2_type }),
  failingSince: timestampOrNull(row.failing_since),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export interface WebhookInput {
  url: string;
  events: { type?: string; scopes?: { type: 'channel'; ids: string[] }[] }[];
  status?: 'active' | 'inactive';
  /** Makes it one of version 2. Its events are those of the type, not the client's. */
  v2Type?: V2Type;
}

/** Subscribes a URL to events. The secret is in this answer and nowhere else. */
export async function createWebhook(
  tx: Tx,
  tenantId: string,
  input: WebhookInput,
  { keys, policy, now }: { keys: Keys; policy: OutboundPolicy; now: Date },
): Promise<CreatedApiWebhook> {
  await throwIfAnyIssue(tx, tenantId, input, policy);
  const secret = newSecret();
  const id = newId();
  await tx.run(insertWebhook, [
    id,
    tenantId,
    input.url,
    input.status ?? 'active',
    keys.encrypt(secret, SECRET),
    input.v2Type === undefined ? V3 : V2,
    now,
    ...linesOf(input.events),
    input.v2Type ?? null,
  ]);
  return { ...(await requireWebhook(tx, tenantId, id)), secret };
}

/** The channels of all scopes of an event, each once. */
const channelIdsOf = ({ scopes = [] }: WebhookInput['events'][number]): string[] => [
  ...new Set(scopes.flatMap(({ ids }) => ids.map((id) => id.toLowerCase()))),
];

/** What of an event is stored: its type, and the channels of all its scopes as JSON. */
const linesOf = (events: WebhookInput['events']): [patterns: (string | null)[], channelIds: string[]] => [
  events.map((event) => event.type ?? null),
  events.map((event) => JSON.stringify(channelIdsOf(event))),
];

async function throwIfAnyIssue(
  tx: Tx,
  tenantId: string,
  { url, events, v2Type }: Partial<WebhookInput>,
  policy: OutboundPolicy,
): Promise<void> {
  const issues = {
    ...(url === undefined ? {} : issuesOfUrl(url, policy)),
    ...(events === undefined ? {} : await validateEvents(tx, tenantId, events, v2Type)),
  };
  if (Object.keys(issues).length > 0) throw new ApiError('invalid_body_params', { invalidParams: issues });
}

/**
 * Changes what is given; `events` replaces the whole list, and makes one of version 2 one of today. What waits for a
 * webhook that becomes inactive is held until it is active again. One that was disabled is alive again when it is made
 * active.
 */
export async function changeWebhook(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  change: Partial<WebhookInput>,
  { policy, now }: { policy: OutboundPolicy; now: Date },
): Promise<ApiWebhook> {
  await throwIfAnyIssue(tx, tenantId, change, policy);
  const found =
    isUuid(webhookId) &&
    (await tx.find(updateWebhook, [webhookId, tenantId, change.url ?? null, change.status ?? null, now]));
  if (!found) throw new ApiError('api_webhook_not_found');
  if (change.events !== undefined)
    await tx.run(replaceEvents, [found.id, tenantId, ...linesOf(change.events)]);
  if (change.status === 'inactive') await holdWaiting(tx, tenantId, found.id, now);
  if (change.status === 'active' && found.status_before !== 'active')
    await resumeWaiting(tx, tenantId, found.id, now);
  return requireWebhook(tx, tenantId, found.id);
}

/** Deletes a webhook and says whether there was one. What was still waiting to be sent to it is cancelled. */
export async function removeWebhook(
  tx: Tx,
  tenantId: string,
  webhookId: string,
  now: Date,
): Promise<boolean> {
  if (!isUuid(webhookId) || (await tx.run(deleteWebhook, [webhookId, tenantId])) === 0) return false;
  await cancelWaiting(tx, tenantId, webhookId, now);
  return true;
}

/** Only what the URL itself says is judged here; where its name leads is judged by every connection. */
function issuesOfUrl(url: string, policy: OutboundPolicy): InvalidParams {
  const decision = validateUrl(url, policy);
  return decision.ok ? {} : { url: { key: 'invalid_string', message: decision.reason } };
}

async function validateEvents(
  tx: Tx,
  tenantId: string,
  events: WebhookInput['events'],
  v2Type: V2Type | undefined,
): Promise<InvalidParams> {
  const issues: InvalidParams = {};
  const kind = v2Type && v2Types[v2Type].kind;
  const known = await findKnownChannelIds(tx, tenantId, events.flatMap(channelIdsOf), kind);
  for (const [number, { type, scopes }] of events.entries()) {
    if (type !== undefined && v2Type === undefined && !isKnownPattern(type))
      issues[`events.${number}.type`] = {
        key: 'invalid_enum_value',
        message: `No event is called "${type}". There are ${eventTypes.join(', ')}, and prefixes such as message.*`,
      };
    for (const [at, scope] of scopes?.entries() ?? [])
      for (const [index, id] of scope.ids.entries())
        if (!known.has(id.toLowerCase()))
          issues[`events.${number}.scopes.${at}.ids.${index}`] = {
            key: 'custom',
            message: `There is no ${kind === undefined ? '' : `${kind} `}channel ${id}`,
          };
  }
  return issues;
}

export async function findWebhook(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  webhookId: string,
): Promise<ApiWebhook | undefined> {
  const row = isUuid(webhookId) ? await db.find(webhookById, [webhookId, tenantId]) : undefined;
  return row && presentWebhook(row);
}

export async function requireWebhook(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  webhookId: string,
): Promise<ApiWebhook> {
  const webhook = await findWebhook(db, tenantId, webhookId);
  if (!webhook) throw new ApiError('api_webhook_not_found');
  return webhook;
}

/** Every webhook that was made through version 2 and is still of it, the oldest first. */
export async function allV2Webhooks(db: Queryable, tenantId: string): Promise<ApiWebhook[]> {
  return (await db.all(listV2Webhooks, [tenantId])).map(presentWebhook);
}

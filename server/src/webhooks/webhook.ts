import { randomBytes } from 'node:crypto';
import { requireBelowLimit } from '../access/limits.ts';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { eventTypes } from '../base/events.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues, type Issues } from '../base/issues.ts';
import { findKnownChannelIds } from '../channels/channel.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable, TenantReader, TenantTx } from '../db/tenant.ts';
import { type CanRead, lacksScope } from '../http/permissions.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { validateUrl } from '../outbound/validate-url.ts';
import { isKnownPattern } from './match.ts';
import { cancelPending, holdPending, resumeHeld } from './pending.ts';
import { findMissingScope } from './read-scopes.ts';
import type { ApiWebhook, CreatedApiWebhook } from './schema.ts';
import { kindOf, type V2Type } from './v2-types.ts';

interface WebhookRow {
  id: string;
  url: string;
  status: ApiWebhook['status'];
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
  events: { type_pattern: string | null; channel_ids: string[] | null }[];
  v2_type: V2Type | null;
}

/** The purpose for which secrets are encrypted. */
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

/** SQL for rows of `webhook_events` of the webhook $1. Arrays cannot hold lists of different lengths, so channels are JSON. */
const eventRows = (patterns: string, channels: string): string =>
  `select $1, $tenant, e.number, e.pattern,
          (select array_agg(c.id::uuid) from json_array_elements_text(e.channels::json) as c (id))
     from unnest(${patterns}::text[], ${channels}::text[]) with ordinality as e (pattern, channels, number)`;

const insertWebhook = statement<
  [
    id: string,
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
  `with webhook as (
     insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at, v2_type)
     values ($1, $tenant, $2, $3, $4, $5, $6, $6, $9))
   insert into webhook_events (webhook_id, tenant_id, number, type_pattern, channel_ids)
   ${eventRows('$7', '$8')}`,
);
/** The columns of a webhook and its events, in the given order. */
export const WEBHOOK_COLUMNS = `w.id, w.url, w.status, w.v2_type, w.failing_since, w.created_at, w.updated_at,
  (select json_agg(json_build_object('type_pattern', e.type_pattern, 'channel_ids', e.channel_ids)
     order by e.number) from webhook_events e where e.webhook_id = w.id) as events`;

const webhookById = statement<[id: string], WebhookRow>(
  'webhooks.by_id',
  `select ${WEBHOOK_COLUMNS} from webhooks w where w.id = $1 and w.tenant_id = $tenant`,
);
const listV2Webhooks = statement<[], WebhookRow>(
  'webhooks.list_v2',
  `select ${WEBHOOK_COLUMNS} from webhooks w
    where w.tenant_id = $tenant and w.v2_type is not null order by w.created_at, w.id`,
);
const updateWebhook = statement<
  [id: string, url: string | null, status: string | null, now: Date],
  { id: string; status_before: ApiWebhook['status'] }
>(
  'webhooks.update',
  // A webhook with another URL, or one that is activated again, counts as not failing.
  `with before as (select id, status from webhooks where id = $1 and tenant_id = $tenant for no key update)
   update webhooks w set url = coalesce($2, w.url), status = coalesce($3, w.status), updated_at = $4,
          failing_since = case when w.url <> $2 or (w.status <> 'active' and $3 = 'active') then null
                               else w.failing_since end
     from before b where w.id = b.id and w.tenant_id = $tenant returning w.id, b.status as status_before`,
);
const replaceEvents = statement<[id: string, patterns: (string | null)[], channelIds: string[]]>(
  'webhooks.replace_events',
  `with removed as (delete from webhook_events where webhook_id = $1 and number > cardinality($2::text[])),
   converted as (update webhooks set api_version = ${V3}, v2_type = null where id = $1 and tenant_id = $tenant and v2_type is not null)
   insert into webhook_events (webhook_id, tenant_id, number, type_pattern, channel_ids)
   ${eventRows('$2', '$3')}
   on conflict (webhook_id, number) do update
     set type_pattern = excluded.type_pattern, channel_ids = excluded.channel_ids`,
);
const deleteWebhook = statement<[id: string]>(
  'webhooks.delete',
  'delete from webhooks where id = $1 and tenant_id = $tenant',
);

const countWebhooks = statement<[], { count: number }>(
  'webhooks.count',
  'select count(*)::int as count from webhooks where tenant_id = $tenant',
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

interface WebhookInput {
  url: string;
  events: { type?: string; scopes?: { type: 'channel'; ids: string[] }[] }[];
  status?: 'active' | 'inactive';
  /** Creates a webhook of version 2, whose `events` are those of the type. */
  v2Type?: V2Type;
}

/** What is needed to validate a webhook that a caller saves. */
interface SaveDeps {
  policy: OutboundPolicy;
  /** What the caller may read, and therefore subscribe to. */
  canRead: CanRead;
}

/** Creates a webhook. Its secret is only in this answer. */
export async function createWebhook(
  tx: TenantTx,
  input: WebhookInput,
  { keys, policy, canRead }: { keys: Keys } & SaveDeps,
): Promise<CreatedApiWebhook> {
  await validateWebhook(tx, input, { policy, canRead });
  await requireBelowLimit(tx, 'webhooks', async () => (await tx.find(countWebhooks, []))?.count ?? 0);
  const secret = newSecret();
  const id = newId();
  await tx.run(insertWebhook, [
    id,
    input.url,
    input.status ?? 'active',
    keys.encrypt(secret, SECRET),
    input.v2Type === undefined ? V3 : V2,
    tx.now,
    ...eventParameters(input.events),
    input.v2Type ?? null,
  ]);
  return { ...(await requireWebhook(tx, id)), secret };
}

/** The channels of all scopes of an event, each once. */
const channelIdsOf = ({ scopes = [] }: WebhookInput['events'][number]): string[] => [
  ...new Set(scopes.flatMap(({ ids }) => ids.map((id) => id.toLowerCase()))),
];

/** The parameters of `eventRows`: the types, and the channels of all scopes as JSON. */
const eventParameters = (
  events: WebhookInput['events'],
): [patterns: (string | null)[], channelIds: string[]] => [
  events.map((event) => event.type ?? null),
  events.map((event) => JSON.stringify(channelIdsOf(event))),
];

async function validateWebhook(
  tx: TenantTx,
  { url, events, v2Type }: Partial<WebhookInput>,
  { policy, canRead }: SaveDeps,
): Promise<void> {
  const issues = collectIssues();
  validateScopes(events ?? [], canRead, issues);
  if (url !== undefined) {
    // Only the URL itself is checked here; the address of its host is checked with every connection.
    const decision = validateUrl(url, policy);
    if (!decision.ok) issues.add('url', 'invalid_string', decision.reason);
  }
  if (events !== undefined) await validateEvents(tx, events, v2Type, issues);
  issues.throwIfAny();
}

/**
 * Changes the given fields; `events` replaces the whole list and converts a webhook of version 2 to the present version.
 * The pending deliveries of a webhook that becomes inactive are held until it is active again. A disabled webhook can be
 * made active again.
 */
export async function changeWebhook(
  tx: TenantTx,
  webhookId: string,
  change: Partial<WebhookInput>,
  deps: SaveDeps,
): Promise<ApiWebhook> {
  await validateWebhook(tx, change, deps);
  // A caller who sets the URL of a subscription, or activates it, gets what it matches.
  if (change.url !== undefined || change.status === 'active') {
    const issues = collectIssues();
    validateScopes(change.events ?? (await requireWebhook(tx, webhookId)).events, deps.canRead, issues);
    issues.throwIfAny();
  }
  const found =
    isUuid(webhookId) &&
    (await tx.find(updateWebhook, [webhookId, change.url ?? null, change.status ?? null, tx.now]));
  if (!found) throw new ApiError('api_webhook_not_found');
  if (change.events !== undefined) await tx.run(replaceEvents, [found.id, ...eventParameters(change.events)]);
  if (change.status === 'inactive') await holdPending(tx, found.id);
  if (change.status === 'active' && found.status_before !== 'active') await resumeHeld(tx, found.id);
  return requireWebhook(tx, found.id);
}

/** Deletes a webhook, cancels its pending deliveries, and returns whether it existed. */
export async function removeWebhook(tx: TenantTx, webhookId: string): Promise<boolean> {
  if (!isUuid(webhookId) || (await tx.run(deleteWebhook, [webhookId])) === 0) return false;
  await cancelPending(tx, webhookId);
  return true;
}

/** A subscription must not see more than the caller who saves it. */
function validateScopes(events: readonly { type?: string }[], canRead: CanRead, issues: Issues): void {
  for (const [number, { type }] of events.entries()) {
    const scope = findMissingScope(type ?? null, canRead);
    if (scope) issues.add(`events.${number}.type`, 'custom', lacksScope(scope));
  }
}

async function validateEvents(
  tx: TenantTx,
  events: WebhookInput['events'],
  v2Type: V2Type | undefined,
  issues: Issues,
): Promise<void> {
  const kind = v2Type && kindOf(v2Type);
  const known = await findKnownChannelIds(tx, events.flatMap(channelIdsOf), kind);
  for (const [number, { type, scopes = [] }] of events.entries()) {
    if (type !== undefined && v2Type === undefined && !isKnownPattern(type))
      issues.add(
        `events.${number}.type`,
        'invalid_enum_value',
        `No event is called "${type}". There are ${eventTypes.join(', ')}, and prefixes such as message.*`,
      );
    for (const [scopeNumber, scope] of scopes.entries())
      for (const [index, id] of scope.ids.entries())
        if (!known.has(id.toLowerCase()))
          issues.add(
            `events.${number}.scopes.${scopeNumber}.ids.${index}`,
            'custom',
            `There is no ${kind === undefined ? '' : `${kind} `}channel ${id}`,
          );
  }
}

export async function findWebhook(db: TenantReader, webhookId: string): Promise<ApiWebhook | undefined> {
  const row = isUuid(webhookId) ? await db.find(webhookById, [webhookId]) : undefined;
  return row && presentWebhook(row);
}

export async function requireWebhook(db: TenantReader, webhookId: string): Promise<ApiWebhook> {
  const webhook = await findWebhook(db, webhookId);
  if (!webhook) throw new ApiError('api_webhook_not_found');
  return webhook;
}

/** Returns every webhook of version 2, the oldest first. */
export async function allV2Webhooks(db: TenantQueryable): Promise<ApiWebhook[]> {
  return (await db.all(listV2Webhooks, [])).map(presentWebhook);
}

import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { limitRows } from '../access/limits.ts';
import type { Keys } from '../base/crypto.ts';
import { ApiError } from '../base/errors.ts';
import { deletionOf } from '../base/events.ts';
import { isUuid, newId } from '../base/ids.ts';
import { collectIssues } from '../base/issues.ts';
import type { EncryptedColumn } from '../db/re-encrypt.ts';
import { statement } from '../db/statement.ts';
import type { TenantQueryable, TenantReader, TenantTx } from '../db/tenant.ts';
import { timestamp, timestampOrNull } from '../http/schema.ts';
import { cancelPending, holdPending, resumeHeld } from './pending.ts';
import type { ApiWebhook, CreatedApiWebhook } from './schema.ts';
import type { V2Type } from './v2-types.ts';
import {
  idsOf,
  type SaveDeps,
  type StoredEvent,
  validateScopes,
  validateWebhook,
  type WebhookInput,
} from './validate-webhook.ts';

export interface WebhookRow {
  id: string;
  url: string;
  status: ApiWebhook['status'];
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
  events: StoredEvent[];
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

/** SQL for rows of `webhook_events` of the webhook $1, from a list of StoredEvent as JSON. */
const eventRows = (events: string): string =>
  `select $1, $tenant, e.number, e.value ->> 'type_pattern',
          (select array_agg(c.id::uuid) from jsonb_array_elements_text(nullif(e.value -> 'channel_ids', 'null')) as c (id)),
          (select array_agg(k.kind) from jsonb_array_elements_text(nullif(e.value -> 'channel_kinds', 'null')) as k (kind))
     from jsonb_array_elements(${events}::jsonb) with ordinality as e (value, number)`;

const insertWebhook = statement<
  [
    id: string,
    url: string,
    status: string,
    secret: Buffer,
    version: number,
    now: Date,
    events: string,
    v2Type: string | null,
  ]
>(
  'webhooks.insert',
  `with webhook as (
     insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at, v2_type)
     values ($1, $tenant, $2, $3, $4, $5, $6, $6, $8))
   insert into webhook_events (webhook_id, tenant_id, number, type_pattern, channel_ids, channel_kinds)
   ${eventRows('$7')}`,
);
/** The columns of a webhook and its events, in the given order. */
export const WEBHOOK_COLUMNS = `w.id, w.url, w.status, w.v2_type, w.failing_since, w.created_at, w.updated_at,
  (select json_agg(json_build_object('type_pattern', e.type_pattern, 'channel_ids', e.channel_ids,
                                     'channel_kinds', e.channel_kinds) order by e.number) from webhook_events e where e.webhook_id = w.id) as events`;

const webhookById = statement<[id: string], WebhookRow>(
  'webhooks.by_id',
  `select ${WEBHOOK_COLUMNS} from webhooks w where w.id = $1 and w.tenant_id = $tenant`,
);
const listV2Webhooks = statement<[], WebhookRow>(
  'webhooks.list_v2',
  `select ${WEBHOOK_COLUMNS} from webhooks w
    where w.tenant_id = $tenant and w.v2_type is not null order by w.created_at, w.id`,
);
const lockWebhook = statement<[id: string], WebhookRow>(
  'webhooks.lock_for_change',
  `select ${WEBHOOK_COLUMNS} from webhooks w where w.id = $1 and w.tenant_id = $tenant for no key update of w`,
);
const updateWebhook = statement<[id: string, url: string, status: string, now: Date]>(
  'webhooks.update',
  // A webhook with another URL, or one that is activated again, counts as not failing.
  `update webhooks set url = $2, status = $3, updated_at = $4,
          failing_since = case when url <> $2 or (status <> 'active' and $3 = 'active') then null
                               else failing_since end
    where id = $1 and tenant_id = $tenant`,
);
const replaceEvents = statement<[id: string, events: string]>(
  'webhooks.replace_events',
  `with removed as (delete from webhook_events where webhook_id = $1 and number > jsonb_array_length($2::jsonb)),
   converted as (update webhooks set api_version = ${V3}, v2_type = null where id = $1 and tenant_id = $tenant and v2_type is not null)
   insert into webhook_events (webhook_id, tenant_id, number, type_pattern, channel_ids, channel_kinds)
   ${eventRows('$2')}
   on conflict (webhook_id, number) do update
     set type_pattern = excluded.type_pattern, channel_ids = excluded.channel_ids, channel_kinds = excluded.channel_kinds`,
);
const deleteWebhook = statement<[id: string]>(
  'webhooks.delete',
  'delete from webhooks where id = $1 and tenant_id = $tenant',
);

const requireFewWebhooks = limitRows('webhooks', 'webhooks');

export const presentWebhook = (row: WebhookRow): ApiWebhook => ({
  id: row.id,
  url: row.url,
  status: row.status,
  events: row.events.map(({ type_pattern, channel_ids, channel_kinds }) => ({
    ...(type_pattern === null ? {} : { type: type_pattern }),
    scopes: [
      ...(channel_ids === null ? [] : [{ type: 'channel' as const, ids: channel_ids }]),
      ...(channel_kinds === null ? [] : [{ type: 'channel_kind' as const, ids: channel_kinds }]),
    ],
  })),
  ...(row.v2_type === null ? {} : { v2Type: row.v2_type }),
  failingSince: timestampOrNull(row.failing_since),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

/** Creates a webhook. Its secret is only in this answer. */
export async function createWebhook(
  tx: TenantTx,
  input: WebhookInput,
  { keys, policy, canRead }: { keys: Keys } & SaveDeps,
): Promise<CreatedApiWebhook> {
  await validateWebhook(tx, input, { policy, canRead });
  await requireFewWebhooks(tx);
  const secret = newSecret();
  const id = newId();
  await tx.run(insertWebhook, [
    id,
    input.url,
    input.status ?? 'active',
    keys.encrypt(secret, SECRET),
    input.v2Type === undefined ? V3 : V2,
    tx.now,
    JSON.stringify(input.events.map(storedEvent)),
    input.v2Type ?? null,
  ]);
  return { ...(await requireWebhook(tx, id)), secret };
}

const orNull = (ids: string[]): string[] | null => (ids.length === 0 ? null : ids);

const storedEvent = (event: WebhookInput['events'][number]): StoredEvent => ({
  type_pattern: event.type ?? null,
  channel_ids: orNull(idsOf(event, 'channel')),
  channel_kinds: orNull(idsOf(event, 'channel_kind')),
});

/**
 * Changes the given fields; other `events` than the stored ones replace the whole list and convert a webhook of version 2 to
 * the present version. So what was read can be sent back without a loss. The pending deliveries of a webhook that becomes
 * inactive are held until it is active again. A disabled webhook can be made active again.
 */
export async function changeWebhook(
  tx: TenantTx,
  webhookId: string,
  change: Partial<WebhookInput>,
  deps: SaveDeps,
): Promise<ApiWebhook> {
  const row = isUuid(webhookId) ? await tx.find(lockWebhook, [webhookId]) : undefined;
  await validateWebhook(tx, change, deps, row);
  if (!row) throw new ApiError('api_webhook_not_found');
  // A caller who sets the URL of a subscription, or activates it, gets what it matches.
  if (change.url !== undefined || change.status === 'active') {
    const issues = collectIssues();
    validateScopes(change.events ?? presentWebhook(row).events, deps.canRead, issues);
    issues.throwIfAny();
  }
  const { url = row.url, status = row.status } = change;
  const events = change.events?.map(storedEvent);
  const hasOtherEvents = events !== undefined && !isDeepStrictEqual(events, row.events);
  if (url === row.url && status === row.status && !hasOtherEvents) return presentWebhook(row);
  await tx.run(updateWebhook, [row.id, url, status, tx.now]);
  if (hasOtherEvents) await tx.run(replaceEvents, [row.id, JSON.stringify(events)]);
  if (status === 'inactive') await holdPending(tx, row.id);
  if (status === 'active' && row.status !== 'active') await resumeHeld(tx, row.id);
  return requireWebhook(tx, row.id);
}

/** Deletes a webhook, cancels its pending deliveries, and returns whether it existed. */
export async function removeWebhook(tx: TenantTx, webhookId: string): Promise<boolean> {
  if (!isUuid(webhookId) || (await tx.run(deleteWebhook, [webhookId])) === 0) return false;
  await cancelPending(tx, webhookId);
  tx.announce(deletionOf('api_webhook', webhookId));
  return true;
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

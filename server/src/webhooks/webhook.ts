import { randomBytes } from 'node:crypto';
import type { Keys } from '../base/crypto.ts';
import { ApiError, type InvalidParams } from '../base/errors.ts';
import { isUuid, newId } from '../base/ids.ts';
import { findKnownChannelIds } from '../channels/channel.ts';
import type { Queryable, Tx } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { eventTypes } from '../engine/event-types.ts';
import { timestamp } from '../http/schema.ts';
import type { OutboundPolicy } from '../outbound/addresses.ts';
import { judgeUrl } from '../outbound/judge-url.ts';
import { isKnownPattern } from './match.ts';
import type { ApiWebhook } from './schema.ts';

interface WebhookRow {
  id: string;
  url: string;
  status: ApiWebhook['status'];
  created_at: Date;
  updated_at: Date;
  events: { type_pattern: string | null; channel_ids: string[] | null }[];
}

export const SECRET = 'webhooks.secret';
const SECRET_BYTES = 24;
const V3 = 3;

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
  ]
>(
  'webhooks.insert',
  // Lists of different lengths do not fit into one array of arrays, so each event's channels come as JSON.
  `with made as (
     insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $7))
   insert into webhook_events (webhook_id, tenant_id, number, type_pattern, channel_ids)
   select $1, $2, e.number, e.pattern,
          (select array_agg(c.id::uuid) from json_array_elements_text(e.channels::json) as c (id))
     from unnest($8::text[], $9::text[]) with ordinality as e (pattern, channels, number)`,
);
const webhookById = statement<[id: string, tenantId: string], WebhookRow>(
  'webhooks.by_id',
  `select w.id, w.url, w.status, w.created_at, w.updated_at,
          (select json_agg(json_build_object('type_pattern', e.type_pattern, 'channel_ids', e.channel_ids)
             order by e.number) from webhook_events e where e.webhook_id = w.id) as events
     from webhooks w where w.id = $1 and w.tenant_id = $2`,
);

const present = (row: WebhookRow): ApiWebhook => ({
  id: row.id,
  url: row.url,
  status: row.status,
  events: row.events.map(({ type_pattern, channel_ids }) => ({
    ...(type_pattern === null ? {} : { type: type_pattern }),
    scopes: channel_ids === null ? [] : [{ type: 'channel' as const, ids: channel_ids }],
  })),
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
});

export interface WebhookInput {
  url: string;
  events: { type?: string; scopes?: { type: 'channel'; ids: string[] }[] }[];
  status?: 'active' | 'inactive';
}

/** Subscribes a URL to events. The secret is in this answer and nowhere else. */
export async function createWebhook(
  tx: Tx,
  tenantId: string,
  input: WebhookInput,
  { keys, policy, now }: { keys: Keys; policy: OutboundPolicy; now: Date },
): Promise<ApiWebhook & { secret: string }> {
  const faults = { ...faultsOfUrl(input.url, policy), ...(await faultsOfEvents(tx, tenantId, input.events)) };
  if (Object.keys(faults).length > 0) throw new ApiError('invalid_body_params', { invalidParams: faults });
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  const id = newId();
  await tx.run(insertWebhook, [
    id,
    tenantId,
    input.url,
    input.status ?? 'active',
    keys.encrypt(secret, SECRET),
    V3,
    now,
    input.events.map((event) => event.type ?? null),
    input.events.map((event) => JSON.stringify(channelIdsOf(event))),
  ]);
  return { ...(await requireWebhook(tx, tenantId, id)), secret };
}

/** The channels of all scopes of an event, each once. */
const channelIdsOf = ({ scopes = [] }: WebhookInput['events'][number]): string[] => [
  ...new Set(scopes.flatMap(({ ids }) => ids.map((id) => id.toLowerCase()))),
];

/** Only what the URL itself says is judged here; where its name leads is judged by every connection. */
function faultsOfUrl(url: string, policy: OutboundPolicy): InvalidParams {
  const verdict = judgeUrl(url, policy);
  return verdict.ok ? {} : { url: { key: 'invalid_string', message: verdict.reason } };
}

async function faultsOfEvents(
  tx: Tx,
  tenantId: string,
  events: WebhookInput['events'],
): Promise<InvalidParams> {
  const faults: InvalidParams = {};
  const known = await findKnownChannelIds(tx, tenantId, events.flatMap(channelIdsOf));
  for (const [number, { type, scopes }] of events.entries()) {
    if (type !== undefined && !isKnownPattern(type))
      faults[`events.${number}.type`] = {
        key: 'invalid_enum_value',
        message: `No event is called "${type}". There are ${eventTypes.join(', ')}, and prefixes such as message.*`,
      };
    for (const [at, scope] of scopes?.entries() ?? [])
      for (const [index, id] of scope.ids.entries())
        if (!known.has(id.toLowerCase()))
          faults[`events.${number}.scopes.${at}.ids.${index}`] = {
            key: 'custom',
            message: `There is no channel ${id}`,
          };
  }
  return faults;
}

export async function requireWebhook(
  db: Pick<Queryable, 'find'>,
  tenantId: string,
  webhookId: string,
): Promise<ApiWebhook> {
  const row = isUuid(webhookId) ? await db.find(webhookById, [webhookId, tenantId]) : undefined;
  if (!row) throw new ApiError('api_webhook_not_found');
  return present(row);
}

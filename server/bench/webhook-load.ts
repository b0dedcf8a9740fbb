import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { request } from 'undici';
import { newId } from '../src/base/ids.ts';
import { realShardOf } from '../src/engine/queue.ts';
import { payloadOf } from '../src/webhooks/payload.ts';
import type { LoadResult } from './load.ts';
import { onCleanup, type Program } from './processes.ts';
import type { Tenant, World } from './world.ts';

const BODY_BYTES = 1024;
const POLL_MS = 5;
/** Something is lost or stuck when nothing is left to be done after this long. */
const PATIENCE_MS = 120_000;

/** The bytes of a webhook as both sides send them, but for ids and numbers. */
export function bodyOf(): { data: string; before: string; after: string } {
  const id = newId();
  const event = { id, type: 'message.received', createdAt: new Date(), tenantId: id, channelId: id };
  const withText = (text: string): string => JSON.stringify({ id: newId(), sender: 'inbound', text });
  const whole = (data: string): string => payloadOf({ ...event, sequence: 10_000, data, v2Type: null });
  const text = 'Is this still available? I would like to come by on Saturday. '.repeat(BODY_BYTES);
  const data = withText(text.slice(0, BODY_BYTES - whole(withText('')).length));
  const end = `{"id":"${id}`.length;
  return { data, before: '{"id":"', after: whole(data).slice(end) };
}

export interface Endpoint {
  tenantId: string;
  webhookId: string;
  /** The channel whose events go to this endpoint, and to no other. */
  channelId: string;
  path: string;
}

/** Webhooks with URLs of their own at one receiver, each for one channel. */
export async function makeEndpoints(
  tenants: Tenant[],
  perTenant: number,
  receiver: Program,
): Promise<Endpoint[]> {
  const made: Endpoint[] = [];
  for (const { tenantId, call } of tenants)
    for (let at = 0; at < perTenant; at += 1) {
      const path = `/hook/${made.length}`;
      const { data: channel } = await call<{ data: { id: string } }>('POST', '/v3/channels', {
        kind: 'whatsapp',
        provider: 'sandbox',
        name: path,
        address: `+1555${String(at).padStart(7, '0')}`,
      });
      const { data: webhook } = await call<{ data: { id: string } }>('POST', '/v3/api_webhooks', {
        url: `http://127.0.0.1:${receiver.port}${path}`,
        events: [{ type: 'message.received', scopes: [{ type: 'channel', ids: [channel.id] }] }],
      });
      made.push({ tenantId, webhookId: webhook.id, channelId: channel.id, path });
    }
  return made;
}

/** Events as the messages of the channels publish them, in turn. */
const PUBLISH = `
  insert into events (id, tenant_id, shard, created_at, type, channel_id, contact_id, chat_id, data)
  select uuidv7(), e.tenant_id, e.shard, now(), 'message.received', e.channel_id, e.channel_id, e.channel_id, $2
    from generate_series(0, $1::int - 1) as n
    join unnest($3::uuid[], $4::smallint[], $5::uuid[]) with ordinality as e (tenant_id, shard, channel_id, number)
      on e.number = n % cardinality($3::uuid[]) + 1
   order by n`;
const COUNT = `
  select count(*)::int as delivered, coalesce(sum(a.attempts), 0)::int as attempts
    from deliveries d
    cross join lateral (select count(*) as attempts from attempts where delivery_id = d.id and response_status = 200) a
   where d.webhook_id = any ($1) and d.status = 'delivered'`;

export interface Published {
  /** Publishes so many events, and keeps it to itself. */
  prepare(count: number): Promise<void>;
  /** Lets go of them, and waits until every delivery is made and recorded. */
  run(): Promise<LoadResult>;
  /** Throws unless every delivery has its attempt. */
  check(): Promise<void>;
}

/**
 * Events whose making is not measured: they and the hint that there is work are written by one transaction, which
 * is committed when the clock starts. From there on everything is the server's: to number the events, to find out for
 * whom they are, to make the deliveries, send and record them.
 */
export async function publishing(
  { db, databaseUrl }: World,
  endpoints: Endpoint[],
  receiver: Program,
): Promise<Published> {
  const { data } = bodyOf();
  const held = new pg.Client({ connectionString: databaseUrl });
  await held.connect();
  onCleanup(() => held.end());
  const webhookIds = endpoints.map(({ webhookId }) => webhookId);
  const tenantIds = endpoints.map(({ tenantId }) => tenantId);
  const wakeUp = [...new Set(tenantIds)].map((id) => `events:${realShardOf(id)}:${id}`).join(' ');
  /** How many the receiver has taken, once they are so many: asking it again and again would take its time. */
  const received = async (atLeast: number): Promise<number> => {
    const url = `http://127.0.0.1:${receiver.port}/${atLeast}`;
    const { body } = await request(url, { headersTimeout: PATIENCE_MS });
    return Number(await body.text());
  };
  const isPending = async (): Promise<boolean> =>
    (
      await db.query(
        `select 1 from unnest($1::uuid[], $2::smallint[]) as w (id, shard)
          cross join lateral (select 1 from deliveries d
            where d.shard = w.shard and d.webhook_id = w.id and d.due_at = '-infinity' limit 1) d limit 1`,
        [webhookIds, webhookIds.map(realShardOf)],
      )
    ).rows.length > 0;

  let expected = 0;
  let published = 0;
  return {
    async prepare(count) {
      published = count;
      expected += count;
      await held.query('begin');
      await held.query(PUBLISH, [
        count,
        data,
        tenantIds,
        tenantIds.map(realShardOf),
        endpoints.map(({ channelId }) => channelId),
      ]);
      await held.query(`select pg_notify('parley_work', $1)`, [wakeUp]);
    },
    async run() {
      const before = await received(0);
      const begun = performance.now();
      await held.query('commit');
      const until = begun + PATIENCE_MS;
      await received(before + published);
      while ((await isPending()) && performance.now() < until) await delay(POLL_MS);
      return { operations: published, seconds: (performance.now() - begun) / 1000 };
    },
    async check() {
      const { delivered, attempts } = (await db.query(COUNT, [webhookIds])).rows[0];
      if (delivered !== expected || attempts !== expected)
        throw new Error(`${delivered} deliveries and ${attempts} attempts of ${expected} were recorded.`);
    },
  };
}

import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Workload } from './figure.ts';
import { onCleanup } from './processes.ts';
import type { Receiver } from './receiver.ts';
import { shardOf } from './shards.ts';
import { createResource, createSandboxChannel, type Target, type Tenant } from './target.ts';
import { hasNoRows, waitUntil } from './wait.ts';
import { chargeServer } from './workload.ts';

const BODY_BYTES = 1024;

/** The body of a webhook of 1 kB: its event's data, and the bytes before and after the event's id. */
export function sampleBody(): { data: string; before: string; after: string } {
  const id = randomUUID();
  const format = (text: string): { data: string; body: string } => {
    const data = { id: randomUUID(), sender: 'inbound', text };
    const event = { id, type: 'message.received', createdAt: new Date(), tenantId: id, channelId: id };
    return { data: JSON.stringify(data), body: JSON.stringify({ ...event, sequence: 10_000, data }) };
  };
  const text = 'Is this still available? I would like to come by on Saturday. '.repeat(BODY_BYTES);
  const { data, body } = format(text.slice(0, BODY_BYTES - format('').body.length));
  const before = '{"id":"';
  return { data, before, after: body.slice(before.length + id.length) };
}

export interface Endpoint {
  tenant: Tenant;
  tenantId: string;
  webhookId: string;
  /** The channel whose events go to this endpoint and to no other. */
  channelId: string;
  path: string;
}

/** Creates webhooks with different URLs at one receiver, each for one channel. */
export async function createEndpoints(
  target: Target,
  tenants: number,
  perTenant: number,
  receiver: Receiver,
): Promise<Endpoint[]> {
  const endpoints: Endpoint[] = [];
  for (let number = 0; number < tenants; number += 1) {
    const tenant = await target.createTenant();
    for (let webhook = 0; webhook < perTenant; webhook += 1) {
      const path = `/hook/${endpoints.length}`;
      const address = `+1555${String(webhook).padStart(7, '0')}`;
      const channelId = await createSandboxChannel(tenant, { name: path, address });
      const webhookId = await createResource(tenant, '/v3/api_webhooks', {
        url: `${receiver.url}${path}`,
        events: [{ type: 'message.received', scopes: [{ type: 'channel', ids: [channelId] }] }],
      });
      endpoints.push({ tenant, tenantId: tenant.tenantId, webhookId, channelId, path });
    }
  }
  return endpoints;
}

/** Events as messages of the channels publish them, in turn. */
const insertEvents = (shardColumn: string): string => `
  insert into events (id, tenant_id, ${shardColumn}, created_at, type, channel_id, contact_id, chat_id, data)
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

let contacts = 0;

/** Creates a contact, whose event makes the server look for events of the tenant that are not numbered yet. */
async function wakeUp(tenant: Tenant): Promise<void> {
  contacts += 1;
  const phoneNumber = `+1666${String(contacts).padStart(7, '0')}`;
  await createResource(tenant, '/v3/contacts', { firstName: 'Wake', phoneNumber });
}

export interface PublishedEvents extends Workload {
  prepare(count: number): Promise<void>;
  run(): ReturnType<Workload['run']>;
}

/**
 * Events whose creation is not measured: they are written by a transaction that is committed when the clock starts. From
 * there on everything is the server's work: number the events, match them with webhooks, create the deliveries, send and
 * record them.
 */
export async function publishEvents(
  target: Target,
  endpoints: Endpoint[],
  receiver: Receiver,
): Promise<PublishedEvents> {
  const { db, shardColumn } = target;
  const { data } = sampleBody();
  const publisher = new pg.Client({ connectionString: target.databaseUrl });
  await publisher.connect();
  onCleanup(() => publisher.end());
  const webhookIds = endpoints.map(({ webhookId }) => webhookId);
  const tenantIds = endpoints.map(({ tenantId }) => tenantId);
  const tenants = new Set(endpoints.map(({ tenant }) => tenant));
  const areRecorded = () =>
    hasNoRows(
      db,
      `select 1 from unnest($1::uuid[], $2::smallint[]) as w (id, shard)
        cross join lateral (select 1 from deliveries d
          where d.${shardColumn} = w.shard and d.webhook_id = w.id and d.due_at <= now() limit 1) d limit 1`,
      [webhookIds, webhookIds.map(shardOf)],
    );

  let expected = 0;
  let published = 0;
  return {
    ...chargeServer(target),
    async prepare(count) {
      published = count;
      expected += count;
      await publisher.query('begin');
      await publisher.query(insertEvents(shardColumn), [
        count,
        data,
        tenantIds,
        tenantIds.map(shardOf),
        endpoints.map(({ channelId }) => channelId),
      ]);
    },
    async run() {
      const before = await receiver.countAtLeast(0);
      const startedAt = performance.now();
      await publisher.query('commit');
      await Promise.all([...tenants].map(wakeUp));
      await receiver.countAtLeast(before + published);
      await waitUntil(areRecorded);
      return { operations: published, seconds: (performance.now() - startedAt) / 1000 };
    },
    async check() {
      const { delivered, attempts } = (await db.query(COUNT, [webhookIds])).rows[0];
      if (delivered !== expected || attempts !== expected)
        throw new Error(`${delivered} deliveries and ${attempts} attempts of ${expected} were recorded.`);
    },
  };
}

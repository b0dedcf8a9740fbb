import { beforeAll, describe, expect, it } from 'vitest';
import '../../src/queues.ts';
import { newId } from '../../src/base/ids.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { connectToFreshDatabase, explainDeclared, sumReturnedRows } from '../kit/explain.ts';

const client = await connectToFreshDatabase();

const ORDERING_KEYS = 20;
const ROWS_PER_KEY = 500;
const tenants = Array.from({ length: ORDERING_KEYS }, newId);
/** The ids of both the channels and the webhooks. */
const keyIds = Array.from({ length: ORDERING_KEYS }, newId);
const NOW = new Date('2026-11-15T00:00:00Z');

/** Columns of rows for `insert … select`, in turn for each ordering key. */
const createRows = (keyOf: (index: number) => string) => {
  const indexes = Array.from({ length: ORDERING_KEYS * ROWS_PER_KEY }, (_, row) => row % ORDERING_KEYS);
  return [
    indexes.map(() => newId()),
    indexes.map((index) => tenants[index]),
    indexes.map((index) => keyOf(index)),
    indexes.map((index) => realShardOf(keyOf(index))),
  ];
};

beforeAll(async () => {
  await client.query(
    `insert into tenants (id, name, plan, created_at, updated_at)
     select t, 'test', 'scale', now(), now() from unnest($1::uuid[]) t`,
    [tenants],
  );
  await client.query(
    `insert into channels (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at)
     select c, t, 'sms', 'sandbox', 'test', '+1555', '', 'ok', now(), now() from unnest($1::uuid[], $2::uuid[]) as x (c, t)`,
    [keyIds, tenants],
  );
  await client.query(
    `insert into inbound (id, tenant_id, channel_id, shard, headers, body, due_at, created_at)
     select i, t, l, s, '{}', '', '-infinity', now() from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[]) as x (i, t, l, s)`,
    createRows((index) => keyIds[index] as string),
  );
  await client.query(
    `insert into events (id, tenant_id, chat_id, shard, type, data, created_at)
     select i, t, l, s, 'chat.created', '{}', now() from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[]) as x (i, t, l, s)`,
    createRows((index) => tenants[index] as string),
  );
  await client.query(
    `insert into deliveries (id, tenant_id, webhook_id, shard, event_id, event_type, sequence, status, due_at, created_at, updated_at)
     select i, t, l, s, i, 'chat.created', 1, 'pending', '-infinity', now(), now()
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[]) as x (i, t, l, s)`,
    createRows((index) => keyIds[index] as string),
  );
  await client.query(
    `insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at)
     select case when n = 1 then l else gen_random_uuid() end, t, 'http://127.0.0.1', 'active', '', 3, now(), now()
       from unnest($1::uuid[], $2::uuid[]) as x (l, t), generate_series(1, 100) as n`,
    [keyIds, tenants],
  );
});

const countPartitions = async (table: string): Promise<number> =>
  1 + (await client.query('select from pg_inherits where inhparent = $1::regclass', [table])).rows.length;

const queues = [
  { queue: 'inbound', table: 'inbound', index: /^inbound_due/, orderingKey: () => keyIds[3] as string },
  {
    queue: 'events',
    table: 'events',
    index: /shard_tenant_id_position/,
    orderingKey: () => tenants[3] as string,
  },
  {
    queue: 'deliveries',
    table: 'deliveries',
    index: /shard_webhook_id_due_at/,
    orderingKey: () => keyIds[3] as string,
  },
];

describe.each([
  ['without statistics', ''],
  ['with statistics', 'analyze'],
])('a long queue, %s', (_name, analyze) => {
  beforeAll(async () => {
    if (analyze) await client.query(analyze);
  });

  it.each(queues)('finds each ordering key by one index scan: $queue', async ({ queue, table, index }) => {
    const nodes = await explainDeclared(
      client,
      `${queue}.find`,
      `'{0,40}', '{39,63}', '${NOW.toISOString()}'`,
    );
    expect(nodes[0]?.['Actual Rows']).toBe(ORDERING_KEYS);
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.filter((type) => type.includes('Sort'))).toEqual([]);
    const scans = nodes.filter((node) => node['Relation Name']?.startsWith(table));
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) expect(scan['Index Name']).toMatch(index);
    expect(sumReturnedRows(scans)).toBeLessThanOrEqual(2 * ORDERING_KEYS * (await countPartitions(table)));
  });

  it.each(queues.slice(0, 2))('reads only the rows that it claims of an ordering key: $queue', async ({
    queue,
    table,
    index,
    orderingKey,
  }) => {
    const nodes = await explainDeclared(
      client,
      `${queue}.claim`,
      `${realShardOf(orderingKey())}, '${orderingKey()}', '${NOW.toISOString()}', 10`,
    );
    expect(nodes[0]?.['Actual Rows']).toBe(10);
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.filter((type) => type.includes('Sort'))).toEqual([]);
    const scans = nodes.filter(
      (node) => node['Relation Name']?.startsWith(table) && index.test(node['Index Name'] ?? ''),
    );
    expect(scans.length).toBeGreaterThan(0);
    expect(sumReturnedRows(scans)).toBeLessThanOrEqual(10 + (await countPartitions(table)));
  });

  it('I7: numbers events by their ids, regardless of how many wait', async () => {
    const { rows } = await client.query<{ id: string }>(
      'select id from events where tenant_id = $1 order by position limit 10',
      [tenants[3]],
    );
    await client.query('begin');
    const nodes = await explainDeclared(
      client,
      'events.number',
      `'{${rows.map(({ id }) => id)}}', '${tenants[3]}'`,
    );
    await client.query('rollback');
    const scans = nodes.filter(
      (node) => node['Relation Name']?.startsWith('events') && node['Index Name'] !== undefined,
    );
    expect(scans.length).toBeGreaterThan(0);
    for (const scan of scans) expect(scan['Index Name']).toMatch(/_pkey$/);
  });

  it('reads only the deliveries that it claims of several ordering keys, and only their events', async () => {
    const claimed = keyIds.slice(3, 6);
    const { rows: taken } = await client.query<{ id: string }>(
      'select id from deliveries where webhook_id = $1 order by id limit 200',
      [claimed[0]],
    );
    const arrays = [claimed.map(realShardOf), claimed, [10, 1, 4], taken.map(({ id }) => id)].map(
      (values) => `'{${values}}'`,
    );
    const nodes = await explainDeclared(
      client,
      'deliveries.claim_many',
      `${arrays[0]}, ${arrays[1]}, '${NOW.toISOString()}', ${arrays[2]}, ${arrays[3]}`,
    );
    expect(nodes[0]?.['Actual Rows']).toBe(15);
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.filter((type) => type.includes('Sort'))).toEqual([]);
    const scans = nodes.filter((node) => node['Relation Name']?.startsWith('deliveries'));
    for (const scan of scans) expect(scan['Index Name']).toMatch(/shard_webhook_id_due_at/);
    expect(sumReturnedRows(scans)).toBeLessThanOrEqual(
      15 + claimed.length * (await countPartitions('deliveries')),
    );
    const events = nodes.filter((node) => node['Relation Name']?.startsWith('events'));
    expect(events.length).toBeGreaterThan(0);
    for (const node of events) expect(node['Actual Loops']).toBeLessThanOrEqual(15);
  });

  it('records attempts by one index scan per delivery, regardless of how many there are', async () => {
    const { rows } = await client.query<{ id: string; tenant_id: string; webhook_id: string }>(
      'select id, tenant_id, webhook_id from deliveries order by id limit 60',
    );
    const attempts = rows.map((row) => ({
      ...row,
      now: NOW,
      attempts: 0,
      status: 'delivered',
      started_at: NOW,
      timings: {},
      url: 'http://127.0.0.1',
    }));
    await client.query('begin');
    const nodes = await explainDeclared(
      client,
      'deliveries.record',
      `'${JSON.stringify(attempts)}', '{${rows.map(({ id }) => id)}}'`,
    );
    await client.query('rollback');
    const read = nodes.filter(
      (node) =>
        node['Relation Name']?.startsWith('deliveries') &&
        /Scan/.test(node['Node Type']) &&
        node['Actual Loops'] > 0,
    );
    for (const node of read) expect(node['Index Name']).toMatch(/_pkey$/);
    expect(sumReturnedRows(read)).toBe(rows.length);
  });

  it('reads one webhook per delivery, regardless of how many webhooks the tenant has', async () => {
    const { rows } = await client.query<{ id: string }>(
      'select id from deliveries where webhook_id = $1 limit 3',
      [keyIds[3]],
    );
    const arrays = [
      rows.map(({ id }) => id),
      rows.map(() => tenants[3]),
      rows.map(() => 0),
      rows.map(() => NOW.toISOString()),
    ];
    const nodes = await explainDeclared(
      client,
      'deliveries.read_again',
      arrays.map((values) => `'{${values}}'`).join(', '),
    );
    expect(nodes[0]?.['Actual Rows']).toBe(3);
    const webhooks = nodes.filter((node) => node['Relation Name'] === 'webhooks');
    expect(webhooks.map((node) => node['Index Name'])).toEqual(['webhooks_pkey']);
    expect(webhooks[0]?.['Actual Rows']).toBe(1);
    expect(webhooks[0]?.['Actual Loops']).toBeLessThanOrEqual(3);
    const read = nodes.filter(
      (node) => node['Relation Name']?.startsWith('deliveries') && node['Actual Loops'] > 0,
    );
    for (const node of read) expect(node['Index Name']).toMatch(/_pkey$/);
  });
});

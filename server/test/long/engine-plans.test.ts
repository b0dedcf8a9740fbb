import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import '../../src/queues.ts';
import { newId } from '../../src/base/ids.ts';
import { clientConfig } from '../../src/db/database.ts';
import { declaredStatements } from '../../src/db/statement.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { freshDatabase } from '../kit/server.ts';

/** As the worker's connections are set up, with the plans that prepared statements end up with. */
const client = new pg.Client(
  clientConfig({
    connection: { connectionString: await freshDatabase() },
    applicationName: 'test',
    poolSize: 1,
    readers: 0,
  }),
);
await client.connect();
afterAll(() => client.end());

const LANES = 20;
const ROWS_PER_LANE = 500;
const tenants = Array.from({ length: LANES }, newId);
const lanes = Array.from({ length: LANES }, newId);
const NOW = new Date('2026-11-15T00:00:00Z');

/** A list of rows for `insert … select`, lane by lane. */
const rows = (laneOf: (at: number) => string) => {
  const at = Array.from({ length: LANES * ROWS_PER_LANE }, (_, row) => row % LANES);
  return [
    at.map(() => newId()),
    at.map((lane) => tenants[lane]),
    at.map((lane) => laneOf(lane)),
    at.map((lane) => realShardOf(laneOf(lane))),
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
    [lanes, tenants],
  );
  await client.query(
    `insert into inbound (id, tenant_id, channel_id, shard, headers, body, due_at, created_at)
     select i, t, l, s, '{}', '', '-infinity', now() from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[]) as x (i, t, l, s)`,
    rows((lane) => lanes[lane] as string),
  );
  await client.query(
    `insert into events (id, tenant_id, chat_id, shard, type, data, created_at)
     select i, t, l, s, 'chat.created', '{}', now() from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[]) as x (i, t, l, s)`,
    rows((lane) => tenants[lane] as string),
  );
  await client.query(
    `insert into deliveries (id, tenant_id, webhook_id, shard, event_id, event_type, sequence, status, due_at, created_at, updated_at)
     select i, t, l, s, i, 'chat.created', 1, 'pending', '-infinity', now(), now()
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::smallint[]) as x (i, t, l, s)`,
    rows((lane) => lanes[lane] as string),
  );
  await client.query(
    `insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at)
     select case when n = 1 then l else gen_random_uuid() end, t, 'http://127.0.0.1', 'active', '', 3, now(), now()
       from unnest($1::uuid[], $2::uuid[]) as x (l, t), generate_series(1, 100) as n`,
    [lanes, tenants],
  );
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

async function explain(name: string, values: string): Promise<Plan[]> {
  const text = declaredStatements().find((one) => one.name === name)?.text;
  await client.query(`prepare plan as ${text}`);
  const { rows } = await client.query(`explain (analyze, format json) execute plan (${values})`);
  await client.query('deallocate plan');
  return nodesOf(rows[0]['QUERY PLAN'][0].Plan);
}
const partitionsOf = async (table: string): Promise<number> =>
  1 + (await client.query('select from pg_inherits where inhparent = $1::regclass', [table])).rows.length;

const lists = [
  { list: 'inbound', table: 'inbound', index: /^inbound_due/, lane: () => lanes[3] as string },
  {
    list: 'events',
    table: 'events',
    index: /shard_tenant_id_position/,
    lane: () => tenants[3] as string,
  },
  {
    list: 'deliveries',
    table: 'deliveries',
    index: /shard_webhook_id_due_at/,
    lane: () => lanes[3] as string,
  },
];

describe.each([
  ['as a new installation knows its tables', ''],
  ['as a grown one knows them', 'analyze'],
])('a long work list, %s', (_name, before) => {
  beforeAll(async () => {
    if (before) await client.query(before);
  });

  it.each(lists)('finds its lanes by one look at the index for each: $list', async ({
    list,
    table,
    index,
  }) => {
    const nodes = await explain(`${list}.find`, `'{0,40}', '{39,63}', '${NOW.toISOString()}'`);
    expect(nodes[0]?.['Actual Rows']).toBe(LANES);
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.filter((type) => type.includes('Sort'))).toEqual([]);
    const looks = nodes.filter((node) => node['Relation Name']?.startsWith(table));
    expect(looks.length).toBeGreaterThan(0);
    for (const look of looks) expect(look['Index Name']).toMatch(index);
    const read = looks.reduce((sum, look) => sum + look['Actual Rows'] * look['Actual Loops'], 0);
    expect(read).toBeLessThanOrEqual(2 * LANES * (await partitionsOf(table)));
  });

  it.each(lists.slice(0, 2))('reads of a lane what it takes and no more: $list', async ({
    list,
    table,
    index,
    lane,
  }) => {
    const nodes = await explain(
      `${list}.claim`,
      `${realShardOf(lane())}, '${lane()}', '${NOW.toISOString()}', 10`,
    );
    expect(nodes[0]?.['Actual Rows']).toBe(10);
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.filter((type) => type.includes('Sort'))).toEqual([]);
    const looks = nodes.filter(
      (node) => node['Relation Name']?.startsWith(table) && index.test(node['Index Name'] ?? ''),
    );
    expect(looks.length).toBeGreaterThan(0);
    const read = looks.reduce((sum, look) => sum + look['Actual Rows'] * look['Actual Loops'], 0);
    expect(read).toBeLessThanOrEqual(10 + (await partitionsOf(table)));
  });

  it('reads of several lanes what each takes, without the events of what is taken already', async () => {
    const some = lanes.slice(3, 6);
    const { rows: taken } = await client.query<{ id: string }>(
      'select id from deliveries where webhook_id = $1 order by id limit 200',
      [some[0]],
    );
    const lists = [some.map(realShardOf), some, [10, 1, 4], taken.map(({ id }) => id)].map(
      (of) => `'{${of}}'`,
    );
    const nodes = await explain(
      'deliveries.claim_many',
      `${lists[0]}, ${lists[1]}, '${NOW.toISOString()}', ${lists[2]}, ${lists[3]}`,
    );
    expect(nodes[0]?.['Actual Rows']).toBe(15);
    const types = nodes.map((node) => node['Node Type']);
    expect(types).not.toContain('Seq Scan');
    expect(types.filter((type) => type.includes('Sort'))).toEqual([]);
    const looks = nodes.filter((node) => node['Relation Name']?.startsWith('deliveries'));
    for (const look of looks) expect(look['Index Name']).toMatch(/shard_webhook_id_due_at/);
    const read = looks.reduce((sum, look) => sum + look['Actual Rows'] * look['Actual Loops'], 0);
    expect(read).toBeLessThanOrEqual(15 + some.length * (await partitionsOf('deliveries')));
    const events = nodes.filter((node) => node['Relation Name']?.startsWith('events'));
    expect(events.length).toBeGreaterThan(0);
    for (const node of events) expect(node['Actual Loops']).toBeLessThanOrEqual(15);
  });

  it('reads again of each delivery its one webhook, however many its tenant has', async () => {
    const { rows } = await client.query<{ id: string }>(
      'select id from deliveries where webhook_id = $1 limit 3',
      [lanes[3]],
    );
    const each = [
      rows.map(({ id }) => id),
      rows.map(() => tenants[3]),
      rows.map(() => 0),
      rows.map(() => NOW.toISOString()),
    ];
    const nodes = await explain('deliveries.read_again', each.map((of) => `'{${of}}'`).join(', '));
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

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

const CHANNELS = 20;
const CHATS = 20;
/** In each chat much was said before, and some waits. */
const SAID = 60;
const WAITING = 5;
const NOW = new Date('2026-11-15T00:00:00Z');
const tenantId = newId();
const channels = Array.from({ length: CHANNELS }, newId);
const chats = channels.flatMap((channelId) =>
  Array.from({ length: CHATS }, () => ({ id: newId(), channelId })),
);
const contactId = newId();
const handleIds = chats.map(() => newId());

async function write(count: number, waits: boolean): Promise<void> {
  const rows = Array.from({ length: count }, () => chats).flat();
  await client.query(
    `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                           status, timestamp, created_at, updated_at, shard, due_at)
     select i, $1, c, n, $2, 'outbound', 'api', 'text', 'hello', '[]', '{}', 'queued', $3, $3, $3, s,
            case when $4 then timestamptz '-infinity' end
       from unnest($5::uuid[], $6::uuid[], $7::uuid[], $8::smallint[]) as x (i, c, n, s)`,
    [
      tenantId,
      contactId,
      NOW,
      waits,
      rows.map(() => newId()),
      rows.map(({ id }) => id),
      rows.map(({ channelId }) => channelId),
      rows.map(({ channelId }) => realShardOf(channelId)),
    ],
  );
}

beforeAll(async () => {
  await client.query(
    `insert into tenants (id, name, plan, created_at, updated_at) values ($1, 'test', 'scale', now(), now())`,
    [tenantId],
  );
  await client.query(
    `insert into channels (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at)
     select c, $2, 'sms', 'sandbox', 'test', '+1555', '', 'healthy', now(), now() from unnest($1::uuid[]) c`,
    [channels, tenantId],
  );
  await client.query(
    `insert into contacts (id, tenant_id, is_subscribed, metadata, search_text, created_at, updated_at)
     values ($1, $2, true, '{}', '', now(), now())`,
    [contactId, tenantId],
  );
  await client.query(
    `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select h, $2, $3, 'phone_number', h::text, false, '{}', now(), now() from unnest($1::uuid[]) h`,
    [handleIds, tenantId, contactId],
  );
  await client.query(
    `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
     select c, $1, n, $2, h, 'open', now(), now() from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as x (c, n, h)`,
    [tenantId, contactId, chats.map(({ id }) => id), chats.map(({ channelId }) => channelId), handleIds],
  );
  await write(SAID, false);
  await write(WAITING, true);
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** What a statement gives, and how many messages it reads for that. */
async function reading(name: string, values: string) {
  const text = declaredStatements().find((one) => one.name === name)?.text;
  await client.query('begin');
  await client.query(`prepare plan as ${text}`);
  const { rows } = await client.query(`explain (analyze, format json) execute plan (${values})`);
  await client.query('deallocate plan');
  await client.query('rollback');
  const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
  const looks = nodes.filter(
    (node) => node['Relation Name'] === 'messages' && /Scan/.test(node['Node Type']),
  );
  const read = looks.reduce(
    (sum, look) => sum + (look['Actual Rows'] + (look['Rows Removed by Filter'] ?? 0)) * look['Actual Loops'],
    0,
  );
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  return { given: nodes[0]?.['Actual Rows'], read, nodes };
}

/** While nothing waits, the tables are looked at; then a burst comes, and the plans stay. */
const afterSilence = async (): Promise<void> => {
  await client.query('delete from messages where due_at is not null');
  await client.query('vacuum analyze');
  await write(WAITING, true);
};

describe.each<[string, () => Promise<unknown>]>([
  ['as a new installation knows its tables', async () => {}],
  ['as one knows them in which nothing waited', afterSilence],
  ['as a grown one knows them', () => client.query('analyze')],
])('messages that wait, %s', (_name, before) => {
  beforeAll(async () => {
    await before();
  });

  it('are found by a look or two for each channel, whatever was said before', async () => {
    const { given, read } = await reading('messages.find', `'{0,40}', '{39,63}', '${NOW.toISOString()}'`);
    expect(given).toBe(CHANNELS);
    expect(read).toBeLessThanOrEqual(CHANNELS * (2 + WAITING));
  });

  it('are taken by a few looks for each', async () => {
    const lane = channels[3] as string;
    const { given, read } = await reading(
      'messages.claim_many',
      `'{${realShardOf(lane)}}', '{${lane}}', '${NOW.toISOString()}', '{10}', '{}'`,
    );
    expect(given).toBe(10);
    expect(read).toBeLessThanOrEqual(10 * (2 + WAITING));
  });

  it('are recorded by a few looks for each', async () => {
    const { rows } = await client.query(
      'select distinct on (chat_id) id, channel_id from messages where due_at is not null order by chat_id, id limit 30',
    );
    const all = (value: (row: { id: string; channel_id: string }) => unknown): string =>
      `'{${rows.map(value).join(',')}}'`;
    const { read } = await reading(
      'messages.record_outcomes',
      `${all(() => NOW.toISOString())}, ${all(({ id }) => id)}, ${all(() => tenantId)}, ${all(({ channel_id }) => channel_id)},
       ${all(() => 0)}, ${all(() => 'sent')}, ${all(() => 'null')}, ${all(({ id }) => id)}, ${all(() => 1)}, ${all(() => 'null')}`,
    );
    expect(read).toBeLessThanOrEqual(rows.length * (2 + WAITING));
  });
});

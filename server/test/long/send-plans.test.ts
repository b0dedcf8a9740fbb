import { beforeAll, describe, expect, it } from 'vitest';
import '../../src/queues.ts';
import { newId } from '../../src/base/ids.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { connectToFreshDatabase, countReadFrom, explainDeclared } from '../kit/explain.ts';

const client = await connectToFreshDatabase();

const CHANNELS = 20;
const CHATS = 20;
/** Messages of each chat that were sent before, and that are queued. */
const SENT = 60;
const QUEUED = 5;
const NOW = new Date('2026-11-15T00:00:00Z');
const tenantId = newId();
const channels = Array.from({ length: CHANNELS }, newId);
const chats = channels.flatMap((channelId) =>
  Array.from({ length: CHATS }, () => ({ id: newId(), channelId })),
);
const contactId = newId();
const handleIds = chats.map(() => newId());

async function insertMessages(count: number, areQueued: boolean): Promise<void> {
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
      areQueued,
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
  await insertMessages(SENT, false);
  await insertMessages(QUEUED, true);
});

/** How many rows a statement returns, and how many of some tables it reads. Its changes are rolled back. */
async function explainStatement(name: string, values: string) {
  await client.query('begin');
  const nodes = await explainDeclared(client, name, values);
  await client.query('rollback');
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  return {
    returned: nodes[0]?.['Actual Rows'],
    read: countReadFrom(nodes, 'messages'),
    readChats: countReadFrom(nodes, 'chats'),
    readHandles: countReadFrom(nodes, 'handles'),
  };
}

/** Takes statistics while no message is queued, as they are when a burst comes after a quiet time. */
const analyzeEmptyQueue = async (): Promise<void> => {
  await client.query('delete from messages where due_at is not null');
  await client.query('vacuum analyze');
  await insertMessages(QUEUED, true);
};

describe.each<[string, () => Promise<unknown>]>([
  ['without statistics', async () => {}],
  ['with statistics of an empty queue', analyzeEmptyQueue],
  ['with statistics', () => client.query('analyze')],
])('queued messages, %s', (_name, prepare) => {
  beforeAll(async () => {
    await prepare();
  });

  it('are found by one or two index scans per channel, regardless of older messages', async () => {
    const { returned, read } = await explainStatement(
      'messages.find',
      `'{0,40}', '{39,63}', '${NOW.toISOString()}'`,
    );
    expect(returned).toBe(CHANNELS);
    expect(read).toBeLessThanOrEqual(CHANNELS * (2 + QUEUED));
  });

  it('are claimed by a few index scans each', async () => {
    const channelId = channels[3] as string;
    const { returned, read, readChats, readHandles } = await explainStatement(
      'messages.claim_many',
      `'{${realShardOf(channelId)}}', '{${channelId}}', '${NOW.toISOString()}', '{10}', '{}'`,
    );
    expect(returned).toBe(10);
    expect(read).toBeLessThanOrEqual(10 * (2 + QUEUED));
    expect([readChats, readHandles]).toEqual([10, 10]);
  });

  it('are recorded by a few index scans each', async () => {
    const { rows } = await client.query(
      'select distinct on (chat_id) id, channel_id from messages where due_at is not null order by chat_id, id limit 30',
    );
    const attempts = rows.map(({ id, channel_id }) => ({
      now: NOW,
      id,
      tenant_id: tenantId,
      channel_id,
      attempts: 0,
      outcome: 'sent',
      vendor_id: id,
      rank: 1,
    }));
    const { read } = await explainStatement('messages.record_outcomes', `'${JSON.stringify(attempts)}'`);
    expect(read).toBeLessThanOrEqual(rows.length * (2 + QUEUED));
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import '../../src/queues.ts';
import { newId } from '../../src/base/ids.ts';
import { connectToFreshDatabase, countReadFrom, explainDeclared, type PlanNode } from '../kit/explain.ts';

const client = await connectToFreshDatabase();

const CHATS = 1_000;
/** How many chats a batch of messages is for. */
const WRITTEN = 60;
const NOW = '2026-11-15T00:00:00Z';
const tenantId = newId();
const channelId = newId();
const chats = Array.from({ length: CHATS }, (_, index) => ({
  id: newId(),
  contactId: newId(),
  handleId: newId(),
  value: `+1555${String(index).padStart(7, '0')}`,
}));
const written = chats.slice(CHATS / 2, CHATS / 2 + WRITTEN);

beforeAll(async () => {
  await client.query(
    `insert into tenants (id, name, plan, created_at, updated_at) values ($1, 'test', 'scale', now(), now())`,
    [tenantId],
  );
  await client.query(
    `insert into channels (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at)
     values ($1, $2, 'whatsapp', 'sandbox', 'test', '+1555', '', 'healthy', now(), now())`,
    [channelId, tenantId],
  );
  await client.query(
    `insert into contacts (id, tenant_id, is_subscribed, metadata, search_text, created_at, updated_at)
     select c, $2, true, '{}', '', now(), now() from unnest($1::uuid[]) c`,
    [chats.map((chat) => chat.contactId), tenantId],
  );
  await client.query(
    `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select h, $1, c, 'phone_number', v, true, '{}', now(), now()
       from unnest($2::uuid[], $3::uuid[], $4::text[]) as x (h, c, v)`,
    [
      tenantId,
      chats.map((chat) => chat.handleId),
      chats.map((chat) => chat.contactId),
      chats.map((chat) => chat.value),
    ],
  );
  await client.query(
    `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
     select k, $1, $2, c, h, 'open', now(), now() from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as x (k, c, h)`,
    [
      tenantId,
      channelId,
      chats.map((chat) => chat.id),
      chats.map((chat) => chat.contactId),
      chats.map((chat) => chat.handleId),
    ],
  );
  await client.query('vacuum analyze');
});

/** The plan of a statement whose changes are rolled back. */
async function explainStatement(name: string, values: string): Promise<PlanNode[]> {
  await client.query('begin');
  const nodes = await explainDeclared(client, name, values);
  await client.query('rollback');
  expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
  return nodes;
}

describe('messages for many chats of one channel', () => {
  it('lock their chats by a few index scans each, and build the claims once', async () => {
    const types = `'{${written.map(() => 'phone_number')}}'`;
    const values = `'{${written.map(({ value }) => value)}}'`;
    const vendorIds = `'{${written.map(({ id }) => id)}}'`;
    const nodes = await explainStatement(
      'chats.lock_and_claim',
      `'${channelId}', ${types}, ${values}, ${types}, ${values}, ${vendorIds}, ${vendorIds}, '${NOW}', true, '${tenantId}'`,
    );
    expect(nodes[0]?.['Actual Rows']).toBe(WRITTEN);
    expect(countReadFrom(nodes, 'chats')).toBeLessThanOrEqual(2 * WRITTEN);
    const claims = nodes.filter((node) => node['Node Type'] === 'CTE Scan' && node['CTE Name'] === 'claimed');
    expect(claims.map((node) => [node['Actual Rows'], node['Actual Loops']])).toEqual([[WRITTEN, 1]]);
  });

  it('change only their chats', async () => {
    const states = written.map(({ id }) => ({
      chat_id: id,
      unread: 1,
      latest_id: id,
      latest_at: NOW,
      reopens: true,
      waiting_since: NOW,
    }));
    const nodes = await explainStatement(
      'messages.store_inbound',
      `'${channelId}', '${NOW}', '${JSON.stringify(states)}', '[]', '{${written.map(({ id }) => id)}}', '${tenantId}'`,
    );
    expect(countReadFrom(nodes, 'chats')).toBe(WRITTEN);
  });
});

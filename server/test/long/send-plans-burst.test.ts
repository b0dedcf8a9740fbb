import { expect, it } from 'vitest';
import '../../src/queues.ts';
import { newId } from '../../src/base/ids.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { connectToFreshDatabase, countReadFrom, explainDeclared } from '../kit/explain.ts';

const NOW = new Date('2026-11-15T00:00:00Z');
const COUNT = 5000;
const LEFT = 10;

// The planner went through the chats of all handles once for each message: 128 messages took four seconds.
it('the end of a burst is claimed by key, although many handles are newer than those of its chats', async () => {
  const client = await connectToFreshDatabase();
  const [tenantId, channelId, contactId] = [newId(), newId(), newId()];
  const ids = Array.from({ length: COUNT }, newId);
  const newer = Array.from({ length: COUNT }, newId);
  await client.query(
    `insert into tenants (id, name, plan, created_at, updated_at) values ($1, 'test', 'scale', now(), now())`,
    [tenantId],
  );
  await client.query(
    `insert into channels (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at)
     values ($1, $2, 'sms', 'sandbox', 'test', '+1555', '', 'healthy', now(), now())`,
    [channelId, tenantId],
  );
  await client.query(
    `insert into contacts (id, tenant_id, is_subscribed, metadata, search_text, created_at, updated_at)
     values ($1, $2, true, '{}', '', now(), now())`,
    [contactId, tenantId],
  );
  await client.query(
    `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select h, $2, $3, 'phone_number', h::text, false, '{}', now(), now() from unnest($1::uuid[]) h`,
    [[...ids, ...newer], tenantId, contactId],
  );
  await client.query(
    `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
     select h, $2, $3, $4, h, 'open', now(), now() from unnest($1::uuid[]) h`,
    [ids, tenantId, channelId, contactId],
  );
  await client.query(
    `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                           status, timestamp, created_at, updated_at, shard, due_at)
     select h, $2, h, $3, $4, 'outbound', 'campaign', 'text', 'hello', '[]', '{}', 'queued', $5, $5, $5, $6,
            case when n > $7 then timestamptz '-infinity' end from unnest($1::uuid[]) with ordinality as x (h, n)`,
    [ids, tenantId, channelId, contactId, NOW, realShardOf(channelId), COUNT - LEFT],
  );
  await client.query('analyze');
  const nodes = await explainDeclared(
    client,
    'messages.claim_many',
    `'{${realShardOf(channelId)}}', '{${channelId}}', '${NOW.toISOString()}', '{128}', '{}'`,
  );
  const read = ['chats', 'handles'].map((table) => countReadFrom(nodes, table));
  expect([nodes[0]?.['Actual Rows'], ...read]).toEqual([LEFT, LEFT, LEFT]);
});

import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { chatFields, chatSource } from '../../src/chats/search.ts';
import { clientConfig } from '../../src/db/database.ts';
import { searchRequest } from '../../src/search/page.ts';
import { runSearch } from '../../src/search/run-search.ts';
import { freshDatabase } from '../kit/server.ts';

const client = new pg.Client(
  clientConfig({
    connection: { connectionString: await freshDatabase() },
    applicationName: 'test',
    poolSize: 1,
    readers: 0,
    // As searches run.
    settings: { plan_cache_mode: 'force_custom_plan' },
  }),
);
await client.connect();
afterAll(() => client.end());

const TENANTS = 3;
const CHANNELS = 4;
const PEOPLE = 2_500;
const OPEN_IN = 20;
const LIMIT = 10;
const tenants = Array.from({ length: TENANTS }, newId);
const channels = Array.from({ length: TENANTS * CHANNELS }, newId);
const users = Array.from({ length: TENANTS }, newId);
const [tenantId, channelId, userId] = [tenants[0], channels[0], users[0]] as [string, string, string];
let contactId: string;

beforeAll(async () => {
  await client.query(
    `insert into tenants (id, name, plan, created_at, updated_at)
     select t, 'test', 'scale', now(), now() from unnest($1::uuid[]) t`,
    [tenants],
  );
  await client.query(
    `insert into channels (id, tenant_id, kind, provider, name, address, config_encrypted, health, created_at, updated_at)
     select c, ($2::uuid[])[1 + (n - 1) / ${CHANNELS}], 'sms', 'sandbox', 'test', '+1555', '', 'healthy', now(), now()
       from unnest($1::uuid[]) with ordinality as x (c, n)`,
    [channels, tenants],
  );
  await client.query(
    `insert into users (id, tenant_id, name, email, role, created_at, updated_at)
     select u, t, 'test', 'u@example.com', 'agent', now(), now() from unnest($1::uuid[], $2::uuid[]) as x (u, t)`,
    [users, tenants],
  );
  // A person of a tenant has the same id as their one handle.
  await client.query(
    `with people as (
       select md5(t || n::text)::uuid as id, t as tenant_id, n from unnest($1::uuid[]) t, generate_series(1, ${PEOPLE}) n),
     contacts as (
       insert into contacts (id, tenant_id, first_name, is_subscribed, metadata, created_at, updated_at)
       select id, tenant_id, 'P' || n, true, '{}', now(), now() from people)
     insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select id, tenant_id, id, 'phone_number', '+1' || n, true, '{}', now(), now() from people`,
    [tenants],
  );
  // The open ones are those that were touched longest ago: to find them by going through the rest is the worst way.
  await client.query(
    `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, assigned_user_id, created_at, updated_at)
     select gen_random_uuid(), c.tenant_id, c.id, h.contact_id, h.id,
            case when h.number % ${OPEN_IN} = 0 then 'open' else 'closed' end,
            case when h.number % 7 = 0 then u.id end,
            timestamptz '2026-11-15T00:00:00Z' - h.number * interval '1 minute',
            timestamptz '2026-11-15T00:00:00Z' - h.number * interval '1 minute'
              - case when h.number % ${OPEN_IN} = 0 then interval '1 year' else interval '0' end
       from channels c join users u on u.tenant_id = c.tenant_id
       join (select *, row_number() over (partition by tenant_id order by id) as number from handles) h
         on h.tenant_id = c.tenant_id`,
  );
  await client.query('vacuum analyze');
  const { rows } = await client.query('select contact_id from chats where tenant_id = $1 limit 1', [
    tenantId,
  ]);
  contactId = rows[0].contact_id;
});

interface Plan {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Runs a search as the API does, and tells what its page and its count had to read of each table. */
async function readBy(
  body: object,
): Promise<{ found: number; total: number; read: Record<string, number>[] }> {
  const nodes: Plan[][] = [];
  const { rows, pagination } = await runSearch(
    {
      query: async (text, values) => {
        const explained = await client.query(`explain (analyze, format json) ${text}`, values);
        nodes.push(nodesOf(explained.rows[0]['QUERY PLAN'][0].Plan));
        return client.query(text, values);
      },
    },
    chatFields,
    chatSource,
    tenantId,
    searchRequest({ pagination: { limit: LIMIT }, ...body }, chatFields),
  );
  const read = nodes.map((statement) => {
    const tables: Record<string, number> = {};
    for (const node of statement) {
      const table = node['Relation Name'];
      if (table === undefined) continue;
      const touched = (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'];
      tables[table] = (tables[table] ?? 0) + touched;
    }
    return tables;
  });
  return { found: rows.length, total: pagination.total, read };
}

const chatsOfTenant = CHANNELS * PEOPLE;
const openOfTenant = chatsOfTenant / OPEN_IN;

describe('the inbox', () => {
  it.each([
    ['newest first', {}],
    ['by activity', { sortBy: 'desc(updatedAt)' }],
  ])('%s reads no more than the page that it shows', async (_name, body) => {
    const { found, read } = await readBy(body);
    expect(found).toBe(LIMIT);
    // The contacts are not even joined where nothing asks for them.
    expect(read[0]).toEqual({ chats: LIMIT + 1 });
  });

  it.each([
    ['open ones by activity', { query: 'eq(status,"open")', sortBy: 'desc(updatedAt)' }],
    ['of a channel by activity', { query: `eq(channelId,"${channelId}")`, sortBy: 'desc(updatedAt)' }],
    ['of a user by activity', { query: `eq(assignedUserId,"${userId}")`, sortBy: 'desc(updatedAt)' }],
  ])('%s reads what it counts, and of that the page that it shows', async (_name, body) => {
    const { found, total, read } = await readBy(body);
    expect(found).toBe(LIMIT);
    expect(total).toBeLessThan(chatsOfTenant / 2);
    expect(read).toEqual([{ chats: total }, { chats: LIMIT + 1 }]);
  });

  it('goes on from a cursor as cheaply as it began', async () => {
    const body = { query: 'eq(status,"open")', sortBy: 'desc(updatedAt)' };
    const first = await runSearch(
      client,
      chatFields,
      chatSource,
      tenantId,
      searchRequest({ ...body, pagination: { limit: LIMIT } }, chatFields),
    );
    const cursor = first.pagination.nextCursor as string;
    const { found, read } = await readBy({ ...body, pagination: { limit: LIMIT, cursor } });
    expect(found).toBe(LIMIT);
    expect(read).toEqual([{ chats: openOfTenant }, { chats: LIMIT + 1 }]);
  });

  it('of open ones reads open ones only, in whatever order, and counts no others', async () => {
    const { found, read } = await readBy({ query: 'eq(status,"open")', sortBy: 'desc(createdAt)' });
    expect([found, read.length]).toEqual([LIMIT, 2]);
    for (const statement of read) expect(statement.chats).toBeLessThanOrEqual(openOfTenant);
  });

  it('of a contact reads that contact’s chats', async () => {
    const { found, read } = await readBy({ query: `eq(contactId,"${contactId}")` });
    expect(found).toBe(CHANNELS);
    expect(read[0]?.chats).toBeLessThanOrEqual(CHANNELS);
  });
});

import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { chatFields, chatSource } from '../../src/chats/search.ts';
import { parseSearchRequest } from '../../src/search/request.ts';
import { countEach, runSearch } from '../../src/search/run-search.ts';
import {
  connectToFreshDatabase,
  countReadRows,
  explain,
  type PlanNode,
  SEARCH_SETTINGS,
} from '../kit/explain.ts';

const client = await connectToFreshDatabase(SEARCH_SETTINGS);

const TENANTS = 3;
const CHANNELS = 4;
const CONTACTS = 2_500;
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
  // Each contact has one handle, with the same id.
  await client.query(
    `with numbered as (
       select md5(t || n::text)::uuid as id, t as tenant_id, n from unnest($1::uuid[]) t, generate_series(1, ${CONTACTS}) n),
     contacts as (
       insert into contacts (id, tenant_id, first_name, is_subscribed, metadata, created_at, updated_at)
       select id, tenant_id, 'P' || n, true, '{}', now(), now() from numbered)
     insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     select id, tenant_id, id, 'phone_number', '+1' || n, true, '{}', now(), now() from numbered`,
    [tenants],
  );
  // The open chats have the oldest activity: a scan by activity would read all other chats first.
  await client.query(
    `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, snoozed_until, waiting_since, unread_count,
                        assigned_user_id, created_at, updated_at)
     select gen_random_uuid(), c.tenant_id, c.id, h.contact_id, h.id,
            case h.number % ${OPEN_IN} when 0 then 'open' when 1 then 'snoozed' else 'closed' end,
            case when h.number % ${OPEN_IN} = 1 then timestamptz '2026-12-15T00:00:00Z' + h.number * interval '1 minute' end,
            case when h.number % (2 * ${OPEN_IN}) = 0 then timestamptz '2026-11-15T00:00:00Z' + h.number * interval '1 minute' end,
            case when h.number % (5 * ${OPEN_IN}) = 0 then 1 else 0 end,
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

/** Runs a search as the API does, and counts the rows of each table that each of its statements reads. */
async function explainSearch(
  body: object,
): Promise<{ found: number; total: number; cursor: string | null; read: Record<string, number>[] }> {
  const plans: PlanNode[][] = [];
  const { rows, pagination } = await runSearch(
    {
      query: async (text, values) => {
        plans.push(await explain(client, text, values));
        return client.query(text, values);
      },
    },
    chatFields,
    chatSource,
    tenantId,
    parseSearchRequest({ pagination: { limit: LIMIT }, ...body }, chatFields, new Date()),
  );
  const read = plans.map((nodes) => {
    const tables: Record<string, number> = {};
    for (const node of nodes) {
      const table = node['Relation Name'];
      // Every statement looks whether something is being deleted.
      if (table !== undefined && table !== 'removals')
        tables[table] = (tables[table] ?? 0) + countReadRows(node);
    }
    return tables;
  });
  return { found: rows.length, total: pagination.total, cursor: pagination.nextCursor, read };
}

const chatsOfTenant = CHANNELS * CONTACTS;
const openOfTenant = chatsOfTenant / OPEN_IN;

describe('the inbox', () => {
  it.each([
    ['newest first', {}],
    ['by activity', { sortBy: 'desc(updatedAt)' }],
  ])('%s reads only the page', async (_name, body) => {
    const { found, read } = await explainSearch(body);
    expect(found).toBe(LIMIT);
    // Contacts are not joined if no condition needs them.
    expect(read[0]).toEqual({ chats: LIMIT + 1 });
  });

  it.each([
    ['chats of a channel by activity', { query: `eq(channelId,"${channelId}")`, sortBy: 'desc(updatedAt)' }],
    ['chats of a user by activity', { query: `eq(assignedUserId,"${userId}")`, sortBy: 'desc(updatedAt)' }],
  ])('%s reads the matches once', async (_name, body) => {
    const { found, total, read } = await explainSearch(body);
    expect(found).toBe(LIMIT);
    expect(total).toBeLessThan(chatsOfTenant / 2);
    expect(read).toEqual([{ chats: total }]);
  });

  it.each([
    ['by activity', 'desc(updatedAt)'],
    ['with the newest message first', 'desc(latestMessageAt)'],
    ['with the oldest message first', 'asc(latestMessageAt)'],
  ])('open chats %s are read in the order of an index: only the page, at any depth', async (_name, sortBy) => {
    const body = { query: 'eq(status,"open")', sortBy };
    const first = await runSearch(
      client,
      chatFields,
      chatSource,
      tenantId,
      parseSearchRequest({ ...body, pagination: { limit: LIMIT } }, chatFields, new Date()),
    );
    const cursor = first.pagination.nextCursor as string;
    for (const pagination of [{ limit: LIMIT }, { limit: LIMIT, cursor }]) {
      const { found, total, read } = await explainSearch({ ...body, pagination });
      expect([found, total]).toEqual([LIMIT, openOfTenant]);
      expect(read).toEqual([{ chats: LIMIT + 1 }, { chats: openOfTenant }]);
    }
  });

  it.each([
    ['mine', `and(eq(status,"open"),eq(assignedUserId,"${userId}"))`, 'desc(latestMessageAt)'],
    ['unassigned', 'and(eq(status,"open"),isNull(assignedUserId))', 'desc(latestMessageAt)'],
    ['waiting', 'and(eq(status,"open"),not(isNull(waitingSince)))', 'asc(waitingSince)'],
    ['snoozed', 'eq(status,"snoozed")', 'asc(snoozedUntil)'],
  ])('the view %s is read in the order of an index: only the page, at any depth', async (_name, query, sortBy) => {
    const body = { query, sortBy };
    const first = await explainSearch(body);
    expect(first.found).toBe(LIMIT);
    const second = await explainSearch({ ...body, pagination: { limit: LIMIT, cursor: first.cursor } });
    for (const { found, total, read } of [first, second]) {
      expect([found, total]).toEqual([LIMIT, first.total]);
      expect(read).toEqual([{ chats: LIMIT + 1 }, { chats: total }]);
    }
  });

  it('counts of unread chats read only those', async () => {
    const read: number[] = [];
    const queryable = {
      query: async (text: string, values: unknown[]) => {
        const nodes = await explain(client, text, values);
        read.push(...nodes.filter((node) => node['Relation Name'] === 'chats').map(countReadRows));
        return client.query(text, values);
      },
    };
    const searches = ['', `,eq(assignedUserId,"${userId}")`, ',isNull(assignedUserId)'].map((more) => ({
      searchable: chatFields,
      source: { ...chatSource, from: 'chats c', countCap: 1_000 },
      tenantId,
      request: parseSearchRequest(
        { query: `and(eq(status,"open"),eq(isUnread,true)${more})` },
        chatFields,
        new Date(),
      ),
    }));
    const totals = await countEach(queryable, searches);
    expect(totals[0]).toBe(chatsOfTenant / OPEN_IN / 5);
    expect(totals[0]).toBe((totals[1] as number) + (totals[2] as number));
    expect(read).toEqual(totals);
  });

  it('reads only the chats of contacts with a label', async () => {
    const labelId = newId();
    await client.query(
      `insert into labels (id, tenant_id, name, created_at, updated_at) values ($1, $2, 'VIP', now(), now())`,
      [labelId, tenantId],
    );
    await client.query(
      `insert into contact_labels (contact_id, label_id, tenant_id, created_at) values ($1, $2, $3, now())`,
      [contactId, labelId, tenantId],
    );
    const { found, read } = await explainSearch({ query: `contains(labelIds,"${labelId}")` });
    expect(found).toBe(CHANNELS);
    expect(read[0]?.chats).toBeLessThanOrEqual(2 * CHANNELS);
  });

  it('reads only open chats if they are filtered by status, in any order', async () => {
    const { found, read } = await explainSearch({ query: 'eq(status,"open")', sortBy: 'desc(createdAt)' });
    expect([found, read.length]).toEqual([LIMIT, 1]);
    for (const statement of read) expect(statement.chats).toBeLessThanOrEqual(openOfTenant);
  });

  it('reads only the chats of a contact if they are filtered by contact', async () => {
    const { found, read } = await explainSearch({ query: `eq(contactId,"${contactId}")` });
    expect(found).toBe(CHANNELS);
    expect(read[0]?.chats).toBeLessThanOrEqual(CHANNELS);
  });
});

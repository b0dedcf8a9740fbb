import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { clientConfig } from '../../src/db/database.ts';
import { messageFields, messageSource } from '../../src/messages/search.ts';
import { searchRequest } from '../../src/search/page.ts';
import { runSearch } from '../../src/search/run-search.ts';
import { freshDatabase } from '../kit/server.ts';

/** As the API's connections are set up. */
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

const TENANTS = 20;
const MESSAGES = 60_000;
const LIMIT = 10;
/** One tenant has a chat in which much is written, and a channel in which next to nothing is. */
const LOUD_MESSAGES = 3_000;
const QUIET_MESSAGES = 20;
const COUNTED = 10_000;

interface Chat {
  id: string;
  tenantId: string;
  channelId: string;
  contactId: string;
}
const tenants = Array.from({ length: TENANTS }, newId);
const chats: Chat[] = tenants.flatMap((tenantId) => {
  const channelId = newId();
  return Array.from({ length: 20 }, () => ({ id: newId(), tenantId, channelId, contactId: newId() }));
});
const [loud] = chats as [Chat];
const quiet: Chat = { id: newId(), tenantId: loud.tenantId, channelId: newId(), contactId: newId() };
const TENANT_MESSAGES = MESSAGES / TENANTS + LOUD_MESSAGES + QUIET_MESSAGES;

/** Everything but messages is of no interest here, so what would refer to it is not checked. */
async function write(where: (at: number) => Chat, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => where(at));
  await client.query(
    `insert into messages (id, tenant_id, chat_id, channel_id, contact_id, sender, author, type, text, media, content,
                           status, timestamp, created_at, updated_at)
     select i, t, c, n, p, 'inbound', 'contact', 'text', 'message ' || x.number, '[]', '{}', 'delivered', at, at, at
       from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[]) with ordinality as x (i, t, c, n, p, number)
       cross join lateral (select timestamptz '2026-11-15T00:00:00Z' + x.number * interval '1 second' as at) a`,
    [
      rows.map(() => newId()),
      rows.map((chat) => chat.tenantId),
      rows.map((chat) => chat.id),
      rows.map((chat) => chat.channelId),
      rows.map((chat) => chat.contactId),
    ],
  );
}

beforeAll(async () => {
  await client.query('set session_replication_role = replica');
  await write(() => quiet, QUIET_MESSAGES);
  await write((at) => chats[(at * 7919) % chats.length] as Chat, MESSAGES);
  await write(() => loud, LOUD_MESSAGES);
  await client.query('set session_replication_role = origin');
});

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: Plan[];
}
const nodesOf = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** How many rows of the table each statement of a search has read, and in which ways. */
async function readingsOf(body: object, chatId?: string): Promise<{ rows: number; ways: string[] }[]> {
  const readings: { rows: number; ways: string[] }[] = [];
  const explaining = {
    async query(text: string, values: unknown[]) {
      const { rows } = await client.query(`explain (analyze, format json) ${text}`, values);
      const nodes = nodesOf(rows[0]['QUERY PLAN'][0].Plan);
      const reading = nodes.filter(
        (node) => node['Relation Name'] === 'messages' || /Index/.test(node['Node Type']),
      );
      readings.push({
        rows: Math.max(
          ...reading.map(
            (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
          ),
        ),
        ways: nodes.map((node) => node['Node Type']),
      });
      return client.query(text, values);
    },
  };
  await runSearch(
    explaining,
    messageFields,
    messageSource(chatId),
    loud.tenantId,
    searchRequest(body, messageFields),
  );
  return readings;
}

describe.each([
  ['as a new installation knows its tables', ''],
  ['as a grown one knows them', 'analyze'],
])('a search for messages among many, %s', (_name, before) => {
  beforeAll(async () => {
    if (before) await client.query(before);
  });

  it.each<[string, object, string?]>([
    ['of the tenant', {}],
    ['of a chat', {}, loud.id],
  ])('reads the page in its order and counts no further than it must: %s', async (_, body, chatId) => {
    const [page, count] = await readingsOf(body, chatId);
    expect(page?.ways.filter((way) => /Seq Scan|Sort/.test(way))).toEqual([]);
    expect(page?.rows).toBeLessThanOrEqual(LIMIT + 1);
    expect(count?.ways).not.toContain('Seq Scan');
    expect(count?.rows).toBeLessThanOrEqual(TENANT_MESSAGES);
  });

  it.each([
    ['of a contact', { query: `eq(contactId,"${loud.contactId}")` }],
    ['of a channel', { query: `eq(channelId,"${loud.channelId}")` }],
  ])('counts what matches by its index, and reads the page of that: %s', async (_, body) => {
    const [count, page] = await readingsOf(body);
    for (const reading of [count, page]) expect(reading?.ways).not.toContain('Seq Scan');
    expect(count?.rows).toBeLessThanOrEqual(TENANT_MESSAGES);
    expect(page?.rows).toBeLessThanOrEqual(LIMIT + 1);
  });

  it.each<[string, object, string?]>([
    ['of a chat', {}, quiet.id],
    ['of a contact', { query: `eq(contactId,"${quiet.contactId}")` }],
    ['of a channel', { query: `eq(channelId,"${quiet.channelId}")` }],
  ])('reads the few that there are and nothing else: %s', async (_, body, chatId) => {
    for (const reading of await readingsOf(body, chatId)) {
      expect(reading.ways).not.toContain('Seq Scan');
      expect(reading.rows).toBeLessThanOrEqual(QUIET_MESSAGES);
    }
  });

  it('goes on from a cursor by one look at the index', async () => {
    const { pagination } = await runSearch(
      { query: (text, values) => client.query(text, values) },
      messageFields,
      messageSource(),
      loud.tenantId,
      searchRequest({ pagination: { page: 50 } }, messageFields),
    );
    const [page] = await readingsOf({ pagination: { cursor: pagination.nextCursor as string } });
    expect(page?.ways).not.toContain('Sort');
    expect(page?.rows).toBeLessThanOrEqual(LIMIT + 1);
  });

  it('for a part of a text reads the tenant’s messages at most', async () => {
    for (const reading of await readingsOf({ search: 'not there' })) {
      expect(reading.ways).not.toContain('Seq Scan');
      expect(reading.rows).toBeLessThanOrEqual(TENANT_MESSAGES);
    }
  });
});

it('is not counted again in a chat that was seen to have more than are counted', async () => {
  const endless: Chat = { ...loud, id: newId() };
  const search = () => readingsOf({}, endless.id);
  await client.query('set session_replication_role = replica');
  await write(() => endless, COUNTED);
  expect(await search()).toHaveLength(2);
  expect(await search()).toHaveLength(2);
  await write(() => endless, 1);
  expect(await search()).toHaveLength(2);
  expect(await search()).toHaveLength(1);
});

import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import '../../src/messages/chat-page.ts';
import { chatMessageSource, messageFields, messageSource } from '../../src/messages/search.ts';
import { parseSearchRequest } from '../../src/search/request.ts';
import { runSearch } from '../../src/search/run-search.ts';
import {
  connectToFreshDatabase,
  countReadRows,
  explain,
  explainDeclared,
  SEARCH_SETTINGS,
} from '../kit/explain.ts';

const client = await connectToFreshDatabase(SEARCH_SETTINGS);

const TENANTS = 20;
const MESSAGES = 60_000;
const LIMIT = 10;
/** One tenant has a chat with many messages and a channel with few. */
const BUSY_MESSAGES = 3_000;
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
const [busy] = chats as [Chat];
const quiet: Chat = { id: newId(), tenantId: busy.tenantId, channelId: newId(), contactId: newId() };
const TENANT_MESSAGES = MESSAGES / TENANTS + BUSY_MESSAGES + QUIET_MESSAGES;

/** Inserts messages without the rows that they refer to. */
async function insertMessages(chatOf: (index: number) => Chat, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => chatOf(index));
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
  await insertMessages(() => quiet, QUIET_MESSAGES);
  await insertMessages((index) => chats[(index * 7919) % chats.length] as Chat, MESSAGES);
  await insertMessages(() => busy, BUSY_MESSAGES);
  await client.query('set session_replication_role = origin');
});

interface StatementPlan {
  /** How many rows the statement reads. */
  read: number;
  nodeTypes: string[];
}

async function explainSearch(body: object, chatId?: string): Promise<StatementPlan[]> {
  const plans: StatementPlan[] = [];
  const explaining = {
    async query(text: string, values: unknown[]) {
      const nodes = await explain(client, text, values);
      const scans = nodes.filter(
        (node) => node['Relation Name'] === 'messages' || /Index/.test(node['Node Type']),
      );
      plans.push({
        read: Math.max(...scans.map(countReadRows)),
        nodeTypes: nodes.map((node) => node['Node Type']),
      });
      return client.query(text, values);
    },
  };
  await runSearch(
    explaining,
    messageFields,
    chatId === undefined ? messageSource : chatMessageSource(chatId),
    busy.tenantId,
    parseSearchRequest(body, messageFields, new Date()),
  );
  return plans;
}

describe.each([
  ['without statistics', ''],
  ['with statistics', 'analyze'],
])('a search among many messages, %s', (_name, analyze) => {
  beforeAll(async () => {
    if (analyze) await client.query(analyze);
  });

  it.each<[string, object, string?]>([
    ['of the tenant', {}],
    ['of a chat', {}, busy.id],
  ])('reads the page in order and counts only the rows of its tenant: %s', async (_, body, chatId) => {
    const [page, count] = await explainSearch(body, chatId);
    expect(page?.nodeTypes.filter((type) => /Seq Scan|Sort/.test(type))).toEqual([]);
    expect(page?.read).toBeLessThanOrEqual(LIMIT + 1);
    expect(count?.nodeTypes).not.toContain('Seq Scan');
    expect(count?.read).toBeLessThanOrEqual(TENANT_MESSAGES);
  });

  it.each([
    ['of a contact', { query: `eq(contactId,"${busy.contactId}")` }],
    ['of a channel', { query: `eq(channelId,"${busy.channelId}")` }],
  ])('finds the matches by an index and then reads the page: %s', async (_, body) => {
    const [count, page] = await explainSearch(body);
    for (const plan of [count, page]) expect(plan?.nodeTypes).not.toContain('Seq Scan');
    expect(count?.read).toBeLessThanOrEqual(TENANT_MESSAGES);
    expect(page?.read).toBeLessThanOrEqual(LIMIT + 1);
  });

  it.each<[string, object, string?]>([
    ['of a chat', {}, quiet.id],
    ['of a contact', { query: `eq(contactId,"${quiet.contactId}")` }],
    ['of a channel', { query: `eq(channelId,"${quiet.channelId}")` }],
  ])('reads only the few matches: %s', async (_, body, chatId) => {
    for (const plan of await explainSearch(body, chatId)) {
      expect(plan.nodeTypes).not.toContain('Seq Scan');
      expect(plan.read).toBeLessThanOrEqual(QUIET_MESSAGES);
    }
  });

  it('starts at a cursor without reading the rows before it', async () => {
    const { pagination } = await runSearch(
      { query: (text, values) => client.query(text, values) },
      messageFields,
      messageSource,
      busy.tenantId,
      parseSearchRequest({ pagination: { page: 50 } }, messageFields, new Date()),
    );
    const [page] = await explainSearch({ pagination: { cursor: pagination.nextCursor as string } });
    expect(page?.nodeTypes).not.toContain('Sort');
    expect(page?.read).toBeLessThanOrEqual(LIMIT + 1);
  });

  it('a page of a chat is one prepared statement that reads its rows only', async () => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into chats (id, tenant_id, channel_id, contact_id, handle_id, status, created_at, updated_at)
       values ($1, $2, $3, $4, gen_random_uuid(), 'open', now(), now()) on conflict do nothing`,
      [busy.id, busy.tenantId, busy.channelId, busy.contactId],
    );
    await client.query('set session_replication_role = origin; set plan_cache_mode = force_generic_plan');
    const inChat = (await client.query('select from messages where chat_id = $1', [busy.id])).rowCount;
    const end = `'infinity', 'ffffffff-ffff-ffff-ffff-ffffffffffff'`;
    for (const position of [end, `'2026-11-15T00:20:00.000000Z', '${busy.id}'`]) {
      const values = `'${busy.id}', ${LIMIT + 1}, 0, ${position}, true, '${busy.tenantId}'`;
      const nodes = await explainDeclared(client, 'messages.chat_page', values);
      const scans = nodes.filter((node) => node['Relation Name'] === 'messages');
      expect(scans.map((node) => node['Index Name'])).toEqual(['messages_by_chat', 'messages_by_chat']);
      expect(scans.map(countReadRows)).toEqual([inChat, LIMIT + 1]);
    }
    await client.query(`set plan_cache_mode = ${SEARCH_SETTINGS.plan_cache_mode}`);
  });

  it('reads at most the messages of the tenant to search in their text', async () => {
    for (const plan of await explainSearch({ search: 'not there' })) {
      expect(plan.nodeTypes).not.toContain('Seq Scan');
      expect(plan.read).toBeLessThanOrEqual(TENANT_MESSAGES);
    }
  });
});

it('a chat with more messages than the cap is not counted again', async () => {
  const longChat: Chat = { ...busy, id: newId() };
  const search = () => explainSearch({}, longChat.id);
  await client.query('set session_replication_role = replica');
  await insertMessages(() => longChat, COUNTED);
  expect(await search()).toHaveLength(2);
  expect(await search()).toHaveLength(2);
  await insertMessages(() => longChat, 1);
  expect(await search()).toHaveLength(2);
  expect(await search()).toHaveLength(1);
});

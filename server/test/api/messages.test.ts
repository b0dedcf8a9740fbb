import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const ADA = '+15550001111';
const BOB = '+15550002222';

/** A tenant that has received these texts, a second apart, each from its sender. */
async function written(...texts: [from: string, text: string][]) {
  const tenant = await server.tenant();
  const channel = await tenant.channel();
  for (const [from, text] of texts) {
    server.clock.advance(1_000);
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
    await server.settle();
  }
  return { tenant, channel };
}

const search = async (tenant: TestTenant, body: object, path = '/v3/messages/search') =>
  (await tenant.post(path, body)).body;
const textsOf = (found: { data: { text: string }[] }): string[] => found.data.map(({ text }) => text);

describe('a message', () => {
  it('is returned by its id as in its chat', async () => {
    const { tenant, channel } = await written([ADA, 'Is this still available?']);
    const [found] = (await search(tenant, {})).data;
    expect(found).toMatchObject({
      channelId: channel.id,
      sender: 'inbound',
      author: { type: 'contact' },
      type: 'text',
      text: 'Is this still available?',
      media: [],
      content: {},
      status: 'delivered',
      error: null,
      replyToMessageId: null,
    });
    expect((await tenant.get(`/v3/messages/${found.id}`)).body.data).toEqual(found);
    const chat = (await tenant.get(`/v3/chats/${found.chatId}`)).body.data;
    expect(chat.latestMessage).toEqual(found);
    expect(chat.contactId).toBe(found.contactId);
  });

  it('that does not exist is not found', async () => {
    const tenant = await server.tenant();
    for (const id of [newId(), 'x', '%00']) {
      const answer = await tenant.get(`/v3/messages/${id}`);
      expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'message_not_found']);
    }
  });

  it('of a sensitive chat is returned by the API only', async () => {
    const { tenant } = await written([ADA, 'secret']);
    const [found] = (await search(tenant, {})).data;
    await tenant.put(`/v3/chats/${found.chatId}`, { isSensitive: true });
    expect((await tenant.get(`/v3/messages/${found.id}`)).body.data.text).toBe('secret');
    expect(textsOf(await search(tenant, { search: 'SECRET' }))).toEqual(['secret']);
  });
});

describe('the search for messages', () => {
  it('returns the newest first, page by page', async () => {
    const { tenant } = await written([ADA, 'one'], [BOB, 'two'], [ADA, 'three']);
    const first = await search(tenant, { pagination: { limit: 2 } });
    expect(textsOf(first)).toEqual(['three', 'two']);
    expect(first.pagination.total).toBe(3);
    const cursor = first.pagination.nextCursor;
    expect(textsOf(await search(tenant, { pagination: { limit: 2, cursor } }))).toEqual(['one']);
    expect(textsOf(await search(tenant, { sortBy: 'asc(timestamp)' }))).toEqual(['one', 'two', 'three']);
  });

  it('finds by every field', async () => {
    const { tenant, channel } = await written([ADA, 'one'], [BOB, 'two']);
    const [two, one] = (await search(tenant, {})).data;
    for (const [query, texts] of [
      [`eq(id,"${one.id}")`, ['one']],
      [`eq(chatId,"${one.chatId}")`, ['one']],
      [`eq(contactId,"${two.contactId}")`, ['two']],
      [`eq(channelId,"${channel.id}")`, ['two', 'one']],
      [`eq(vendorId,"${two.vendorId}")`, ['two']],
      ['and(eq(sender,"inbound"),eq(type,"text"),eq(status,"delivered"))', ['two', 'one']],
      ['eq(status,"failed")', []],
      ['startsWith(text,"TW")', ['two']],
      [`gt(timestamp,"${one.timestamp}")`, ['two']],
      [`le(createdAt,"${one.createdAt}")`, ['one']],
      ['isNull(vendorId)', []],
    ] as const)
      expect([query, textsOf(await search(tenant, { query }))]).toEqual([query, texts]);
    expect(textsOf(await search(tenant, { search: 'ON' }))).toEqual(['one']);
    expect(textsOf(await search(tenant, { search: two.id }))).toEqual(['two']);
  });

  it('sorts by texts', async () => {
    const { tenant } = await written([ADA, 'two'], [BOB, 'one'], [ADA, 'three']);
    expect(textsOf(await search(tenant, { sortBy: 'asc(text)' }))).toEqual(['one', 'three', 'two']);
  });

  it('in a chat returns its messages only', async () => {
    const { tenant } = await written([ADA, 'one'], [BOB, 'two'], [ADA, 'three']);
    const [{ chatId }] = (await search(tenant, { query: 'eq(text,"one")' })).data;
    const path = `/v3/chats/${chatId}/messages/search`;
    expect(textsOf(await search(tenant, {}, path))).toEqual(['three', 'one']);
    expect(textsOf(await search(tenant, { search: 't' }, path))).toEqual(['three']);
    expect(textsOf(await search(tenant, { query: 'eq(text,"two")' }, path))).toEqual([]);
    for (const id of [newId(), 'x']) {
      const answer = await tenant.post(`/v3/chats/${id}/messages/search`, {});
      expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'chat_not_found']);
    }
    const other = await server.tenant();
    expect((await other.post(path, {})).body.error.messageKey).toBe('chat_not_found');
  });

  it('in a chat is the same page by page, whether or not it names the order', async () => {
    const { tenant } = await written(
      [ADA, 'one'],
      [BOB, 'two'],
      [ADA, 'three'],
      [ADA, 'four'],
      [ADA, 'five'],
    );
    const [{ chatId }] = (await search(tenant, { query: 'eq(text,"one")' })).data;
    // Times of migrations have microseconds, and several messages may have the same.
    await server.system.db.query(
      `update messages set created_at = case when text in ('three', 'four') then timestamptz '2026-11-15T01:02:03.4Z'
         else timestamptz '2026-11-15T01:02:03.400007Z' + length(text) * interval '1 microsecond' end where tenant_id = $1`,
      [tenant.id],
    );
    const path = `/v3/chats/${chatId}/messages/search`;
    const readAll = async (body: object) => {
      const pages = [];
      let cursor: string | null = null;
      do {
        const page = await search(
          tenant,
          { ...body, pagination: cursor ? { limit: 1, cursor } : { limit: 1 } },
          path,
        );
        const { nextCursor, ...pagination } = page.pagination;
        pages.push({ data: page.data, pagination });
        cursor = nextCursor;
      } while (cursor !== null);
      return pages;
    };
    const plain = await readAll({});
    expect(plain).toHaveLength(4);
    expect(plain).toEqual(await readAll({ sortBy: 'desc(createdAt),desc(id)' }));
    expect(await search(tenant, { pagination: { page: 2, limit: 1 } }, path)).toMatchObject({
      data: plain[2]?.data,
      pagination: { page: 2, total: 4 },
    });
    expect((await search(tenant, { pagination: { page: 9, limit: 1 } }, path)).data).toEqual([]);
    const { body } = await tenant.post(path, { pagination: { cursor: 'x' } });
    expect(Object.keys(body.error.invalidParams)).toEqual(['pagination.cursor']);
  });

  it('says how many messages there are up to the end of the page if no total is asked for', async () => {
    const { tenant } = await written([ADA, 'one'], [ADA, 'two'], [ADA, 'three']);
    const [{ chatId }] = (await search(tenant, { query: 'eq(text,"one")' })).data;
    const path = `/v3/chats/${chatId}/messages/search`;
    for (const body of [{}, { sortBy: 'desc(createdAt),desc(id)' }, { query: 'ne(text,"four")' }]) {
      const read = async (more: object) =>
        (await search(tenant, { ...body, pagination: { limit: 1, withTotal: false, ...more } }, path))
          .pagination;
      const first = await read({});
      expect(first).toMatchObject({ total: 1, totalIsCapped: true });
      const second = await read({ cursor: first.nextCursor });
      expect(second).toMatchObject({ page: 1, total: 2, totalIsCapped: true });
      const third = { page: 2, limit: 1, total: 3, nextCursor: null };
      expect(await read({ cursor: second.nextCursor })).toEqual(third);
      expect(await read({ page: 2 })).toEqual(third);
      expect(await read({ page: 9 })).toEqual({ ...third, page: 9 });
    }
  });

  it('reads a page of a chat, the newest first, by one statement', async () => {
    const { tenant } = await written([ADA, 'one']);
    const [{ chatId }] = (await search(tenant, {})).data;
    const read = () => search(tenant, { sortBy: 'desc(createdAt)' }, `/v3/chats/${chatId}/messages/search`);
    await read();
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    expect((await read()).data).toHaveLength(1);
    const names = sent.mock.calls.map(([query]) => (query as { name?: string }).name ?? query);
    sent.mockRestore();
    expect(names).toEqual(['messages.chat_page']);
  });
});

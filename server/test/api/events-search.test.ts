import { describe, expect, it } from 'vitest';
import { publishMany } from '../kit/event-client.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const publish = (tenant: TestTenant, ...events: Parameters<typeof publishMany>[2]) =>
  publishMany(server.system.db, tenant.id, events);
const search = async (tenant: TestTenant, body: object = {}) =>
  (await tenant.post('/v3/events/search', body)).body;

describe('a search for events', () => {
  it('returns exactly what webhooks received', async () => {
    const tenant = await server.tenant();
    const receiver = await useReceiver();
    const channel = await tenant.channel();
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
    await server.settle();
    const { data } = await search(tenant, { sortBy: 'asc(sequence)' });
    expect(data.map((event: { type: string }) => event.type).sort()).toEqual([
      'chat.created',
      'contact.created',
      'message.received',
    ]);
    const sent = receiver.received.map(({ text }) => text).sort();
    expect(data.map((event: unknown) => JSON.stringify(event)).sort()).toEqual(sent);
  });

  it('filters and sorts by type, channelId, sequence, id and createdAt', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await publish(tenant, { type: 'chat.created', channelId: channel.id }, { type: 'contact.created' });
    server.clock.advance(1);
    await publish(tenant, { type: 'chat.read', channelId: channel.id });
    await server.settle();
    const all = (await search(tenant, { sortBy: 'asc(sequence)' })).data;
    expect(all.map((event: { sequence: number }) => event.sequence)).toEqual([1, 2, 3]);
    const typesOf = async (query: string, sortBy = 'asc(sequence)') =>
      (await search(tenant, { query, sortBy })).data.map((event: { type: string }) => event.type);
    expect(await typesOf('startsWith(type,"chat.")')).toEqual(['chat.created', 'chat.read']);
    expect(await typesOf(`eq(channelId,"${channel.id}")`)).toEqual(['chat.created', 'chat.read']);
    expect(await typesOf('isNull(channelId)')).toEqual(['contact.created']);
    expect(await typesOf('gt(sequence,1)', 'desc(sequence)')).toEqual(['chat.read', 'contact.created']);
    expect(await typesOf(`eq(id,"${all[0].id}")`)).toEqual(['chat.created']);
    expect(await typesOf(`gt(createdAt,"${all[0].createdAt}")`)).toEqual(['chat.read']);
    const newest = await search(tenant, { pagination: { limit: 1 } });
    expect(newest.data[0].type).toBe('chat.read');
    expect((await search(tenant, { search: 'CONTACT' })).data.map((one: { id: string }) => one.id)).toEqual([
      all[1].id,
    ]);
    const unknown = await search(tenant, { query: 'eq(data,"x")' });
    expect(unknown.error.invalidParams.query.message).toContain('data');
  });

  it('finds what is about a contact, in a chat, or has a text', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    for (const [from, text] of [
      ['+15550001111', 'The "blue" kettle\\ 🦊'],
      ['+15550002222', 'Something else'],
    ])
      await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
    await server.settle();
    const all = (await search(tenant, {})).data as { type: string; data: Record<string, unknown> }[];
    const one = all.find(({ data }) => String(data.text).includes('kettle'))?.data as Record<string, string>;
    const find = async (query: string) =>
      (await search(tenant, { query })).data.map((event: { type: string }) => event.type).sort();
    expect(await find(`eq(contactId,"${one.contactId}")`)).toEqual([
      'chat.created',
      'contact.created',
      'message.received',
    ]);
    expect(await find(`eq(chatId,"${one.chatId}")`)).toEqual(['chat.created', 'message.received']);
    expect(await find('contains(text,"KETTLE\\\\ 🦊")')).toEqual(['message.received']);
    expect(await find(`and(contains(text,"kettle"),eq(contactId,"${one.contactId}"))`)).toHaveLength(1);
    expect(await find('contains(text,"teapot")')).toEqual([]);
    expect(await find('and(startsWith(type,"chat."),contains(text,"kettle"))')).toEqual([]);
    const other = await server.tenant();
    expect((await search(other, { query: 'contains(text,"kettle")' })).data).toEqual([]);
    const sorted = (await search(tenant, { query: 'not(isNull(text))', sortBy: 'asc(text)' })).data;
    expect(sorted.map(({ data }: { data: { text: string } }) => data.text)).toEqual([
      'Something else',
      'The "blue" kettle\\ 🦊',
    ]);
  });

  it('does not find an event without a number, nor one of another tenant', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    await publish(tenant, {});
    expect((await search(tenant)).data).toEqual([]);
    await server.settle();
    expect((await search(tenant)).data).toHaveLength(1);
    expect((await search(other)).data).toEqual([]);
  });

  it('counts to 10,000, and pages through more by cursor without a gap', async () => {
    const tenant = await server.tenant();
    await publish(tenant, ...Array.from({ length: 10_050 }, () => ({})));
    await server.settle();
    const first = await search(tenant, { sortBy: 'asc(sequence)', pagination: { limit: 100 } });
    expect(first.pagination).toMatchObject({ total: 10_000, totalIsCapped: true });
    const seen = first.data.map((event: { sequence: number }) => event.sequence);
    let cursor = first.pagination.nextCursor;
    for (let page = 1; page < 4; page += 1) {
      const next = await search(tenant, { sortBy: 'asc(sequence)', pagination: { limit: 100, cursor } });
      seen.push(...next.data.map((event: { sequence: number }) => event.sequence));
      cursor = next.pagination.nextCursor;
    }
    expect(seen).toEqual(Array.from({ length: 400 }, (_, index) => index + 1));
  });
});

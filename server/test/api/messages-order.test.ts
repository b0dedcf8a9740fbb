import { expect, it } from 'vitest';
import { useGraph } from '../kit/graph.ts';
import { deliver, metaChannel, onlyChat, whatsappText } from '../kit/meta-channel.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const graph = await useGraph();
const CUSTOMER = '15550001111';

it('messages are in the order in which they came, wherever they are listed', async () => {
  const tenant = await server.tenant();
  const channel = await metaChannel(tenant, graph, 'whatsapp');
  const now = Math.floor(server.clock.now().getTime() / 1000);
  // By the vendor's clock the second one was written first.
  for (const [index, writtenAt] of [now, now - 120, now - 60].entries()) {
    await deliver(server, channel, whatsappText(graph, CUSTOMER, `wamid-${tenant.id}-${index}`, writtenAt));
    server.clock.advance(1000);
  }
  const { id: chatId } = await onlyChat(tenant);
  const vendorIdsOf = (data: { vendorId: string }[]) =>
    data.map(({ vendorId }) => vendorId.split('-').at(-1));
  const inChat = `/v3/chats/${chatId}/messages/search`;
  for (const [path, body] of [
    [inChat, {}],
    [inChat, { sortBy: 'desc(createdAt)' }],
    [inChat, { query: 'eq(sender,"inbound")' }],
    ['/v3/messages/search', {}],
    ['/v3/messages/search', { query: `eq(chatId,"${chatId}")` }],
  ] as const)
    expect([path, body, vendorIdsOf((await tenant.post(path, body)).body.data)]).toEqual([
      path,
      body,
      ['2', '1', '0'],
    ]);
  const paged: (string | undefined)[] = [];
  for (let cursor: string | undefined; paged.length < 3; ) {
    const { data, pagination } = (await tenant.post(inChat, { pagination: { limit: 1, cursor } })).body;
    paged.push(...vendorIdsOf(data));
    cursor = pagination.nextCursor;
  }
  expect(paged).toEqual(['2', '1', '0']);
  const byTimestamp = (await tenant.post(inChat, { sortBy: 'desc(timestamp)' })).body.data;
  expect(vendorIdsOf(byTimestamp)).toEqual(['0', '2', '1']);
  const events = await tenant.post('/v3/events/search', { query: 'eq(type,"message.received")' });
  expect(vendorIdsOf(events.body.data.map(({ data }: { data: { vendorId: string } }) => data))).toEqual([
    '2',
    '1',
    '0',
  ]);
  // The chat shows what was written last.
  expect(vendorIdsOf([(await tenant.get(`/v3/chats/${chatId}`)).body.data.latestMessage])).toEqual(['0']);
});

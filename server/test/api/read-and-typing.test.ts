import { beforeEach, describe, expect, it } from 'vitest';
import { useGraph } from '../kit/graph.ts';
import {
  deliver,
  instagramEntry,
  type MetaChannel,
  metaChannel,
  onlyChat,
  whatsappText,
} from '../kit/meta-channel.ts';
import { openChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const graph = await useGraph();
const ADA = '15550001111';
const IGSID = '200000000000001';

let tenant: TestTenant;
let userId: string;
let channel: MetaChannel;
let chatId: string;

const seconds = (): number => Math.floor(server.clock.now().getTime() / 1000);
const write = (id: string) => deliver(server, channel, whatsappText(graph, ADA, id, seconds()));
const read = async (body: object) => {
  const answer = await tenant.post(`/v3/chats/${chatId}/read`, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  await server.settle();
};
const present = async (body: object, chat = chatId) => {
  const answer = await tenant.post(`/v3/chats/${chat}/presence`, body);
  await server.settle();
  return answer;
};
const tasks = async () =>
  (await server.system.db.query('select kind from chat_tasks where tenant_id = $1', [tenant.id])).rows;

beforeEach(async () => {
  graph.signals.length = 0;
  tenant = await server.tenant();
  userId = (await tenant.post('/v3/users', { name: 'Grace', email: 'grace@example.com', role: 'agent' })).body
    .data.id;
  channel = await metaChannel(tenant, graph, 'whatsapp');
  await write(`wamid.first-${tenant.id}`);
  chatId = (await onlyChat(tenant)).id;
});

const receipt = (id: string) => ({ messaging_product: 'whatsapp', status: 'read', message_id: id });

describe('a read receipt', () => {
  it('goes out for the last message when a person reads the chat, once', async () => {
    server.clock.advance(1000);
    await write(`wamid.second-${tenant.id}`);
    await read({ userId });
    await read({ userId });
    expect(graph.signals).toEqual([receipt(`wamid.second-${tenant.id}`)]);
    expect(await tasks()).toEqual([]);
  });

  it('goes out again for what is written after it', async () => {
    await read({ userId });
    server.clock.advance(1000);
    await write(`wamid.later-${tenant.id}`);
    await read({ userId });
    expect(graph.signals.map(({ message_id }) => message_id)).toEqual([
      `wamid.first-${tenant.id}`,
      `wamid.later-${tenant.id}`,
    ]);
  });

  it('does not go out when a program reads the chat, or when it is marked as unread', async () => {
    await read({});
    await read({ isUnread: true, userId });
    expect(graph.signals).toEqual([]);
  });

  it('goes out when a person replies, and not when a program does', async () => {
    const reply = async (body: object) => {
      expect((await tenant.post(`/v3/chats/${chatId}/messages`, body)).status).toBe(200);
      await server.settle();
    };
    await reply({ text: 'I look', userId });
    expect(graph.signals).toEqual([receipt(`wamid.first-${tenant.id}`)]);
    server.clock.advance(1000);
    await write(`wamid.later-${tenant.id}`);
    await reply({ text: 'Done' });
    expect(graph.signals).toHaveLength(1);
  });

  it('that the vendor refuses changes nothing and is not tried again', async () => {
    graph.trouble({ status: 500, code: 131000, message: 'Something went wrong' });
    await read({ userId });
    server.clock.advance(3600_000);
    await server.settle();
    expect(graph.signals).toEqual([]);
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data).toMatchObject({ isUnread: false });
    expect(await tasks()).toEqual([]);
  });

  it('needs a user of the tenant', async () => {
    const outsider = (
      await (await server.tenant()).post('/v3/users', { name: 'Eve', email: 'e@example.com', role: 'agent' })
    ).body.data.id;
    const { status, body } = await tenant.post(`/v3/chats/${chatId}/read`, { userId: outsider });
    expect([status, Object.keys(body.error.invalidParams)]).toEqual([400, ['userId']]);
  });

  it('is deleted with its chat', async () => {
    expect((await tenant.post(`/v3/chats/${chatId}/read`, { userId })).status).toBe(200);
    expect((await tenant.delete(`/v3/chats/${chatId}`)).status).toBe(200);
    await server.settle();
    expect([graph.signals, await tasks()]).toEqual([[], []]);
  });
});

describe('a typing indicator', () => {
  it('on WhatsApp goes with the last message', async () => {
    const { status, body } = await present({ state: 'typing', userId });
    expect([status, body.data]).toEqual([200, { chatId, state: 'typing', isShown: true }]);
    expect(graph.signals).toEqual([
      { ...receipt(`wamid.first-${tenant.id}`), typing_indicator: { type: 'text' } },
    ]);
    expect((await present({ state: 'left', userId })).body.data.isShown).toBe(false);
    expect(graph.signals).toHaveLength(1);
  });

  it('is not shown for a program', async () => {
    expect((await present({ state: 'typing' })).body.data.isShown).toBe(false);
    expect(graph.signals).toEqual([]);
  });

  it('on Instagram begins and ends', async () => {
    const shop = await server.tenant();
    const account = await metaChannel(shop, graph, 'instagram');
    const text = { message: { mid: `mid-${shop.id}`, text: 'hello' } };
    await deliver(server, account, instagramEntry(graph, IGSID, server.clock.now().getTime(), text));
    const user = (await shop.post('/v3/users', { name: 'Grace', email: 'g@example.com', role: 'agent' })).body
      .data.id;
    const { id } = await onlyChat(shop);
    for (const [path, body] of [
      ['presence', { state: 'typing', userId: user }],
      ['presence', { state: 'left', userId: user }],
      ['read', { userId: user }],
    ] as const) {
      expect((await shop.post(`/v3/chats/${id}/${path}`, body)).status).toBe(200);
      await server.settle();
    }
    const recipient = { id: IGSID };
    expect(graph.signals).toEqual([
      { recipient, sender_action: 'typing_on' },
      { recipient, sender_action: 'typing_off' },
      { recipient, sender_action: 'mark_seen' },
    ]);
  });

  it('does not exist on SMS', async () => {
    const sms = await openChat(server, tenant, await tenant.channel('sms'));
    expect((await present({ state: 'typing', userId }, sms.id)).body.data.isShown).toBe(false);
  });

  it('of an unknown chat or state is refused', async () => {
    expect((await present({ state: 'typing', userId }, 'nope')).status).toBe(404);
    const { status, body } = await present({ state: 'thinking', userId });
    expect([status, Object.keys(body.error.invalidParams)]).toEqual([400, ['state']]);
  });
});

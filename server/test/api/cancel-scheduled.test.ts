import { beforeEach, expect, it } from 'vitest';
import { openChat, outboxOf, send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const HOUR = 3_600_000;

let tenant: TestTenant;
let channel: { id: string };
let chat: { id: string; contactId: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
  chat = await openChat(server, tenant, channel);
});

const schedule = () =>
  send(tenant, chat, {
    text: 'Later',
    scheduledAt: new Date(server.clock.now().getTime() + HOUR).toISOString(),
  });
const cancel = (id: string, from = tenant) => from.delete(`/v3/messages/${id}`);
const later = async () => {
  server.clock.advance(2 * HOUR);
  await server.settle();
};

it('a scheduled message that is cancelled is never sent, and its deletion is published without its text', async () => {
  const message = await schedule();
  expect((await cancel(message.id)).body.data).toEqual({ deletedIds: [message.id], notFoundIds: [] });
  await later();
  expect(await outboxOf(tenant, channel)).toEqual([]);
  expect((await tenant.get(`/v3/messages/${message.id}`)).body.error.messageKey).toBe('message_not_found');
  const { data } = (await tenant.post('/v3/events/search', { query: 'startsWith(type,"message.")' })).body;
  expect(data[0]).toMatchObject({ type: 'message.deleted', data: { id: message.id, text: null } });
  expect((await cancel(message.id)).body.data).toEqual({ deletedIds: [], notFoundIds: [message.id] });
});

it('a message that was sent, or has no time to wait for, is not cancelled', async () => {
  const scheduled = await schedule();
  await later();
  const [one] = await outboxOf(tenant, channel);
  expect(one).toMatchObject({ text: 'Later' });
  const now = await send(tenant, chat, { text: 'Now' });
  for (const { id } of [scheduled, now]) {
    const { status, body } = await cancel(id);
    expect([status, body.error.messageKey]).toEqual([409, 'conflict']);
  }
  await later();
  expect((await tenant.get(`/v3/messages/${now.id}`)).status).toBe(200);
});

it('A2: a message of another tenant is not found, and stays', async () => {
  const { id } = await schedule();
  expect((await cancel(id, await server.tenant())).body.data).toEqual({ deletedIds: [], notFoundIds: [id] });
  expect((await cancel('x')).body.data).toEqual({ deletedIds: [], notFoundIds: ['x'] });
  expect((await tenant.get(`/v3/messages/${id}`)).status).toBe(200);
});

import { beforeEach, expect, it } from 'vitest';
import { contactOf } from '../kit/consents.ts';
import { type Relay, useRelay } from '../kit/relay.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const ADA = 'ada@example.com';
let tenant: TestTenant;
let relay: Relay;
beforeEach(async () => {
  tenant = await server.tenant();
  relay = await useRelay();
});

it.each([
  [{ at: 'rcpt', code: 550 }, true],
  [{ at: 'rcpt', code: 551 }, true],
  [{ at: 'rcpt', code: 553, text: '5.1.3 bad address' }, true],
  [{ at: 'rcpt', code: 550, text: '5.7.1 refused by policy' }, false],
  [{ at: 'rcpt', code: 550, text: 'Your server is on a blocklist' }, false],
  [{ at: 'rcpt', code: 552, text: '5.2.2 mailbox full' }, false],
  [{ at: 'mail', code: 550 }, false],
  [{ at: 'data', code: 550 }, false],
] as const)('a relay’s %j marks the address as bad: %s', async (issue, isBad) => {
  const { body } = await tenant.post('/v3/channels', {
    kind: 'email',
    provider: 'smtp',
    name: 'Help',
    address: 'help@shop.test',
    config: { from: 'help@shop.test', smtp: { host: '127.0.0.1', port: relay.port } },
  });
  const contact = await tenant.post('/v3/contacts', { handles: [{ type: 'email', value: ADA }] });
  const contactId = contact.body.data.id;
  const chat = await tenant.post('/v3/chats', { contactId, channelId: body.data.id });
  relay.next(issue);
  const sent = await tenant.post(`/v3/chats/${chat.body.data.id}/messages`, { text: 'hello' });
  expect(sent.status).toBe(200);
  const { id } = sent.body.data;
  await server.settle();
  expect((await tenant.get(`/v3/messages/${id}`)).body.data.status).toBe('failed');
  const [handle] = (await contactOf(tenant, contactId)).handles;
  expect(handle.undeliverable).toHaveLength(isBad ? 1 : 0);
});

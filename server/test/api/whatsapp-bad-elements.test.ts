import { beforeEach, expect, it } from 'vitest';
import { type TestTenant, useServer } from '../kit/server.ts';
import { contactsOf, messagesOf, useNumber, type WhatsAppNumber } from '../kit/whatsapp.ts';

const server = await useServer();
const FROM = '15550001111';
let tenant: TestTenant;
let shop: WhatsAppNumber;
beforeEach(async () => {
  tenant = await server.tenant();
  shop = await useNumber(server, tenant);
});

const failedRequests = async () =>
  (await tenant.post(`/v3/channels/${shop.channelId}/failed_requests/search`, {})).body.data;
/** Until the last attempt. */
async function tryAgain(): Promise<void> {
  for (let times = 0; times < 6; times += 1) {
    server.clock.advance(60_000);
    await server.settle();
  }
}
const text = (id: string, body: string, more: object = {}) => ({
  from: FROM,
  id,
  timestamp: '1794704523',
  type: 'text',
  text: { body },
  ...more,
});
const texts = async () => (await messagesOf(tenant)).map((message: { text: string }) => message.text);

it('NUL and half a character in texts, names and forms are replaced, and everything is stored', async () => {
  const response = JSON.stringify({ 'a\0b': 'c\ud800d' });
  await shop.value({
    contacts: [{ profile: { name: 'A\0da \ud83dLovelace' }, wa_id: FROM }],
    messages: [
      text('wamid.1', 'before\0after \udc00'),
      {
        ...text('wamid.2', ''),
        type: 'interactive',
        interactive: {
          type: 'nfm_reply',
          nfm_reply: { name: 'flow', body: 'Sent', response_json: response },
        },
      },
    ],
  });
  expect(await messagesOf(tenant)).toMatchObject([
    { text: 'before\uFFFDafter \uFFFD' },
    { content: { response: { 'a\uFFFDb': 'c\uFFFDd' } } },
  ]);
  expect(await contactsOf(tenant)).toMatchObject([{ fullName: 'A\uFFFDda \uFFFDLovelace' }]);
  expect(await failedRequests()).toEqual([]);
});

it('a message or status that makes no sense fails alone, and its request is listed once with the reason', async () => {
  await shop.value({
    messages: [
      text('wamid.1', 'one'),
      text('wamid.2', 'no time', { timestamp: 'yesterday' }),
      { id: 'wamid.3', timestamp: '1794704523', type: 'text', text: { body: 'from nobody' } },
      text('wamid.4', 'four'),
    ],
    statuses: [
      { status: 'read', timestamp: '1794704523' },
      { id: 'wamid.5', status: 'read', timestamp: '1794704523', recipient_id: FROM },
    ],
  });
  expect(await texts()).toEqual(['one', 'four']);
  await tryAgain();
  const [failed, ...others] = await failedRequests();
  expect(others).toEqual([]);
  expect(failed.error).toContain('invalid time: "yesterday"');
  expect(failed.error).toContain('without a sender');
  expect(failed.error).toContain('without an id');
  // To be tried again after an update; what is stored is not stored again.
  await tenant.post(`/v3/channels/${shop.channelId}/failed_requests/${failed.id}/replay`);
  await server.settle();
  await tryAgain();
  expect(await texts()).toEqual(['one', 'four']);
  expect(await failedRequests()).toHaveLength(1);
});

it('a message that cannot be stored does not keep the others of its request', async () => {
  // The year 9999 is the last one that can be read back.
  await shop.value({
    messages: [
      text('wamid.1', 'one'),
      text('wamid.2', 'late', { timestamp: '999999999999999' }),
      text('wamid.3', 'three'),
    ],
  });
  expect(await texts()).toEqual(['one', 'three']);
  await tryAgain();
  expect(await texts()).toEqual(['one', 'three']);
  expect(await failedRequests()).toMatchObject([{ error: expect.stringContaining('out of range') }]);
});

import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { listener } from '../kit/events.ts';
import { useGraph } from '../kit/graph.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { contactsOf, messagesOf, useNumber, type WhatsAppNumber } from '../kit/whatsapp.ts';

const server = await useServer();
const graph = await useGraph();
const [BUSINESS, ADA, BOB] = ['15550009999', '16505551234', '12125557890'];
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
  graph.taken.length = 0;
});

const message = (id: string, from: string, timestamp: string, content: object, status = 'READ') => ({
  id,
  from,
  timestamp,
  history_context: { status },
  ...content,
});
const text = (body: string) => ({ type: 'text', text: { body } });
const history = {
  history: [
    {
      metadata: { phase: 0, chunk_order: 1, progress: 55 },
      threads: [
        {
          id: ADA,
          context: { wa_id: ADA, user_id: 'US.111' },
          messages: [
            message('wamid.1', BUSINESS, '1739230955', text('Here is what you asked for')),
            message('wamid.2', BUSINESS, '1739230970', { type: 'media_placeholder' }, 'PLAYED'),
            message('wamid.3', ADA, '1739230980', text('STOP')),
          ],
        },
        { id: BOB, messages: [message('wamid.4', BUSINESS, '1739230990', text('Thanks'), 'DELIVERED')] },
      ],
    },
  ],
};
const file = {
  messages: [
    {
      id: 'wamid.2',
      from: BUSINESS,
      to: ADA,
      timestamp: '1739230970',
      type: 'image',
      image: { id: '4711', mime_type: 'image/png', caption: 'A plant' },
    },
  ],
};
const state = {
  state_sync: [
    {
      type: 'contact',
      action: 'add',
      contact: { full_name: 'Ada Lovelace', first_name: 'Ada', phone_number: ADA },
      metadata: { timestamp: '1739321024' },
    },
    {
      type: 'contact',
      action: 'remove',
      contact: { phone_number: BOB },
      metadata: { timestamp: '1739321024' },
    },
  ],
};
const countIgnored = async (): Promise<number> => {
  const { text } = await server.call('GET', '/metrics');
  const line = /^parley_vendor_requests_ignored_total\{provider="whatsapp_cloud",reason="history"\} (\d+)$/m;
  return Number(line.exec(text)?.[1] ?? 0);
};

describe('the history of the WhatsApp Business app', () => {
  let shop: WhatsAppNumber;
  beforeEach(async () => {
    shop = await useNumber(server, tenant, graph, { importHistory: true });
  });

  it('is imported once, with its times and statuses, and nothing reacts to it', async () => {
    await automationOf(tenant, {
      trigger: { type: 'message_received' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Hello' } }],
    });
    await automationOf(tenant, {
      trigger: { type: 'contact_created' },
      steps: [{ id: 'hello', type: 'send_message', parameters: { text: 'Welcome' } }],
    });
    const published = listener(server, tenant);
    for (let time = 0; time < 2; time += 1) await shop.change('history', history);
    expect(await messagesOf(tenant)).toMatchObject([
      {
        sender: 'outbound',
        text: 'Here is what you asked for',
        status: 'read',
        timestamp: '2025-02-10T23:42:35.000Z',
      },
      { sender: 'outbound', type: 'unsupported', content: { vendorType: 'media_placeholder' } },
      { sender: 'inbound', text: 'STOP', timestamp: '2025-02-10T23:43:00.000Z' },
      { sender: 'outbound', text: 'Thanks', status: 'delivered' },
    ]);
    const chats = (await tenant.post('/v3/chats/search', { sortBy: 'asc(createdAt)' })).body.data;
    const nothing = { status: 'closed', isUnread: false, unreadCount: 0, waitingSince: null };
    expect(chats).toMatchObject([
      { ...nothing, latestMessage: { text: 'STOP' } },
      { ...nothing, latestMessage: { text: 'Thanks' } },
    ]);
    expect(await contactsOf(tenant)).toMatchObject([
      { isSubscribed: true, handles: [{ value: `+${ADA}` }, { value: 'US.111' }] },
      { isSubscribed: true, phoneNumber: `+${BOB}` },
    ]);
    const types = (await published()).map(({ type }) => type).sort();
    expect(types).toEqual(['chat.created', 'chat.created', 'contact.created', 'contact.created']);
    expect((await tenant.post('/v3/automation_runs/search', {})).body.data).toEqual([]);
    expect(graph.taken).toEqual([]);
  });

  it('gets its files when they come', async () => {
    graph.files.set('4711', { bytes: Buffer.from('a plant'), mimeType: 'image/png', filename: 'plant.png' });
    await shop.change('history', history);
    for (let time = 0; time < 2; time += 1) await shop.change('history', file);
    const [, picture, ...others] = await messagesOf(tenant);
    expect(picture).toMatchObject({
      type: 'image',
      text: 'A plant',
      status: 'read',
      media: [{ fileId: expect.any(String), filename: expect.any(String) }],
    });
    expect(others).toHaveLength(2);
  });

  it('gets its files also if they come at once', async () => {
    graph.files.set('4711', { bytes: Buffer.from('a plant'), mimeType: 'image/png', filename: 'plant.png' });
    const metadata = { phone_number_id: shop.phoneNumberId };
    const values = [history, file].map((value) => ({ field: 'history', value: { metadata, ...value } }));
    expect(await shop.post(values)).toBe(200);
    await server.settle();
    const [, picture, ...others] = await messagesOf(tenant);
    expect(picture).toMatchObject({ type: 'image', status: 'read', media: [{ fileId: expect.any(String) }] });
    expect(others).toHaveLength(2);
  });

  it('leaves a chat as it is in which somebody waits, and goes on with what is written now', async () => {
    await shop.text({ number: ADA }, 'I am here');
    await shop.change('history', history);
    const [chat] = (await tenant.post('/v3/chats/search', { query: `eq(unreadCount,1)` })).body.data;
    expect(chat).toMatchObject({ status: 'open', latestMessage: { text: 'I am here' } });
    await shop.text({ number: BOB }, 'Thank you');
    const [bob] = (await tenant.post('/v3/chats/search', { sortBy: 'desc(updatedAt)' })).body.data;
    expect(bob).toMatchObject({ status: 'open', unreadCount: 1 });
  });

  it('names the contacts of its address book, and removes none', async () => {
    await tenant.post('/v3/contacts', { firstName: 'Robert', phoneNumber: `+${BOB}` });
    for (let time = 0; time < 2; time += 1) await shop.change('smb_app_state_sync', state);
    expect(await contactsOf(tenant)).toMatchObject([
      { fullName: 'Robert' },
      { fullName: 'Ada Lovelace', phoneNumber: `+${ADA}` },
    ]);
  });

  it('may be declined by the business', async () => {
    await shop.change('history', {
      history: [{ errors: [{ code: 2593109, title: 'History sync is turned off' }] }],
    });
    expect(await messagesOf(tenant)).toEqual([]);
    const failed = await tenant.post(`/v3/channels/${shop.channelId}/failed_requests/search`, {});
    expect(failed.body.data).toEqual([]);
  });
});

it('is only counted for a channel without importHistory', async () => {
  const shop = await useNumber(server, tenant);
  const before = await countIgnored();
  await shop.change('history', history);
  await shop.change('smb_app_state_sync', state);
  expect(await countIgnored()).toBe(before + 2);
  expect([await messagesOf(tenant), await contactsOf(tenant)]).toEqual([[], []]);
});

it('importHistory is true or false', async () => {
  const answer = await tenant.post('/v3/channels', {
    kind: 'whatsapp',
    provider: 'whatsapp_cloud',
    name: 'Shop',
    address: '+15550009999',
    config: { importHistory: 'yes' },
  });
  expect(answer.body.error.invalidParams['config.importHistory']).toMatchObject({
    message: 'Must be true or false',
  });
});

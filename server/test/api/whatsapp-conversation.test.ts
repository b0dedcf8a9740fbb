import { beforeEach, expect, it } from 'vitest';
import { signedRequest } from '../../src/providers/meta/signature.ts';
import { pathOfUrl, upload } from '../kit/files.ts';
import { useGraph } from '../kit/graph.ts';
import { bySequence, type Receiver, useReceiver } from '../kit/receiver.ts';
import { messageOf, send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { subscribe } from '../kit/webhooks.ts';

const server = await useServer();
const { clock } = server;
const SECRET = 'the-secret-of-the-app';
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const ADA = '15550002345';

const graph = await useGraph();
let receiver: Receiver;
let tenant: TestTenant;
let channel: { id: string };
let numbers = 5550;
beforeEach(async () => {
  // Channels are cached by their number for some seconds, so each test has its own number.
  numbers += 1;
  Object.assign(graph, { phoneNumberId: `1${numbers}`, businessAccountId: `2${numbers}` });
  graph.subscribed.add(graph.businessAccountId);
  graph.taken.length = 0;
  receiver = await useReceiver();
  tenant = await server.tenant();
  const made = await tenant.post('/v3/channels', {
    kind: 'whatsapp',
    provider: 'whatsapp_cloud',
    name: 'Shop',
    address: '+15550009999',
    config: {
      phoneNumberId: graph.phoneNumberId,
      businessAccountId: graph.businessAccountId,
      accessToken: graph.token,
      appSecret: SECRET,
      verifyToken: 'shown-once',
      baseUrl: graph.url,
    },
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  channel = made.body.data;
  expect((await tenant.post(`/v3/channels/${channel.id}/check`)).body.data).toEqual({
    ok: true,
    problems: [],
  });
  await subscribe(tenant, receiver.url, [{ type: 'message.*' }, { type: 'template.*' }]);
});

const seconds = (): string => String(Math.floor(clock.now().getTime() / 1000));

/** Posts a change to the app's URL as Meta does, twice, as after a lost answer. */
async function postChange(field: string, value: object): Promise<void> {
  const payload = {
    object: 'whatsapp_business_account',
    entry: [{ id: graph.businessAccountId, time: Number(seconds()), changes: [{ field, value }] }],
  };
  const { headers, body: raw } = signedRequest(payload, '', SECRET);
  for (let time = 0; time < 2; time += 1)
    expect((await server.call('POST', '/providers/whatsapp_cloud', { raw, headers })).status).toBe(200);
  await server.settle();
}
const metadata = () => ({ display_phone_number: '15550009999', phone_number_id: graph.phoneNumberId });
const written = (message: object) =>
  postChange('messages', {
    messaging_product: 'whatsapp',
    metadata: metadata(),
    contacts: [{ profile: { name: 'Ada Lovelace' }, wa_id: ADA }],
    messages: [{ from: ADA, timestamp: seconds(), ...message }],
  });
const status = (id: string, is: string, more: object = {}) =>
  postChange('messages', {
    messaging_product: 'whatsapp',
    metadata: metadata(),
    statuses: [{ id, status: is, timestamp: seconds(), recipient_id: ADA, ...more }],
  });

/** The events that the webhook has received since the last call. */
const heard = (): [string, string][] =>
  bySequence(receiver.received.splice(0)).map(({ body }) => [body.type, body.data.status]);
const conversation = async () =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(timestamp)', pagination: { limit: 100 } })).body
    .data;
const onlyChat = async () => {
  const { data } = (await tenant.post('/v3/chats/search', {})).body;
  expect(data).toHaveLength(1);
  return data[0];
};

it('a text and a picture are received, a reply is sent and its statuses arrive, each once', async () => {
  graph.files.set('8801', { bytes: PICTURE, mimeType: 'image/png', filename: '' });
  await written({ id: 'wamid.in1', type: 'text', text: { body: 'Grüße! Is it open? 🎉' } });
  clock.advance(1000);
  const image = { id: '8801', mime_type: 'image/png', sha256: '…', caption: 'this one' };
  await written({ id: 'wamid.in2', type: 'image', image });
  const chat = await onlyChat();
  expect(chat).toMatchObject({
    channelId: channel.id,
    unreadCount: 2,
    contact: { fullName: 'Ada Lovelace' },
  });
  const [text, picture, ...more] = await conversation();
  expect(more).toEqual([]);
  expect(text).toMatchObject({ sender: 'inbound', type: 'text', text: 'Grüße! Is it open? 🎉' });
  expect(picture).toMatchObject({
    type: 'image',
    text: 'this one',
    media: [{ fileId: expect.any(String), mimeType: 'image/png', size: PICTURE.length }],
  });
  const file = await server.call('GET', pathOfUrl(picture.media[0].url));
  expect([file.status, file.bytes]).toEqual([200, PICTURE]);
  expect(heard()).toEqual([
    ['message.received', 'delivered'],
    ['message.received', 'delivered'],
    ['message.updated', 'delivered'],
  ]);

  const reply = await send(tenant, chat, { text: 'Until six.', replyToMessageId: text.id });
  await server.settle();
  expect(graph.taken).toEqual([
    {
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: ADA,
      type: 'text',
      text: { body: 'Until six.', preview_url: false },
      context: { message_id: 'wamid.in1' },
      biz_opaque_callback_data: reply.id,
    },
  ]);
  const { vendorId } = await messageOf(tenant, reply.id);
  for (const is of ['sent', 'delivered', 'read', 'delivered'])
    await status(vendorId, is, { biz_opaque_callback_data: reply.id });
  expect(await messageOf(tenant, reply.id)).toMatchObject({ status: 'read', error: null });
  expect(heard()).toEqual([
    ['message.sent', 'sent'],
    ['message.delivered', 'delivered'],
    ['message.read', 'read'],
  ]);
  expect(await onlyChat()).toMatchObject({ unreadCount: 0, latestMessage: { id: reply.id } });
  expect(await conversation()).toHaveLength(3);
  expect(graph.taken).toHaveLength(1);
});

it('an uploaded file is uploaded to Meta and sent by its id there', async () => {
  await written({ id: 'wamid.in3', type: 'text', text: { body: 'The invoice?' } });
  const fileId = (await upload(tenant, 'an invoice', 'invoice.txt')).body.data.id;
  const sent = await send(tenant, await onlyChat(), { media: { fileId }, text: 'Here.' });
  await server.settle();
  expect(await messageOf(tenant, sent.id)).toMatchObject({ status: 'sent', type: 'document' });
  const [{ document }] = graph.taken;
  expect(document).toEqual({ id: expect.any(String), filename: 'invoice.txt', caption: 'Here.' });
  expect(graph.files.get(document.id)).toMatchObject({
    bytes: Buffer.from('an invoice'),
    filename: 'invoice.txt',
  });
});

it('a message that Meta refuses fails with Meta’s error', async () => {
  await written({ id: 'wamid.in4', type: 'text', text: { body: 'Hello?' } });
  const chat = await onlyChat();
  heard();
  graph.trouble({ status: 400, code: 131026, message: 'Message undeliverable' });
  const refused = await send(tenant, chat, { text: 'Hi' });
  await server.settle();
  expect(await messageOf(tenant, refused.id)).toMatchObject({ status: 'failed', error: { code: '131026' } });
  const late = await send(tenant, chat, { text: 'Hi again' });
  await server.settle();
  const { vendorId } = await messageOf(tenant, late.id);
  await status(vendorId, 'failed', {
    errors: [{ code: 131049, title: 'Not delivered', message: 'Not now' }],
  });
  expect(await messageOf(tenant, late.id)).toMatchObject({ status: 'failed', error: { code: '131049' } });
  expect(heard()).toEqual([
    ['message.failed', 'failed'],
    ['message.sent', 'sent'],
    ['message.failed', 'failed'],
  ]);
});

it('a template is submitted, approved, changed, approved again, and sent after the reply window', async () => {
  await written({ id: 'wamid.in5', type: 'text', text: { body: 'See you' } });
  const chat = await onlyChat();
  const made = await tenant.post('/v3/message_templates', {
    channelId: channel.id,
    name: 'order_ready',
    language: 'en_US',
    category: 'utility',
    body: 'Order {{order}} is ready, {{name}}.',
    buttons: [{ type: 'url', text: 'Track', url: 'https://shop.example/{{order}}' }],
  });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  const { id: templateId } = made.body.data;
  const shown = async () => (await tenant.get(`/v3/message_templates/${templateId}`)).body.data;
  const template = { templateId, variables: { order: 'A-7', name: 'Ada' } };
  const sendTemplate = () => tenant.post(`/v3/chats/${chat.id}/messages`, { template });
  await server.settle();
  expect(graph.templates).toMatchObject([{ name: 'order_ready', parameter_format: 'NAMED' }]);
  expect((await shown()).status).toBe('pending');
  expect((await sendTemplate()).body.error).toMatchObject({ message: expect.stringContaining('is pending') });

  const decided = (event: string) =>
    postChange('message_template_status_update', {
      event,
      message_template_id: Number(graph.templates[0].id),
      message_template_name: 'order_ready',
      message_template_language: 'en_US',
      reason: 'NONE',
    });
  await decided('APPROVED');
  expect((await shown()).status).toBe('approved');
  const body = 'Your order {{order}} is ready, {{name}}.';
  expect((await tenant.put(`/v3/message_templates/${templateId}`, { body })).status).toBe(200);
  await server.settle();
  expect(graph.templates).toMatchObject([{ status: 'PENDING', components: [{ text: body }, {}] }]);
  expect((await shown()).status).toBe('pending');
  clock.advance(1000);
  await decided('APPROVED');
  expect(await shown()).toMatchObject({ status: 'approved', rejectionReason: null });

  clock.advance(24 * 3600_000);
  const late = await tenant.post(`/v3/chats/${chat.id}/messages`, { text: 'Still there?' });
  expect(late.status).toBe(409);
  expect(late.body.error.message).toContain('only a template can be sent');
  heard();
  const sent = await sendTemplate();
  expect([sent.status, sent.body.error]).toEqual([200, undefined]);
  await server.settle();
  expect(graph.taken).toMatchObject([
    {
      type: 'template',
      template: {
        name: 'order_ready',
        language: { code: 'en_US' },
        components: [
          {
            type: 'body',
            parameters: [
              { type: 'text', parameter_name: 'order', text: 'A-7' },
              { type: 'text', parameter_name: 'name', text: 'Ada' },
            ],
          },
          { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: 'A-7' }] },
        ],
      },
    },
  ]);
  expect(await messageOf(tenant, sent.body.data.id)).toMatchObject({
    status: 'sent',
    type: 'template',
    text: 'Your order A-7 is ready, Ada.',
  });
  expect(heard()).toEqual([['message.sent', 'sent']]);
});

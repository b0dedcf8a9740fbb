import { beforeEach, describe, expect, it } from 'vitest';
import { listener } from '../kit/events.ts';
import { upload } from '../kit/files.ts';
import {
  approvedTemplate,
  customers,
  type Kind,
  messageOf,
  openChat,
  outboxOf,
  send,
  type TestChat,
} from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer({ maxFileBytes: 8 * 1024 * 1024 });
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

/** A chat on a channel of this kind, and the file and the template of the messages below. */
async function fixtures(kind: Kind) {
  const channel = await tenant.channel(kind);
  const chat = await openChat(server, tenant, channel, customers[kind]);
  const fileId = (await upload(tenant, PNG, 'picture.png')).body.data.id as string;
  const { publicUrl } = (await tenant.get(`/v3/files/${fileId}/public_url`)).body.data;
  const templateId = await approvedTemplate(server, tenant, {
    channelId: channel.id,
    name: 'order_shipped',
    body: 'Hello {{name}}, order {{1}} is on its way.',
  });
  const found = await tenant.post(`/v3/chats/${chat.id}/messages/search`, {});
  const [{ id: messageId, vendorId }] = found.body.data;
  return {
    channel,
    chat,
    fileId,
    publicUrl,
    templateId,
    messageId,
    vendorId,
  };
}
type Fixtures = Awaited<ReturnType<typeof fixtures>>;

const link = (name: string): string => `https://files.example.com/${name}`;
const elsewhere = (name: string, mimeType: string) => ({
  fileId: null,
  url: link(name),
  mimeType,
  filename: name,
  size: null,
});
const buttons = [
  { id: 'yes', title: 'Yes' },
  { id: 'no', title: 'No' },
];
const list = { button: 'Choose', sections: [{ title: 'Sizes', rows: [{ id: 's', title: 'Small' }] }] };

/** Everything that can be sent: the kinds of channels, the body of the request, and the message. */
const contents: [string, Kind[], (at: Fixtures) => object, (at: Fixtures) => object][] = [
  [
    'a text',
    ['whatsapp', 'sms', 'email', 'instagram'],
    () => ({ text: 'Yes, it is.' }),
    () => ({ type: 'text', text: 'Yes, it is.', media: [], content: {} }),
  ],
  [
    'a file of ours, by what it is',
    ['whatsapp', 'sms', 'email', 'instagram'],
    ({ fileId }) => ({ media: { fileId } }),
    ({ fileId, publicUrl }) => ({
      type: 'image',
      text: null,
      media: [{ fileId, url: publicUrl, mimeType: 'image/png', filename: 'picture.png', size: PNG.length }],
    }),
  ],
  [
    'a video that is elsewhere',
    ['whatsapp', 'sms', 'email', 'instagram'],
    () => ({ media: { url: link('film.mp4') } }),
    () => ({ type: 'video', media: [elsewhere('film.mp4', 'video/mp4')] }),
  ],
  [
    'a recording',
    ['whatsapp', 'sms', 'email', 'instagram'],
    () => ({ media: [{ url: link('voice.mp3') }] }),
    () => ({ type: 'audio', media: [elsewhere('voice.mp3', 'audio/mpeg')] }),
  ],
  [
    'a document with a caption',
    ['whatsapp', 'sms', 'email'],
    () => ({ media: { url: link('bill.pdf') }, text: 'Your bill' }),
    () => ({ type: 'document', text: 'Your bill', media: [elsewhere('bill.pdf', 'application/pdf')] }),
  ],
  [
    'several files at once',
    ['sms', 'email'],
    ({ fileId }) => ({ media: [{ fileId }, { url: link('bill.pdf') }] }),
    ({ fileId }) => ({
      type: 'document',
      media: [expect.objectContaining({ fileId }), elsewhere('bill.pdf', 'application/pdf')],
    }),
  ],
  [
    'a sticker',
    ['whatsapp'],
    () => ({ type: 'sticker', media: { url: link('wave.webp') } }),
    () => ({ type: 'sticker', media: [elsewhere('wave.webp', 'image/webp')] }),
  ],
  [
    'a place',
    ['whatsapp'],
    () => ({ location: { latitude: 52.52, longitude: 13.405, name: 'Shop' } }),
    () => ({
      type: 'location',
      content: { latitude: 52.52, longitude: 13.405, name: 'Shop', address: null },
    }),
  ],
  [
    'buttons',
    ['whatsapp'],
    () => ({ text: 'Shall I?', interactive: { buttons } }),
    () => ({ type: 'interactive', text: 'Shall I?', content: { buttons } }),
  ],
  [
    'a list',
    ['whatsapp'],
    () => ({ text: 'Which size?', interactive: { list } }),
    () => ({ type: 'interactive', content: { list } }),
  ],
  [
    'a reaction',
    ['whatsapp'],
    ({ messageId }) => ({ reaction: { messageId, emoji: '👍' } }),
    ({ messageId }) => ({
      type: 'reaction',
      content: { messageId, emoji: '👍' },
      replyToMessageId: messageId,
    }),
  ],
  [
    'a template',
    ['whatsapp', 'sms', 'email', 'instagram'],
    ({ templateId }) => ({ template: { templateId, variables: { name: 'Ada', 1: '42' } } }),
    ({ templateId }) => ({
      type: 'template',
      text: 'Hello Ada, order 42 is on its way.',
      content: { templateId, variables: { name: 'Ada', 1: '42' } },
    }),
  ],
  [
    'a mail with an attachment',
    ['email'],
    ({ fileId }) => ({
      email: { subject: 'Your order', html: '<p>It is on its way.</p>', cc: ['Boss@Example.com'] },
      text: 'It is on its way.',
      media: { fileId },
    }),
    ({ fileId }) => ({
      type: 'email',
      text: 'It is on its way.',
      media: [expect.objectContaining({ fileId })],
      content: { subject: 'Your order', html: '<p>It is on its way.</p>', cc: ['boss@example.com'] },
    }),
  ],
];
const onEveryKind = contents.flatMap(([name, kinds, ask, expected]) =>
  kinds.map((kind) => [name, kind, ask, expected] as const),
);

describe('sending', () => {
  it.each(onEveryKind)('%s on %s: queued, accepted once, with events', async (_, kind, ask, expected) => {
    const at = await fixtures(kind);
    const newEvents = listener(server, tenant);
    await newEvents();
    const queued = await send(tenant, at.chat, ask(at));
    expect(queued).toMatchObject({
      chatId: at.chat.id,
      channelId: at.channel.id,
      contactId: at.chat.contactId,
      sender: 'outbound',
      author: { type: 'api' },
      status: 'queued',
      vendorId: null,
      error: null,
      scheduledAt: null,
      ...expected(at),
    });
    expect(await messageOf(tenant, queued.id)).toEqual(queued);
    expect(await newEvents()).toEqual([]);
    await server.settle();
    const outbox = await outboxOf(tenant, at.channel);
    expect(outbox).toEqual([
      expect.objectContaining({
        messageId: queued.id,
        to: customers[kind],
        type: queued.type,
        text: queued.text,
        content: expect.objectContaining(queued.content),
      }),
    ]);
    const media = (outbox[0].content.media ?? []).map(({ url }: { url: string }) => url);
    expect(media).toEqual(queued.media.map(({ url }: { url: string }) => url));
    const sent = await messageOf(tenant, queued.id);
    expect(sent).toEqual({ ...queued, status: 'sent', vendorId: outbox[0].vendorId });
    expect(sent.vendorId).toContain(queued.id);
    const events = await newEvents();
    expect(events.map(({ type, data }) => [type, data])).toEqual([['message.sent', sent]]);
  });

  it('a reply names its message, to the vendor by the vendor’s id', async () => {
    const at = await fixtures('whatsapp');
    const queued = await send(tenant, at.chat, { text: 'To this.', replyToMessageId: at.messageId });
    expect(queued.replyToMessageId).toBe(at.messageId);
    await server.settle();
    expect((await outboxOf(tenant, at.channel))[0].content).toEqual({ replyTo: at.vendorId });
  });

  it('marks the chat as read, and is its latest message immediately', async () => {
    const { chat } = await fixtures('whatsapp');
    const before = (await tenant.get(`/v3/chats/${chat.id}`)).body.data;
    expect([before.unreadCount, before.isUnread]).toEqual([1, true]);
    server.clock.advance(1000);
    const queued = await send(tenant, chat, { text: 'Yes' });
    const after = (await tenant.get(`/v3/chats/${chat.id}`)).body.data;
    expect(after).toMatchObject({ unreadCount: 0, isUnread: false, status: 'open' });
    expect(after.latestMessage).toEqual(queued);
    // A message that was written before the reply and arrives after it is read.
    expect(after.openUntil).toBe(before.openUntil);
  });

  it('in a sensitive chat has events without content', async () => {
    const { chat, channel } = await fixtures('whatsapp');
    await tenant.put(`/v3/chats/${chat.id}`, { isSensitive: true });
    const newEvents = listener(server, tenant);
    await newEvents();
    const queued = await send(tenant, chat, { text: 'between us' });
    await server.settle();
    const [event] = await newEvents();
    expect(event).toMatchObject({ type: 'message.sent', data: { id: queued.id, text: null, content: {} } });
    expect((await outboxOf(tenant, channel))[0].text).toBe('between us');
    expect(server.logged.join()).not.toContain('between us');
  });

  it('50 at once to one chat: all are sent, in order, each once', async () => {
    const { chat, channel } = await fixtures('sms');
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, number) => send(tenant, chat, { text: `message ${number}` })),
    );
    await server.settle();
    const inOrder = answers.map(({ id }) => id).sort();
    expect(
      (await outboxOf(tenant, channel)).map(({ messageId }: { messageId: string }) => messageId),
    ).toEqual(inOrder);
  });

  it('the same request with the same key is one message', async () => {
    const { chat, channel } = await fixtures('sms');
    const headers = { 'idempotency-key': 'once' };
    const path = `/v3/chats/${chat.id}/messages`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => tenant.post(path, { text: 'once' }, { headers })),
    );
    const again = await tenant.post(path, { text: 'once' }, { headers });
    expect(again.headers['idempotent-replayed']).toBe('true');
    const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.data.id);
    expect(new Set([...made, again.body.data.id]).size).toBe(1);
    await server.settle();
    expect(await outboxOf(tenant, channel)).toHaveLength(1);
  });
});

describe('sending to a recipient', () => {
  const written = async (channelId: string, more: object): Promise<TestChat & { chatId: string }> => {
    const answer = await tenant.post('/v3/messages', { channelId, text: 'hello', ...more });
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    return answer.body.data;
  };

  it('by an unknown number creates a contact and a chat, once', async () => {
    const channel = await tenant.channel('sms');
    const newEvents = listener(server, tenant);
    const all = await Promise.all(
      Array.from({ length: 10 }, () => written(channel.id, { to: ' +1 202 555 0123' })),
    );
    expect(new Set(all.map(({ chatId }) => chatId)).size).toBe(1);
    const contact = (await tenant.get(`/v3/contacts/${all[0]?.contactId}`)).body.data;
    expect(contact).toMatchObject({ phoneNumber: '+12025550123', firstName: null });
    await server.settle();
    const types = (await newEvents()).map(({ type }) => type);
    expect(types.filter((type) => !type.startsWith('message.')).sort()).toEqual([
      'chat.created',
      'contact.created',
    ]);
    expect(await outboxOf(tenant, channel)).toHaveLength(10);
  });

  it('that is a contact uses the handle of the channel’s type', async () => {
    const made = await tenant.post('/v3/contacts', { phoneNumber: '+12025550123', email: 'ada@example.com' });
    for (const kind of ['sms', 'email'] as const) {
      const channel = await tenant.channel(kind);
      await written(channel.id, { contactId: made.body.data.id });
      await server.settle();
      const [accepted] = await outboxOf(tenant, channel);
      expect(accepted.to).toBe(kind === 'sms' ? '+12025550123' : 'ada@example.com');
    }
  });

  it('by a WhatsApp id works without a number', async () => {
    const channel = await tenant.channel('whatsapp');
    const templateId = await approvedTemplate(server, tenant, { channelId: channel.id });
    const { chatId } = await written(channel.id, {
      to: 'US.13491208655302741918',
      text: undefined,
      template: { templateId },
    });
    const { handle } = (await tenant.get(`/v3/chats/${chatId}`)).body.data;
    expect(handle).toMatchObject({ type: 'whatsapp_id', value: 'US.13491208655302741918' });
  });

  it.each<[string, object, string]>([
    ['neither contact nor handle', {}, 'contactId'],
    ['both', { contactId: '019a82a0-0000-7000-8000-00000000ffff', to: '+12025550123' }, 'contactId'],
    ['a number that no country has', { to: '+1' }, 'to'],
    ['a number without its country', { to: '2025550123' }, 'to'],
  ])('is refused with %s, and no contact is created', async (_, more, path) => {
    const channel = await tenant.channel('sms');
    const answer = await tenant.post('/v3/messages', { channelId: channel.id, text: 'hello', ...more });
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, [path]]);
    expect((await tenant.post('/v3/contacts/search', {})).body.pagination.total).toBe(0);
  });

  it('creates no contact if the message itself is refused', async () => {
    const channel = await tenant.channel('whatsapp');
    const answer = await tenant.post('/v3/messages', {
      channelId: channel.id,
      to: '+12025550123',
      text: 'a',
    });
    expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
    expect((await tenant.post('/v3/contacts/search', {})).body.pagination.total).toBe(0);
  });

  it('of another tenant, or on another tenant’s channel, is refused like an unknown one', async () => {
    const other = await server.tenant();
    const foreign = await other.channel('sms');
    const foreignContact = (await other.post('/v3/contacts', { phoneNumber: '+12025550123' })).body.data.id;
    const channel = await tenant.channel('sms');
    const to = (channelId: string, contactId: string) =>
      tenant.post('/v3/messages', { channelId, contactId, text: 'hello' });
    expect((await to(channel.id, foreignContact)).body.error.messageKey).toBe('contact_not_found');
    expect((await to(foreign.id, foreignContact)).body.error.invalidParams).toHaveProperty('channelId');
  });
});

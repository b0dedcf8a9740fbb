import { beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, useReceiver, verifySignature } from '../kit/receiver.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
let receiver: Receiver;
beforeEach(async () => {
  receiver = await useReceiver();
});

describe('a message written in the sandbox', () => {
  it('reaches the webhook, signed, as the API shows it', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const { body: hook } = await tenant.post('/v3/api_webhooks', {
      url: receiver.url,
      events: [{ type: 'message.received', scopes: [{ type: 'channel', ids: [channel.id] }] }],
    });
    const written = await tenant.post(`/v3/sandbox/${channel.id}/inbound`, {
      from: '15550001111',
      name: 'Ada Lovelace',
      text: 'Is this still available?',
    });
    expect(written.status).toBe(200);
    await server.settle();

    expect(receiver.received).toHaveLength(1);
    const [delivery] = receiver.received as [(typeof receiver.received)[0]];
    expect(verifySignature(hook.data.secret, delivery)).toEqual(delivery.body);
    expect(delivery.headers['webhook-id']).toBe(delivery.body.id);
    expect(Object.keys(delivery.body)).toEqual([
      'id',
      'type',
      'createdAt',
      'tenantId',
      'channelId',
      'sequence',
      'data',
    ]);
    expect(delivery.body).toMatchObject({
      type: 'message.received',
      tenantId: tenant.id,
      channelId: channel.id,
      data: {
        vendorId: written.body.data.vendorId,
        sender: 'inbound',
        author: { type: 'contact' },
        type: 'text',
        text: 'Is this still available?',
      },
    });

    const chat = await tenant.get(`/v3/chats/${delivery.body.data.chatId}`);
    expect(chat.body.data).toMatchObject({
      status: 'open',
      isUnread: true,
      unreadCount: 1,
      openUntil: '2026-11-16T01:02:03.456Z',
      channelId: channel.id,
      contact: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        fullName: 'Ada Lovelace',
        displayName: 'Ada Lovelace',
        phoneNumber: '+15550001111',
        email: null,
        isSubscribed: true,
        labels: [],
        attributes: [],
        metadata: {},
      },
      handle: {
        type: 'phone_number',
        value: '+15550001111',
        isPrimary: true,
        hasChats: true,
        extra: { name: 'Ada Lovelace' },
      },
      assignedUserId: null,
      assignedTeamId: null,
      isSensitive: false,
    });
    expect(chat.body.data.latestMessage).toEqual(delivery.body.data);
    expect(chat.body.data.contact.chats).toEqual([
      { id: chat.body.data.id, channelId: channel.id, status: 'open', updatedAt: chat.body.data.updatedAt },
    ]);
  });

  it('tells of a new contact and a new chat before the message, in sequence', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'one' });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'two' });
    await server.settle();
    const events = receiver.received.map(({ body }) => body).sort((a, b) => a.sequence - b.sequence);
    expect(events.map((event) => [event.sequence, event.type, event.data.text])).toEqual([
      [1, 'contact.created', undefined],
      [2, 'chat.created', undefined],
      [3, 'message.received', 'one'],
      [4, 'message.received', 'two'],
    ]);
    const chat = await tenant.get(`/v3/chats/${events[1].data.id}`);
    expect(chat.body.data.unreadCount).toBe(2);
    expect(chat.body.data.latestMessage.text).toBe('two');
  });
});

describe('a message', () => {
  it('comes from a handle of the channel kind', async () => {
    const tenant = await server.tenant();
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'chat.created' }] });
    const senders = {
      whatsapp: ['15550001111', { type: 'phone_number', value: '+15550001111' }, '2026-11-16T01:02:03.456Z'],
      sms: ['+15550002222', { type: 'phone_number', value: '+15550002222' }, null],
      email: ['Ada@Example.com', { type: 'email', value: 'ada@example.com' }, null],
      instagram: ['ada.l', { type: 'instagram_id', value: 'ada.l' }, '2026-11-16T01:02:03.456Z'],
    } as const;
    server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
    for (const [kind, [from, handle, openUntil]] of Object.entries(senders)) {
      const channel = await tenant.channel(kind);
      await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text: 'hello' });
      await server.settle();
      expect(receiver.received.at(-1)?.body.data, kind).toMatchObject({ handle, openUntil });
    }
  });
});

describe('a delivery that fails', () => {
  it('is tried again under the same id with the same bytes, and every attempt is recorded', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const { body: hook } = await tenant.post('/v3/api_webhooks', {
      url: receiver.url,
      events: [{ type: 'message.*' }],
    });
    receiver.answerWith(500, { status: 503, headers: { 'retry-after': '3600' }, body: 'busy' });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
    await server.settle();
    expect(receiver.received).toHaveLength(1);
    server.clock.advance(7_000);
    await server.settle();
    expect(receiver.received).toHaveLength(2);
    server.clock.advance(3590_000);
    await server.settle();
    expect(receiver.received).toHaveLength(2);
    server.clock.advance(15_000);
    await server.settle();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ text }) => text)).size).toBe(1);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    for (const delivery of receiver.received) verifySignature(hook.data.secret, delivery);

    const page = await tenant.post(`/v3/api_webhooks/${hook.data.id}/deliveries/search`, {
      query: 'eq(status,"delivered")',
    });
    expect(page.body.pagination.total).toBe(1);
    const whole = await tenant.get(`/v3/webhook_deliveries/${page.body.data[0].id}`);
    expect(whole.body.data).toMatchObject({
      status: 'delivered',
      attemptCount: 3,
      nextAttemptAt: null,
      attempts: [
        { number: 1, response: { status: 500 } },
        { number: 2, response: { status: 503, body: 'busy', headers: { 'retry-after': '3600' } } },
        { number: 3, response: { status: 200 }, error: null },
      ],
    });
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
const receiver = await useReceiver();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';

let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
  receiver.received.length = 0;
});

/** A contact who wrote once, on a channel of this kind. */
async function personOn(
  kind: string,
  from: string,
): Promise<{ contactId: string; channelId: string; chatId: string }> {
  const channel = await tenant.channel(kind);
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text: 'hello', name: 'Ada Lovelace' });
  await server.settle();
  const [chat] = (await tenant.post('/v3/chats/search', { query: `eq(channelId,"${channel.id}")` })).body
    .data;
  return { contactId: chat.contactId, channelId: channel.id, chatId: chat.id };
}

const addHandle = (contactId: string, type: string, value: string, isPrimary = false) =>
  db.query(
    `insert into handles (id, tenant_id, contact_id, type, value, is_primary, extra, created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, '{}', $7, $7)`,
    [newId(), tenant.id, contactId, type, value, isPrimary, server.clock.now()],
  );
const start = (contactId: string, channelId: string) => tenant.post('/v3/chats', { contactId, channelId });
const chatsOf = async (channelId: string): Promise<number> =>
  (await db.query('select 1 from chats where channel_id = $1', [channelId])).rows.length;

describe('starting a chat', () => {
  it('creates an open chat without messages, with an event', async () => {
    const { contactId } = await personOn('sms', '+15550001111');
    const channel = await tenant.channel('whatsapp');
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    const { body } = await start(contactId, channel.id);
    expect(body.data).toMatchObject({
      status: 'open',
      isUnread: false,
      unreadCount: 0,
      openUntil: null,
      snoozedUntil: null,
      latestMessage: null,
      channelId: channel.id,
      contactId,
      contact: { fullName: 'Ada Lovelace' },
      handle: { type: 'phone_number', value: '+15550001111', hasChats: true },
      assignedUserId: null,
      isSensitive: false,
    });
    expect((await tenant.get(`/v3/chats/${body.data.id}`)).body.data).toEqual(body.data);
    await server.settle();
    expect(receiver.received.map(({ body: event }) => [event.type, event.channelId, event.data])).toEqual([
      ['chat.created', channel.id, body.data],
    ]);
    // A reply of the contact arrives in it.
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'yes?' });
    await server.settle();
    expect((await tenant.get(`/v3/chats/${body.data.id}`)).body.data.latestMessage.text).toBe('yes?');
    expect(await chatsOf(channel.id)).toBe(1);
  });

  it('returns the existing chat, unchanged and without an event', async () => {
    const { contactId, channelId, chatId } = await personOn('whatsapp', '+15550001111');
    await tenant.post(`/v3/chats/${chatId}/status`, { status: 'closed' });
    await server.settle();
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{}] });
    const before = (await tenant.get(`/v3/chats/${chatId}`)).body.data;
    server.clock.advance(60_000);
    expect((await start(contactId, channelId.toUpperCase())).body.data).toEqual(before);
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data).toEqual(before);
    await server.settle();
    expect(receiver.received).toEqual([]);
  });

  it('50 times at once creates one chat and one event', async () => {
    const { contactId } = await personOn('sms', '+15550001111');
    const channel = await tenant.channel('sms');
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'chat.created' }] });
    const answers = await Promise.all(Array.from({ length: 50 }, () => start(contactId, channel.id)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await chatsOf(channel.id)).toBe(1);
    await server.settle();
    expect(receiver.received).toHaveLength(1);
  });

  it('while the contact writes for the first time also creates one chat', async () => {
    const { contactId } = await personOn('sms', '+15550001111');
    const channel = await tenant.channel('sms');
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
    const [answer] = await Promise.all([start(contactId, channel.id), server.settle()]);
    expect(answer.status).toBe(200);
    await server.settle();
    const chat = (await tenant.get(`/v3/chats/${answer.body.data.id}`)).body.data;
    expect(chat.unreadCount).toBe(1);
    expect(await chatsOf(channel.id)).toBe(1);
  });

  it.each([
    ['whatsapp', 'phone_number', '+15550003333'],
    ['sms', 'phone_number', '+15550003333'],
    ['email', 'email', 'ada@example.com'],
    ['instagram', 'instagram_id', 'ada.l'],
  ])('on %s uses the contact’s %s', async (kind, type, value) => {
    const { contactId } = await personOn(kind, value);
    const channel = await tenant.channel(kind);
    expect((await start(contactId, channel.id)).body.data.handle).toMatchObject({ type, value });
  });

  it('prefers the primary number, and a WhatsApp id where there is no number', async () => {
    const { contactId } = await personOn('instagram', 'ada.l');
    const whatsapp = await tenant.channel('whatsapp');
    await addHandle(contactId, 'whatsapp_id', 'US.123');
    const byId = (await start(contactId, whatsapp.id)).body.data;
    expect(byId.handle.value).toBe('US.123');
    await addHandle(contactId, 'phone_number', '+15550004444');
    await addHandle(contactId, 'phone_number', '+15550005555', true);
    const byNumber = (await start(contactId, whatsapp.id)).body.data;
    expect(byNumber.handle.value).toBe('+15550005555');
    expect(byNumber.id).not.toBe(byId.id);
    expect((await start(contactId, whatsapp.id)).body.data.id).toBe(byNumber.id);
  });

  it('needs a handle of the channel’s type', async () => {
    const { contactId } = await personOn('email', 'ada@example.com');
    const channel = await tenant.channel('whatsapp');
    const answer = await start(contactId, channel.id);
    expect(answer.body.error.invalidParams).toEqual({
      contactId: {
        key: 'custom',
        message:
          'The contact has no handle of the type phone_number or whatsapp_id, which whatsapp channels need',
      },
    });
    expect(await chatsOf(channel.id)).toBe(0);
  });

  it('A2: with another tenant’s contact or channel is refused like with an unknown one', async () => {
    const ours = await personOn('sms', '+15550001111');
    const us = tenant;
    tenant = await server.tenant();
    const theirs = await personOn('sms', '+15550001111');
    tenant = us;
    for (const id of [theirs.contactId, UNKNOWN]) {
      const answer = await start(id, ours.channelId);
      expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'contact_not_found']);
    }
    for (const id of [theirs.channelId, UNKNOWN]) {
      const answer = await start(ours.contactId, id);
      expect(answer.body.error.invalidParams).toEqual({
        channelId: { key: 'custom', message: `There is no channel ${id}` },
      });
    }
    expect([await chatsOf(ours.channelId), await chatsOf(theirs.channelId)]).toEqual([1, 1]);
  });

  it('on a channel that is being deleted succeeds or is refused, never partly', async () => {
    const { contactId } = await personOn('sms', '+15550001111');
    for (let times = 0; times < 5; times += 1) {
      const channel = await tenant.channel('sms');
      const [answer, gone] = await Promise.all([
        start(contactId, channel.id),
        tenant.delete(`/v3/channels/${channel.id}`),
      ]);
      expect([200, 400]).toContain(answer.status);
      expect(gone.body.data.deletedIds).toEqual([channel.id]);
      expect(await chatsOf(channel.id)).toBe(0);
    }
  });
});

describe('a snooze', () => {
  it('ends before the year 10000, with any offset', async () => {
    const { chatId } = await personOn('sms', '+15550001111');
    const answer = await tenant.post(`/v3/chats/${chatId}/status`, {
      status: 'snoozed',
      snoozedUntil: '9999-12-31T23:59:59-12:00',
    });
    expect(answer.body.error.invalidParams).toEqual({
      snoozedUntil: { key: 'custom', message: 'Must be before the year 10000' },
    });
    const last = '9999-12-31T23:59:59.999Z';
    const snoozed = await tenant.post(`/v3/chats/${chatId}/status`, {
      status: 'snoozed',
      snoozedUntil: last,
    });
    expect(snoozed.body.data.snoozedUntil).toBe(last);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import type { SendResult } from '../../src/providers/outgoing-message.ts';
import { listener } from '../kit/events.ts';
import { upload } from '../kit/files.ts';
import {
  adaptersWith,
  chatWith,
  messageOf,
  openChat,
  outboxOf,
  send,
  type TestChat,
  taken,
  testVendor,
  vendorChat,
} from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const vendor = testVendor();
const adapters = adaptersWith(vendor);
const server = await useServer({ adapters });
const { clock } = server;
const { db } = server.system;
const START = clock.now();
const MINUTE = 60_000;
const DAY = 24 * 3600_000;

let tenant: TestTenant;
let chat: TestChat;
beforeEach(async () => {
  clock.set(START);
  tenant = await server.tenant();
  chat = await vendorChat(tenant);
  vendor.forget();
});

const later = async (ms: number): Promise<void> => {
  clock.advance(ms);
  await server.settle();
};
const texts = (): (string | null)[] => vendor.arrived.map(({ text }) => text);
const busy = async (): Promise<SendResult> => ({
  ok: false,
  error: { code: '429', message: 'busy' },
  retry: 'backoff',
  retryAfterMs: MINUTE,
});
const statusOf = async (message: { id: string }): Promise<string> =>
  (await messageOf(tenant, message.id)).status;

describe('messages of a chat', () => {
  it('are sent one after another, in the order in which they were written', async () => {
    let underWay = 0;
    let most = 0;
    const slow = async (message: Parameters<typeof taken>[0]): Promise<SendResult> => {
      underWay += 1;
      most = Math.max(most, underWay);
      await new Promise((resolve) => setTimeout(resolve, 2));
      underWay -= 1;
      return taken(message);
    };
    vendor.answerWith(...Array(20).fill(slow));
    const names = Array.from({ length: 20 }, (_, number) => `message ${number}`);
    for (const text of names) await send(tenant, chat, { text });
    await server.settle();
    expect(texts()).toEqual(names);
    expect(most).toBe(1);
  });

  it('wait behind one that waits for a retry, and those of other chats do not', async () => {
    const other = await chatWith(tenant, chat.channelId, '+12025550124');
    vendor.answerWith(busy);
    await send(tenant, chat, { text: 'first' });
    await server.settle();
    await send(tenant, chat, { text: 'second' });
    await send(tenant, other, { text: 'elsewhere' });
    await server.settle();
    expect(texts()).toEqual(['first', 'elsewhere']);
    await later(MINUTE * 1.2);
    expect(texts()).toEqual(['first', 'elsewhere', 'first', 'second']);
  });

  it('are sent after one that failed', async () => {
    vendor.answerWith(async () => ({ ok: false, error: { code: 'a', message: 'a' }, retry: 'never' }));
    const messages = [
      await send(tenant, chat, { text: 'first' }),
      await send(tenant, chat, { text: 'second' }),
    ];
    await server.settle();
    expect(await Promise.all(messages.map(statusOf))).toEqual(['failed', 'sent']);
  });

  it('are sent once, even if two workers both own the channel', async () => {
    const chats = [chat];
    for (let number = 0; number < 20; number += 1)
      chats.push(await chatWith(tenant, chat.channelId, `+120255501${String(30 + number)}`));
    const second = await useServer({
      connection: { connectionString: server.databaseUrl },
      clock,
      adapters,
    });
    for (let number = 0; number < 5; number += 1)
      await Promise.all(chats.map((one) => send(tenant, one, { text: `message ${number}` })));
    for (let round = 0; round < 3; round += 1) await Promise.all([server.settle(), second.settle()]);
    await second.stop();
    await server.settle();
    expect(vendor.arrived).toHaveLength(chats.length * 5);
    expect(new Set(vendor.arrived.map(({ id }) => id)).size).toBe(chats.length * 5);
    const { rows } = await db.query(
      `select status, count(*)::int as count from messages where tenant_id = $1 group by status`,
      [tenant.id],
    );
    expect(rows).toEqual([{ status: 'sent', count: chats.length * 5 }]);
    const toOne = vendor.arrived.filter(({ to }) => to.value === '+12025550135').map(({ text }) => text);
    expect(toOne).toEqual(Array.from({ length: 5 }, (_, number) => `message ${number}`));
  });
});

describe('a scheduled message', () => {
  const at = (ms: number): string => new Date(clock.now().getTime() + ms).toISOString();

  it('is sent at its time, and only then is it the latest and the chat read', async () => {
    const channel = await tenant.channel('sms');
    const open = await openChat(server, tenant, channel);
    const scheduledAt = at(DAY);
    const message = await send(tenant, open, { text: 'tomorrow', scheduledAt });
    expect(message).toMatchObject({ status: 'queued', scheduledAt });
    const chatNow = async () => (await tenant.get(`/v3/chats/${open.id}`)).body.data;
    expect(await chatNow()).toMatchObject({ unreadCount: 1, latestMessage: { text: 'hello' } });
    await send(tenant, open, { text: 'today' });
    await later(DAY - 1);
    expect((await outboxOf(tenant, channel)).map(({ text }: { text: string }) => text)).toEqual(['today']);
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550002345', text: 'still there?' });
    await server.settle();
    expect(await chatNow()).toMatchObject({ unreadCount: 1, latestMessage: { text: 'still there?' } });
    await later(1);
    expect((await outboxOf(tenant, channel)).map(({ text }: { text: string }) => text)).toEqual([
      'today',
      'tomorrow',
    ]);
    expect(await chatNow()).toMatchObject({
      unreadCount: 0,
      latestMessage: { id: message.id, status: 'sent' },
    });
    expect(await messageOf(tenant, message.id)).toMatchObject({
      status: 'sent',
      scheduledAt,
      timestamp: scheduledAt,
    });
  });

  it('does not delay messages before its time, and keeps its place among later ones', async () => {
    await send(tenant, chat, { text: 'in an hour', scheduledAt: at(60 * MINUTE) });
    await send(tenant, chat, { text: 'now' });
    await server.settle();
    expect(texts()).toEqual(['now']);
    clock.advance(60 * MINUTE + 1);
    await send(tenant, chat, { text: 'after it' });
    await server.settle();
    expect(texts()).toEqual(['now', 'in an hour', 'after it']);
  });

  it('is checked again: after the reply window it fails and is not sent', async () => {
    const channel = await tenant.channel('whatsapp');
    const open = await openChat(server, tenant, channel);
    const hear = listener(server, tenant);
    await hear();
    const message = await send(tenant, open, { text: 'too late', scheduledAt: at(2 * DAY) });
    await later(2 * DAY);
    expect(await messageOf(tenant, message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'window_closed' },
    });
    expect((await hear()).map(({ type }) => type)).toEqual(['message.failed']);
    expect(await outboxOf(tenant, channel)).toEqual([]);
    expect((await tenant.get(`/v3/chats/${open.id}`)).body.data.unreadCount).toBe(1);
  });

  it('is checked again: it fails for a number that has opted out meanwhile', async () => {
    const message = await send(tenant, chat, { text: 'hello', scheduledAt: at(DAY) });
    await db.query(
      `update contacts set is_subscribed = false,
              subscriptions = '{"sms": {"status": "unsubscribed", "source": "contact", "at": "2026-11-15T00:00:00.000Z"}}'
        where tenant_id = $1`,
      [tenant.id],
    );
    await later(DAY);
    expect(await messageOf(tenant, message.id)).toMatchObject({
      status: 'failed',
      error: { code: 'opted_out' },
    });
    expect(vendor.arrived).toEqual([]);
  });

  it('is checked again: a template that was deleted meanwhile is not sent', async () => {
    const made = await tenant.post('/v3/message_templates', {
      channelId: chat.channelId,
      name: 'hello',
      language: 'en',
      body: 'Hello',
    });
    const template = { templateId: made.body.data.id };
    const message = await send(tenant, chat, { template, scheduledAt: at(DAY) });
    await tenant.delete(`/v3/message_templates/${made.body.data.id}`);
    await later(DAY);
    expect((await messageOf(tenant, message.id)).error.code).toBe('template_gone');
  });
});

describe('a deletion while messages wait', () => {
  const remaining = async (): Promise<number> =>
    (await db.query('select 1 from messages where tenant_id = $1', [tenant.id])).rows.length;

  it.each([
    ['the chat', () => tenant.delete(`/v3/chats/${chat.id}`)],
    ['the contact', () => tenant.delete(`/v3/contacts/${chat.contactId}`)],
    ['the channel', () => tenant.delete(`/v3/channels/${chat.channelId}`)],
  ])('%s: nothing is sent', async (_, remove) => {
    await send(tenant, chat, { text: 'never' });
    await send(tenant, chat, {
      text: 'later',
      scheduledAt: new Date(clock.now().getTime() + DAY).toISOString(),
    });
    expect((await remove()).status).toBe(200);
    await server.settle();
    await later(DAY);
    expect(vendor.arrived).toEqual([]);
    expect(await remaining()).toBe(0);
  });

  it.each([
    ['the chat', () => tenant.delete(`/v3/chats/${chat.id}`)],
    ['the contact', () => tenant.delete(`/v3/contacts/${chat.contactId}`)],
    ['the channel', () => tenant.delete(`/v3/channels/${chat.channelId}`)],
  ])('%s, while the vendor is called: nothing fails, and the next message is not sent', async (_, remove) => {
    const failuresBefore = server.logged.filter((line) => line.includes('work failed')).length;
    vendor.answerWith(async (message) => {
      expect((await remove()).status).toBe(200);
      return taken(message);
    });
    await send(tenant, chat, { text: 'under way' });
    await send(tenant, chat, { text: 'never' });
    await server.settle();
    expect(texts()).toEqual(['under way']);
    expect(await remaining()).toBe(0);
    expect(server.logged.filter((line) => line.includes('work failed')).length).toBe(failuresBefore);
  });

  it('of a file: the message fails with the reason', async () => {
    const fileId = (await upload(tenant, 'hello', 'a.txt')).body.data.id;
    const scheduledAt = new Date(clock.now().getTime() + MINUTE).toISOString();
    const message = await send(tenant, chat, { media: { fileId }, scheduledAt });
    await tenant.delete(`/v3/files/${fileId}`);
    await server.settle();
    await later(MINUTE);
    expect((await messageOf(tenant, message.id)).error.code).toBe('file_gone');
    expect(vendor.arrived).toEqual([]);
  });
});

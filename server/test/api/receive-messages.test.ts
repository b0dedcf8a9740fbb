import { describe, expect, it } from 'vitest';
import { receiveMessages } from '../../src/messages/inbound/messages.ts';
import type { InboundMessage } from '../../src/providers/inbound-event.ts';
import { inboundMessage, sandboxBody, storeInbound } from '../kit/inbound.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { workerDeps } from '../kit/worker-deps.ts';

const server = await useServer();
const { db } = server.system;
const ADA = '+15550001111';
const at = (seconds: number): Date => new Date(server.clock.now().getTime() + seconds * 1000);

const receive = (tenant: TestTenant, channel: { id: string }, messages: InboundMessage[]): Promise<void> =>
  db
    .forTenant(tenant.id)
    .transaction((tx) =>
      receiveMessages(
        tx,
        { id: channel.id, kind: 'whatsapp', config: {}, consent: {} },
        messages,
        workerDeps(server, db),
      ),
    );
const rowsOf = async (table: string, tenant: TestTenant): Promise<Record<string, unknown>[]> =>
  (await db.query(`select * from ${table} where tenant_id = $1`, [tenant.id])).rows;
const eventsOf = async (tenant: TestTenant) =>
  (
    await db.query('select type, data from events where tenant_id = $1 order by position', [tenant.id])
  ).rows.map((row) => ({ type: row.type, data: JSON.parse(row.data as string) }));

describe('receiving', () => {
  it('stores one message when the vendor sends it 50 times at once (R10)', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const same = inboundMessage('once', ADA, at(0));
    await Promise.all(Array.from({ length: 50 }, () => receive(tenant, channel, [same])));
    server.clock.advance(7 * 24 * 3600_000);
    await receive(tenant, channel, [same, same]);
    expect(await rowsOf('messages', tenant)).toHaveLength(1);
    expect(await rowsOf('chats', tenant)).toMatchObject([{ unread_count: 1 }]);
    expect((await eventsOf(tenant)).map((event) => event.type)).toEqual([
      'contact.created',
      'chat.created',
      'message.received',
    ]);
  });

  it('creates one contact and two chats when two channels receive a new sender at once', async () => {
    const tenant = await server.tenant();
    const channels = await Promise.all([tenant.channel(), tenant.channel('sms')]);
    for (let person = 0; person < 10; person += 1)
      await Promise.all(
        channels.map((channel, which) =>
          receive(tenant, channel, [inboundMessage(`${which}.${person}`, `+1555000200${person}`, at(0))]),
        ),
      );
    expect(await rowsOf('contacts', tenant)).toHaveLength(10);
    expect(await rowsOf('handles', tenant)).toHaveLength(10);
    expect(await rowsOf('chats', tenant)).toHaveLength(20);
    const types = (await eventsOf(tenant)).map((event) => event.type);
    expect(types.filter((type) => type === 'contact.created')).toHaveLength(10);
    expect(types.filter((type) => type === 'chat.created')).toHaveLength(20);
  });

  it('keeps senders apart when many write at once, in batches that overlap in every order', async () => {
    const tenant = await server.tenant();
    const channels = await Promise.all([tenant.channel(), tenant.channel()]);
    const senders = Array.from({ length: 40 }, (_, index) => `+155500030${String(index).padStart(2, '0')}`);
    await Promise.all(
      Array.from({ length: 12 }, (_, batch) => {
        const turned = [...senders.slice(batch * 3), ...senders.slice(0, batch * 3)];
        if (batch % 2) turned.reverse();
        const messages = turned.map((from) => inboundMessage(`${batch}.${from}`, from, at(batch)));
        return receive(tenant, channels[batch % 2] as { id: string }, messages);
      }),
    );
    expect(await rowsOf('contacts', tenant)).toHaveLength(40);
    expect(await rowsOf('messages', tenant)).toHaveLength(480);
    const chats = await rowsOf('chats', tenant);
    expect(chats).toHaveLength(80);
    expect(chats.every((chat) => chat.unread_count === 6)).toBe(true);
  });

  it('stores the first of two messages with the same id in a batch', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await receive(tenant, channel, [
      inboundMessage('a', ADA, at(0), 'first'),
      inboundMessage('b', ADA, at(0), 'second'),
      inboundMessage('a', ADA, at(0), 'again'),
    ]);
    const received = (await eventsOf(tenant)).filter((event) => event.type === 'message.received');
    expect(received.map((event) => event.data.text)).toEqual(['first', 'second']);
    const [chat] = await rowsOf('chats', tenant);
    const shown = await tenant.get(`/v3/chats/${chat?.id}`);
    expect(shown.body.data).toMatchObject({ unreadCount: 2, latestMessage: { text: 'second' } });
  });

  it('counts the messages after the last read, and shows the latest by time, in any order of arrival', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await receive(tenant, channel, [inboundMessage('5', ADA, at(5))]);
    await db.query('update chats set read_at = $2, unread_count = 0 where tenant_id = $1', [
      tenant.id,
      at(6),
    ]);
    await receive(
      tenant,
      channel,
      ['9', '3', '7'].map((id) => inboundMessage(id, ADA, at(Number(id)))),
    );
    await receive(tenant, channel, [inboundMessage('8', ADA, at(8))]);
    const [chat] = await rowsOf('chats', tenant);
    const shown = await tenant.get(`/v3/chats/${chat?.id}`);
    expect(shown.body.data).toMatchObject({ unreadCount: 3, latestMessage: { text: '9' } });
  });

  it('reopens a closed chat with an event', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await receive(tenant, channel, [inboundMessage('1', ADA, at(1))]);
    await db.query(`update chats set status = 'closed' where tenant_id = $1`, [tenant.id]);
    await receive(tenant, channel, [inboundMessage('1', ADA, at(1))]);
    expect(await rowsOf('chats', tenant)).toMatchObject([{ status: 'closed' }]);
    await receive(tenant, channel, [inboundMessage('2', ADA, at(2))]);
    const [, , , changed, received] = await eventsOf(tenant);
    expect(changed).toMatchObject({
      type: 'chat.status_changed',
      data: { status: 'open', unreadCount: 2, latestMessage: { text: '2' } },
    });
    expect(received).toMatchObject({ type: 'message.received', data: { text: '2' } });
  });

  it('leaves the content of a sensitive chat out of events, but not out of the API', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await receive(tenant, channel, [inboundMessage('1', ADA, at(1))]);
    await db.query(`update chats set is_sensitive = true, status = 'closed' where tenant_id = $1`, [
      tenant.id,
    ]);
    await receive(tenant, channel, [inboundMessage('2', ADA, at(2), 'my secret')]);
    const events = (await eventsOf(tenant)).slice(3);
    expect(events.map((event) => event.type)).toEqual(['chat.status_changed', 'message.received']);
    expect(JSON.stringify(events)).not.toContain('my secret');
    expect(events[1]?.data).toMatchObject({ text: null, vendorId: '2' });
    const shown = await tenant.get(`/v3/chats/${events[1]?.data.chatId}`);
    expect(shown.body.data.latestMessage.text).toBe('my secret');
  });
});

describe('an invalid request', () => {
  const hello = (id: string) => ({ id, from: ADA, at: at(0), text: 'hello' });
  const as = (bytes: Buffer) => () => bytes;
  it.each<[string, (proper: Buffer) => Buffer]>([
    ['is no JSON', as(Buffer.from('<xml/>'))],
    ['is empty', as(Buffer.alloc(0))],
    ['begins with NUL, which no error text may hold', as(Buffer.from('\0\0'))],
    ['has bytes that are no UTF-8', as(Buffer.from([0xff, 0xfe, 0x00]))],
    ['lists nothing', as(Buffer.from('{}'))],
    ['has no vendor id', (proper) => Buffer.from(proper.toString().replace('"id":"x"', '"no":"x"'))],
    [
      'was written on no day',
      (proper) => Buffer.from(proper.toString().replace(/"timestamp":"[^"]*"/, '"timestamp":"someday"')),
    ],
    [
      'was written in the year 10000',
      (proper) =>
        Buffer.from(proper.toString().replace(/"timestamp":"[^"]*"/, '"timestamp":"253402300800000"')),
    ],
  ])('fails alone, after all attempts, and stays listed: it %s', async (_name, spoil) => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const body = spoil(await sandboxBody(channel, hello('x')));
    const neighbours = await Promise.all(['before', 'after'].map((id) => sandboxBody(channel, hello(id))));
    const [, bad] = await storeInbound(db.forTenant(tenant.id), channel.id, [
      neighbours[0] as Buffer,
      body,
      neighbours[1] as Buffer,
    ]);
    await server.settle();
    expect((await rowsOf('messages', tenant)).map((row) => row.vendor_id).toSorted()).toEqual([
      'after',
      'before',
    ]);
    for (let attempts = 1; attempts < 5; attempts += 1) {
      expect(await rowsOf('inbound', tenant)).toMatchObject([{ id: bad, attempts }]);
      server.clock.advance(60_000);
      await server.settle();
    }
    const [listed] = await rowsOf('inbound', tenant);
    expect(listed).toMatchObject({ id: bad, attempts: 5, due_at: null });
    expect(listed?.error).toMatch(/rror/);
    server.clock.advance(24 * 3600_000);
    await server.settle();
    expect(await rowsOf('inbound', tenant)).toEqual([listed]);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { messageTypes } from '../../src/providers/kinds.ts';
import { listener } from '../kit/events.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import {
  ADA,
  echoed,
  type PigeonChannel,
  pigeonChannel,
  postEvents,
  withPigeon,
  written,
} from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const { db } = server.system;
const at = (seconds: number): Date => new Date(server.clock.now().getTime() + seconds * 1000);

let tenant: TestTenant;
let channel: PigeonChannel;
let newEvents: ReturnType<typeof listener>;
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await pigeonChannel(tenant);
  newEvents = listener(server, tenant);
});

const receive = async (
  ...events: Parameters<typeof postEvents> extends [unknown, unknown, ...infer E] ? E : never
) => {
  await postEvents(server, channel, ...events);
  await server.settle();
};
// biome-ignore lint/suspicious/noExplicitAny: messages of every shape
const messages = async (): Promise<any[]> =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(timestamp)', pagination: { limit: 100 } })).body
    .data;
// biome-ignore lint/suspicious/noExplicitAny: contacts of every shape
const contacts = async (): Promise<any[]> =>
  (await tenant.post('/v3/contacts/search', { sortBy: 'asc(id)' })).body.data;
// biome-ignore lint/suspicious/noExplicitAny: chats of every shape
const chats = async (): Promise<any[]> =>
  (await tenant.post('/v3/chats/search', { sortBy: 'asc(id)' })).body.data;
const typesOf = (events: { type: string }[]): string[] => events.map(({ type }) => type);

describe('a message', () => {
  it.each(
    messageTypes.map((type, number) => [type, number] as const),
  )('of the type %s is shown with its text, its content, and in its chat', async (type, number) => {
    const content = { number, deep: { er: ['x', null] } };
    await receive(written('m', at(0), { type, text: number % 2 ? null : 'caption', content }));
    const [message] = await messages();
    expect(message).toMatchObject({
      type,
      text: number % 2 ? null : 'caption',
      sender: 'inbound',
      author: { type: 'contact' },
      status: 'delivered',
      media: [],
      content: type === 'reaction' ? { messageId: null, ...content } : content,
      editedAt: null,
      deletedAt: null,
      scheduledAt: null,
    });
    expect((await chats())[0]).toMatchObject({ unreadCount: 1, latestMessage: message });
    expect((await newEvents()).at(-1)).toMatchObject({ type: 'message.received', data: message });
  });

  it('is not delayed by an earlier request without events', async () => {
    await postEvents(server, channel);
    await postEvents(server, channel, written('after', server.clock.now()));
    await server.settle();
    const { rows } = await server.system.db.query('select id from inbound where channel_id = $1', [
      channel.id,
    ]);
    expect(rows).toEqual([]);
    expect((await tenant.post('/v3/messages/search', {})).body.data).toMatchObject([{ text: 'after' }]);
  });

  it('names the message it replies to by the vendor’s ids, the most likely first, also within one request', async () => {
    await receive(written('first', at(0)));
    await receive(
      written('second', at(1), { replyTo: ['unknown', 'first'] }),
      written('third', at(2), { replyTo: ['second', 'first'] }),
      written('fourth', at(3), { replyTo: ['nobody knows'] }),
    );
    const [first, second, third, fourth] = await messages();
    expect(second.replyToMessageId).toBe(first.id);
    expect(third.replyToMessageId).toBe(second.id);
    expect(fourth.replyToMessageId).toBeNull();
  });

  it('names the message it replies to by our own id only within the same chat', async () => {
    const grace = { ...ADA, value: '+15550002222' };
    await receive(written('hers', at(0)), written('not hers', at(1), { contact: grace }));
    const [hers, notHers] = await messages();
    await receive(
      written('a', at(2), { replyToMessageId: hers.id.toUpperCase() }),
      written('b', at(3), { replyToMessageId: notHers.id }),
      written('c', at(4), { replyToMessageId: 'no id' }),
      written('d', at(5), { replyToMessageId: notHers.id, replyTo: ['hers'] }),
    );
    const replied = (await messages()).slice(2).map((message) => message.replyToMessageId);
    expect(replied).toEqual([hers.id, null, null, hers.id]);
  });

  it('that is a reaction names its message', async () => {
    await receive(
      written('joke', at(0)),
      written('laugh', at(1), { type: 'reaction', text: null, content: { emoji: '😂' }, replyTo: ['joke'] }),
    );
    const [joke, laugh] = await messages();
    expect(laugh.content).toEqual({ messageId: joke.id, emoji: '😂' });
  });

  it('that was sent automatically is marked as such', async () => {
    await receive(written('note', at(0), { isAutomatic: true }), written('word', at(1)));
    const { rows } = await db.query(
      'select vendor_id, is_automatic from messages where tenant_id = $1 order by timestamp',
      [tenant.id],
    );
    expect(rows).toEqual([
      { vendor_id: 'note', is_automatic: true },
      { vendor_id: 'word', is_automatic: false },
    ]);
  });

  it('fifty times at once and a week later is one message (R10)', async () => {
    const same = written('once', at(0), {
      media: [{ bytes: Buffer.from('hello'), mimeType: 'text/plain', filename: 'a.txt', size: 5 }],
    });
    await Promise.all(Array.from({ length: 50 }, () => postEvents(server, channel, same, same)));
    await server.settle();
    server.clock.advance(7 * 24 * 3600_000);
    await receive(same);
    expect(await messages()).toHaveLength(1);
    expect((await tenant.post('/v3/files/search', {})).body.data).toHaveLength(1);
    expect(typesOf(await newEvents())).toEqual(['contact.created', 'chat.created', 'message.received']);
  });
});

describe('a contact with several handles', () => {
  const US = { type: 'whatsapp_id' as const, value: 'US.1' };
  const hidden = { ...US, name: null };
  const both = { ...ADA, others: [US] };

  it('is one contact with one chat, whichever handles the vendor sends, in any order', async () => {
    await receive(written('1', at(1), { contact: both }));
    await receive(written('2', at(2), { contact: hidden }), written('3', at(3), { contact: ADA }));
    await receive(written('4', at(4), { contact: { ...hidden, others: [ADA] } }));
    const [contact, ...more] = await contacts();
    expect(more).toEqual([]);
    expect(
      contact.handles.map(({ type, value, isPrimary }: Record<string, unknown>) => ({
        type,
        value,
        isPrimary,
      })),
    ).toEqual([
      { type: 'phone_number', value: ADA.value, isPrimary: true },
      { ...US, isPrimary: true },
    ]);
    expect(await chats()).toMatchObject([{ unreadCount: 4, handle: { value: ADA.value } }]);
    expect(typesOf(await newEvents())).toEqual([
      'contact.created',
      'chat.created',
      ...Array(4).fill('message.received'),
    ]);
  });

  it('whose number arrives later keeps contact and chat, and the number is added', async () => {
    await receive(written('1', at(1), { contact: hidden }));
    await receive(written('2', at(2), { contact: both }));
    await receive(written('3', at(3), { contact: ADA }));
    expect(await contacts()).toMatchObject([{ phoneNumber: ADA.value }]);
    expect(await chats()).toMatchObject([{ unreadCount: 3, handle: { value: 'US.1' } }]);
    expect(typesOf(await newEvents())).toEqual([
      'contact.created',
      'chat.created',
      'message.received',
      'contact.updated',
      'message.received',
      'message.received',
    ]);
    const found = await tenant.post('/v3/contacts/search', { search: ADA.value });
    expect(found.body.data).toHaveLength(1);
  });

  it('that is new and comes with one handle and with both in the same request is one contact', async () => {
    await receive(written('1', at(1), { contact: hidden }), written('2', at(2), { contact: both }));
    expect(await contacts()).toMatchObject([{ handles: [{}, {}] }]);
    expect(await chats()).toMatchObject([{ unreadCount: 2 }]);
  });

  it('makes one contact of two that have one of the handles each: the older one stays', async () => {
    const older = await tenant.post('/v3/contacts', { firstName: 'Grace', handles: [US] });
    const newer = await tenant.post('/v3/contacts', { firstName: 'Ada', phoneNumber: ADA.value });
    await receive(written('1', at(1), { contact: both }));
    expect(await chats()).toMatchObject([{ contactId: older.body.data.id }]);
    const grace = (await tenant.get(`/v3/contacts/${older.body.data.id}`)).body.data;
    expect([grace.firstName, grace.handles.length]).toEqual(['Grace', 2]);
    expect((await tenant.get(`/v3/contacts/${newer.body.data.id}`)).status).toBe(404);
  });

  it('has a chat for each number', async () => {
    const made = await tenant.post('/v3/contacts', {
      handles: [ADA.value, '+15550002222'].map((value) => ({ type: 'phone_number', value })),
    });
    expect(made.status).toBe(200);
    await receive(written('1', at(1)), written('2', at(2), { contact: { ...ADA, value: '+15550002222' } }));
    expect(await contacts()).toHaveLength(1);
    expect(await chats()).toMatchObject([{ unreadCount: 1 }, { unreadCount: 1 }]);
  });

  it('creates one contact when two channels receive both handles of a new sender at once', async () => {
    const second = await pigeonChannel(tenant, 'whatsapp');
    await Promise.all(
      [channel, second].flatMap((one) =>
        Array.from({ length: 5 }, (_, person) => {
          const contact = {
            type: 'phone_number' as const,
            value: `+1555000300${person}`,
            name: null,
            others: [{ type: 'whatsapp_id' as const, value: `US.300${person}` }],
          };
          return postEvents(server, one, written(`${person}`, at(0), { contact }));
        }),
      ),
    );
    await server.settle();
    const found = await contacts();
    expect(found).toHaveLength(5);
    expect(found.every(({ handles }) => handles.length === 2)).toBe(true);
    expect(await chats()).toHaveLength(10);
  });
});

describe('an opt-out', () => {
  const decided = async () => {
    const [contact] = await contacts();
    return contact?.subscriptions.map(({ status, at }: { status: string; at: string }) => [status, at]);
  };
  const events = async () =>
    (await newEvents())
      .map(({ type }) => type)
      .filter((type) => type.startsWith('contact.') && type !== 'contact.created');

  it('is stored with one event, and can be taken back', async () => {
    await receive(written('STOP', at(1), { subscription: 'stop' }));
    expect(await contacts()).toMatchObject([{ isSubscribed: false }]);
    expect(await decided()).toEqual([['unsubscribed', at(1).toISOString()]]);
    expect(await events()).toEqual(['contact.updated', 'contact.unsubscribed']);

    await receive(written('STOP', at(1), { subscription: 'stop' }));
    await receive(written('STOP again', at(2), { subscription: 'stop' }));
    expect(await events()).toEqual([]);

    await receive(written('START', at(3), { subscription: 'start' }));
    expect(await contacts()).toMatchObject([{ isSubscribed: true }]);
    expect(await decided()).toEqual([['subscribed', at(3).toISOString()]]);
    expect(await events()).toEqual(['contact.updated', 'contact.subscribed']);

    await receive(written('STOP', at(1), { subscription: 'stop' }));
    expect(await contacts()).toMatchObject([{ isSubscribed: true }]);
  });

  it('counts by the time it was written, not by the time it arrived', async () => {
    await receive(
      written('START', at(3), { subscription: 'start' }),
      written('STOP', at(1), { subscription: 'stop' }),
    );
    expect(await contacts()).toMatchObject([{ isSubscribed: true }]);
    expect(await decided()).toEqual([['subscribed', at(3).toISOString()]]);
    expect(await events()).toEqual(['contact.updated']);
  });
});

describe('the content of a sensitive chat', () => {
  it('is left out of all events', async () => {
    await receive(written('hello', at(0)));
    const [chat] = await chats();
    await tenant.put(`/v3/chats/${chat.id}`, { isSensitive: true });
    await newEvents();
    await receive(
      written('secret', at(1), {
        type: 'document',
        content: { note: 'secret' },
        media: [{ bytes: Buffer.from('secret'), mimeType: 'text/plain', filename: 'secret.txt', size: 6 }],
      }),
      echoed('secret echo', at(2)),
      { kind: 'mutation', vendorId: 'secret', change: 'edit', text: 'secret too', occurredAt: at(3) },
      { kind: 'status', vendorId: 'secret echo', status: 'read', occurredAt: at(4) },
      { kind: 'mutation', vendorId: 'secret echo', change: 'delete', occurredAt: at(5) },
    );
    const events = await newEvents();
    expect(typesOf(events)).toEqual([
      'message.received',
      'message.echo',
      'message.read',
      'message.updated',
      'message.deleted',
    ]);
    for (const { data } of events) expect(data).toMatchObject({ text: null, media: [], content: {} });
    expect((await messages())[1]).toMatchObject({ text: 'secret too', media: [{ filename: 'secret.txt' }] });
    expect(server.logged.join('')).not.toContain('secret too');
  });
});

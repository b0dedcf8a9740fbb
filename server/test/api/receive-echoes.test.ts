import { beforeEach, describe, expect, it } from 'vitest';
import { listener } from '../kit/events.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import {
  ADA,
  echoed,
  type PigeonChannel,
  pigeonChannel,
  storeSending,
  tell,
  withPigeon,
  written,
} from '../kit/vendor.ts';

const server = await useServer({ adapters: withPigeon });
const { db } = server.system;
const at = (seconds: number): Date => new Date(server.clock.now().getTime() + seconds * 1000);

let tenant: TestTenant;
let channel: PigeonChannel;
let told: ReturnType<typeof listener>;
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await pigeonChannel(tenant, 'instagram');
  told = listener(server, tenant);
});

const tellAll = async (
  ...events: Parameters<typeof tell> extends [unknown, unknown, ...infer E] ? E : never
) => {
  await tell(server, channel, ...events);
  await server.settle();
};
const theChat = async () => (await tenant.post('/v3/chats/search', {})).body.data[0];
const messages = async () =>
  (await tenant.post('/v3/messages/search', { sortBy: 'asc(timestamp)' })).body.data;
const textsOf = (all: { text: string }[]): string[] => all.map(({ text }) => text);
const typesOf = (events: { type: string }[]): string[] => events.map(({ type }) => type);
const waiting = async (): Promise<number> =>
  (await db.query('select 1 from inbound where tenant_id = $1', [tenant.id])).rows.length;

describe('an echo', () => {
  it('of what was written elsewhere is an answer: stored once, told, and nothing before it is unread', async () => {
    await tellAll(written('question', at(1)), written('hurry', at(2)));
    const before = await theChat();
    await tenant.post(`/v3/chats/${before.id}/status`, {});
    await told();
    await tellAll(echoed('answer', at(3)), echoed('answer', at(3)));
    await tellAll(echoed('answer', at(3)));
    const chat = await theChat();
    expect(chat).toMatchObject({
      unreadCount: 0,
      isUnread: false,
      status: 'closed',
      openUntil: before.openUntil,
      latestMessage: {
        text: 'answer',
        sender: 'outbound',
        author: 'user',
        status: 'sent',
        vendorId: 'answer',
      },
    });
    expect(await told()).toMatchObject([{ type: 'message.echo', data: chat.latestMessage }]);
    await tellAll(written('thanks', at(4)));
    expect(await theChat()).toMatchObject({ unreadCount: 1, status: 'open' });
  });

  it('that comes late leaves unread what was written after it, and does not count what was before', async () => {
    await tellAll(...[1, 2, 3, 4, 5].map((second) => written(`${second}`, at(second))));
    await tellAll(echoed('answer', at(3)), written('6', at(6)), written('2.5', at(2.5)));
    expect(await theChat()).toMatchObject({ unreadCount: 3, latestMessage: { text: '6' } });
    await tellAll(echoed('an older answer', at(1)));
    expect(await theChat()).toMatchObject({ unreadCount: 3 });
  });

  it('to somebody new makes a contact and a chat without anything unread', async () => {
    await tellAll(echoed('hello', at(1)));
    expect(await theChat()).toMatchObject({
      unreadCount: 0,
      openUntil: null,
      contact: { displayName: 'Ada Lovelace' },
    });
    expect(typesOf(await told())).toEqual(['contact.created', 'chat.created', 'message.echo']);
  });

  it('of a send that the vendor has answered for is dropped', async () => {
    await tellAll(written('question', at(1)));
    await storeSending(server, tenant, await theChat(), { vendorId: 'ours', status: 'sent' });
    await told();
    await tellAll(echoed('ours', at(2)));
    expect(await messages()).toHaveLength(2);
    expect(await told()).toEqual([]);
  });

  it('before the answer to the send waits for it, holding up nothing else, and is dropped then', async () => {
    await tellAll(written('question', at(1)));
    const chat = await theChat();
    const id = await storeSending(server, tenant, chat, { text: 'ours', sendingAt: at(0), dueAt: at(0) });
    await told();
    const grace = { ...ADA, value: '+15550002222' };
    await tellAll(
      echoed('early', at(2), { text: 'ours' }),
      written('meanwhile', at(3)),
      echoed('to Grace', at(4), { contact: grace }),
    );
    expect(textsOf(await messages())).toEqual(expect.arrayContaining(['meanwhile', 'to Grace']));
    expect(await waiting()).toBe(1);
    server.clock.advance(999);
    await server.settle();
    expect(await waiting()).toBe(1);
    // As whoever sends does when the vendor answers: the id and the end of the send in one transaction.
    await db.query(
      `with known as (insert into vendor_messages (channel_id, tenant_id, vendor_id, message_id, status_rank, created_at)
                      values ($1, $2, 'early', $3, 1, now()))
       update messages set status = 'sent', vendor_id = 'early', sending_at = null, due_at = null where id = $3`,
      [channel.id, tenant.id, id],
    );
    server.clock.advance(1);
    await server.settle();
    expect(await waiting()).toBe(0);
    expect(textsOf(await messages()).filter((text) => text === 'ours')).toHaveLength(1);
    expect(typesOf(await told()).filter((type) => type === 'message.echo')).toHaveLength(1);
  });

  it('waits a minute at most, and is then of that send if it says the same, and else of somebody', async () => {
    await tellAll(written('question', at(1)));
    const chat = await theChat();
    const id = await storeSending(server, tenant, chat, { text: 'ours', sendingAt: at(0), dueAt: at(0) });
    await told();
    await tellAll(echoed('same', at(2), { text: 'ours' }), echoed('other', at(3), { text: 'theirs' }));
    for (let second = 0; second < 59; second += 1) {
      server.clock.advance(1000);
      await server.settle();
    }
    expect(await waiting()).toBe(1);
    expect(await told()).toEqual([]);
    server.clock.advance(1000);
    await server.settle();
    expect(await waiting()).toBe(0);
    expect((await told()).map(({ type, data }) => [type, data.text])).toEqual([
      ['message.echo', 'theirs'],
      ['message.sent', 'ours'],
    ]);
    expect((await tenant.get(`/v3/messages/${id}`)).body.data).toMatchObject({
      status: 'sent',
      vendorId: 'same',
      author: 'api',
    });
  });

  it('of a send of which nobody knows what became of it is that send, at once, and each is found once', async () => {
    await tellAll(written('question', at(1)));
    const chat = await theChat();
    const unknown = { text: 'ours', sendingAt: at(-40), dueAt: at(560) };
    const first = await storeSending(server, tenant, chat, { ...unknown, sendingAt: at(-50) });
    const second = await storeSending(server, tenant, chat, unknown);
    await tellAll(
      ...['a', 'b', 'c'].map((vendorId, number) => echoed(vendorId, at(2 + number), { text: 'ours' })),
    );
    const shown = async (id: string) => (await tenant.get(`/v3/messages/${id}`)).body.data;
    expect(await shown(first)).toMatchObject({ vendorId: 'a', status: 'sent' });
    expect(await shown(second)).toMatchObject({ vendorId: 'b', status: 'sent' });
    expect((await messages()).at(-1)).toMatchObject({ vendorId: 'c', author: 'user' });
    expect(await waiting()).toBe(0);
  });

  it('in a request with much else does not make any of that happen twice', async () => {
    await tellAll(written('question', at(1)));
    const chat = await theChat();
    await storeSending(server, tenant, chat, { sendingAt: at(0), dueAt: at(0) });
    await storeSending(server, tenant, chat, { vendorId: 'out', status: 'sent' });
    await told();
    await tellAll(
      echoed('early', at(2)),
      written('STOP', at(3), { subscription: 'stop' }),
      { kind: 'status', vendorId: 'out', status: 'delivered', occurredAt: at(4) },
      { kind: 'mutation', vendorId: 'question', change: 'edit', text: 'Question', occurredAt: at(5) },
      { kind: 'read_receipt', contact: ADA, until: at(6), occurredAt: at(6) },
    );
    const once = typesOf(await told());
    await tenant.put(`/v3/contacts/${chat.contactId}`, { isSubscribed: true });
    await tellAll({ kind: 'mutation', vendorId: 'question', change: 'edit', text: 'Q', occurredAt: at(7) });
    await told();
    for (let second = 0; second < 3; second += 1) {
      server.clock.advance(1000);
      await server.settle();
    }
    expect(once).toEqual([
      'message.received',
      'contact.updated',
      'contact.unsubscribed',
      'message.delivered',
      'message.read',
      'message.updated',
    ]);
    expect(await told()).toEqual([]);
    expect(textsOf(await messages())).toContain('Q');
    expect((await tenant.get(`/v3/contacts/${chat.contactId}`)).body.data.isSubscribed).toBe(true);
  });
});

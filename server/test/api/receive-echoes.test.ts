import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { listener } from '../kit/events.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import {
  ADA,
  echoed,
  type PigeonChannel,
  pigeonChannel,
  postEvents,
  storeSending,
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
  channel = await pigeonChannel(tenant, 'instagram');
  newEvents = listener(server, tenant);
});

const receive = async (
  ...events: Parameters<typeof postEvents> extends [unknown, unknown, ...infer E] ? E : never
) => {
  await postEvents(server, channel, ...events);
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
  it('of a message written elsewhere is a reply: stored once, with an event, and nothing before it is unread', async () => {
    await receive(written('question', at(1)), written('hurry', at(2)));
    const before = await theChat();
    await tenant.post(`/v3/chats/${before.id}/status`, {});
    await newEvents();
    await receive(echoed('answer', at(3)), echoed('answer', at(3)));
    await receive(echoed('answer', at(3)));
    const chat = await theChat();
    expect(chat).toMatchObject({
      unreadCount: 0,
      isUnread: false,
      status: 'closed',
      openUntil: before.openUntil,
      latestMessage: {
        text: 'answer',
        sender: 'outbound',
        author: { type: 'user' },
        status: 'sent',
        vendorId: 'answer',
      },
    });
    expect(await newEvents()).toMatchObject([{ type: 'message.echo', data: chat.latestMessage }]);
    await receive(written('thanks', at(4)));
    expect(await theChat()).toMatchObject({ unreadCount: 1, status: 'open' });
  });

  it('is a takeover: it ends what automations wait for in the chat', async () => {
    await automationOf(tenant, {
      trigger: { type: 'message_received' },
      steps: [{ id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } }],
    });
    await receive(written('question', at(1)));
    const runs = async () => (await tenant.post('/v3/automation_runs/search', {})).body.data;
    expect(await runs()).toMatchObject([{ status: 'waiting' }]);
    await receive(echoed('answer', at(3)));
    expect(await runs()).toMatchObject([{ status: 'cancelled', error: { code: 'taken_over' } }]);
    expect(await theChat()).toMatchObject({ waitingSince: null, firstRespondedAt: at(3).toISOString() });
  });

  it('that arrives late leaves newer messages unread and marks older ones as read', async () => {
    await receive(...[1, 2, 3, 4, 5].map((second) => written(`${second}`, at(second))));
    await receive(echoed('answer', at(3)), written('6', at(6)), written('2.5', at(2.5)));
    expect(await theChat()).toMatchObject({ unreadCount: 3, latestMessage: { text: '6' } });
    await receive(echoed('an older answer', at(1)));
    expect(await theChat()).toMatchObject({ unreadCount: 3 });
  });

  it('that arrives late answers what was written before it, and not what was written after it', async () => {
    await receive(written('1', at(1)), written('5', at(5)));
    const { id } = await theChat();
    server.clock.advance(60_000);
    await tenant.post(`/v3/chats/${id}/read`, { isUnread: false });
    expect(await theChat()).toMatchObject({ unreadCount: 0, firstRespondedAt: null });
    const early = (seconds: number) => at(seconds - 60);
    await receive(echoed('answer', early(3)));
    expect(await theChat()).toMatchObject({
      unreadCount: 0,
      waitingSince: early(5).toISOString(),
      firstRespondedAt: early(3).toISOString(),
    });
    await receive(echoed('another answer', early(6)));
    expect(await theChat()).toMatchObject({ waitingSince: null, firstRespondedAt: early(3).toISOString() });
    // The first of them was written before that answer.
    await receive(written('5.5', early(5.5)), written('7', early(7)));
    expect(await theChat()).toMatchObject({ waitingSince: early(7).toISOString() });
  });

  it('to a new recipient creates a contact and a chat without unread messages', async () => {
    await receive(echoed('hello', at(1)));
    expect(await theChat()).toMatchObject({
      unreadCount: 0,
      openUntil: null,
      contact: { displayName: 'Ada Lovelace' },
    });
    expect(typesOf(await newEvents())).toEqual(['contact.created', 'chat.created', 'message.echo']);
  });

  it('of a send that the vendor has answered is dropped', async () => {
    await receive(written('question', at(1)));
    await storeSending(server, tenant, await theChat(), { vendorId: 'ours', status: 'sent' });
    await newEvents();
    await receive(echoed('ours', at(2)));
    expect(await messages()).toHaveLength(2);
    expect(await newEvents()).toEqual([]);
  });

  it('before the answer to the send waits for it without delaying other events, and is then dropped', async () => {
    await receive(written('question', at(1)));
    const chat = await theChat();
    const id = await storeSending(server, tenant, chat, { text: 'ours', sendingAt: at(0), dueAt: at(0) });
    await newEvents();
    const grace = { ...ADA, value: '+15550002222' };
    await receive(
      echoed('early', at(2), { text: 'ours' }),
      written('meanwhile', at(3)),
      echoed('to Grace', at(4), { contact: grace }),
    );
    expect(textsOf(await messages())).toEqual(expect.arrayContaining(['meanwhile', 'to Grace']));
    expect(await waiting()).toBe(1);
    server.clock.advance(999);
    await server.settle();
    expect(await waiting()).toBe(1);
    // As the worker does when the vendor answers: the id and the result in one transaction.
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
    expect(typesOf(await newEvents()).filter((type) => type === 'message.echo')).toHaveLength(1);
  });

  it('waits a minute at most, and then belongs to that send if its content is the same', async () => {
    await receive(written('question', at(1)));
    const chat = await theChat();
    const id = await storeSending(server, tenant, chat, { text: 'ours', sendingAt: at(0), dueAt: at(0) });
    await newEvents();
    await receive(echoed('same', at(2), { text: 'ours' }), echoed('other', at(3), { text: 'theirs' }));
    for (let second = 0; second < 59; second += 1) {
      server.clock.advance(1000);
      await server.settle();
    }
    expect(await waiting()).toBe(1);
    expect(await newEvents()).toEqual([]);
    server.clock.advance(1000);
    await server.settle();
    expect(await waiting()).toBe(0);
    expect((await newEvents()).map(({ type, data }) => [type, data.text])).toEqual([
      ['message.echo', 'theirs'],
      ['message.sent', 'ours'],
    ]);
    expect((await tenant.get(`/v3/messages/${id}`)).body.data).toMatchObject({
      status: 'sent',
      vendorId: 'same',
      author: { type: 'api' },
    });
  });

  it('of a send with an unknown outcome resolves that send immediately, each once', async () => {
    await receive(written('question', at(1)));
    const chat = await theChat();
    const unknown = { text: 'ours', sendingAt: at(-40), dueAt: at(560) };
    const first = await storeSending(server, tenant, chat, { ...unknown, sendingAt: at(-50) });
    const second = await storeSending(server, tenant, chat, unknown);
    await receive(
      ...['a', 'b', 'c'].map((vendorId, number) => echoed(vendorId, at(2 + number), { text: 'ours' })),
    );
    const shown = async (id: string) => (await tenant.get(`/v3/messages/${id}`)).body.data;
    expect(await shown(first)).toMatchObject({ vendorId: 'a', status: 'sent' });
    expect(await shown(second)).toMatchObject({ vendorId: 'b', status: 'sent' });
    expect((await messages()).at(-1)).toMatchObject({ vendorId: 'c', author: { type: 'user' } });
    expect(await waiting()).toBe(0);
  });

  it('does not repeat the other events of its request', async () => {
    await receive(written('question', at(1)));
    const chat = await theChat();
    await storeSending(server, tenant, chat, { sendingAt: at(0), dueAt: at(0) });
    await storeSending(server, tenant, chat, { vendorId: 'out', status: 'sent' });
    await newEvents();
    await receive(
      echoed('early', at(2)),
      written('STOP', at(3), { subscription: 'stop' }),
      { kind: 'status', vendorId: 'out', status: 'delivered', occurredAt: at(4) },
      { kind: 'mutation', vendorId: 'question', change: 'edit', text: 'Question', occurredAt: at(5) },
      { kind: 'read_receipt', contact: ADA, until: at(6), occurredAt: at(6) },
    );
    const once = typesOf(await newEvents());
    await tenant.put(`/v3/contacts/${chat.contactId}`, { isSubscribed: true });
    await receive({ kind: 'mutation', vendorId: 'question', change: 'edit', text: 'Q', occurredAt: at(7) });
    await newEvents();
    for (let second = 0; second < 3; second += 1) {
      server.clock.advance(1000);
      await server.settle();
    }
    expect(once).toEqual([
      'contact.updated',
      'contact.unsubscribed',
      'message.received',
      'message.delivered',
      'message.read',
      'message.updated',
    ]);
    expect(await newEvents()).toEqual([]);
    expect(textsOf(await messages())).toContain('Q');
    expect((await tenant.get(`/v3/contacts/${chat.contactId}`)).body.data.isSubscribed).toBe(true);
  });
});

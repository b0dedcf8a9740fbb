import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { listener } from '../kit/events.ts';
import { outboxOf, send } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const FROM = '+15550001111';
const ASK = [
  { id: 'ask', type: 'send_message', parameters: { text: 'What do you need?' } },
  { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
  { id: 'thanks', type: 'send_message', parameters: { text: 'You said {{ message.text }}' } },
];

let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});

const write = async (text: string, from = FROM) => {
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
  await server.settle();
};
const theChat = async () => (await tenant.post('/v3/chats/search', {})).body.data[0];
const post = async (path: string, body: object) => {
  const answer = await tenant.post(path, body);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  await server.settle();
  return answer.body.data;
};
const userOf = async (name = 'Grace Hopper'): Promise<string> =>
  (await post('/v3/users', { name, email: `${name.replace(' ', '.')}@example.com`, role: 'agent' })).id;
const sent = async (): Promise<string[]> =>
  (await outboxOf(tenant, channel)).map(({ text }: { text: string }) => text);
const runs = async () =>
  (await tenant.post('/v3/automation_runs/search', { sortBy: 'asc(createdAt)' })).body.data.map(
    ({ status, error }: { status: string; error: { code: string } | null }) =>
      error ? `${status}: ${error.code}` : status,
  );
const bot = (more: object = {}, steps: object[] = ASK) =>
  automationOf(tenant, { trigger: { type: 'message_received', ...more }, steps });

describe('a person who takes over', () => {
  it('by a message ends what automations wait for in the chat, and only there', async () => {
    await bot();
    await write('hello');
    const chat = await theChat();
    await write('hello', '+15550002222');
    expect(await runs()).toEqual(['waiting', 'waiting']);
    const userId = await userOf();
    expect(await send(tenant, chat, { text: 'I am here', userId })).toMatchObject({
      author: { type: 'user', id: userId, name: 'Grace Hopper' },
    });
    expect(await runs()).toEqual(['cancelled: taken_over', 'waiting']);
    await server.settle();
    const { data } = (
      await tenant.post('/v3/events/search', { query: 'eq(type,"automation.run_cancelled")' })
    ).body;
    expect(data).toMatchObject([
      { data: { chatId: chat.id, status: 'cancelled', error: { code: 'taken_over' } } },
    ]);
  });

  it('by a scheduled message does so when it goes out', async () => {
    await bot();
    await write('hello');
    const chat = await theChat();
    const scheduledAt = new Date(server.clock.now().getTime() + 3_600_000).toISOString();
    await send(tenant, chat, { text: 'From the API', scheduledAt });
    await send(tenant, chat, { text: 'I am here', userId: await userOf(), scheduledAt });
    await server.settle();
    expect(await runs()).toEqual(['waiting']);
    server.clock.advance(3_600_000);
    await server.settle();
    expect(await sent()).toEqual(['What do you need?', 'From the API', 'I am here']);
    expect(await runs()).toEqual(['cancelled: taken_over']);
    const events = await tenant.post('/v3/events/search', { query: 'eq(type,"automation.run_cancelled")' });
    expect(events.body.data).toMatchObject([{ data: { chatId: chat.id, error: { code: 'taken_over' } } }]);
  });

  it('by an assignment ends it too, and nothing starts in the chat until the assignment ends', async () => {
    await bot();
    await write('hello');
    const { id } = await theChat();
    expect((await theChat()).isAutomationPaused).toBe(false);
    const userId = await userOf();
    expect(await post(`/v3/chats/${id}/assignment`, { userId })).toMatchObject({ isAutomationPaused: true });
    expect(await runs()).toEqual(['cancelled: taken_over']);
    await write('are you there?');
    await post(`/v3/chats/${id}/status`, { status: 'closed' });
    await write('hello?');
    expect(await sent()).toEqual(['What do you need?']);
    await post(`/v3/chats/${id}/assignment`, { userId: null });
    await write('hello again');
    expect(await sent()).toEqual(['What do you need?', 'What do you need?']);
  });

  it('does not end a reminder that waits for its time, unless it waits for a reply', async () => {
    const later = [
      { id: 'confirm', type: 'send_message', parameters: { text: 'See you tomorrow' } },
      { id: 'pause', type: 'wait', parameters: { for: 'PT1H' } },
      ...ASK,
    ];
    await write('hello');
    const chat = await theChat();
    const automationId = await automationOf(tenant, {
      trigger: { type: 'api', parameters: { channelId: channel.id } },
      steps: later,
    });
    await post(`/v3/automations/${automationId}/trigger`, { contactId: chat.contactId });
    const userId = await userOf();
    await send(tenant, chat, { text: 'Bring your papers', userId });
    await server.settle();
    expect(await runs()).toEqual(['waiting']);
    server.clock.advance(3_600_000);
    await server.settle();
    expect(await sent()).toEqual(['See you tomorrow', 'Bring your papers', 'What do you need?']);
    await send(tenant, chat, { text: 'Nothing, thank you', userId });
    expect(await runs()).toEqual(['cancelled: taken_over']);
  });

  it('is not the API, nor an automation that assigns the chat', async () => {
    const userId = await userOf();
    await bot({}, [
      ...ASK.slice(0, 1),
      { id: 'assign', type: 'assign', parameters: { userId } },
      ...ASK.slice(1),
    ]);
    await write('hello');
    const chat = await theChat();
    expect(await runs()).toEqual(['waiting']);
    expect(chat).toMatchObject({ assignedUserId: userId, isAutomationPaused: true });
    expect((await send(tenant, chat, { text: 'Your invoice' })).author).toMatchObject({ type: 'api' });
    await write('a chair');
    expect(await runs()).toEqual(['completed']);
    expect(await sent()).toContain('You said a chair');
  });

  it('whose user does not exist is refused, and nothing is sent', async () => {
    await write('hello');
    const chat = await theChat();
    const elsewhere = await (await server.tenant()).post('/v3/users', {
      name: 'Eve',
      email: 'eve@example.com',
      role: 'agent',
    });
    for (const path of [`/v3/chats/${chat.id}/messages`, '/v3/messages', `/v3/chats/${chat.id}/notes`]) {
      const to = path === '/v3/messages' ? { channelId: channel.id, contactId: chat.contactId } : {};
      const { status, body } = await tenant.post(path, { text: 'x', userId: elsewhere.body.data.id, ...to });
      expect([status, Object.keys(body.error.invalidParams)]).toEqual([400, ['userId']]);
    }
    expect(await sent()).toEqual([]);
  });
});

describe('automations in an assigned chat', () => {
  it('start if their trigger says so, unless they are paused by hand', async () => {
    await write('hello');
    const { id } = await theChat();
    await post(`/v3/chats/${id}/assignment`, { userId: await userOf() });
    await bot({ parameters: { evenIfAssigned: true } }, ASK.slice(0, 1));
    await write('one');
    expect(await sent()).toHaveLength(1);
    expect(await post(`/v3/chats/${id}/automation`, { isPaused: true })).toMatchObject({
      isAutomationPaused: true,
    });
    await write('two');
    expect(await sent()).toHaveLength(1);
  });

  it('start after they were resumed by hand, until another user gets the chat', async () => {
    await bot({}, ASK.slice(0, 1));
    await write('hello');
    const { id } = await theChat();
    await post(`/v3/chats/${id}/assignment`, { userId: await userOf() });
    expect(await post(`/v3/chats/${id}/automation`, { isPaused: false })).toMatchObject({
      isAutomationPaused: false,
    });
    await write('one');
    expect(await sent()).toHaveLength(2);
    await post(`/v3/chats/${id}/assignment`, { userId: await userOf('Alan Turing') });
    await write('two');
    expect(await sent()).toHaveLength(2);
  });

  it('are paused by hand until the chat is closed, with an event for each change', async () => {
    await bot();
    await write('hello');
    const { id } = await theChat();
    const newEvents = listener(server, tenant);
    await newEvents();
    for (const _ of [1, 2]) await post(`/v3/chats/${id}/automation`, { isPaused: true });
    expect(await newEvents()).toMatchObject([
      { type: 'automation.run_cancelled', data: { chatId: id } },
      { type: 'chat.updated', data: { id, isAutomationPaused: true } },
    ]);
    expect(await runs()).toEqual(['cancelled: taken_over']);
    await write('hello?');
    expect(await runs()).toHaveLength(1);
    expect(await post(`/v3/chats/${id}/status`, {})).toMatchObject({ isAutomationPaused: false });
    await write('hello again');
    expect(await runs()).toEqual(['cancelled: taken_over', 'waiting']);
  });
});

describe('two runs that wait for a reply', () => {
  it('share no message: the one that asked last gets the first reply, the other one the next', async () => {
    await write('hello');
    const { contactId } = await theChat();
    const ask = async (name: string) => {
      const id = await automationOf(tenant, {
        name,
        trigger: { type: 'api', parameters: { channelId: channel.id } },
        steps: [
          { id: 'ask', type: 'send_message', parameters: { text: `${name}?` } },
          { id: 'reply', type: 'wait_for_reply', parameters: { timeout: 'P1D' } },
          { id: 'thanks', type: 'send_message', parameters: { text: `${name}: {{ message.text }}` } },
        ],
      });
      await post(`/v3/automations/${id}/trigger`, { contactId });
    };
    await ask('Colour');
    await ask('Size');
    await write('large');
    expect(await sent()).toEqual(['Colour?', 'Size?', 'Size: large']);
    await write('blue');
    expect(await sent()).toEqual(['Colour?', 'Size?', 'Size: large', 'Colour: blue']);
  });

  it('never answer to the same message, also when one of them times out', async () => {
    await write('hello');
    const { contactId } = await theChat();
    const ask = async (name: string, timeout: string) => {
      const id = await automationOf(tenant, {
        name,
        trigger: { type: 'api', parameters: { channelId: channel.id } },
        steps: [
          { id: 'ask', type: 'send_message', parameters: { text: `${name}?` } },
          { id: 'reply', type: 'wait_for_reply', parameters: { timeout } },
          { id: 'thanks', type: 'send_message', parameters: { text: `${name}: {{ message.text }}.` } },
        ],
      });
      await post(`/v3/automations/${id}/trigger`, { contactId });
    };
    await ask('Colour', 'PT1H');
    await ask('Size', 'P1D');
    await write('large');
    server.clock.advance(3_600_000);
    await server.settle();
    expect(await sent()).toEqual(['Colour?', 'Size?', 'Size: large.', 'Colour: .']);
  });
});

describe('a chat', () => {
  it('stays unread after replies of automations and campaigns, and is read after one of a person or of the API', async () => {
    const userId = await userOf();
    await bot({}, ASK.slice(0, 1));
    await write('hello');
    await write('anybody?');
    expect(await theChat()).toMatchObject({ unreadCount: 2, isUnread: true });
    const chat = await theChat();
    expect(chat.latestMessage.author).toMatchObject({ type: 'automation', name: 'Smallest' });
    await send(tenant, chat, { text: 'Yes', userId });
    expect(await theChat()).toMatchObject({ unreadCount: 0, isUnread: false });
    await write('thanks');
    await send(tenant, chat, { text: 'Bye' });
    expect(await theChat()).toMatchObject({ unreadCount: 0, isUnread: false });
  });

  it('waits since the first message that only automations have answered', async () => {
    await bot({}, ASK.slice(0, 1));
    const first = server.clock.now().toISOString();
    await write('hello');
    server.clock.advance(60_000);
    await write('anybody?');
    expect(await theChat()).toMatchObject({ waitingSince: first, firstRespondedAt: null, closedAt: null });
    const chat = await theChat();
    await post(`/v3/chats/${chat.id}/read`, {});
    expect((await theChat()).waitingSince).toBe(first);
    server.clock.advance(60_000);
    const answered = server.clock.now().toISOString();
    await send(tenant, chat, { text: 'Yes' });
    expect(await theChat()).toMatchObject({ waitingSince: null, firstRespondedAt: answered });
    server.clock.advance(60_000);
    const again = server.clock.now().toISOString();
    await write('thanks');
    expect(await theChat()).toMatchObject({ waitingSince: again, firstRespondedAt: answered });
    server.clock.advance(60_000);
    const closedAt = server.clock.now().toISOString();
    await post(`/v3/chats/${chat.id}/status`, {});
    expect(await theChat()).toMatchObject({ waitingSince: null, firstRespondedAt: answered, closedAt });
    await write('one more thing');
    expect(await theChat()).toMatchObject({ firstRespondedAt: null, closedAt: null });
  });

  it('to which the business wrote first waits for nobody, and nobody has responded in it', async () => {
    await post('/v3/messages', {
      channelId: (await tenant.channel('sms')).id,
      to: FROM,
      text: 'Your parcel',
    });
    expect(await theChat()).toMatchObject({ waitingSince: null, firstRespondedAt: null });
  });

  it('is found by how long its contact waits, the longest first', async () => {
    for (const from of [FROM, '+15550002222', '+15550003333']) {
      await write(from, from);
      server.clock.advance(60_000);
    }
    const all = (await tenant.post('/v3/chats/search', { sortBy: 'asc(createdAt)' })).body.data;
    await send(tenant, all[0], { text: 'answered' });
    const { data } = (
      await tenant.post('/v3/chats/search', {
        query: 'not(isNull(waitingSince))',
        sortBy: 'asc(waitingSince)',
      })
    ).body;
    expect(data.map(({ handle }: { handle: { value: string } }) => handle.value)).toEqual([
      '+15550002222',
      '+15550003333',
    ]);
    const waiting = `lt(waitingSince,now("-PT90S"))`;
    expect((await tenant.post('/v3/chats/search', { query: waiting })).body.data).toHaveLength(1);
  });
});

describe('a message', () => {
  it('shows who wrote it, to whom, and over which handle, by API and in events', async () => {
    const newEvents = listener(server, tenant);
    await post('/v3/contacts', {
      firstName: 'Ada',
      lastName: 'Lovelace',
      phoneNumber: FROM,
      email: 'ada@example.com',
    });
    await write('hello');
    const chat = await theChat();
    const contact = {
      id: chat.contactId,
      displayName: 'Ada Lovelace',
      phoneNumber: FROM,
      email: 'ada@example.com',
    };
    const of = { contact, handle: { type: 'phone_number', value: FROM } };
    const author = { type: 'contact', id: chat.contactId, name: 'Ada Lovelace' };
    expect(chat.latestMessage).toMatchObject({ ...of, author });
    const reply = await send(tenant, chat, { text: 'Hello Ada' });
    const { tokenId } = (await tenant.get('/v3/me')).body.data;
    expect(reply).toMatchObject({ ...of, author: { type: 'api', id: tokenId, name: expect.any(String) } });
    await server.settle();
    const messages = (await newEvents()).filter(({ type }) => type.startsWith('message.'));
    expect(messages.map(({ type, data }) => [type, data.contact, data.handle])).toEqual([
      ['message.received', contact, of.handle],
      ['message.sent', contact, of.handle],
    ]);
    expect((await tenant.get(`/v3/messages/${reply.id}`)).body.data).toMatchObject(of);
    const found = await tenant.post('/v3/messages/search', { query: 'eq(authorType,"api")' });
    expect(found.body.data).toMatchObject([{ id: reply.id, ...of }]);
  });

  it('of a sensitive chat does not say in events who the contact is', async () => {
    await write('hello');
    const { id } = await theChat();
    await tenant.put(`/v3/chats/${id}`, { isSensitive: true });
    const newEvents = listener(server, tenant);
    await newEvents();
    await write('my diagnosis');
    expect((await newEvents())[0]).toMatchObject({
      type: 'message.received',
      data: { contact: null, handle: null, author: { type: 'contact', name: null }, text: null },
    });
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { usePgClient } from '../kit/pg-client.ts';
import { bySequence, useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
const receiver = await useReceiver();

let tenant: TestTenant;
let channelId: string;
let chatId: string;
const write = async (text: string): Promise<void> => {
  await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text });
  await server.settle();
};
const newEventTypes = async (): Promise<string[]> => {
  await server.settle();
  return bySequence(receiver.received).map(({ body }) => body.type);
};

beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
  channelId = (await tenant.channel()).id;
  await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'chat.*' }] });
  await write('hello');
  chatId = receiver.received.at(-1)?.body.data.id;
  receiver.received.length = 0;
});

describe('the status of a chat', () => {
  it('is closed by default, once', async () => {
    const closed = await tenant.post(`/v3/chats/${chatId}/status`, { triggerAutomations: true });
    expect(closed.body.data).toMatchObject({ id: chatId, status: 'closed', snoozedUntil: null });
    expect((await tenant.post(`/v3/chats/${chatId}/status`)).body.data.status).toBe('closed');
    expect(await newEventTypes()).toEqual(['chat.status_changed']);
    expect(receiver.received[0]?.body.data).toEqual(closed.body.data);
  });

  it('can change from any to any other', async () => {
    for (const status of ['closed', 'open', 'snoozed', 'closed', 'snoozed', 'open']) {
      const more = status === 'snoozed' ? { snoozedUntil: '2026-11-16T00:00:00Z' } : {};
      const answer = await tenant.post(`/v3/chats/${chatId}/status`, { status, ...more });
      expect(answer.body.data.status).toBe(status);
    }
    expect(await newEventTypes()).toHaveLength(6);
  });

  it('is open again when the snooze has ended, and not before', async () => {
    await tenant.post(`/v3/chats/${chatId}/status`, {
      status: 'snoozed',
      snoozedUntil: '2026-11-15T03:02:03.456+01:00',
    });
    server.clock.set(new Date('2026-11-15T02:02:03.455Z'));
    await server.settle();
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data).toMatchObject({
      status: 'snoozed',
      snoozedUntil: '2026-11-15T02:02:03.456Z',
    });
    server.clock.advance(1);
    expect(await newEventTypes()).toEqual(['chat.status_changed', 'chat.status_changed']);
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data).toMatchObject({
      status: 'open',
      snoozedUntil: null,
    });
  });

  it.each([
    { status: 'closed' },
    { status: 'snoozed', snoozedUntil: '2026-11-16T00:00:00.000Z' },
  ])('stays as it is if it became %j at the moment when the snooze ended', async (change) => {
    await tenant.post(`/v3/chats/${chatId}/status`, {
      status: 'snoozed',
      snoozedUntil: '2026-11-15T02:02:03.456Z',
    });
    await newEventTypes();
    receiver.received.length = 0;
    const waiting = async (): Promise<number> =>
      (
        await server.system.db.query(
          `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          [],
        )
      ).rows.length;
    const blocker = await usePgClient(server.databaseUrl);
    await blocker.query('begin');
    await blocker.query('select 1 from chats where id = $1 for update', [chatId]);
    server.clock.set(new Date('2026-11-15T02:02:03.456Z'));
    const changing = tenant.post(`/v3/chats/${chatId}/status`, change);
    await until(async () => (await waiting()) === 1);
    const ending = server.settle();
    await until(async () => (await waiting()) === 2);
    await blocker.query('rollback');
    expect((await changing).body.data).toMatchObject(change);
    await ending;
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data).toMatchObject(change);
    expect(await newEventTypes()).toEqual(['chat.status_changed']);
  });

  it('is open again when the customer writes, and the snooze is removed', async () => {
    await tenant.post(`/v3/chats/${chatId}/status`, {
      status: 'snoozed',
      snoozedUntil: '2026-11-16T00:00:00Z',
    });
    await write('are you there?');
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data).toMatchObject({
      status: 'open',
      snoozedUntil: null,
    });
    await tenant.post(`/v3/chats/${chatId}/status`, { status: 'closed' });
    server.clock.set(new Date('2026-11-17T00:00:00Z'));
    await server.settle();
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data.status).toBe('closed');
  });

  it.each([
    [{ status: 'snoozed' }, 'invalid_type'],
    [{ status: 'snoozed', snoozedUntil: '2026-11-15T01:02:03.456Z' }, 'custom'],
    [{ status: 'open', snoozedUntil: '2026-11-16T00:00:00Z' }, 'custom'],
    [{ status: 'snoozed', snoozedUntil: 'tomorrow' }, 'invalid_string'],
  ])('%j is refused at snoozedUntil', async (body, key) => {
    const { body: answer } = await tenant.post(`/v3/chats/${chatId}/status`, body);
    expect(answer.error.invalidParams.snoozedUntil.key).toBe(key);
    expect(await newEventTypes()).toEqual([]);
  });
});

describe('a chat', () => {
  it('is marked as read, and manually as unread', async () => {
    const read = await tenant.post(`/v3/chats/${chatId}/read`);
    expect(read.body.data).toMatchObject({ isUnread: false, unreadCount: 0 });
    await tenant.post(`/v3/chats/${chatId}/read`, { isUnread: false });
    const marked = await tenant.post(`/v3/chats/${chatId}/read`, { isUnread: true });
    expect(marked.body.data).toMatchObject({ isUnread: true, unreadCount: 0 });
    expect(await newEventTypes()).toEqual(['chat.read', 'chat.read']);
    server.clock.advance(1000);
    await write('one more');
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data.unreadCount).toBe(1);
  });

  it('is assigned to existing users and teams only, and unassigned when they are deleted', async () => {
    const user = (await tenant.post('/v3/users', { name: 'G', email: 'g@example.com', role: 'agent' })).body
      .data;
    const team = (await tenant.post('/v3/teams', { name: 'T', userIds: [user.id] })).body.data;
    const assign = (body: unknown) => tenant.post(`/v3/chats/${chatId}/assignment`, body);
    expect((await assign({ userId: user.id, teamId: team.id })).body.data).toMatchObject({
      assignedUserId: user.id,
      assignedTeamId: team.id,
    });
    expect((await assign({ teamId: null })).body.data).toMatchObject({
      assignedUserId: user.id,
      assignedTeamId: null,
    });
    const unknown = await assign({ userId: team.id, teamId: user.id });
    expect(Object.keys(unknown.body.error.invalidParams)).toEqual(['userId', 'teamId']);
    expect(await newEventTypes()).toEqual(['chat.assigned', 'chat.assigned']);
    await tenant.delete(`/v3/users/${user.id}`);
    expect((await tenant.get(`/v3/chats/${chatId}`)).body.data.assignedUserId).toBeNull();
    expect((await tenant.get(`/v3/teams/${team.id}`)).body.data.userIds).toEqual([]);
  });

  it('that is sensitive has events without content', async () => {
    const answer = await tenant.put(`/v3/chats/${chatId}`, { isSensitive: true });
    expect(answer.body.data).toMatchObject({ isSensitive: true, latestMessage: { text: 'hello' } });
    await tenant.post(`/v3/chats/${chatId}/status`);
    await newEventTypes();
    expect(receiver.received.at(-1)?.body.data.latestMessage).toMatchObject({ text: null, media: [] });
  });

  it('is deleted with its messages; the contact stays, and its next message creates a new chat', async () => {
    const before = (await tenant.get(`/v3/chats/${chatId}`)).body.data;
    const gone = await tenant.delete(`/v3/chats/${chatId}`);
    expect(gone.body.data).toEqual({ deletedIds: [chatId], notFoundIds: [] });
    expect((await tenant.delete(`/v3/chats/${chatId}`)).body.data.notFoundIds).toEqual([chatId]);
    expect(await newEventTypes()).toEqual(['chat.deleted']);
    const { rows } = await server.system.db.query('select 1 from messages where chat_id = $1', [chatId]);
    expect(rows).toEqual([]);
    await write('I am back');
    const created = receiver.received.at(-1)?.body;
    expect(created).toMatchObject({
      type: 'chat.created',
      data: { contactId: before.contactId, unreadCount: 1 },
    });
    expect(created.data.id).not.toBe(chatId);
  });
});

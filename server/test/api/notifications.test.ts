import { beforeEach, describe, expect, it } from 'vitest';
import { claimsOf } from '../../src/engine/claims.ts';
import { eventsQueue } from '../../src/engine/outbox.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { createSequencerState, type Subscriber, sequenceEvents } from '../../src/engine/sequencer.ts';
import { sweepNotifications } from '../../src/notifications/notification.ts';
import { notifyUsers } from '../../src/notifications/notify-users.ts';
import { useDatabase } from '../kit/database.ts';
import { listener } from '../kit/events.ts';
import { workerDatabase } from '../kit/execution.ts';
import { mortalWorkers } from '../kit/mortal-worker.ts';
import { personWith, type TestPerson, usePerson } from '../kit/people.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { openChat, type TestChat } from '../kit/sending.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { testHooks } from '../kit/tenant-hooks.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const CUSTOMER = '+15550002345';
let tenant: TestTenant;
let channel: { id: string };
let chat: TestChat;
let users: { grace: TestPerson; alan: TestPerson };

beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
  chat = await openChat(server, tenant, channel);
  users = {
    grace: await usePerson(server, tenant, 'agent'),
    alan: await usePerson(server, tenant, 'agent'),
  };
});

const inbox = async (person: TestPerson, body: object = {}) => {
  await server.settle();
  return (await person.post('/v3/notifications/search', body)).body;
};
const seen = async (person: TestPerson) =>
  (await inbox(person, { sortBy: 'asc(createdAt)' })).data.map(
    ({ type, count, isRead }: { type: string; count: number; isRead: boolean }) => [type, count, isRead],
  );
const write = async (text: string, from = CUSTOMER) => {
  await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from, text });
  await server.settle();
};
const assign = (by: TestPerson | TestTenant, body: object, id = chat.id) =>
  by.post(`/v3/chats/${id}/assignment`, body);
const teamOf = async (userIds: string[], channelIds: string[] = []): Promise<string> =>
  (await tenant.post('/v3/teams', { name: `Team ${userIds.length}`, userIds, channelIds })).body.data.id;

describe('a notification', () => {
  it('says who mentioned whom in which chat, and never concerns the author', async () => {
    const { grace, alan } = users;
    const note = await grace.post(`/v3/chats/${chat.id}/notes`, {
      text: '@alan @me look',
      mentionedUserIds: [alan.userId, grace.userId],
    });
    expect(await seen(grace)).toEqual([]);
    const { data, unreadCount } = await inbox(alan);
    expect(unreadCount).toBe(1);
    expect(data).toEqual([
      {
        id: expect.any(String),
        type: 'mentioned',
        chatId: chat.id,
        channelId: channel.id,
        contact: { id: chat.contactId, displayName: CUSTOMER },
        causedBy: { id: grace.userId, name: expect.stringMatching(/^Person/) },
        teamId: null,
        noteId: note.body.data.id,
        messageId: null,
        count: 1,
        isRead: false,
        readAt: null,
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
  });

  it('reaches the members of a mentioned team once, and later only who is mentioned newly', async () => {
    const { grace, alan } = users;
    const teamId = await teamOf([grace.userId, alan.userId]);
    const path = `/v3/chats/${chat.id}/notes`;
    const note = await grace.post(path, {
      text: '@team',
      mentionedUserIds: [alan.userId],
      mentionedTeamIds: [teamId],
    });
    expect(note.body.data).toMatchObject({ mentionedUserIds: [alan.userId], mentionedTeamIds: [teamId] });
    expect([await seen(grace), await seen(alan)]).toEqual([[], [['mentioned', 1, false]]]);
    const one = { path: `/v3/notes/${note.body.data.id}`, body: { mentionedUserIds: [alan.userId] } };
    await alan.call('PUT', one.path, { body: { ...one.body, text: 'changed' } });
    expect(await seen(alan)).toEqual([['mentioned', 1, false]]);
    await alan.call('PUT', one.path, { body: { mentionedUserIds: [alan.userId, grace.userId] } });
    expect([await seen(grace), await seen(alan)]).toEqual([
      [['mentioned', 1, false]],
      [['mentioned', 1, false]],
    ]);
  });

  it('names an unknown team and user, and nothing is stored', async () => {
    const { body } = await users.grace.post(`/v3/chats/${chat.id}/notes`, {
      text: 'x',
      mentionedUserIds: [users.alan.userId, UNKNOWN],
      mentionedTeamIds: [UNKNOWN],
    });
    expect(Object.keys(body.error.invalidParams)).toEqual(['mentionedUserIds.1', 'mentionedTeamIds.0']);
    expect(await seen(users.alan)).toEqual([]);
  });

  it('follows an assignment by somebody else: to the user, or to the members of the team if nobody has the chat', async () => {
    const { grace, alan } = users;
    const teamId = await teamOf([grace.userId, alan.userId]);
    await assign(grace, { userId: grace.userId });
    expect(await seen(grace)).toEqual([]);
    await assign(grace, { userId: alan.userId, teamId });
    expect([await seen(grace), await seen(alan)]).toEqual([[], [['assigned', 1, false]]]);
    await assign(tenant, { userId: null, teamId: null });
    await alan.post('/v3/notifications/read', { all: true });
    await assign(tenant, { teamId });
    expect([await seen(grace), await seen(alan)]).toEqual([
      [['assigned', 1, false]],
      [
        ['assigned', 1, true],
        ['assigned', 1, false],
      ],
    ]);
    expect((await inbox(grace)).data).toMatchObject([{ teamId, causedBy: null }]);
  });

  it('of a message is for who has the chat when it is stored, not for who gets it before its event is numbered', async () => {
    const { grace } = users;
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: CUSTOMER, text: 'Hello?' });
    const storing = mortalWorkers(server, workerDatabase(server))(tenant, undefined, ['inbound']);
    expect(await storing.settle()).toBe(true);
    await assign(tenant, { userId: grace.userId });
    expect(await seen(grace)).toEqual([['assigned', 1, false]]);
    await write('And now?');
    expect(await seen(grace)).toEqual([
      ['assigned', 1, false],
      ['message_received', 1, false],
    ]);
  });

  it('counts further messages while it is unread, and is a new one once it was read', async () => {
    const { alan, grace } = users;
    await assign(alan, { userId: alan.userId });
    await write('one');
    await write('two');
    expect(await seen(alan)).toEqual([['message_received', 2, false]]);
    const { data } = await inbox(alan);
    const latest = (await tenant.post('/v3/messages/search', { query: 'eq(text,"two")' })).body.data[0];
    expect(data[0].messageId).toBe(latest.id);
    const read = await alan.post('/v3/notifications/read', { ids: [data[0].id] });
    expect(read.body.data).toEqual({ unreadCount: 0 });
    await write('three');
    expect(await seen(alan)).toEqual([
      ['message_received', 2, true],
      ['message_received', 1, false],
    ]);
    expect(await seen(grace)).toEqual([]);
  });

  it('tells that a snooze has ended by itself, not that somebody opened the chat', async () => {
    const { alan } = users;
    await assign(alan, { userId: alan.userId });
    const snoozedUntil = new Date(server.clock.now().getTime() + 60_000).toISOString();
    const snooze = () => alan.post(`/v3/chats/${chat.id}/status`, { status: 'snoozed', snoozedUntil });
    await snooze();
    await users.grace.post(`/v3/chats/${chat.id}/status`, { status: 'open' });
    expect(await seen(alan)).toEqual([]);
    await snooze();
    await server.settle();
    server.clock.advance(61_000);
    expect(await seen(alan)).toEqual([['snooze_ended', 1, false]]);
  });

  it('tells the author that a message failed', async () => {
    const { alan, grace } = users;
    await tenant.post(`/v3/sandbox/${channel.id}/faults`, { failEvery: 1 });
    const sent = await alan.post(`/v3/chats/${chat.id}/messages`, { text: 'Hello' });
    await server.settle();
    expect(await seen(alan)).toEqual([]);
    // It is tried again for a day.
    server.clock.advance(25 * 3600_000);
    expect(await seen(grace)).toEqual([]);
    expect(await seen(alan)).toEqual([['message_failed', 1, false]]);
    expect((await inbox(alan)).data[0].messageId).toBe(sent.body.data.id);
  });
});

describe('notifications', () => {
  it('belong to one user of one tenant: others neither see nor read them, and a token has none', async () => {
    const { grace, alan } = users;
    await assign(tenant, { userId: alan.userId });
    const { id } = (await inbox(alan)).data[0];
    const other = await server.tenant();
    const outsider = await usePerson(server, other, 'owner');
    for (const caller of [grace, tenant, outsider, other]) {
      const found = (await caller.post('/v3/notifications/search', {})).body;
      expect([found.data, found.unreadCount]).toEqual([[], 0]);
      expect((await caller.post('/v3/notifications/read', { ids: [id] })).status).toBe(200);
      expect((await caller.post('/v3/notifications/read', { all: true })).status).toBe(200);
    }
    expect(await seen(alan)).toEqual([['assigned', 1, false]]);
  });

  it('refuses neither, both and malformed ids', async () => {
    for (const [body, params] of [
      [{}, ['ids']],
      [{ ids: [UNKNOWN], all: true }, ['all']],
      [{ all: false }, ['all']],
      [{ ids: [] }, ['ids']],
      [{ ids: ['x'] }, ['ids.0']],
      [{ all: true, userId: UNKNOWN }, ['userId']],
    ] as const) {
      const { status, body: answer } = await users.alan.post('/v3/notifications/read', body);
      expect([body, status, Object.keys(answer.error.invalidParams)]).toEqual([body, 400, params]);
    }
  });

  it('are never about a chat that the user cannot see, not even afterwards', async () => {
    const own = await tenant.channel();
    const restricted = await usePerson(server, tenant, 'agent', { access: 'teams' });
    const teamId = await teamOf([restricted.userId], [own.id]);
    await assign(tenant, { userId: restricted.userId });
    await tenant.post(`/v3/chats/${chat.id}/notes`, {
      text: 'x',
      mentionedUserIds: [restricted.userId],
      mentionedTeamIds: [teamId],
    });
    await write('secret');
    expect(await seen(restricted)).toEqual([]);
    const stored = await server.system.db.query('select 1 from notifications where user_id = $1', [
      restricted.userId,
    ]);
    expect(stored.rows).toEqual([]);
    const visible = await openChat(server, tenant, own);
    await assign(tenant, { userId: restricted.userId }, visible.id);
    expect(await seen(restricted)).toEqual([['assigned', 1, false]]);
    await tenant.put(`/v3/teams/${teamId}`, { channelIds: [channel.id] });
    const { body } = await (await usePersonAgain(restricted)).post('/v3/notifications/search', {});
    expect([body.data, body.unreadCount]).toEqual([[], 0]);
  });

  it('disappear with the chat and with the user, who may be deleted at any time', async () => {
    const { grace, alan } = users;
    await assign(tenant, { userId: alan.userId });
    await grace.post(`/v3/chats/${chat.id}/notes`, { text: 'x', mentionedUserIds: [alan.userId] });
    await tenant.delete(`/v3/users/${alan.userId}`);
    await server.settle();
    const rows = async () =>
      (await server.system.db.query('select 1 from notifications where tenant_id = $1', [tenant.id])).rows;
    expect(await rows()).toEqual([]);
    await assign(tenant, { userId: grace.userId });
    expect(await seen(grace)).toEqual([['assigned', 1, false]]);
    await tenant.delete(`/v3/chats/${chat.id}`);
    expect(await seen(grace)).toEqual([]);
    expect((await inbox(grace)).unreadCount).toBe(0);
  });

  it('are neither events nor deliveries', async () => {
    const newEvents = listener(server, tenant);
    await newEvents();
    await assign(tenant, { userId: users.alan.userId });
    await server.settle();
    expect((await newEvents()).map(({ type }) => type)).toEqual(['chat.assigned']);
    const refused = await tenant.post('/v3/api_webhooks', {
      url: 'https://example.com/hook',
      events: [{ type: 'notification.created' }],
    });
    expect(refused.status).toBe(400);
    const prefix = await tenant.post('/v3/api_webhooks', {
      url: 'https://example.com/hook',
      events: [{ type: 'notification.*' }],
    });
    expect(prefix.status).toBe(400);
  });

  it('are deleted when nothing has happened for the time of the retention', async () => {
    const { alan } = users;
    await assign(tenant, { userId: alan.userId });
    await inbox(alan);
    const { db } = server.system;
    await sweepNotifications(db, new Date(server.clock.now().getTime() - 1));
    expect(await seen(alan)).toEqual([['assigned', 1, false]]);
    await sweepNotifications(db, new Date(server.clock.now().getTime() + 1));
    expect(await seen(alan)).toEqual([]);
  });

  it('are written once per event, by whichever process and however often it is numbered', async () => {
    const { alan } = users;
    const db = useDatabase(server.databaseUrl, { poolSize: 8 }, testHooks(server.clock));
    await assign(tenant, { userId: alan.userId });
    const rows = await claimsOf(db, eventsQueue, server.clock.real)(
      realShardOf(tenant.id),
      tenant.id,
      500,
      new Set(),
    );
    expect(rows.map(({ type }) => type)).toContain('chat.assigned');
    const number = (subscribers: Subscriber[] = [notifyUsers]) =>
      sequenceEvents({ db, subscribers, batchSizes: createSequencerState() }, rows);
    // A process dies after it wrote them and before it commits.
    const dies: Subscriber = async () => ({
      rows: 0,
      write: () => {
        throw new Error('killed');
      },
    });
    await expect(number([notifyUsers, dies])).rejects.toThrow('killed');
    expect((await alan.post('/v3/notifications/search', {})).body.data).toEqual([]);
    // One worker has lost its lease and does not know that yet.
    await Promise.all([number(), number(), number()]);
    await number();
    expect(await seen(alan)).toEqual([['assigned', 1, false]]);
  });

  it('do not wait for a user who marks them as read, or is being deleted', async () => {
    const { alan, grace } = users;
    await assign(alan, { userId: alan.userId });
    await write('one');
    const client = await usePgClient(server.databaseUrl);
    await client.query('begin');
    await client.query('update notifications set read_at = now() where user_id = $1', [alan.userId]);
    await client.query('select 1 from users where id = $1 for update', [grace.userId]);
    await tenant.post(`/v3/chats/${chat.id}/notes`, { text: 'x', mentionedUserIds: [grace.userId] });
    await write('two');
    await client.query('commit');
    expect(await seen(alan)).toEqual([
      ['message_received', 1, true],
      ['message_received', 1, false],
    ]);
    expect(await seen(grace)).toEqual([]);
  });
});

/** The same person, as a process that has not cached the session sees it. */
async function usePersonAgain(person: TestPerson): Promise<TestPerson> {
  const elsewhere = await useServer({ databaseUrl: server.databaseUrl });
  return personWith(elsewhere, person.cookie, { tenantId: tenant.id, userId: person.userId });
}

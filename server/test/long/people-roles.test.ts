import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { scopes } from '../../src/http/permissions.ts';
import type { Route } from '../../src/http/route.ts';
import { restrictedNames } from '../../src/people/channel-access.ts';
import { type Role, roleScopes, userRoles } from '../../src/users/roles.ts';
import { useEventStream } from '../kit/event-client.ts';
import { form, upload } from '../kit/files.ts';
import { OWN_PAGE, type TestPerson, usePerson } from '../kit/people.ts';
import { setRealTime } from '../kit/real-time.ts';
import { bodyFor, createFixtures, type Fixtures, idsFor, paramsOf, pathOf } from '../kit/route-calls.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
/** Ids below a chat or a channel, which are restricted. */
const BELOW = new Set(['noteId', 'requestId']);
/** Everything that a user of a tenant may call. */
const routes = server.system.app.routes.filter(
  ({ spec }) => spec.path.startsWith('/v3/') && (spec.access === 'token' || spec.access.includes(':')),
);
const hasScope = (role: Role, { spec }: Route): boolean =>
  spec.access === 'token' || roleScopes[role].some((scope) => scope === '*' || scope === spec.access);
/** Exports are for admins and owners. */
const isForAdmins = ({ spec }: Route): boolean => spec.isForAdmins === true || spec.answer.isExport === true;
const mayCall = (role: Role, route: Route): boolean =>
  hasScope(role, route) && !(isForAdmins(route) && (role === 'agent' || role === 'viewer'));
/** Until then another process may not know of a change. */
const passSeconds = (): void => setRealTime(Date.now() + 3_001);
afterEach(() => vi.useRealTimers());
const nameOf = ({ spec }: Route): string => `${spec.method} ${spec.path}`;

describe('a role', () => {
  it('has the scopes that are documented', () => {
    expect(roleScopes.owner).toEqual(['*']);
    expect(new Set(roleScopes.admin)).toEqual(
      new Set(scopes.filter((scope) => scope !== '*' && scope !== 'tenant:write')),
    );
    expect([...roleScopes.agent].sort()).toEqual([
      'attributes:read',
      'automations:read',
      'automations:trigger',
      'campaigns:read',
      'channels:read',
      'chats:read',
      'chats:write',
      'contacts:read',
      'contacts:write',
      'events:read',
      'files:read',
      'files:write',
      'messages:read',
      'messages:write',
      'reports:read',
      'templates:read',
      'tenant:read',
      'users:read',
    ]);
    expect([...roleScopes.viewer].sort()).toEqual([
      'attributes:read',
      'automations:read',
      'campaigns:read',
      'channels:read',
      'chats:read',
      'contacts:read',
      'events:read',
      'files:read',
      'messages:read',
      'reports:read',
      'templates:read',
      'tenant:read',
      'users:read',
    ]);
  });

  it.each(userRoles)('%s may call what its scopes say, and nothing else', async (role) => {
    const fixtures = await createFixtures(server);
    const person = await usePerson(server, fixtures.tenant, role);
    for (const route of routes) {
      const { spec } = route;
      const payload = spec.upload
        ? form({ content: 'hello', filename: 'hello.txt' })
        : { body: bodyFor(route, fixtures) };
      const answer = await person.call(
        spec.method,
        pathOf(route, () => UNKNOWN),
        payload,
      );
      expect([nameOf(route), answer.status === 403]).toEqual([nameOf(route), !mayCall(role, route)]);
      expect(answer.status).toBeLessThan(500);
      const needed = hasScope(role, route) ? 'people need the role admin or owner' : spec.access;
      if (answer.status === 403) expect(answer.body.error.message).toContain(needed);
    }
  });

  it('that was changed, and a user that was deleted, count within seconds', async () => {
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    const write = () => person.post('/v3/contacts', { firstName: 'A' });
    expect((await write()).status).toBe(200);
    await tenant.put(`/v3/users/${person.userId}`, { role: 'viewer' });
    passSeconds();
    expect((await write()).status).toBe(403);
    await tenant.delete(`/v3/users/${person.userId}`);
    passSeconds();
    expect((await person.get('/v3/me')).status).toBe(403);
    expect((await person.get('/v3/session')).body.data.memberships).toEqual([]);
  });
});

/** A tenant with one of everything in a channel, and people who see another channel only. */
interface Restricted extends Fixtures {
  ownChannelId: string;
  agent: TestPerson;
  viewer: TestPerson;
  /** What they must not see. */
  hidden: string[];
}

async function restrict(): Promise<Restricted> {
  const fixtures = await createFixtures(server);
  const { tenant, ids } = fixtures;
  const ownChannelId = (await tenant.channel()).id;
  const [agent, viewer] = [
    await usePerson(server, tenant, 'agent', { access: 'teams' }),
    await usePerson(server, tenant, 'viewer', { access: 'teams' }),
  ];
  await tenant.post('/v3/teams', {
    name: 'Own',
    userIds: [agent.userId, viewer.userId],
    channelIds: [ownChannelId],
  });
  // As if it had come with a message, and as if the run had a chat.
  const fileId = (await upload(tenant, 'hidden\n', 'hidden.txt')).body.data.id as string;
  const { db } = server.system;
  await db.query('update files set message_id = $2 where id = $1', [fileId, ids.messageId]);
  await db.query(`delete from events where type = 'file.created' and tenant_id = $1`, [tenant.id]);
  await db.query('update automation_runs set chat_id = $2 where id = $1', [ids.runId, ids.chatId]);
  Object.assign(ids, { fileId });
  await server.settle();
  const hidden = ['chatId', 'messageId', 'noteId', 'fileId', 'campaignId', 'runId', 'channelId', 'requestId'];
  return { ...fixtures, ownChannelId, agent, viewer, hidden: hidden.map((name) => ids[name] as string) };
}

/** An answer less what differs from one request to the next, with the id that was asked for written as one word. */
const comparable = ({ status, text }: Answer, id: string): string =>
  `${status} ${text.replaceAll(/req_[0-9a-f-]{36}/g, 'req').replaceAll(id, 'ID')}`;

describe('a user who is restricted to teams', () => {
  let all: Restricted;
  beforeAll(async () => {
    all = await restrict();
  });
  const callable = (role: Role): Route[] => routes.filter((route) => mayCall(role, route));
  const both = [...new Set([...callable('agent'), ...callable('viewer')])];

  it('is asked about every name of an id: each is restricted, or what every user sees', () => {
    const open = new Set([
      'contactId',
      'fromContactId',
      'handleId',
      'labelId',
      'labelIds',
      'viewId',
      'attributeId',
      'userId',
      'teamId',
      'automationId',
      'automationIds',
      'versionId',
      'baseVersionId',
      // The operations themselves look at the channel of the event.
      'eventId',
      'traceId',
      'jobId',
      'importId',
      'segmentId',
      'mentionedUserIds',
      'mentionedTeamIds',
      'externalId',
      // Of the vendor.
      'flowId',
      'catalogId',
      'productId',
      'productIds',
      'thumbnailProductId',
      ...BELOW,
    ]);
    const names = new Set<string>();
    const collect = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [name, part] of Object.entries((node as { properties?: object }).properties ?? {})) {
        if (/Ids?$/.test(name)) names.add(name);
        collect(part);
      }
      for (const name of ['items', 'anyOf'] as const)
        for (const part of [(node as Record<string, unknown>)[name] ?? []].flat()) collect(part);
    };
    for (const route of both) {
      for (const name of paramsOf(route)) names.add(name);
      collect(route.spec.body);
      collect(route.spec.query);
    }
    names.delete('lastEventId');
    expect([...names].filter((name) => !open.has(name) && !(name in restrictedNames))).toEqual([]);
  });

  it.each([
    'agent',
    'viewer',
  ] as const)('%s: ids of other channels are answered as unknown ones', async (role) => {
    const person = all[role];
    for (const route of callable(role)) {
      const names = paramsOf(route).filter((name) => name in restrictedNames);
      const [name] = names;
      if (name === undefined) continue;
      const ids = idsFor(route, all);
      const ask = (id: string) =>
        person.call(
          route.spec.method,
          pathOf(route, (param) => (param === name ? id : (ids[param] as string))),
          { body: bodyFor(route, { ...all, ids: { ...all.ids, userId: person.userId } }) },
        );
      const id = ids[name] as string;
      expect([nameOf(route), comparable(await ask(id), id)]).toEqual([
        nameOf(route),
        comparable(await ask(UNKNOWN), UNKNOWN),
      ]);
    }
  });

  it.each([
    'agent',
    'viewer',
  ] as const)('%s: no answer of any route contains what is hidden', async (role) => {
    for (const route of callable(role)) {
      const { spec } = route;
      // A user who writes to a contact over the own channel is answered with the own chat.
      const text = JSON.stringify(bodyFor(route, all) ?? null)
        .replaceAll(all.ids.channelId as string, all.ownChannelId)
        .replaceAll(all.ids.chatId as string, UNKNOWN);
      const payload = spec.upload
        ? form({ content: 'hello', filename: 'hello.txt' })
        : { body: spec.path.endsWith('/search') ? {} : (JSON.parse(text) ?? undefined) };
      const own = pathOf(route, (name) =>
        name in restrictedNames || BELOW.has(name) ? UNKNOWN : (idsFor(route, all)[name] as string),
      );
      const answer = await all[role].call(spec.method, own, payload);
      expect([nameOf(route), all.hidden.filter((id) => answer.text.includes(id))]).toEqual([
        nameOf(route),
        [],
      ]);
    }
  });

  it('cannot send a file, reply or start a chat over what is hidden', async () => {
    const { agent, ids, ownChannelId } = all;
    const chat = (await agent.post('/v3/chats', { contactId: ids.contactId, channelId: ownChannelId })).body
      .data;
    expect(chat.channelId).toBe(ownChannelId);
    expect(chat.contact.chats.map(({ id }: { id: string }) => id)).toEqual([chat.id]);
    const send = (body: object) => agent.post(`/v3/chats/${chat.id}/messages`, body);
    for (const body of [
      { media: { fileId: ids.fileId } },
      { media: [{ fileId: ids.fileId }] },
      { text: 'a', replyToMessageId: ids.messageId },
      { reaction: { messageId: ids.messageId, emoji: '👍' } },
    ]) {
      const answer = await send(body);
      expect([body, answer.status]).toEqual([body, 400]);
    }
    for (const path of ['/v3/chats', '/v3/messages']) {
      const answer = await agent.post(path, { contactId: ids.contactId, channelId: ids.channelId });
      expect(answer.body.error.invalidParams.channelId.message).toBe(`There is no channel ${ids.channelId}`);
    }
  });

  it('sees what comes in over the own channel, everywhere, and counts only that', async () => {
    const { agent, viewer, tenant, ownChannelId } = all;
    await tenant.post(`/v3/sandbox/${ownChannelId}/inbound`, { from: '+15550009999', text: 'for us' });
    await server.settle();
    for (const person of [agent, viewer]) {
      const chats = await person.post('/v3/chats/search', { query: `eq(channelId,"${ownChannelId}")` });
      expect(chats.body.pagination.total).toBe(
        (await person.post('/v3/chats/search', {})).body.pagination.total,
      );
      const messages = await person.post('/v3/messages/search', { search: 'us' });
      expect(messages.body.data).toMatchObject([{ text: 'for us' }]);
      const { chatId } = messages.body.data[0];
      expect((await person.get(`/v3/chats/${chatId}`)).status).toBe(200);
      expect((await person.post('/v3/messages/search', { search: 'hello' })).body.pagination.total).toBe(0);
      const events = await person.post('/v3/events/search', { pagination: { limit: 100 } });
      const channels = new Set(
        events.body.data.map((event: { channelId: string | null }) => event.channelId),
      );
      expect(channels).toEqual(new Set([null, ownChannelId]));
    }
  });

  it('sees nothing of a channel that the team has lost, and everything with access to all', async () => {
    const { tenant, ids } = await createFixtures(server);
    const person = await usePerson(server, tenant, 'agent', { access: 'teams' });
    const count = async () => (await person.post('/v3/chats/search', {})).body.pagination.total;
    expect(await count()).toBe(0);
    const team = await tenant.post('/v3/teams', {
      name: 'Own',
      userIds: [person.userId],
      channelIds: [ids.channelId],
    });
    passSeconds();
    expect(await count()).toBe(1);
    await tenant.put(`/v3/teams/${team.body.data.id}`, { channelIds: [] });
    passSeconds();
    expect(await count()).toBe(0);
    await tenant.put(`/v3/users/${person.userId}`, { access: 'all' });
    passSeconds();
    expect(await count()).toBe(1);
    await tenant.put(`/v3/users/${person.userId}`, { access: 'teams', role: 'admin' });
    passSeconds();
    expect(await count()).toBe(1);
  });
});

describe('the event stream of a person', () => {
  const follow = (tenant: TestTenant, { cookie }: TestPerson) =>
    useEventStream(server.system.app.server, {
      query: `?tenantId=${tenant.id}`,
      headers: { ...OWN_PAGE, cookie: `__Host-parley=${cookie}` },
    });

  it('has only the events of the own channels, without the chats of others', async () => {
    const tenant = await server.tenant();
    const [own, other] = [await tenant.channel(), await tenant.channel()];
    const person = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Own', userIds: [person.userId], channelIds: [own.id] });
    const client = await follow(tenant, person);
    expect(client.status).toBe(200);
    const receive = async (channel: { id: string }, text: string) => {
      await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text });
      await server.settle();
    };
    await receive(other, 'for others');
    await receive(own, 'for us');
    await tenant.post('/v3/chats/search', {});
    await expect.poll(() => client.heard.filter(({ event }) => event === 'message.received').length).toBe(1);
    expect(client.text()).toContain('for us');
    for (const text of ['for others', other.id]) expect(client.text()).not.toContain(text);
    client.close();
  });

  it('ends within 5 seconds when the session is ended in another process', async () => {
    const tenant = await server.tenant();
    const elsewhere = await useServer({ databaseUrl: server.databaseUrl });
    const [mine, spare] = [
      await usePerson(server, tenant, 'agent'),
      await usePerson(server, tenant, 'agent'),
    ];
    const [client, other] = [await follow(tenant, mine), await follow(tenant, spare)];
    const ended = await elsewhere.call('DELETE', '/v3/session', {
      headers: { ...OWN_PAGE, cookie: `__Host-parley=${mine.cookie}` },
    });
    expect(ended.status).toBe(200);
    passSeconds();
    expect((await mine.get('/v3/me')).status).toBe(401);
    expect(await client.ended).toBe(true);
    other.close();
  });

  it('ends when the role loses the right to it, or the user is deleted', async () => {
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    const client = await follow(tenant, person);
    await tenant.delete(`/v3/users/${person.userId}`);
    passSeconds();
    expect(await client.ended).toBe(true);
  });
});

describe('what a person writes', () => {
  it('has the user as its author, and takes the chat over', async () => {
    const fixtures = await createFixtures(server);
    const { tenant, ids } = fixtures;
    const person = await usePerson(server, tenant, 'agent');
    const author = { type: 'user', id: person.userId };
    const message = await person.post(`/v3/chats/${ids.chatId}/messages`, { text: 'Hello' });
    expect(message.body.data.author).toMatchObject(author);
    const own = { text: 'Hello', userId: person.userId };
    expect((await person.post(`/v3/chats/${ids.chatId}/messages`, own)).status).toBe(200);
    const other = { text: 'Hello', userId: ids.userId };
    const refused = await person.post(`/v3/chats/${ids.chatId}/messages`, other);
    expect(refused.body.error.invalidParams).toHaveProperty('userId');
    const note = await person.post(`/v3/chats/${ids.chatId}/notes`, { text: 'Call back' });
    expect(note.body.data.author).toMatchObject(author);
    const assigned = await person.post(`/v3/chats/${ids.chatId}/assignment`, { userId: person.userId });
    expect(assigned.body.data).toMatchObject({ assignedUserId: person.userId, isAutomationPaused: true });
  });
});

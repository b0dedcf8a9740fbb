import { beforeEach, describe, expect, it } from 'vitest';
import { fillTenant } from '../kit/bulk.ts';
import { usePerson } from '../kit/people.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { db } = server.system;
let tenant: TestTenant;
let channel: { id: string };
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
});

const OPEN = 'eq(status,"open")';
const write = async (from: string, over = channel): Promise<string> => {
  await tenant.post(`/v3/sandbox/${over.id}/inbound`, { from, text: 'hello' });
  await server.settle();
  const { rows } = await db.query(
    `select c.id from chats c join handles h on h.id = c.handle_id where c.tenant_id = $1 and h.value = $2 and c.channel_id = $3`,
    [tenant.id, from, over.id],
  );
  return String(rows[0]?.id);
};
const issuesOf = (answer: { body: { error: { invalidParams: Record<string, { message: string }> } } }) =>
  Object.fromEntries(
    Object.entries(answer.body.error.invalidParams).map(([path, { message }]) => [path, message]),
  );

describe('a view', () => {
  it('is stored, found, changed and deleted', async () => {
    const made = await tenant.post('/v3/views', { name: 'Open', query: OPEN, sortBy: 'asc(waitingSince)' });
    const view = made.body.data;
    expect(view).toMatchObject({
      userId: null,
      name: 'Open',
      query: OPEN,
      sortBy: 'asc(waitingSince)',
      isShared: true,
    });
    expect((await tenant.get(`/v3/views/${view.id}`)).body.data).toEqual(view);
    expect((await tenant.post('/v3/views/search', { search: 'ope' })).body.data).toEqual([view]);
    const changed = await tenant.put(`/v3/views/${view.id}`, {
      name: 'Mine',
      query: 'eq(assignedUserId,me())',
    });
    expect(changed.body.data).toMatchObject({
      name: 'Mine',
      query: 'eq(assignedUserId,me())',
      isShared: true,
    });
    expect((await tenant.delete(`/v3/views/${view.id}`)).body.data.deletedIds).toEqual([view.id]);
    expect((await tenant.get(`/v3/views/${view.id}`)).body.error.messageKey).toBe('view_not_found');
    expect((await tenant.delete(`/v3/views/${view.id}`)).body.data.notFoundIds).toEqual([view.id]);
  });

  it('is refused where a search of chats would be', async () => {
    const refused = await tenant.post('/v3/views', {
      name: 'Wrong',
      query: 'eq(colour,"red")',
      sortBy: 'asc(mood)',
    });
    expect(Object.keys(issuesOf(refused)).sort()).toEqual(['query', 'sortBy']);
    const own = await tenant.post('/v3/views', { name: 'Own', query: OPEN, isShared: false });
    expect(issuesOf(own)).toEqual({ isShared: 'Must be true: a token has no views of its own' });
    expect((await tenant.post('/v3/views/search', {})).body.pagination.total).toBe(0);
    const view = (await tenant.post('/v3/views', { name: 'Open', query: OPEN })).body.data;
    expect(issuesOf(await tenant.put(`/v3/views/${view.id}`, { query: 'eq(status,"lost")' }))).toMatchObject({
      query: expect.stringContaining('status'),
    });
    expect((await tenant.get(`/v3/views/${view.id}`)).body.data).toEqual(view);
  });

  it('belongs to its user unless it is shared', async () => {
    const [ada, bob, admin] = [
      await usePerson(server, tenant, 'agent'),
      await usePerson(server, tenant, 'agent'),
      await usePerson(server, tenant, 'admin'),
    ];
    const own = (await ada.post('/v3/views', { name: 'Own', query: OPEN })).body.data;
    const shared = (await ada.post('/v3/views', { name: 'Shared', query: OPEN, isShared: true })).body.data;
    expect([own, shared]).toMatchObject([
      { userId: ada.userId, isShared: false },
      { userId: ada.userId, isShared: true },
    ]);
    const namesFor = async (who: typeof ada | TestTenant) =>
      (await who.post('/v3/views/search', { sortBy: 'asc(name)' })).body.data.map(
        ({ name }: { name: string }) => name,
      );
    expect(await namesFor(ada)).toEqual(['Own', 'Shared']);
    for (const other of [bob, admin, tenant]) expect(await namesFor(other)).toEqual(['Shared']);

    for (const other of [bob, admin, tenant]) {
      expect((await other.get(`/v3/views/${own.id}`)).status).toBe(404);
      const answer = await other.call('PUT', `/v3/views/${own.id}`, { body: { name: 'Taken' } });
      expect(answer.body.error.messageKey).toBe('view_not_found');
    }
    const change = (who: typeof ada, name: string) =>
      who.call('PUT', `/v3/views/${shared.id}`, { body: { name } });
    expect((await change(bob, 'Taken')).status).toBe(403);
    expect((await bob.call('DELETE', `/v3/views/${shared.id}`)).status).toBe(403);
    expect((await change(admin, 'By the admin')).body.data.name).toBe('By the admin');
    expect((await change(ada, 'By Ada')).body.data.name).toBe('By Ada');
    // A user's views go with the user.
    await tenant.delete(`/v3/users/${ada.userId}`);
    expect(await namesFor(tenant)).toEqual([]);
  });

  it('A2: is not seen by another tenant', async () => {
    const view = (await tenant.post('/v3/views', { name: 'Open', query: OPEN })).body.data;
    const other = await server.tenant();
    expect((await other.get(`/v3/views/${view.id}`)).status).toBe(404);
    expect((await other.put(`/v3/views/${view.id}`, { name: 'x' })).status).toBe(404);
    expect((await other.delete(`/v3/views/${view.id}`)).body.data.notFoundIds).toEqual([view.id]);
  });
});

describe('me() and myTeams()', () => {
  it('are the user who has logged in', async () => {
    const ada = await usePerson(server, tenant, 'agent');
    const bob = await usePerson(server, tenant, 'agent');
    const team = (await tenant.post('/v3/teams', { name: 'Sales', userIds: [bob.userId] })).body.data;
    const [first, second] = [await write('+15550001111'), await write('+15550002222')];
    await tenant.post(`/v3/chats/${first}/assignment`, { userId: ada.userId });
    await tenant.post(`/v3/chats/${second}/assignment`, { teamId: team.id });
    const found = async (who: typeof ada, query: string) =>
      (await who.post('/v3/chats/search', { query })).body.data.map(({ id }: { id: string }) => id);
    const ofTeams = 'in(assignedTeamId,myTeams())';
    expect(await found(ada, 'eq(assignedUserId,me())')).toEqual([first]);
    expect(await found(bob, 'eq(assignedUserId,me())')).toEqual([]);
    expect(await found(ada, 'ne(assignedUserId,me())')).toEqual([second]);
    expect(await found(bob, ofTeams)).toEqual([second]);
    // Somebody without a team has none of its chats.
    expect(await found(ada, ofTeams)).toEqual([]);
    expect(await found(ada, `not(${ofTeams})`)).toHaveLength(2);
    expect(await found(bob, `in(assignedTeamId,myTeams(),null)`)).toHaveLength(2);
  });

  it('are refused for a token, and where an id does not fit', async () => {
    const message = async (query: string) => issuesOf(await tenant.post('/v3/chats/search', { query })).query;
    expect(await message('eq(assignedUserId,me())')).toContain('only for users who have logged in');
    expect(await message('in(assignedTeamId,myTeams())')).toContain('only for users who have logged in');
    const ada = await usePerson(server, tenant, 'agent');
    const own = async (query: string) => issuesOf(await ada.post('/v3/chats/search', { query })).query;
    expect(await own('eq(status,me())')).toContain('status');
    expect(await own('eq(assignedTeamId,myTeams())')).toContain('assignedTeamId');
    expect(await own('eq(assignedUserId,me)')).toContain('(');
    expect(await own('eq(assignedUserId,me("x"))')).toContain(')');
  });
});

describe('counts of chats', () => {
  it('take every filter that a search takes, also one of the most levels', async () => {
    await write('+15550001111');
    const query = `${'not('.repeat(18)}${OPEN}${')'.repeat(18)}`;
    const deepest = `not(${query})`;
    for (const one of [query, deepest]) {
      const total = (await tenant.post('/v3/chats/search', { query: one })).body.pagination.total;
      const { body } = await tenant.post('/v3/chats/counts', { views: [{ key: 'deep', query: one }] });
      expect(body.data).toEqual([{ key: 'deep', total, unread: total, totalIsCapped: false }]);
    }
  });

  it('are those of each filter, with the unread ones', async () => {
    const first = await write('+15550001111');
    await write('+15550002222');
    await tenant.post(`/v3/chats/${first}/read`, { isUnread: false });
    const { body } = await tenant.post('/v3/chats/counts', {
      views: [
        { key: 'open', query: OPEN },
        { key: 'all' },
        { key: 'closed', query: 'eq(status,"closed")' },
        { key: 'Ada', query: 'and(eq(status,"open"),isNull(assignedUserId))' },
      ],
    });
    const [two, none] = [
      { total: 2, unread: 1, totalIsCapped: false },
      { total: 0, unread: 0, totalIsCapped: false },
    ];
    expect(body.data).toEqual([
      { key: 'open', ...two },
      { key: 'all', ...two },
      { key: 'closed', ...none },
      { key: 'Ada', ...two },
    ]);
  });

  it('are only those of the channels that a user sees', async () => {
    const other = await tenant.channel('sms');
    await write('+15550001111');
    await write('+15550002222', other);
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Sales', userIds: [agent.userId], channelIds: [other.id] });
    server.clock.advance(4_000);
    const counted = async () =>
      (await agent.post('/v3/chats/counts', { views: [{ key: 'all' }, { key: 'open', query: OPEN }] })).body
        .data;
    await expect.poll(async () => (await counted())[0].total).toBe(1);
    expect((await counted())[1]).toMatchObject({ total: 1, unread: 1 });
  });

  it('are refused as a whole, each filter at its place', async () => {
    const refused = await tenant.post('/v3/chats/counts', {
      views: [
        { key: 'good', query: OPEN },
        { key: 'bad', query: 'eq(x,1)' },
        { key: 'me', query: 'eq(id,me())' },
      ],
    });
    expect(Object.keys(issuesOf(refused))).toEqual(['views.1.query', 'views.2.query']);
    const many = Array.from({ length: 21 }, (_, index) => ({ key: String(index) }));
    expect(Object.keys(issuesOf(await tenant.post('/v3/chats/counts', { views: many })))).toEqual(['views']);
    expect(Object.keys(issuesOf(await tenant.post('/v3/chats/counts', { views: [] })))).toEqual(['views']);
  });

  it('stop at a thousand', async () => {
    await fillTenant((text, values) => db.query(text, values), tenant.id, channel.id, 1_001, 0);
    const { body } = await tenant.post('/v3/chats/counts', { views: [{ key: 'open', query: OPEN }] });
    expect(body.data).toEqual([{ key: 'open', total: 1000, unread: 0, totalIsCapped: true }]);
  });
});

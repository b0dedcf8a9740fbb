import { afterEach, describe, expect, it, vi } from 'vitest';
import { useEventStream } from '../kit/event-client.ts';
import { OWN_PAGE, personWith, type TestPerson, usePerson } from '../kit/people.ts';
import { setRealTime } from '../kit/real-time.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
afterEach(() => vi.useRealTimers());

const idOf = async (person: TestPerson): Promise<string> => (await person.get('/v3/session')).body.data.id;
const revoke = (by: TestPerson | TestTenant, id: string) => by.call('DELETE', `/v3/sessions/${id}`);

describe('the sessions of users', () => {
  it('are shown to owners and admins, of the own tenant only', async () => {
    const tenant = await server.tenant();
    const [owner, admin, agent, viewer] = [
      await usePerson(server, tenant, 'owner'),
      await usePerson(server, tenant, 'admin'),
      await usePerson(server, tenant, 'agent'),
      await usePerson(server, tenant, 'viewer'),
    ];
    for (const person of [owner, admin]) {
      const { data } = (await person.post('/v3/sessions/search', {})).body;
      const users = data.map(({ user }: { user: { id: string } }) => user.id).sort();
      expect(users).toEqual([owner, admin, agent, viewer].map(({ userId }) => userId).sort());
      expect(JSON.stringify(data)).not.toMatch(/token|cookie/);
    }
    for (const person of [agent, viewer])
      expect((await person.post('/v3/sessions/search', {})).status).toBe(403);
    const other = await usePerson(server, await server.tenant(), 'owner');
    expect((await other.post('/v3/sessions/search', {})).body.data).toHaveLength(1);
    const one = await admin.post('/v3/sessions/search', { query: `eq(userId,"${agent.userId}")` });
    expect(one.body.data).toMatchObject([{ id: await idOf(agent), user: { id: agent.userId } }]);
  });

  it('are ended by owners and admins, those of owners by owners only', async () => {
    const tenant = await server.tenant();
    const [owner, admin, agent] = [
      await usePerson(server, tenant, 'owner'),
      await usePerson(server, tenant, 'admin'),
      await usePerson(server, tenant, 'agent'),
    ];
    const ids = { owner: await idOf(owner), admin: await idOf(admin), agent: await idOf(agent) };
    const outsider = await usePerson(server, await server.tenant(), 'owner');
    const notFound = (id: string) => ({ deletedIds: [], notFoundIds: [id] });
    expect((await revoke(outsider, ids.agent)).body.data).toEqual(notFound(ids.agent));
    expect((await revoke(agent, ids.admin)).status).toBe(403);
    expect((await revoke(admin, ids.owner)).status).toBe(403);
    expect((await revoke(admin, 'x')).body.data).toEqual(notFound('x'));
    expect((await revoke(admin, ids.agent)).body.data).toEqual({ deletedIds: [ids.agent], notFoundIds: [] });
    expect((await agent.get('/v3/me')).status).toBe(401);
    expect((await revoke(admin, ids.agent)).body.data).toEqual(notFound(ids.agent));
    expect((await revoke(owner, ids.admin)).status).toBe(200);
    expect((await admin.get('/v3/me')).status).toBe(401);
    expect((await owner.get('/v3/me')).status).toBe(200);
  });

  it('lose their streams in every process within five seconds', async () => {
    const elsewhere = await useServer({ databaseUrl: server.databaseUrl });
    const tenant = await server.tenant();
    const [admin, agent] = [
      await usePerson(server, tenant, 'admin'),
      await usePerson(server, tenant, 'agent'),
    ];
    const client = await useEventStream(elsewhere.system.app.server, {
      query: `?tenantId=${tenant.id}`,
      headers: { ...OWN_PAGE, cookie: `__Host-parley=${agent.cookie}` },
    });
    expect(client.status).toBe(200);
    expect((await revoke(admin, await idOf(agent))).status).toBe(200);
    // Until then another process may not know of it.
    setRealTime(Date.now() + 3_001);
    expect(await client.ended).toBe(true);
  });

  it('R8: end in every process though the clock is set back by hours', async () => {
    const elsewhere = await useServer({ databaseUrl: server.databaseUrl });
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    const token = await tenant.tokenWith(['users:read']);
    const { tokenId } = (await tenant.get('/v3/me', { token })).body.data;
    const statuses = async () => [
      (await personWith(elsewhere, person.cookie, { tenantId: tenant.id }).get('/v3/me')).status,
      (await elsewhere.call('GET', '/v3/me', { token })).status,
    ];
    expect(await statuses()).toEqual([200, 200]);
    expect((await person.call('DELETE', '/v3/session')).status).toBe(200);
    expect((await tenant.delete(`/v3/tokens/${tokenId}`)).status).toBe(200);
    setRealTime(Date.now() - 5 * 3600_000);
    expect(await statuses()).toEqual([401, 401]);
  });
});

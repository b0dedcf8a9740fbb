import { describe, expect, it } from 'vitest';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const grace = { name: 'Grace Hopper', email: 'grace@example.com', role: 'agent' };

describe('a user', () => {
  it('is created, read, updated, found and deleted', async () => {
    const tenant = await server.tenant();
    const { id } = (await tenant.post('/v3/users', grace)).body.data;
    expect((await tenant.put(`/v3/users/${id}`, { role: 'admin' })).body.data.role).toBe('admin');
    expect((await tenant.get(`/v3/users/${id}`)).body.data).toMatchObject({ ...grace, role: 'admin' });
    const found = await tenant.post('/v3/users/search', { query: 'eq(role,"admin")', search: 'GRACE' });
    expect(found.body.data).toHaveLength(1);
    expect((await tenant.delete(`/v3/users/${id}`)).body.data.deletedIds).toEqual([id]);
    expect((await tenant.get(`/v3/users/${id}`)).body.error.messageKey).toBe('user_not_found');
  });

  it('has a unique email, which is not case-sensitive', async () => {
    const tenant = await server.tenant();
    await tenant.post('/v3/users', grace);
    const other = (await tenant.post('/v3/users', { ...grace, email: 'ada@example.com' })).body.data;
    const email = 'GRACE@example.com';
    expect((await tenant.post('/v3/users', { ...grace, email })).body.error.invalidParams.email.key).toBe(
      'custom',
    );
    const changed = await tenant.put(`/v3/users/${other.id}`, { email });
    expect(changed.body.error.invalidParams.email.key).toBe('custom');
  });

  it('needs a name, an email and a known role', async () => {
    const tenant = await server.tenant();
    const { body } = await tenant.post('/v3/users', { email: 'nobody', role: 'king' });
    expect(body.error.invalidParams).toMatchObject({
      name: { key: 'invalid_type' },
      email: { key: 'invalid_string' },
      role: { key: 'invalid_enum_value' },
    });
  });
});

describe('a team', () => {
  it('that somebody has changed since it was read keeps its members', async () => {
    const tenant = await server.tenant();
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map(
        async (name) =>
          (await tenant.post('/v3/users', { name, email: `${name}@example.com`, role: 'agent' })).body.data
            .id,
      ),
    );
    const read = (await tenant.post('/v3/teams', { name: 'Support', userIds: [a] })).body.data;
    const path = `/v3/teams/${read.id}`;
    const before = server.clock.now();
    server.clock.set(new Date(before.getTime() + 1_000));
    const first = await tenant.put(path, { userIds: [a, b], baseUpdatedAt: read.updatedAt });
    expect(first.status).toBe(200);
    server.clock.set(new Date(before.getTime() + 2_000));
    const second = await tenant.put(path, { userIds: [a, c], baseUpdatedAt: read.updatedAt });
    server.clock.set(before);
    expect([second.status, second.body.error.message]).toEqual([
      409,
      'Conflict: the team was changed meanwhile; read it again, and change it then',
    ]);
    expect((await tenant.get(path)).body.data).toEqual(first.body.data);
    const unknown = await tenant.put(`/v3/teams/${a}`, { name: 'x', baseUpdatedAt: read.updatedAt });
    expect(unknown.body.error.messageKey).toBe('team_not_found');
  });

  it('has exactly the users that were set last', async () => {
    const tenant = await server.tenant();
    const made = async (email: string) => (await tenant.post('/v3/users', { ...grace, email })).body.data.id;
    const [a, b, c] = [await made('a@example.com'), await made('b@example.com'), await made('c@example.com')];
    const team = (await tenant.post('/v3/teams', { name: 'Support', userIds: [a, b, a] })).body.data;
    expect(new Set(team.userIds)).toEqual(new Set([a, b]));
    const changed = await tenant.put(`/v3/teams/${team.id}`, { userIds: [b, c] });
    expect(new Set(changed.body.data.userIds)).toEqual(new Set([b, c]));
    expect((await tenant.put(`/v3/teams/${team.id}`, { name: 'Help' })).body.data.userIds).toHaveLength(2);
    const found = await tenant.post('/v3/teams/search', { search: 'help' });
    expect(found.body.data[0].id).toBe(team.id);
    expect((await tenant.delete(`/v3/teams/${team.id}`)).body.data.deletedIds).toEqual([team.id]);
    expect((await tenant.get(`/v3/users/${b}`)).status).toBe(200);
  });

  it('is not changed if one of its users is unknown', async () => {
    const tenant = await server.tenant();
    const otherTenant = await server.tenant();
    const own = (await tenant.post('/v3/users', grace)).body.data.id;
    const foreign = (await otherTenant.post('/v3/users', grace)).body.data.id;
    const team = (await tenant.post('/v3/teams', { name: 'Support', userIds: [own] })).body.data;
    const refused = await tenant.put(`/v3/teams/${team.id}`, { name: 'Other', userIds: [own, foreign] });
    expect(Object.keys(refused.body.error.invalidParams)).toEqual(['userIds.1']);
    expect((await tenant.get(`/v3/teams/${team.id}`)).body.data).toEqual(team);
    expect((await tenant.post('/v3/teams', { name: 'SUPPORT' })).body.error.invalidParams.name.key).toBe(
      'custom',
    );
  });
});

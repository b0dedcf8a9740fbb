import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { scopes } from '../../src/http/permissions.ts';
import { setRealTime } from '../kit/real-time.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
afterEach(() => vi.useRealTimers());

const DAY = 24 * 3600_000;

describe('a new token', () => {
  it('is a JWT with its tenant and its scopes', async () => {
    const tenant = await server.tenant();
    const answer = await tenant.post('/v3/tokens', {
      name: 'Shop',
      scopes: ['chats:read', 'messages:write', 'chats:read'],
      expiresIn: 3600,
    });
    expect(answer.status).toBe(200);
    const { token, ...shown } = answer.body.data;
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT' });
    const claims = decodeJwt(token);
    expect(claims).toEqual({
      iss: 'parley',
      aud: 'parley',
      sub: tenant.id,
      tenantId: tenant.id,
      scopes: ['chats:read', 'messages:write'],
      jti: shown.id,
      iat: expect.any(Number),
      exp: (claims.iat as number) + 3600,
    });
    expect(shown).toMatchObject({ name: 'Shop', scopes: ['chats:read', 'messages:write'] });
    expect(Math.floor(Date.parse(shown.expiresAt) / 1000)).toBe(claims.exp);
    expect((await tenant.get('/v3/me', { token })).body.data).toEqual({
      tenant: { id: tenant.id, name: 'test' },
      tokenId: shown.id,
      userId: null,
      plan: 'scale',
      features: ['automations', 'campaigns'],
      scopes: ['chats:read', 'messages:write'],
      limits: expect.objectContaining({ requestsPerMinute: 1_000_000_000, streams: 100 }),
    });
  });

  it('is valid for 90 days by default, at least a second and at most a year', async () => {
    const tenant = await server.tenant();
    const lifetime = async (expiresIn?: number) => {
      const answer = await tenant.post('/v3/tokens', { name: 'a', scopes: ['*'], expiresIn });
      const { exp = 0, iat = 0 } = decodeJwt(answer.body.data.token);
      return exp - iat;
    };
    expect(await lifetime()).toBe(90 * 24 * 3600);
    expect(await lifetime(1)).toBe(1);
    expect(await lifetime(365 * 24 * 3600)).toBe(365 * 24 * 3600);
    for (const [expiresIn, key] of [
      [0, 'too_small'],
      [-1, 'too_small'],
      [365 * 24 * 3600 + 1, 'too_big'],
      [1.5, 'invalid_type'],
      ['60', 'invalid_type'],
    ]) {
      const answer = await tenant.post('/v3/tokens', { name: 'a', scopes: ['*'], expiresIn });
      expect(answer.body.error.invalidParams).toMatchObject({ expiresIn: { key } });
    }
  });

  it('expires on time, also in a process that has used it before', async () => {
    const tenant = await server.tenant();
    const { token } = (await tenant.post('/v3/tokens', { name: 'a', scopes: ['*'], expiresIn: 60 })).body
      .data;
    const start = Date.now();
    expect((await tenant.get('/v3/me', { token })).status).toBe(200);
    setRealTime(start + 58_000);
    expect((await tenant.get('/v3/me', { token })).status).toBe(200);
    setRealTime(start + 60_000);
    const answer = await tenant.get('/v3/me', { token });
    expect(answer.status).toBe(401);
    expect(answer.body.error.message).toContain('expired');
    setRealTime(start + 60_500);
    expect((await tenant.get('/v3/me', { token })).body.error.message).toContain('expired');
  });

  it('has only scopes of its creator, and every other one is reported', async () => {
    const tenant = await server.tenant();
    const weak = await tenant.tokenWith(['tokens:write', 'chats:read']);
    const make = (wanted: string[]) =>
      tenant.post('/v3/tokens', { name: 'a', scopes: wanted }, { token: weak });
    expect((await make(['chats:read', 'tokens:write'])).status).toBe(200);
    const answer = await make(['chats:read', '*', 'chats:write']);
    expect(answer.status).toBe(400);
    expect(answer.body.error.invalidParams).toEqual({
      'scopes.1': { key: 'custom', message: expect.stringContaining('"*"') },
      'scopes.2': { key: 'custom', message: expect.stringContaining('"chats:write"') },
    });
    expect((await tenant.post('/v3/tokens', { name: 'a', scopes: [...scopes] })).status).toBe(200);
  });

  it('must have a name and known scopes', async () => {
    const tenant = await server.tenant();
    const answer = await tenant.post('/v3/tokens', { name: '', scopes: ['*', 'chats:fly', 7] });
    expect(answer.body.error.invalidParams).toMatchObject({
      name: { key: 'too_small' },
      'scopes.1': { key: 'invalid_enum_value' },
      'scopes.2': { key: 'invalid_type' },
    });
    expect(
      (await tenant.post('/v3/tokens', { name: 'a', scopes: [] })).body.error.invalidParams,
    ).toMatchObject({
      scopes: { key: 'too_small' },
    });
  });
});

describe('a revoked token', () => {
  it('fails at once here, and within five seconds on every other server', async () => {
    const other = await useServer({ databaseUrl: server.databaseUrl });
    const tenant = await server.tenant();
    const made = (await tenant.post('/v3/tokens', { name: 'a', scopes: ['*'] })).body.data;
    const status = async (on: typeof server) =>
      (await on.call('GET', '/v3/me', { token: made.token })).status;
    expect([await status(server), await status(other)]).toEqual([200, 200]);
    const answer = await tenant.delete(`/v3/tokens/${made.id.toUpperCase()}`);
    expect(answer.body.data.notFoundIds).toEqual([]);
    expect(await status(server)).toBe(401);
    setRealTime(Date.now() + 5_000);
    expect(await status(other)).toBe(401);
    expect((await tenant.delete(`/v3/tokens/${made.id}`)).body.data.notFoundIds).toEqual([made.id]);
  });

  it('may be the caller’s own', async () => {
    const tenant = await server.tenant();
    const { tokenId } = (await tenant.get('/v3/me')).body.data;
    expect((await tenant.delete(`/v3/tokens/${tokenId}`)).body.data.deletedIds).toEqual([tokenId]);
    expect((await tenant.get('/v3/me')).status).toBe(401);
  });
});

describe('the use of a token', () => {
  it('is noted to the hour', async () => {
    const tenant = await server.tenant();
    const made = (await tenant.post('/v3/tokens', { name: 'Shop', scopes: ['*'] })).body.data;
    expect(made.lastUsedAt).toBeNull();
    const lastUse = async () =>
      (await tenant.post('/v3/tokens/search', { query: 'eq(name,"Shop")' })).body.data[0].lastUsedAt;
    const now = Date.now();
    await server.call('GET', '/v3/me', { token: made.token });
    await expect.poll(lastUse).not.toBeNull();
    expect(Math.abs(Date.parse(await lastUse()) - now)).toBeLessThan(600_000);
    const used = await tenant.post('/v3/tokens/search', { query: 'not(isNull(lastUsedAt))' });
    expect(used.body.data.map(({ name }: { name: string }) => name)).toContain('Shop');
  });

  it('warns of its end for two weeks', async () => {
    const tenant = await server.tenant();
    const headerFor = async (days: number) => {
      const body = { name: 'a', scopes: ['*'], expiresIn: days * 86_400 };
      const { token, expiresAt } = (await tenant.post('/v3/tokens', body)).body.data;
      const { headers } = await server.call('GET', '/v3/me', { token });
      return [headers['parley-token-expires'], expiresAt];
    };
    const [warning, expiresAt] = await headerFor(13);
    expect(warning).toBe(expiresAt);
    expect((await headerFor(15))[0]).toBeUndefined();
  });
});

describe('a search of tokens', () => {
  it('finds those of the tenant, without the token itself', async () => {
    const tenant = await server.tenant();
    const names = ['Shop', 'shop two', 'Desk'];
    for (const name of names) await tenant.post('/v3/tokens', { name, scopes: ['chats:read'] });
    const find = async (body: object) => (await tenant.post('/v3/tokens/search', body)).body;
    const shops = await find({ query: 'contains(name,"SHOP")', sortBy: 'asc(name)' });
    expect(shops.data.map((one: { name: string }) => one.name)).toEqual(['Shop', 'shop two']);
    expect(shops.pagination).toMatchObject({ page: 0, limit: 10, total: 2 });
    expect(shops.query).toEqual({ query: 'contains(name,"SHOP")', sortBy: 'asc(name)', search: null });
    expect(JSON.stringify(shops)).not.toContain('eyJ');
    expect((await find({ search: 'desk' })).data).toHaveLength(1);
    expect((await find({ search: shops.data[0].id })).data).toHaveLength(1);
    const far = new Date(Date.now() + 80 * DAY).toISOString();
    expect((await find({ query: `gt(expiresAt,"${far}")` })).pagination.total).toBe(4);
    const otherTenant = await server.tenant();
    expect((await otherTenant.post('/v3/tokens/search', {})).body.pagination.total).toBe(1);
  });

  it('reports where an expression is invalid', async () => {
    const tenant = await server.tenant();
    const answer = await tenant.post('/v3/tokens/search', { query: 'eq(nane,"x")', sortBy: 'asc(name' });
    expect(answer.status).toBe(400);
    expect(answer.body.error.invalidParams).toEqual({
      query: { key: 'invalid_string', message: expect.stringMatching(/column 4.*name/) },
      sortBy: { key: 'invalid_string', message: expect.stringMatching(/column 9/) },
    });
    const bounds = await tenant.post('/v3/tokens/search', { pagination: { limit: 101, page: -1 } });
    expect(bounds.body.error.invalidParams).toMatchObject({
      'pagination.limit': { key: 'too_big' },
      'pagination.page': { key: 'too_small' },
    });
  });
});

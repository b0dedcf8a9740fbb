import { beforeAll, describe, expect, it } from 'vitest';
import { refusalOf } from './client.ts';
import { named, type Operation } from './operations.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
const { operations } = server;

let tenant: Tenant;
beforeAll(async () => {
  tenant = await server.tenant();
});

describe('Authentication', () => {
  it.each(named(operations))('1: %s requires a bearer token', async (_, { method, path }) => {
    const refused = [401, 'unauthorized'];
    expect(refusalOf(await server.call(method, path))).toEqual(refused);
    for (const authorization of [
      'Bearer',
      'Bearer ',
      'Bearer x',
      `Basic ${tenant.token}`,
      tenant.token,
      `Bearer ${tenant.token}x`,
    ])
      expect(refusalOf(await server.call(method, path, { headers: { authorization } }))).toEqual(refused);
    const { status } = await tenant.call(method, path);
    expect([401, 402, 403]).not.toContain(status);
  });

  it('2: a token is a JWT', () => {
    const [header = '', claims = '', signature] = tenant.token.split('.');
    const decoded = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    expect(decoded(header)).toMatchObject({ alg: expect.any(String) });
    expect(decoded(claims)).toMatchObject({ exp: expect.any(Number), iat: expect.any(Number) });
    expect(signature).toMatch(/^[\w-]{20,}$/);
  });

  it.each(
    server.servesV2 ? ['/openapi-v2.json', '/openapi.json'] : ['/openapi.json'],
  )('2: %s declares the scheme as bearer with JWT', async (path) => {
    const document = await server.document(path);
    expect(Object.values(document.components.securitySchemes)).toContainEqual(
      expect.objectContaining({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' }),
    );
  });

  it('3: a token with the signature of another is unauthorized', async () => {
    const [header, claims] = tenant.token.split('.');
    const [, , signature] = (await tenant.tokenWith(['chats:read'])).split('.');
    const token = [header, claims, signature].join('.');
    expect(refusalOf(await tenant.post('/v3/automations/search', {}, { token }))).toEqual([
      401,
      'unauthorized',
    ]);
  });

  it.each(named(operations))('3: %s is forbidden to a token without the permission', async (_, operation) => {
    const { method, path, scope } = operation;
    const isOther = ({ scope: other }: Operation) => other !== scope;
    const without = await tenant.tokenWith([...new Set(operations.filter(isOther).map((one) => one.scope))]);
    expect(refusalOf(await tenant.call(method, path, { token: without }))).toEqual([403, 'forbidden']);
    const { status } = await tenant.call(method, path, { token: await tenant.tokenWith([scope]) });
    expect([401, 402, 403]).not.toContain(status);
  });

  it('3: what a caller does for itself needs only a valid token', async () => {
    const token = await tenant.tokenWith(['reports:read']);
    for (const [method, path, body] of [
      ['GET', '/v3/me', undefined],
      ['POST', '/v3/jobs/search', {}],
      ['POST', '/v3/notifications/search', {}],
      ['POST', '/v3/notifications/read', { all: true }],
    ] as const)
      expect((await tenant.call(method, path, { body, token })).status, path).toBe(200);
  });

  it.each(
    named(operations.filter((one) => one.isPaidFor)),
  )('3: %s is not in the plan free', async (_, one) => {
    const free = await server.tenant({ plan: 'free' });
    expect(refusalOf(await free.call(one.method, one.path))).toEqual([402, 'insufficient_billing_plan']);
  });

  it.each(named(operations.filter((one) => !one.isPaidFor)))('3: %s is in every plan', async (_, one) => {
    const free = await server.tenant({ plan: 'free' });
    expect((await free.call(one.method, one.path)).status).not.toBe(402);
  });
});

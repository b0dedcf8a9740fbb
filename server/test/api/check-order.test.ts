import { Type } from 'typebox';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/base/errors.ts';
import { data } from '../../src/http/answer.ts';
import { type Route, read, write } from '../../src/http/route.ts';
import { useBareServer } from '../kit/bare-server.ts';
import { setRealTime } from '../kit/real-time.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const words = { tag: 'Test', summary: 'Test', description: 'Test.', failures: [] };
const Thing = Type.Object({ id: Type.String() });
let made = 0;

/** Routes that do nothing but tell whether they were reached. */
const routes: Route[] = [
  write(
    {
      ...words,
      method: 'POST',
      path: '/v3/automations',
      operationId: 'createThing',
      access: 'automations:write',
      feature: 'automations',
      body: Type.Object({ name: Type.String() }),
      answer: data(Thing),
      example: { body: { name: 'a' }, answer: { id: 'a' } },
    },
    async ({ body }) => {
      made += 1;
      if (body.name === 'missing') throw new ApiError('contact_not_found');
      return { id: body.name };
    },
  ),
  read(
    {
      ...words,
      method: 'GET',
      path: '/v3/mine',
      operationId: 'getMine',
      access: 'token',
      answer: data(Thing),
      example: { answer: { id: 'a' } },
    },
    ({ principal }) => ({ id: principal.tenantId }),
  ),
];
const bare = await useBareServer(server, routes);
beforeEach(() => setRealTime(Date.now()));
afterAll(() => vi.useRealTimers());

interface Sent {
  token?: string;
  body?: string;
  type?: string;
  key?: string;
}

async function post(path: string, { token, body, type = 'application/json', key }: Sent) {
  const answer = await bare.inject({
    method: 'POST',
    url: path,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': type }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() };
}

describe('a plan', () => {
  it.each([
    ['free', 402],
    ['growth', 200],
    ['scale', 200],
  ] as const)('%s answers an operation of growth with %i', async (plan, status) => {
    const tenant = await server.tenant({ plan });
    const answer = await post('/v3/automations', { token: tenant.token, body: '{"name":"a"}' });
    expect(answer.status).toBe(status);
    if (status === 402) {
      expect(answer.body.error.messageKey).toBe('insufficient_billing_plan');
      expect(answer.body.error.message).toMatch(/^Insufficient billing plan: .*"free".*automations/);
    }
  });
});

describe('a scope', () => {
  it('that is missing is named', async () => {
    const tenant = await server.tenant();
    for (const scopes of [['automations:read'], ['automations:trigger', 'chats:write']]) {
      const answer = await post('/v3/automations', {
        token: await tenant.tokenWith(scopes),
        body: '{"name":"a"}',
      });
      expect([answer.status, answer.body.error.messageKey]).toEqual([403, 'forbidden']);
      expect(answer.body.error.message).toMatch(/^Forbidden: .*"automations:write"/);
    }
    for (const scopes of [['automations:write'], ['*'], ['chats:read', 'automations:write']]) {
      const answer = await post('/v3/automations', {
        token: await tenant.tokenWith(scopes),
        body: '{"name":"a"}',
      });
      expect(answer.status).toBe(200);
    }
  });

  it('is not needed where a valid token is enough', async () => {
    const tenant = await server.tenant();
    const token = await tenant.tokenWith(['files:read']);
    const answer = await bare.inject({ url: '/v3/mine', headers: { authorization: `Bearer ${token}` } });
    expect(answer.json().data.id).toBe(tenant.id);
    expect((await tenant.get('/v3/me', { token })).body.data.scopes).toEqual(['files:read']);
    expect((await bare.inject({ url: '/v3/mine' })).statusCode).toBe(401);
  });
});

describe('the order of checks', () => {
  it('is as decisions.md says: each fault hides those that come after it', async () => {
    const everything = { body: '{', type: 'text/plain', key: '' };
    const poor = await server.tenant({ plan: 'free' });
    const rich = await server.tenant();
    const weak = await rich.tokenWith(['chats:read']);
    const status = async (path: string, sent: Sent) => (await post(path, sent)).status;

    expect(await status('/v3/automations', { ...everything, token: 'wrong' })).toBe(401);
    const limited = await server.tenant({ plan: 'free', rateLimit: 1 });
    await post('/v3/mine', { token: limited.token });
    expect(await status('/v3/nothing', { ...everything, token: limited.token })).toBe(429);
    expect(await status('/v3/nothing', { ...everything, token: poor.token })).toBe(404);
    expect(await status('/v3/mine', { ...everything, token: poor.token })).toBe(405);
    expect(await status('/v3/automations', { ...everything, token: poor.token })).toBe(415);
    const large = ' '.repeat(1_100_000);
    expect(await status('/v3/automations', { body: large, key: '', token: poor.token })).toBe(413);
    const poorAndWeak = await poor.tokenWith(['chats:read']);
    expect(await status('/v3/automations', { body: '{', key: '', token: poorAndWeak })).toBe(402);
    expect(await status('/v3/automations', { body: '{', key: '', token: weak })).toBe(403);

    const before = made;
    const sent = { body: '{"name":"a"}', key: 'k', token: rich.token };
    expect(await status('/v3/automations', sent)).toBe(200);
    // The replay comes before validation: the other body is another request, whatever is wrong with it.
    expect(await status('/v3/automations', { ...sent, body: '{' })).toBe(422);
    expect(await status('/v3/automations', { ...sent, key: 'l', body: '{' })).toBe(400);
    expect(await status('/v3/automations', { ...sent, key: 'l', body: '{}' })).toBe(400);
    expect(made).toBe(before + 1);
    expect(await status('/v3/automations', { ...sent, key: 'm', body: '{"name":"missing"}' })).toBe(404);
  });

  it('counts against the limit whatever is refused after it', async () => {
    const tenant = await server.tenant({ plan: 'free' });
    const left: number[] = [];
    for (const path of ['/v3/nothing', '/v3/mine', '/v3/automations', '/v3/automations'])
      left.push(
        Number((await post(path, { token: tenant.token, body: '{' })).headers['x-ratelimit-remaining']),
      );
    expect(left.map((one) => (left[0] as number) - one)).toEqual([0, 1, 2, 3]);
  });

  it('on the real routes: validation comes before existence', async () => {
    const tenant = await server.tenant();
    const path = '/v3/sandbox/019a82a0-0000-7000-8000-00000000ffff/inbound';
    expect((await tenant.post(path, {})).status).toBe(400);
    expect((await tenant.post(path, { from: '+15550001111', text: 'a' })).status).toBe(404);
    expect((await tenant.post(path, {}, { token: await tenant.tokenWith(['channels:read']) })).status).toBe(
      403,
    );
  });
});

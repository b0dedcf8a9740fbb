import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTenant } from '../../src/access/tenants.ts';
import { issueToken } from '../../src/access/tokens.ts';
import { setRealTime } from '../kit/real-time.ts';
import { type Answer, useServer } from '../kit/server.ts';

const server = await useServer();
const second = await useServer({ databaseUrl: server.databaseUrl });

const MINUTE = 60_000;
/** The window of a test: no other test and no earlier run has counted in it. */
let now = Math.ceil(Date.now() / MINUTE) * MINUTE + 10 * MINUTE;
beforeEach(() => {
  now += 2 * MINUTE;
  setRealTime(now + 15_250);
});
afterEach(() => vi.useRealTimers());

const MCP = { accept: 'application/json, text/event-stream' };
const counts = (answers: Answer[]) => ({
  ok: answers.filter(({ status }) => status === 200).length,
  refused: answers.filter(({ status }) => status === 429).length,
});
const times = <T>(count: number, one: (at: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, at) => one(at)));

describe('the limit of a tenant', () => {
  it.each([1, 60, 201, 250])('of %i is exact', async (rateLimit) => {
    const tenant = await server.tenant({ rateLimit });
    expect(counts(await times(rateLimit + 20, () => tenant.get('/v3/me')))).toEqual({
      ok: rateLimit,
      refused: 20,
    });
  });

  it('is sent with every answer, and counts down', async () => {
    const tenant = await server.tenant({ rateLimit: 5 });
    const paths = ['/v3/me', '/v3/nothing', '/v3/chats/x', '/v3/tokens', '/v3/me'];
    for (const [at, path] of paths.entries()) {
      expect((await tenant.get(path)).headers).toMatchObject({
        'x-ratelimit-limit': '5',
        'x-ratelimit-remaining': String(4 - at),
        'x-ratelimit-reset': String((now + MINUTE) / 1000),
      });
    }
    for (const path of paths) {
      const answer = await tenant.get(path);
      expect([answer.status, answer.body.error.messageKey]).toEqual([429, 'too_many_requests']);
      expect(answer.headers['x-ratelimit-remaining']).toBe('0');
    }
    const anonymous = await server.call('GET', '/v3/me');
    expect(anonymous.headers['x-ratelimit-limit']).toBeUndefined();
  });

  it('says when to come back, and then lets in', async () => {
    const tenant = await server.tenant({ rateLimit: 1 });
    await tenant.get('/v3/me');
    const refused = await tenant.get('/v3/me');
    expect(refused.body.error.message).toMatch(/per minute per tenant.*X-RateLimit-Reset/);
    expect(refused.headers['retry-after']).toBe('45');
    expect(refused.headers['x-ratelimit-reset']).toBe(String((now + MINUTE) / 1000));
    setRealTime(now + MINUTE - 1);
    expect((await tenant.get('/v3/me')).headers['retry-after']).toBe('1');
    setRealTime(now + MINUTE);
    expect((await tenant.get('/v3/me')).status).toBe(200);
    expect((await tenant.get('/v3/me')).status).toBe(429);
  });

  it('is the plan’s, unless the tenant has its own', async () => {
    for (const [plan, limit] of [
      ['free', '60'],
      ['growth', '600'],
      ['scale', '6000'],
    ] as const) {
      const { system, clock } = server;
      const { id } = await createTenant(system.db, { name: plan, plan }, clock.now());
      const { token } = await issueToken(
        system.db.forTenant(id),
        { name: 'a', scopes: ['*'] },
        system.app.authenticator,
      );
      expect((await server.call('GET', '/v3/me', { token })).headers['x-ratelimit-limit']).toBe(limit);
    }
  });

  it('is nobody else’s', async () => {
    const busy = await server.tenant({ rateLimit: 3 });
    const quiet = await server.tenant({ rateLimit: 3 });
    await times(10, () => busy.get('/v3/me'));
    expect(counts(await times(3, () => quiet.get('/v3/me')))).toEqual({ ok: 3, refused: 0 });
  });

  it('counts a tool of an assistant once, whatever becomes of it', async () => {
    const tenant = await server.tenant({ rateLimit: 4 });
    const send = (method: string, params: object) =>
      tenant.post('/mcp', { jsonrpc: '2.0', id: 1, method, params }, { headers: MCP });
    const answers = [
      await send('tools/call', { name: 'get_me', arguments: {} }),
      await send('tools/call', { name: 'get_chat', arguments: { chatId: 'x' } }),
      await send('tools/call', { name: 'nothing', arguments: {} }),
      await send('tools/list', {}),
    ];
    expect(answers.map(({ headers }) => headers['x-ratelimit-remaining'])).toEqual(['3', '2', '1', '0']);
    expect(answers.map(({ body }) => body.result.isError)).toEqual([undefined, true, true, undefined]);
    expect((await send('tools/call', { name: 'get_me', arguments: {} })).status).toBe(429);
    expect((await tenant.get('/v3/me')).status).toBe(429);
  });

  it('counts no one who is not known', async () => {
    const tenant = await server.tenant({ rateLimit: 2 });
    await times(10, () => server.call('GET', '/v3/me', { token: `${tenant.token}x` }));
    expect(counts(await times(2, () => tenant.get('/v3/me')))).toEqual({ ok: 2, refused: 0 });
  });
});

describe('D5: one count per tenant', () => {
  it('D5: over many tokens, refused requests included', async () => {
    const tenant = await server.tenant({ rateLimit: 30 });
    const tokens = await times(10, () => tenant.tokenWith(['chats:read']));
    const answers = await times(50, (at) =>
      tenant.get(at % 2 === 0 ? '/v3/me' : '/v3/nothing', { token: tokens[at % 10] as string }),
    );
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20);
  });

  it.each([20, 150, 1000])('D5: over two processes, never more than %i in all', async (rateLimit) => {
    const tenant = await server.tenant({ rateLimit });
    const both = [server, second];
    const answers = await times(rateLimit + 100, (at) =>
      (both[at % 2] as typeof server).call('GET', '/v3/me', { token: tenant.token }),
    );
    const { ok } = counts(answers);
    expect(ok).toBeLessThanOrEqual(rateLimit);
    // What one process has reserved and not spent is at most a hundredth.
    expect(ok).toBeGreaterThanOrEqual(rateLimit - 2 * Math.ceil(rateLimit / 100));
    expect((await second.call('GET', '/v3/me', { token: tenant.token })).status).toBe(429);
  });

  it('R8: is that of the present minute after the clock was set back by hours', async () => {
    const tenant = await server.tenant({ rateLimit: 10 });
    await times(10, () => tenant.get('/v3/me'));
    expect((await tenant.get('/v3/me')).status).toBe(429);
    now -= 5 * 60 * MINUTE;
    setRealTime(now);
    const refused = await tenant.get('/v3/me');
    expect([refused.status, Number(refused.headers['retry-after'])]).toEqual([429, 60]);
    now += MINUTE;
    setRealTime(now);
    for (const one of [server, second])
      expect((await one.call('GET', '/v3/me', { token: tenant.token })).status).toBe(200);
    now += 5 * 60 * MINUTE;
  });

  it('D5: over two processes whose clocks disagree about the minute', async () => {
    const tenant = await server.tenant({ rateLimit: 10 });
    await times(10, () => tenant.get('/v3/me'));
    expect((await second.call('GET', '/v3/me', { token: tenant.token })).status).toBe(429);
    setRealTime(now + MINUTE);
    const later = await times(12, () => second.call('GET', '/v3/me', { token: tenant.token }));
    expect(counts(later)).toEqual({ ok: 10, refused: 2 });
    // A process that lags a minute behind counts in the later minute, and does not open the earlier one again.
    setRealTime(now + 2 * MINUTE);
    expect((await second.call('GET', '/v3/me', { token: tenant.token })).status).toBe(200);
    setRealTime(now + MINUTE + 1);
    expect(counts(await times(12, () => tenant.get('/v3/me')))).toEqual({ ok: 9, refused: 3 });
    setRealTime(now + 2 * MINUTE + 1);
    expect((await second.call('GET', '/v3/me', { token: tenant.token })).status).toBe(429);
  });
});

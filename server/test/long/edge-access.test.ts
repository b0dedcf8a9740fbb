import { describe, expect, it } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { networkOf } from '../../src/base/network.ts';
import { backOff } from '../../src/http/back-off.ts';
import { OPERATOR_TOKEN, type TestServer, useServer } from '../kit/server.ts';

const shared = await useServer();

const linesOf = (server: TestServer): Record<string, unknown>[] =>
  server.logged.map((line) => JSON.parse(line) as Record<string, unknown>);

describe('/metrics', () => {
  it('X16: is collected once in five seconds, however many ask', async () => {
    const server = await useServer({ metricsCacheMs: 5_000 });
    const read = async () => (await server.call('GET', '/metrics')).text;
    const first = await read();
    for (let calls = 0; calls < 3; calls += 1) await server.call('GET', '/livez');
    const more = await Promise.all(Array.from({ length: 40 }, read));
    expect(new Set([first, ...more]).size).toBe(1);
    const fresh = await useServer({ databaseUrl: server.databaseUrl, metricsCacheMs: 0 });
    const before = (await fresh.call('GET', '/metrics')).text;
    expect((await fresh.call('GET', '/metrics')).text).not.toBe(before);
  });

  it('X16: needs its token if there is one', async () => {
    const token = 'a-token-for-metrics-0123456789abcdef';
    const server = await useServer({ metricsToken: token });
    for (const wrong of [null, 'x', OPERATOR_TOKEN])
      expect((await server.call('GET', '/metrics', { token: wrong })).status).toBe(401);
    const answer = await server.call('GET', '/metrics', { token });
    expect([answer.status, answer.text.includes('parley_')]).toEqual([200, true]);
  });

  it('X16: is not on the port of the API if it has one of its own', async () => {
    const server = await useServer({ hasMetricsPort: true });
    expect((await server.call('GET', '/metrics')).status).toBe(404);
  });
});

describe('invalid tokens', () => {
  it.each([
    ['/admin/tenants', 50, OPERATOR_TOKEN],
    ['/v3/me', 100, undefined],
  ])('X16: for %s are 429 after %i from one address, while a valid token works', async (path, burst, valid) => {
    const server = await useServer();
    const tenant = await server.tenant();
    const statuses: number[] = [];
    for (let guess = 0; guess < 200; guess += 1) {
      const answer = await server.call('GET', path, { token: `guess-${guess}` });
      statuses.push(answer.status);
      if (answer.status !== 429) continue;
      expect(answer.body.error.messageKey).toBe('too_many_requests');
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    // One a second is answered in between, so the exact number depends on the time that this takes.
    expect(statuses.slice(0, burst)).toEqual(statuses.slice(0, burst).map(() => 401));
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(50);
    expect((await server.call('GET', path, { token: valid ?? tenant.token })).status).not.toBe(429);
    expect((await server.call('GET', path, { token: valid ?? tenant.token })).status).not.toBe(401);
    // No token is no guess.
    expect((await server.call('GET', path)).status).toBe(401);
    const lines = linesOf(server);
    expect(lines.filter(({ msg }) => msg === 'too many invalid tokens from this address')).toMatchObject([
      { address: '127.0.0.1' },
    ]);
    expect(lines.filter(({ msg, level }) => msg === 'request' && Number(level) >= 30).length).toBeLessThan(
      burst + 50,
    );
  });

  it('X16: are counted per address, and per network of IPv6, and one is free again each second', () => {
    let now = 0;
    const log = createLog({ level: 'silent', json: true });
    const { fail: count } = backOff(log, 'operator', () => now);
    const fail = (address: string): number => count(address, 'x');
    for (let times = 0; times < 50; times += 1) expect(fail('192.0.2.1')).toBe(0);
    expect(fail('192.0.2.1')).toBe(1);
    expect(fail('::ffff:192.0.2.1')).toBe(1);
    expect(fail('192.0.2.2')).toBe(0);
    now += 1_000;
    expect([fail('192.0.2.1'), fail('192.0.2.1')]).toEqual([0, 1]);
    // A client of the API that repeats one expired token is not guessing.
    const repeating = backOff(log, 'tenant', () => now);
    for (let times = 0; times < 1_000; times += 1) expect(repeating.fail('192.0.2.1', 'expired')).toBe(0);
    let refused = 0;
    for (let times = 0; times < 200; times += 1)
      refused += Math.sign(repeating.fail('192.0.2.1', `guess ${times}`));
    expect(refused).toBeGreaterThan(100);
    expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2::9'));
    expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  });
});

describe('the log of a refused request', () => {
  it('X16: has the address of the client and the id of the token', async () => {
    const server = await useServer();
    const tenant = await server.tenant();
    const { id, token } = (await tenant.post('/v3/tokens', { name: 'a', scopes: ['chats:read'] })).body.data;
    await server.call('POST', '/v3/contacts', { token, body: {} });
    await tenant.delete(`/v3/tokens/${id}`);
    await server.call('GET', '/v3/me', { token });
    await server.call('GET', '/v3/me', { token: 'x' });
    const lines = linesOf(server).filter(({ msg, status }) => msg === 'request' && Number(status) >= 400);
    expect(lines).toMatchObject([
      { status: 403, address: '127.0.0.1', tokenId: id },
      { status: 401, address: '127.0.0.1', tokenId: id },
      { status: 401, address: '127.0.0.1' },
    ]);
    expect(server.logged.join()).not.toContain(token);
  });

  it('X16: has the address that a trusted proxy names, and that of any other caller itself', async () => {
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    const trusting = await useServer({ trustedProxies: ['127.0.0.0/8'] });
    await trusting.call('GET', '/v3/me', { headers });
    expect(linesOf(trusting)).toContainEqual(expect.objectContaining({ address: '198.51.100.7' }));
    const wary = await useServer();
    await wary.call('GET', '/v3/me', { headers });
    expect(wary.logged.join()).not.toContain('198.51.100.7');
  });
});

describe('a MIME type', () => {
  it.each([
    'text/plain\r\nBcc: victim@example.com',
    'text/plain\n',
    'text',
    'text/plain; charset="a\r\nb"',
    'text/plain; charset',
    'te xt/plain',
    'ä/b',
    '',
  ])('X19: %j is refused where a client gives it', async (mimeType) => {
    const tenant = await shared.tenant();
    const { id } = await tenant.channel();
    const file = { url: 'https://example.com/a.pdf', mimeType };
    const inbound = await tenant.post(`/v3/sandbox/${id}/inbound`, { from: '+15550001111', media: file });
    const outbound = await tenant.post('/v3/messages', { channelId: id, to: '+15550001111', media: file });
    for (const answer of [inbound, outbound]) {
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body.error.invalidParams)).toContain('media');
    }
  });

  it.each([
    'application/pdf',
    'text/plain; charset=utf-8',
    'text/plain;charset="utf-8"',
    'image/svg+xml',
  ])('X19: %s is accepted', async (mimeType) => {
    const tenant = await shared.tenant();
    const { id } = await tenant.channel();
    const file = { url: 'https://example.com/a.pdf', mimeType };
    const answer = await tenant.post(`/v3/sandbox/${id}/inbound`, { from: '+15550001111', media: file });
    expect(answer.status).toBe(200);
  });
});

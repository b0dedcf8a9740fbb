import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/base/config.ts';
import { OperatorError } from '../../src/base/errors.ts';
import { describeV2, variables } from '../../src/v2/version.ts';
import { type Answer, type TestServer, useServer } from '../kit/server.ts';
import { listen, send } from '../kit/wire.ts';

const SUNSET = '2026-11-01';
const server = await useServer({ apiSettings: { PARLEY_V2_SUNSET: SUNSET } });
const forEver = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';

const serverAt = (time: string): TestServer => {
  server.clock.set(new Date(time));
  return server;
};
const lastMoment = () => serverAt('2026-11-01T23:59:59.999Z');
const nextDay = () => serverAt('2026-11-02T00:00:00.000Z');

const sunsetHeaders = (link: string) => ({
  deprecation: '@1785542400',
  sunset: 'Mon, 02 Nov 2026 00:00:00 GMT',
  link: `<${link}>; rel="successor-version"`,
});

describe('version 2 until its last day', () => {
  it('is served, and every answer has its end and its successor', async () => {
    const tenant = await lastMoment().tenant();
    const answers: [Promise<Answer>, number, string][] = [
      [tenant.get('/v2/attributes'), 200, '/v3/attributes/search'],
      [tenant.get('/v2/api_webhooks'), 200, '/v3/api_webhooks/search'],
      [tenant.post('/v2/attributes', {}), 400, '/v3/attributes'],
      [tenant.call('POST', '/v2/attributes', { raw: '{' }), 400, '/v3/attributes'],
      [
        tenant.call('POST', '/v2/attributes', { raw: 'x', headers: { 'content-type': 'text/plain' } }),
        415,
        '/v3/attributes',
      ],
      [tenant.call('POST', '/v2/attributes', { raw: ' '.repeat(1_100_000) }), 413, '/v3/attributes'],
      [server.call('GET', '/v2/attributes'), 401, '/v3/attributes/search'],
      [
        tenant.get('/v2/attributes', { token: await tenant.tokenWith(['chats:read']) }),
        403,
        '/v3/attributes/search',
      ],
      [tenant.put(`/v2/api_webhooks/${UNKNOWN}`, {}), 404, `/v3/api_webhooks/${UNKNOWN}`],
      [tenant.put('/v2/api_webhooks/no-id%0d%0aX-Evil:1', {}), 404, '/docs'],
      [tenant.delete(`/v2/attributes/${UNKNOWN}`), 200, `/v3/attributes/${UNKNOWN}`],
      [tenant.get('/v2/nothing'), 404, '/docs'],
      [tenant.call('PATCH', '/v2/attributes'), 405, '/docs'],
    ];
    for (const [answer, status, link] of answers) {
      const { headers, ...rest } = await answer;
      expect([rest.status, headers]).toMatchObject([status, sunsetHeaders(link)]);
    }
    const limited = await server.tenant({ rateLimit: 1 });
    await limited.get('/v2/attributes');
    const refused = await limited.get('/v2/attributes');
    expect([refused.status, refused.headers]).toMatchObject([429, sunsetHeaders('/v3/attributes/search')]);
  });

  it('adds no such headers to version 3', async () => {
    const tenant = await server.tenant();
    const { headers } = await tenant.get('/v3/me');
    for (const name of ['deprecation', 'sunset', 'link']) expect(headers).not.toHaveProperty(name);
  });

  it('counts against the same rate limit as version 3', async () => {
    const tenant = await lastMoment().tenant({ rateLimit: 1000 });
    const left: number[] = [];
    for (const path of ['/v3/me', '/v2/attributes', '/v3/me'])
      left.push(Number((await tenant.get(path)).headers['x-ratelimit-remaining']));
    expect(left.map((one) => (left[0] as number) - one)).toEqual([0, 1, 2]);
  });
});

describe('version 2 after its last day', () => {
  it.each([
    ['GET', '/v2', 'the operations under /v3', '/docs'],
    ['GET', '/v2/', 'the operations under /v3', '/docs'],
    ['GET', '/v2?tenantId=x', 'the operations under /v3', '/docs'],
    ['GET', '/v2/attributes', 'POST /v3/attributes/search', '/v3/attributes/search'],
    ['POST', '/v2/api_webhooks', 'POST /v3/api_webhooks', '/v3/api_webhooks'],
    ['PUT', `/v2/api_webhooks/${UNKNOWN}`, 'PUT /v3/api_webhooks/{webhookId}', `/v3/api_webhooks/${UNKNOWN}`],
    ['DELETE', '/v2/attributes/%zz', 'DELETE /v3/attributes/{attributeId}', '/docs'],
    ['PATCH', '/v2/anything/at/all', 'the operations under /v3', '/docs'],
    ['PROPFIND', '/v2/x', 'the operations under /v3', '/docs'],
    ['OPTIONS', '/v2/attributes', 'the operations under /v3', '/docs'],
  ])('is gone for every caller: %s %s', async (method, path, way, link) => {
    const tenant = await nextDay().tenant({ rateLimit: 1 });
    for (const token of [null, 'not a token', tenant.token, tenant.token]) {
      const answer = await server.call(method, path, {
        token,
        raw: '{',
        headers: { 'content-type': 'text/plain' },
      });
      expect([answer.status, answer.body.error.messageKey]).toEqual([410, 'api_version_sunset']);
      expect(answer.body.error.message).toBe(
        `API version sunset: v2 ended on 1 November 2026; use ${way}, which /docs describes`,
      );
      expect(answer.headers).toMatchObject(sunsetHeaders(link));
    }
  });

  it('changes nothing any more', async () => {
    const tenant = await nextDay().tenant();
    await tenant.post('/v2/attributes', { name: 'Late', externalId: 'late' });
    expect((await tenant.post('/v3/attributes/search', {})).body.data).toEqual([]);
  });

  it('is gone for HEAD and for an absolute URL as well', async () => {
    nextDay();
    expect((await server.call('HEAD', '/v2/attributes')).status).toBe(410);
    const port = await listen(server.system.app.server);
    expect((await send(port, 'GET', `http://127.0.0.1:${port}/v2/attributes`)).status).toBe(410);
  });

  it('does not include paths that only start like it', async () => {
    nextDay();
    expect((await server.call('GET', '/v2x')).status).toBe(404);
    expect((await server.call('GET', '/v22/me')).status).toBe(401);
  });
});

describe('the last day of version 2', () => {
  it('is set by the operator', async () => {
    const early = await useServer({ apiSettings: { PARLEY_V2_SUNSET: '2026-12-24' } });
    const tenant = await early.tenant();
    early.clock.set(new Date('2026-12-24T23:59:59.999Z'));
    const answer = await tenant.get('/v2/attributes');
    expect([answer.status, answer.headers.sunset]).toEqual([200, 'Fri, 25 Dec 2026 00:00:00 GMT']);
    early.clock.advance(1);
    const gone = await tenant.get('/v2/attributes');
    expect(gone.body.error.message).toContain('v2 ended on 24 December 2026');
  });

  it('can be never, and then no date is sent', async () => {
    const tenant = await forEver.tenant();
    forEver.clock.set(new Date('2100-01-01T00:00:00Z'));
    const answer = await tenant.get('/v2/attributes');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      deprecation: '@1785542400',
      link: '</v3/attributes/search>; rel="successor-version"',
    });
    expect(answer.headers).not.toHaveProperty('sunset');
  });

  it('is 1 November 2026 by default, and an invalid day is refused at the start', () => {
    const sunsetOf = (env: Record<string, string>) => readConfig(env, variables).extra.PARLEY_V2_SUNSET;
    expect(sunsetOf({})).toBe(SUNSET);
    for (const good of ['2027-02-28', 'never']) expect(sunsetOf({ PARLEY_V2_SUNSET: good })).toBe(good);
    for (const bad of [
      'soon',
      '2026-02-30',
      '2026-11-01T00:00:00Z',
      '01.11.2026',
      '20261101',
      'Never',
      '0',
    ]) {
      const read = () => sunsetOf({ PARLEY_V2_SUNSET: bad });
      expect(read).toThrow(OperatorError);
      expect(read).toThrow(
        `The variable PARLEY_V2_SUNSET must be a day such as 2026-11-01, or "never" (it is "${bad}").`,
      );
    }
  });

  it('is shown to the operator at the first start', () => {
    const [before, after] = [new Date('2026-11-01T23:59:59Z'), new Date('2026-11-02T00:00:00Z')];
    const describe = (sunset: string, now: Date) => describeV2({ PARLEY_V2_SUNSET: sunset }, now);
    expect(describe(SUNSET, before)).toBe('deprecated, served until 1 November 2026 (PARLEY_V2_SUNSET)');
    expect(describe(SUNSET, after)).toMatch(/^ended on 1 November 2026; \/v2 answers 410/);
    expect(describe('never', after)).toMatch(/^deprecated, served without an end/);
  });
});

describe('the successors that version 2 names', () => {
  it('are operations of version 3', () => {
    const { routes } = server.system.app;
    const names = routes.map(({ spec }) => `${spec.method} ${spec.path}`);
    const old = routes.filter(({ spec }) => spec.path.startsWith('/v2/'));
    expect(old.length).toBeGreaterThan(0);
    for (const { spec } of old) {
      expect(names).toContain(spec.successor);
      expect(spec.successor).toMatch(/ \/v3\//);
      expect(spec.failures).toContain('api_version_sunset');
    }
  });
});

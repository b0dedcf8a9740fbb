import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';

const server = await useServer();

describe('the envelope', () => {
  it('has a request id of its own on every answer, the same in an error', async () => {
    const tenant = await server.tenant();
    const answers = [
      await tenant.get('/v3/me'),
      await tenant.get('/v3/nothing'),
      await tenant.get('/v3/chats/x'),
      await tenant.post('/v3/tokens', {}),
      await server.call('GET', '/v3/me'),
      await server.call('GET', '/nothing'),
      await server.call('GET', '/livez'),
      await server.call('GET', '/metrics'),
      await server.call('GET', '/openapi.json'),
      await server.call('GET', '/v2/attributes'),
      await server.call('GET', '/%zz'),
      await server.call('POST', '/providers/sandbox/x', { body: {} }),
    ];
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    for (const id of ids) expect(id).toMatch(/^req_[0-9a-f-]{36}$/);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { body, headers } of answers)
      if (body?.error) expect(body.error.requestId).toBe(headers['x-request-id']);
  });

  it('carries the security headers on successes and errors', async () => {
    const tenant = await server.tenant();
    for (const answer of [await tenant.get('/v3/me'), await server.call('GET', '/v3/%zz')]) {
      expect(answer.headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
      });
    }
  });

  it('names the scheme to a caller it does not know', async () => {
    const answer = await server.call('GET', '/v3/me');
    expect(answer.status).toBe(401);
    expect(answer.body.error.messageKey).toBe('unauthorized');
    expect(answer.body.error.message).toMatch(/^Unauthorized: /);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });
});

describe('a path that leads nowhere', () => {
  it.each([
    'GET',
    'POST',
    'PUT',
    'DELETE',
    'PATCH',
    'OPTIONS',
  ])('answers 401 without a token: %s', async (method) => {
    expect((await server.call(method, '/v3/nothing')).status).toBe(401);
    expect((await server.call(method, '/v4')).status).toBe(401);
    expect((await server.call(method, '/admin/nothing')).status).toBe(401);
  });

  it('answers 404 with a token', async () => {
    const tenant = await server.tenant();
    for (const path of ['/v3', '/v3/', '/v3/nothing', '/v3/me/more', '/v3//me', '/v4/me']) {
      const answer = await tenant.get(path);
      expect([path, answer.status, answer.body.error.messageKey]).toEqual([path, 404, 'route_not_found']);
      expect(answer.headers['x-ratelimit-limit']).toBeDefined();
    }
    const admin = await server.call('GET', '/admin/nothing', { token: OPERATOR_TOKEN });
    expect(admin.status).toBe(404);
    expect((await server.call('GET', '/nothing')).body.error.messageKey).toBe('route_not_found');
  });

  it('may be longer than any that Node takes', async () => {
    const tenant = await server.tenant();
    const answer = await tenant.get(`/v3/chats/${'a'.repeat(20_000)}`);
    expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'route_not_found']);
  });

  it('is refused before the body that was sent there', async () => {
    const tenant = await server.tenant();
    const large = 'x'.repeat(1_100_000);
    for (const options of [{ raw: large }, { raw: 'x', headers: { 'content-type': 'text/plain' } }]) {
      expect((await server.call('POST', '/v3/nothing', options)).status).toBe(401);
      expect((await tenant.call('POST', '/v3/nothing', options)).status).toBe(404);
      expect((await tenant.call('PUT', '/v3/me', options)).status).toBe(405);
    }
  });
});

describe('a method that a path does not have', () => {
  it.each([
    ['POST', '/v3/me', 'GET, HEAD'],
    ['PATCH', '/v3/me', 'GET, HEAD'],
    ['OPTIONS', '/v3/me/', 'GET, HEAD'],
    ['TRACE', '/v3/me', 'GET, HEAD'],
    ['PROPFIND', '/v3/me', 'GET, HEAD'],
    ['GET', '/v3/tokens', 'POST'],
    ['HEAD', '/v3/tokens', 'POST'],
    ['GET', '/v3/tokens/019a82a0-0000-7000-8000-000000000001', 'DELETE'],
  ])('%s %s: 405 that allows %s', async (method, path, allow) => {
    const tenant = await server.tenant();
    expect((await server.call(method, path)).status).toBe(401);
    const answer = await tenant.call(method, path);
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe(allow);
    if (method !== 'HEAD') expect(answer.body.error.messageKey).toBe('method_not_allowed');
  });

  it('HEAD is GET without the body', async () => {
    const tenant = await server.tenant();
    const whole = await tenant.get('/v3/me');
    const head = await tenant.call('HEAD', '/v3/me');
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(whole.headers['content-length']);
    expect((await tenant.call('HEAD', '/v3/chats/x')).status).toBe(404);
    expect((await server.call('HEAD', '/v3/me')).status).toBe(401);
  });
});

describe('a body', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'json',
    ';;;',
    'application/xml',
  ])('of another type is refused: %s', async (type) => {
    const tenant = await server.tenant();
    const answer = await tenant.call('POST', '/v3/tokens', { raw: '{}', headers: { 'content-type': type } });
    expect(answer.status).toBe(415);
    expect(answer.body.error.messageKey).toBe('unsupported_media_type');
    expect(answer.body.error.message).toContain('application/json');
  });

  it('of type JSON may say its charset', async () => {
    const tenant = await server.tenant();
    const raw = '{"name":"ü","scopes":["*"]}';
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset=UTF-8']) {
      const answer = await tenant.call('POST', '/v3/tokens', { raw, headers: { 'content-type': type } });
      expect(answer.body.data.name).toBe('ü');
    }
  });

  it('over 1 MiB is refused, and one that just fits is read', async () => {
    const tenant = await server.tenant();
    const bodyOf = (bytes: number) => '{"name":"a","scopes":["*"]}'.padEnd(bytes);
    expect((await tenant.call('POST', '/v3/tokens', { raw: bodyOf(1024 * 1024) })).status).toBe(200);
    const answer = await tenant.call('POST', '/v3/tokens', { raw: bodyOf(1024 * 1024 + 1) });
    expect([answer.status, answer.body.error.messageKey]).toEqual([413, 'payload_too_large']);
  });

  it('that is not JSON is wrong at body', async () => {
    const tenant = await server.tenant();
    for (const raw of [
      '{',
      '{"a":}',
      'name=x',
      "{'a':1}",
      '[1,]',
      'NaN',
      '\ufeff\ufeff{}',
      Buffer.from([0x22, 0xff, 0x22]),
    ]) {
      const answer = await tenant.call('POST', '/v3/tokens', { raw });
      expect([answer.status, answer.body.error.messageKey]).toEqual([400, 'invalid_body_params']);
      expect(Object.keys(answer.body.error.invalidParams)).toEqual(['body']);
    }
  });

  it.each(['null', '1', '"text"', 'true', '[]'])('that is %s is no object', async (raw) => {
    const tenant = await server.tenant();
    const answer = await tenant.call('POST', '/v3/tokens/search', { raw });
    expect(answer.status).toBe(400);
    expect(answer.body.error.invalidParams).toEqual({
      body: { key: 'invalid_type', message: expect.stringMatching(/^Expected object, received /) },
    });
  });

  it('may be left out, or be empty, where no field is required', async () => {
    const tenant = await server.tenant();
    expect((await tenant.call('POST', '/v3/tokens/search')).status).toBe(200);
    expect((await tenant.call('POST', '/v3/tokens/search', { raw: '' })).status).toBe(200);
    expect((await tenant.call('POST', '/v3/tokens/search', { raw: '{}' })).status).toBe(200);
    expect((await tenant.call('POST', '/v3/tokens')).body.error.invalidParams).toMatchObject({
      name: { key: 'invalid_type', message: 'Required' },
      scopes: { key: 'invalid_type', message: 'Required' },
    });
  });

  it('may be compressed; one that is not what it says is refused, and never more is read than the limit', async () => {
    const tenant = await server.tenant();
    const post = (raw: Buffer | string, encoding: string) =>
      tenant.call('POST', '/v3/tokens', { raw, headers: { 'content-encoding': encoding } });
    const good = gzipSync('{"name":"a","scopes":["*"]}');
    expect((await post(good, 'gzip')).status).toBe(200);
    expect((await post('not gzip', 'gzip')).body.error.messageKey).toBe('invalid_body_params');
    expect((await post(good.subarray(0, 20), 'gzip')).body.error.messageKey).toBe('invalid_body_params');
    expect((await post(good, 'zip')).body.error.messageKey).toBe('unsupported_media_type');
    const bomb = await post(gzipSync(Buffer.alloc(50_000_000)), 'gzip');
    expect(bomb.body.error.messageKey).toBe('payload_too_large');
  });
});

describe('an answer', () => {
  it('is compressed when it is large and the client asks for it', async () => {
    const plain = await server.system.app.server.inject({ url: '/openapi.json' });
    expect(plain.headers['content-encoding']).toBeUndefined();
    const get = (encoding: string) =>
      server.system.app.server.inject({ url: '/openapi.json', headers: { 'accept-encoding': encoding } });
    const br = await get('gzip, br');
    expect(br.headers['content-encoding']).toBe('br');
    expect(br.headers.vary).toContain('accept-encoding');
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(plain.body);
    const gzip = await get('gzip');
    expect(gzip.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(plain.body);
    for (const encoding of ['nothing', 'identity', '*;q=0']) {
      expect((await get(encoding)).body).toBe(plain.body);
    }
    const small = await server.call('GET', '/livez', { headers: { 'accept-encoding': 'br' } });
    expect(small.headers['content-encoding']).toBeUndefined();
  });

  it('is the same with a slash at the end of the path', async () => {
    const tenant = await server.tenant();
    expect((await tenant.get('/v3/me/')).body).toEqual((await tenant.get('/v3/me')).body);
    const made = await tenant.post('/v3/tokens/', { name: 'a', scopes: ['*'] });
    expect((await tenant.delete(`/v3/tokens/${made.body.data.id}/`)).body.data.deletedIds).toEqual([
      made.body.data.id,
    ]);
  });
});

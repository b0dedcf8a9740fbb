import { describe, expect, it } from 'vitest';
import { useServer } from '../kit/server.ts';
import { listen, send } from '../kit/wire.ts';

const server = await useServer();

describe('version 2', () => {
  it.each([
    ['GET', '/v2'],
    ['GET', '/v2/'],
    ['GET', '/v2?tenantId=x'],
    ['GET', '/v2/attributes'],
    ['POST', '/v2/api_webhooks'],
    ['PUT', '/v2/api_webhooks/019a82a0-0000-7000-8000-000000000001'],
    ['DELETE', '/v2/attributes/%zz'],
    ['PATCH', '/v2/anything/at/all'],
    ['PROPFIND', '/v2/x'],
  ])('is gone: %s %s', async (method, path) => {
    const tenant = await server.tenant();
    for (const token of [null, 'not a token', tenant.token]) {
      const answer = await server.call(method, path, {
        token,
        raw: '{',
        headers: { 'content-type': 'text/plain' },
      });
      expect([answer.status, answer.body.error.messageKey]).toEqual([410, 'api_version_sunset']);
      expect(answer.body.error.message).toContain('/v3');
      expect(answer.headers).toMatchObject({
        deprecation: '@1785542400',
        sunset: 'Mon, 02 Nov 2026 00:00:00 GMT',
        link: '</docs>; rel="successor-version"',
      });
    }
  });

  it('is gone for HEAD and for a whole URL as well', async () => {
    expect((await server.call('HEAD', '/v2/attributes')).status).toBe(410);
    const port = await listen(server.system.app.server);
    expect((await send(port, 'GET', `http://127.0.0.1:${port}/v2/attributes`)).status).toBe(410);
  });

  it('is not what merely begins like it', async () => {
    expect((await server.call('GET', '/v2x')).status).toBe(404);
    expect((await server.call('GET', '/v22/me')).status).toBe(401);
  });
});

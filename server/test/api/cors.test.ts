import { describe, expect, it } from 'vitest';
import { useServer } from '../kit/server.ts';

const ours = 'https://console.example.com';
const closed = await useServer();
const open = await useServer({ corsOrigins: [ours] });

const preflight = (origin: string, method: string) => ({
  headers: {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'authorization',
  },
});

describe('pages of other origins', () => {
  it('get no headers unless the operator names them', async () => {
    const tenant = await closed.tenant();
    const answer = await tenant.get('/v3/me', { headers: { origin: ours } });
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect((await closed.call('OPTIONS', '/v3/me', preflight(ours, 'GET'))).status).toBe(401);
  });

  it.each([
    'GET',
    'POST',
    'PUT',
    'DELETE',
  ])('may call with %s when named, and read the headers', async (method) => {
    const asked = await open.system.app.server.inject({
      method: 'OPTIONS',
      url: '/v3/me',
      ...preflight(ours, method),
    });
    expect(asked.statusCode).toBe(204);
    expect(asked.headers['access-control-allow-origin']).toBe(ours);
    expect(String(asked.headers['access-control-allow-methods']).split(/, ?/)).toContain(method);
    expect(asked.headers['access-control-allow-headers']).toContain('authorization');
    expect(asked.headers['x-request-id']).toMatch(/^req_/);
    const tenant = await open.tenant();
    const answer = await tenant.get('/v3/me', { headers: { origin: ours } });
    expect(answer.headers['access-control-allow-origin']).toBe(ours);
    expect(answer.headers['access-control-expose-headers']).toContain('X-RateLimit-Reset');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('get no headers when another one is named', async () => {
    const tenant = await open.tenant();
    for (const origin of ['https://evil.example', `${ours}.evil.example`, 'null']) {
      const answer = await tenant.get('/v3/me', { headers: { origin } });
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('change nothing for an OPTIONS that is no preflight', async () => {
    const tenant = await open.tenant();
    expect((await open.call('OPTIONS', '/v3/me')).status).toBe(401);
    expect((await tenant.call('OPTIONS', '/v3/me')).status).toBe(405);
    expect((await tenant.call('OPTIONS', '/v3/nothing')).status).toBe(404);
  });
});

import { describe, expect, it } from 'vitest';
import { collectGarbage } from '../kit/collect-garbage.ts';
import { bodyFor, createFixtures, headersFor, idsFor, pathOf, tokenFor } from '../kit/route-calls.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const fixtures = await createFixtures(server);
const { tenant } = fixtures;
const routes = server.system.app.routes.filter(({ spec }) => spec.body !== undefined);
const named = routes.map((route) => [`${route.spec.method} ${route.spec.path}`, route] as const);

describe('too much', () => {
  it.each(named)('D1: %s refuses JSON nested 100,000 deep, and lives', async (_, route) => {
    const path = pathOf(route, (name) => idsFor(route, fixtures)[name] as string);
    const token = tokenFor(route, tenant);
    const arrays = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    const objects = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`;
    const [field = 'x'] = Object.keys(bodyFor(route, fixtures) as object);
    for (const raw of [arrays, objects, `{"${field}":${arrays}}`, '['.repeat(1_000_000)]) {
      const answer = await server.call(route.spec.method, path, {
        token,
        headers: headersFor(route, fixtures),
        raw,
      });
      if (raw.length > (route.spec.bodyBytes ?? 1_048_576)) {
        expect([answer.status, answer.body.error.messageKey]).toEqual([413, 'payload_too_large']);
        continue;
      }
      expect([answer.status, answer.body.error.messageKey]).toEqual([400, 'invalid_body_params']);
      expect(Object.keys(answer.body.error.invalidParams)).toEqual(['body']);
    }
    await expect
      .poll(async () => (await server.call('GET', '/readyz')).status, { timeout: 30_000 })
      .toBe(200);
  });

  it.each(named)('D2: %s refuses a body over the limit', async (_, route) => {
    const path = pathOf(route, (name) => idsFor(route, fixtures)[name] as string);
    const padding = 'x'.repeat(route.spec.bodyBytes ?? 1_048_576);
    const raw = JSON.stringify({ ...(bodyFor(route, fixtures) as object), padding });
    const answer = await server.call(route.spec.method, path, {
      token: tokenFor(route, tenant),
      headers: headersFor(route, fixtures),
      raw,
    });
    expect([answer.status, answer.body.error.messageKey]).toEqual([413, 'payload_too_large']);
  });

  it('D2: lists that are too long are refused by their name, with a short answer', async () => {
    const list = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join()}]`;
    const bodies: [string, string, string][] = [
      ['/v3/tokens', `{"name":"a","scopes":${list(150_000, '1')}}`, 'scopes'],
      // Nothing is read of a body with so many values.
      ['/v3/tokens', `{"name":"a","scopes":${list(400_000, '1')}}`, 'body'],
      ['/v3/tokens', `{"name":"a","scopes":${list(101, '"chats:read"')}}`, 'scopes'],
      ['/v3/api_webhooks', `{"url":"https://example.com","events":${list(101, '{}')}}`, 'events'],
      ['/v3/api_webhooks', `{"url":"https://example.com","events":${list(150_000, '{}')}}`, 'events'],
      ['/v3/tokens/search', `{"x":${list(150_000, '0')}}`, 'x'],
    ];
    for (const [path, raw, name] of bodies) {
      const answer = await tenant.call('POST', path, { raw });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.body.error.invalidParams[name]).toMatchObject({ key: 'too_big' });
      expect(answer.text.length).toBeLessThan(30_000);
    }
  });

  it('D2: pages and limits beyond the end of the world are too big', async () => {
    for (const [pagination, name] of [
      [{ page: 10 ** 9 }, 'pagination.page'],
      [{ page: 10_001 }, 'pagination.page'],
      [{ limit: 10 ** 9 }, 'pagination.limit'],
    ] as const) {
      const answer = await tenant.post('/v3/tokens/search', { pagination });
      expect(answer.body.error.invalidParams).toMatchObject({ [name]: { key: 'too_big' } });
    }
    const empty = await tenant.post('/v3/tokens/search', { pagination: { page: 10_000, limit: 100 } });
    expect([empty.status, empty.body.data]).toEqual([200, []]);
  });

  it('D2: a hundred large bodies leave nothing behind', async () => {
    const raw = `{"name":"a","scopes":[${Array.from({ length: 90 }, () => '1').join()}],"x":"${'x'.repeat(500_000)}"}`;
    const burst = async (count: number) => {
      for (let done = 0; done < count; done += 10)
        await Promise.all(Array.from({ length: 10 }, () => tenant.call('POST', '/v3/tokens', { raw })));
    };
    const kept = (): number => {
      collectGarbage();
      const { heapUsed, external } = process.memoryUsage();
      return heapUsed + external;
    };
    await burst(20);
    const before = kept();
    await burst(100);
    // Half a megabyte each: were they kept, there would be fifty more.
    await expect.poll(kept, { timeout: 30_000 }).toBeLessThan(before + 15_000_000);
  });

  it('D2: what is wrong with ten thousand ids is reported in a hundred entries', async () => {
    const ids = Array.from(
      { length: 1000 },
      (_, at) => `019a82a0-0000-7000-8000-${String(at).padStart(12, '0')}`,
    );
    const events = Array.from({ length: 10 }, () => ({
      type: 'nothing',
      scopes: [{ type: 'channel', ids }],
    }));
    const answer = await tenant.post('/v3/api_webhooks', { url: 'https://example.com', events });
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.body.error.invalidParams)).toHaveLength(100);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usePerson } from '../kit/people.ts';
import {
  bodyFor,
  createFixtures,
  type Fixtures,
  headersFor,
  idsFor,
  pathOf,
  tokenFor,
} from '../kit/route-calls.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const withBody = server.system.app.routes.filter(({ spec }) => spec.body !== undefined);
const named = withBody.map((route) => [`${route.spec.method} ${route.spec.path}`, route] as const);
let fixtures: Fixtures;
beforeAll(async () => {
  fixtures = await createFixtures(server);
});

/** In the text of JSON, because some of it cannot be said by a value of JavaScript. */
const hostile = [
  '{}',
  '[]',
  '[[]]',
  '[null]',
  'null',
  'true',
  '0',
  '-1',
  '-0',
  '0.5',
  '1e999',
  '-1e999',
  '1e308',
  '9007199254740993',
  '2147483648',
  '""',
  '" "',
  '"\\u0000"',
  '"\\ud800"',
  '"\\udc00x"',
  '"\\u202e"',
  '"NaN"',
  '"1"',
  '"null"',
  '"__proto__"',
  '"constructor"',
  '"toString"',
  '"\'; drop table tenants; --"',
  '"%s%n{{7*7}}"',
  '"../../etc/passwd"',
  '"019a82a0-0000-7000-8000-00000000ffff"',
  '"urn:uuid:019a82a0-0000-7000-8000-00000000ffff"',
  '"2026-02-30T00:00:00Z"',
  '"http://[::1"',
  '"https://example.com\\u0000.evil.example"',
  '"and(eq(id,\\"x\\"),not(isNull(createdAt)))"',
  '"eq(createdAt,\\"9999-99-99\\")"',
  '"eq(id,1)) or (1=1"',
  '"asc(id),desc(id),asc(constructor)"',
  '"in(id,null,true,1e400)"',
  '"contains(name,\\"%_\\\\\\\\\\")"',
  `"${'x'.repeat(70_000)}"`,
  `"${'😀'.repeat(5_000)}"`,
  `[${'[],'.repeat(500)}[]]`,
  `{"__proto__":{"isAdmin":true}}`,
  '{"constructor":{"prototype":{"isAdmin":true}}}',
  '{"toString":1,"valueOf":null,"length":-1}',
  '{"then":"x"}',
];

const LEAF = '"@@leaf@@"';

/** The body as JSON text, once for every place in it, with that place marked. */
function* marked(value: unknown, put: (inner: string) => string): Generator<string> {
  yield put(LEAF);
  if (Array.isArray(value))
    for (const [index, item] of value.entries())
      yield* marked(item, (inner) =>
        put(`[${value.map((other, at) => (at === index ? inner : JSON.stringify(other))).join()}]`),
      );
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value))
      yield* marked(item, (inner) =>
        put(
          `{${Object.entries(value)
            .map(([name, other]) => `${JSON.stringify(name)}:${name === key ? inner : JSON.stringify(other)}`)
            .join()}}`,
        ),
      );
}

/** A body in which every field that the contract knows is there, so that none is left out of the attack. */
function fullBody(schema: unknown, example: unknown): unknown {
  const {
    type,
    properties,
    items,
    enum: values,
  } = schema as {
    type?: string | string[];
    properties?: Record<string, unknown>;
    items?: unknown;
    enum?: unknown[];
  };
  if (properties !== undefined) {
    const given = (example ?? {}) as Record<string, unknown>;
    return {
      ...given,
      ...Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [name, fullBody(inner, given[name])]),
      ),
    };
  }
  if (example !== undefined) return example;
  if (values !== undefined) return values[0];
  if (items !== undefined) return [fullBody(items, undefined)];
  return [type].flat()[0] === 'string' ? 'x' : [type].flat()[0] === 'integer' ? 1 : {};
}

describe('hostile input', () => {
  it.each(named)('V1–V3: %s is never a failure of the server, wherever it is put', async (_, route) => {
    // The operator's changes go to another tenant: among them are a plan and a rate limit that would refuse the rest.
    const ids: Record<string, string> = {
      ...idsFor(route, fixtures),
      tenantId: (await server.tenant()).id,
    };
    const path = pathOf(route, (name) => ids[name] as string);
    const token = tokenFor(route, fixtures.tenant);
    // A session has a limit of its own.
    if (route.kind === 'session') fixtures.person = await usePerson(server, fixtures.tenant, 'agent');
    const headers = headersFor(route, fixtures);
    // Hundreds of subscriptions that other routes were talked into would each hear of everything that follows.
    await server.system.db.query('delete from webhooks where tenant_id = $1 and id <> $2', [
      fixtures.tenant.id,
      ids.webhookId,
    ]);
    const from = server.logged.length;
    const bodies = [...marked(fullBody(route.spec.body, bodyFor(route, fixtures)), (inner) => inner)];
    const texts = bodies.flatMap((body) => hostile.map((value) => body.replace(LEAF, () => value)));
    const statuses = new Map<number, number>();
    const allowed = [
      200,
      400,
      404,
      // Where a state can forbid a call, hostile values may well meet that state.
      ...(route.spec.failures.includes('conflict') ? [409] : []),
      // A tenantId that is not the caller's is forbidden, whatever it is.
      ...(route.spec.operationId === 'createApiWebhookV2' ? [403] : []),
      // Wrong passwords and links are refused, and soon limited; too many at once are asked to wait.
      ...(route.kind === 'session' ? [401, 429, 503] : []),
      // Without a login, a body has at most 16 KiB.
      ...(route.spec.access === 'login' ? [413] : []),
    ];
    for (let at = 0; at < texts.length; at += 50) {
      const answers = await Promise.all(
        texts
          .slice(at, at + 50)
          .map(
            async (raw) =>
              [raw, await server.call(route.spec.method, path, { token, headers, raw })] as const,
          ),
      );
      for (const [raw, answer] of answers) {
        if (!allowed.includes(answer.status))
          expect([answer.status, answer.body, raw.slice(0, 300)]).toEqual(allowed.join(' or '));
        if (answer.status === 400)
          expect(Object.keys(answer.body.error.invalidParams).length).toBeGreaterThan(0);
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      }
    }
    expect(statuses.get(400)).toBeGreaterThan(20);
    expect(server.logged.slice(from).filter((line) => line.includes('internal error'))).toEqual([]);
    await server.settle();
    // For some seconds it may say that fifty requests at once blocked the event loop.
    await expect
      .poll(async () => (await server.call('GET', '/readyz')).status, { timeout: 30_000 })
      .toBe(200);
  });

  it('V1: SQL and tricks of the grammar are refused where they stand, and nothing is executed', async () => {
    const { tenant, ids } = await createFixtures(server);
    const tricks = [
      "'; drop table tokens; --",
      'eq(id,"x"); select 1',
      'eq(t.id,"x")',
      'eq(tenant_id,"x")',
      'eq(constructor,"x")',
      'eq(__proto__,"x")',
      'eq(name,name)',
      'eq(name,$1)',
      'eq(name,"a" or "b")',
      'pg_sleep(10)',
      'and()',
      'eq(name,"\\u0041")',
      "eq(name,'x')",
      'eq(name,"x"))',
      '(((((',
    ];
    for (const path of ['/v3/tokens/search', `/v3/api_webhooks/${ids.webhookId}/deliveries/search`])
      for (const trick of tricks)
        for (const name of ['query', 'sortBy']) {
          const answer = await tenant.post(path, { [name]: trick });
          expect([trick, answer.status]).toEqual([trick, 400]);
          expect(answer.body.error.invalidParams).toEqual({
            [name]: { key: 'invalid_string', message: expect.stringMatching(/column \d+/) },
          });
        }
    for (const search of ["'; drop table tokens; --", '%', '_', '\\', "' or 1=1 --"]) {
      const answer = await tenant.post('/v3/tokens/search', { search });
      expect([search, answer.body.data]).toEqual([search, []]);
    }
    expect((await tenant.post('/v3/tokens/search', {})).body.pagination.total).toBeGreaterThan(0);
  });

  it('V3: a prototype cannot be reached, and the refusal names the key', async () => {
    const { tenant } = fixtures;
    const answer = await tenant.call('POST', '/v3/tokens', {
      raw: '{"name":"a","scopes":["*"],"__proto__":{"isAdmin":true},"x":{"constructor":{}}}',
    });
    expect(answer.status).toBe(400);
    expect(Object.entries(answer.body.error.invalidParams)).toEqual(
      expect.arrayContaining([
        ['__proto__', { key: 'unrecognized_keys', message: 'The key "__proto__" is not allowed' }],
        ['x.constructor', { key: 'unrecognized_keys', message: 'The key "constructor" is not allowed' }],
      ]),
    );
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  });

  it('V2: what is odd and can be stored is given back as it was', async () => {
    const { tenant } = fixtures;
    for (const name of [
      '😀',
      'e\u0301',
      '\u202eabc',
      "Robert'); drop table",
      '<script>',
      '\u00a0',
      '{{7*7}}',
      '\u{10ffff}',
    ]) {
      const made = await tenant.post('/v3/tokens', { name, scopes: ['chats:read'] });
      expect(made.body.data.name).toBe(name);
      const query = `eq(name,"${name}")`;
      expect((await tenant.post('/v3/tokens/search', { query })).body.data).toMatchObject([{ name }]);
    }
  });
});

afterAll(() => {
  // Whatever was tried, no object of this process has grown a property.
  expect(Object.keys(Object.prototype)).toEqual([]);
});

import { describe, expect, it } from 'vitest';
import { statement } from '../../src/db/statement.ts';
import type { Route } from '../../src/http/route.ts';
import { bodyFor, createFixtures, idsFor, paramsOf, pathOf, tokenFor } from '../kit/route-calls.ts';
import { type Answer, useServer } from '../kit/server.ts';
import { listen, send, type WireAnswer } from '../kit/wire.ts';

const server = await useServer();
const { routes } = server.system.app;
const [ours, theirs] = [await createFixtures(server), await createFixtures(server)];
// What was begun while they were made is over before anyone looks.
await server.settle();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const withIds = routes.filter(
  (route) => paramsOf(route).length > 0 && !['operator', 'public', 'session'].includes(route.spec.access),
);
const named = withIds
  // Everybody has names of their own: it stores one.
  .filter(({ spec }) => spec.operationId !== 'storeSecret')
  .map((route) => [`${route.spec.method} ${route.spec.path}`, route] as const);

/** An answer less what differs from one request to the next, with the id that was asked for written as one word. */
const comparable = ({ status, text }: Answer | WireAnswer, id: string): string =>
  `${status} ${text.replaceAll(/req_[0-9a-f-]{36}/g, 'req').replaceAll(JSON.stringify(id).slice(1, -1), 'ID')}`;

const ask = (route: Route, id: string): Promise<Answer> =>
  server.call(
    route.spec.method,
    pathOf(route, () => id),
    {
      token: tokenFor(route, ours.tenant),
      body: bodyFor(route, ours),
    },
  );

const { rows: tables } = await server.system.db.query(
  `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
    where a.attname = 'tenant_id' and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and c.relname <> 'rate_windows' order by 1`,
  [],
);
const wholeState = statement<[], { text: string }>(
  'test.state_of_tenant',
  tables
    .map(
      ({ name }) =>
        `select '${name}' || (to_jsonb(t) - 'last_used_at')::text as text from ${name} t where tenant_id = $tenant`,
    )
    .join(' union all '),
);

/** Everything that a tenant has, in words. */
async function stateOf(tenantId: string): Promise<string> {
  const rows = await server.system.db.forTenant(tenantId).all(wholeState, []);
  return rows
    .map(({ text }) => text)
    .sort()
    .join('\n');
}

/** Whatever anyone else does, the other tenant has what it had. */
const untouched = await stateOf(theirs.tenant.id);

describe('another tenant’s id', () => {
  it.each(named)('A1: %s answers as for an id that nobody has, and changes nothing', async (_, route) => {
    const [name = ''] = paramsOf(route);
    const foreign = idsFor(route, theirs)[name] as string;
    expect(foreign).toBeDefined();
    const answer = await ask(route, foreign);
    expect(comparable(answer, foreign)).toBe(comparable(await ask(route, UNKNOWN), UNKNOWN));
    if (Object.hasOwn(Object(route.spec.example.answer), 'deletedIds'))
      expect(answer.body.data).toMatchObject({ deletedIds: [], notFoundIds: [foreign] });
    else expect(answer.status).toBe(404);
    await server.settle();
    expect(await stateOf(theirs.tenant.id)).toBe(untouched);
  });

  it.each(named)('A1: %s answers so whatever an id looks like', async (_, route) => {
    const port = await listen(server.system.app.server);
    const expected = comparable(await ask(route, UNKNOWN), UNKNOWN);
    const body = bodyFor(route, ours);
    // Node's own client sends a path unchanged; each of these is one segment.
    for (const id of [
      '..',
      '.',
      '%00',
      '%2e%2e%2f',
      'x'.repeat(5000),
      '%F0%9F%98%80',
      '%ud800',
      '%',
      "'--",
      '{}',
      '*',
      'undefined',
      '-1',
      `${UNKNOWN}%00`,
    ]) {
      const answer = await send(
        port,
        route.spec.method,
        pathOf(route, () => id),
        {
          headers: {
            authorization: `Bearer ${ours.tenant.token}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
      );
      let decoded = id;
      try {
        decoded = decodeURIComponent(id);
      } catch {}
      expect(comparable(answer, decoded)).toBe(expected);
    }
  });

  it('A1: searches find nothing of it', async () => {
    for (const route of routes.filter(
      // Reports have figures instead of rows: long/reports counts them exactly, with other tenants on the same server.
      ({ spec }) => spec.path.endsWith('/search') && !/:|reports/.test(spec.path),
    )) {
      const own = await theirs.tenant.post(route.spec.path, {});
      const [row] = own.body.data as { id: string }[];
      for (const body of [{ query: `eq(id,"${row?.id}")` }, { search: row?.id }])
        expect((await ours.tenant.post(route.spec.path, body)).body.data).toEqual([]);
      // A cursor names a place and not a tenant.
      const page = await theirs.tenant.post(route.spec.path, { pagination: { limit: 1 } });
      const cursor = page.body.pagination.nextCursor;
      if (cursor === null) continue;
      const next = await ours.tenant.post(route.spec.path, { pagination: { cursor } });
      const foreign = new Set((own.body.data as { id: string }[]).map(({ id }) => id));
      expect((next.body.data as { id: string }[]).filter(({ id }) => foreign.has(id))).toEqual([]);
    }
  });

  it('A2: in the scopes of a webhook is refused as unknown, and nothing is linked', async () => {
    const subscribe = (id: string) =>
      ours.tenant.post('/v3/api_webhooks', {
        url: 'https://example.com',
        events: [
          { scopes: [{ type: 'channel', ids: [ours.ids.channelId, id] }] },
          { scopes: [{ type: 'channel', ids: [id] }] },
        ],
      });
    const before = await stateOf(ours.tenant.id);
    const foreign = theirs.ids.channelId as string;
    const answer = await subscribe(foreign);
    expect(comparable(answer, foreign)).toBe(comparable(await subscribe(UNKNOWN), UNKNOWN));
    expect(answer.body.error.invalidParams).toEqual({
      'events.0.scopes.0.ids.1': { key: 'custom', message: `There is no channel ${foreign}` },
      'events.1.scopes.0.ids.0': { key: 'custom', message: `There is no channel ${foreign}` },
    });
    expect(await stateOf(ours.tenant.id)).toBe(before);
  });
});

describe('what a client may not set', () => {
  it.each(
    routes
      .filter(({ spec, kind }) => spec.body && kind !== 'read' && kind !== 'session')
      .map((route) => [route.spec.operationId, route] as const),
  )('A4: %s never stores id, tenantId, createdAt, secret or plan from a body', async (operationId, route) => {
    const mine = await createFixtures(server, route);
    const planted = {
      id: UNKNOWN,
      // Version 2 asks for it, and refuses another one.
      ...(operationId === 'createApiWebhookV2' ? {} : { tenantId: theirs.tenant.id }),
      tenant_id: theirs.tenant.id,
      createdAt: '1999-01-01T00:00:00.000Z',
      updatedAt: '1999-01-01T00:00:00.000Z',
      secret: 'whsec_planted',
      token: 'planted',
      health: 'failing',
      ...(operationId.endsWith('Tenant') ? {} : { plan: 'free' }),
    };
    const send = (more: object) =>
      server.call(
        route.spec.method,
        pathOf(route, (name) => idsFor(route, mine)[name] as string),
        { token: tokenFor(route, mine.tenant), body: { ...(bodyFor(route, mine) as object), ...more } },
      );
    // What an operation does not know is refused; what it ignores is not stored either.
    const first = await send(planted);
    const refused = Object.entries<{ key: string }>(first.body.error?.invalidParams ?? {});
    expect(new Set(refused.map(([, { key }]) => key))).toEqual(
      new Set(refused.length === 0 ? [] : ['unrecognized_keys']),
    );
    const names = refused.map(([name]) => name);
    const ignored = Object.entries(planted).filter(([name]) => !names.includes(name));
    const answer = refused.length === 0 ? first : await send(Object.fromEntries(ignored));
    expect(answer.status).toBe(200);
    await server.settle();
    for (const text of [answer.text, await stateOf(mine.tenant.id)])
      for (const value of [UNKNOWN, theirs.tenant.id, '1999-01-01', 'planted'])
        expect(text).not.toContain(value);
    expect(await stateOf(theirs.tenant.id)).toBe(untouched);
    const { rows } = await server.system.db.query('select 1 from tenants where id = $1', [UNKNOWN]);
    expect(rows).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { dropOldAuditEntries } from '../../src/db/retention.ts';
import type { Route } from '../../src/http/route.ts';
import { cookieOf, PASSWORD, personWith, tokenOf, usePerson } from '../kit/people.ts';
import { QUESTIONS } from '../kit/questions.ts';
import { createFixtures, headersFor, idsFor, pathOf, payloadFor, tokenFor } from '../kit/route-calls.ts';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const { app, db } = server.system;

const entriesOf = async (tenant: TestTenant, query?: string) => {
  await app.flush();
  const found = await tenant.post('/v3/audit_entries/search', {
    ...(query === undefined ? {} : { query }),
    pagination: { limit: 100 },
  });
  return found.body.data;
};
const changesSomething = ({ spec }: Route): boolean => spec.method !== 'GET' && !QUESTIONS.test(spec.path);
/** A login over an identity provider needs one: see people-oidc. */
const isCallable = ({ spec }: Route): boolean =>
  // Nobody has logged in who asks for a new password.
  !spec.path.includes('/session/oidc') && spec.path !== '/v3/password_resets';

describe('the audit log', () => {
  it.each(
    app.routes
      .filter((route) => changesSomething(route) && isCallable(route))
      .map((route) => [route.spec.operationId, route] as const),
  )('has an entry for %s, with who did it and no text', async (operationId, route) => {
    const fixtures = await createFixtures(server, route);
    const { tenant } = fixtures;
    const path = pathOf(route, (name) => idsFor(route, fixtures)[name] as string);
    const answer = await server.call(route.spec.method, path, {
      token: tokenFor(route, tenant),
      ...payloadFor(route, fixtures),
      ...(route.kind === 'session' ? { headers: headersFor(route, fixtures) } : {}),
    });
    expect(answer.status).toBe(200);
    await app.flush();
    const { rows } = await db.query(
      'select actor_type, actor_id, actor_name, changes, address from audit_entries where request_id = $1',
      [answer.headers['x-request-id']],
    );
    // What belongs to a person is recorded in each tenant of the person: here it is one.
    expect(rows).toHaveLength(1);
    const [entry] = rows as { actor_type: string; changes: Record<string, unknown> }[];
    const actor = route.spec.access === 'operator' ? 'operator' : route.kind === 'session' ? 'user' : 'token';
    expect(entry).toMatchObject({ actor_type: actor, address: '127.0.0.1' });
    const { body } = payloadFor(route, fixtures);
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      expect(Object.keys(entry?.changes ?? {}).sort()).toEqual(Object.keys(body).sort());
    expect(operationId).toBeTruthy();
  });

  it('shows ids, numbers and choices, and of everything else only that it was given', async () => {
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'owner');
    const user = await person.post('/v3/users', { name: 'Ada', email: 'ada@example.com', role: 'agent' });
    await person.post('/v3/tokens', { name: 'Shop', scopes: ['chats:read'], expiresIn: 60 });
    await person.call('PUT', `/v3/users/${user.body.data.id}`, { body: { role: 'viewer', access: 'teams' } });
    const actor = { type: 'user', id: person.userId };
    const [changed, token, created] = await entriesOf(tenant, `eq(actor.id,"${person.userId}")`);
    expect(changed).toMatchObject({
      actor,
      operation: 'updateUser',
      targetId: user.body.data.id,
      changes: { role: 'viewer', access: 'teams' },
    });
    expect(token).toMatchObject({
      operation: 'createToken',
      changes: { name: null, scopes: ['chats:read'], expiresIn: 60 },
    });
    expect(created).toMatchObject({
      operation: 'createUser',
      targetId: user.body.data.id,
      changes: { name: null, email: null, role: 'agent' },
    });
  });

  it('contains no password, link, code or text of a customer', async () => {
    const fixtures = await createFixtures(server);
    const { tenant, ids } = fixtures;
    const secret = 'my-secret-never-to-be-stored';
    const { email, cookie } = await usePerson(server, tenant, 'agent');
    const person = personWith(server, cookie, { tenantId: tenant.id });
    await person.post(`/v3/chats/${ids.chatId}/messages`, { text: secret });
    await person.post(`/v3/chats/${ids.chatId}/notes`, { text: secret });
    await person.post('/v3/session/password', { current: PASSWORD, next: secret });
    const again = await server.call('POST', '/v3/session', { body: { email, password: secret } });
    expect(cookieOf(again)).toBeDefined();
    const { rows } = await db.query('select to_jsonb(a)::text as text from audit_entries a', []);
    const text = rows.map((row) => row.text).join('\n');
    for (const word of [secret, PASSWORD, email, cookie, cookieOf(again)]) expect(text).not.toContain(word);
    const operations = (await entriesOf(tenant)).map((one: { operation: string }) => one.operation);
    expect(operations).toEqual(
      expect.arrayContaining(['logIn', 'changePassword', 'redeemLink', 'createNote']),
    );
  });

  it('has no entry for what was refused, and one for a repeated request', async () => {
    const tenant = await server.tenant();
    const create = (body: object, key?: string) =>
      tenant.post('/v3/labels', body, key === undefined ? {} : { headers: { 'idempotency-key': key } });
    await create({ name: '' });
    await create({ name: 'A' }, 'one');
    await create({ name: 'A' }, 'one');
    await create({ name: 'A' });
    expect(await entriesOf(tenant)).toHaveLength(1);
  });

  it('shows what the operator did to the tenant, and nothing of other tenants', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const link = await server.call('POST', '/admin/login_links', { body: {}, token: OPERATOR_TOKEN });
    const entered = await server.call('POST', '/v3/session/link', {
      body: { token: tokenOf(link), email: `${newId()}@example.com`, name: 'Root', password: PASSWORD },
    });
    const operator = personWith(server, cookieOf(entered) as string, {});
    await operator.call('PUT', `/admin/tenants/${tenant.id}`, { body: { plan: 'growth' } });
    await server.call('PUT', `/admin/tenants/${tenant.id}`, {
      body: { rateLimit: 1000 },
      token: OPERATOR_TOKEN,
    });
    const entries = await entriesOf(tenant, 'eq(actor.type,"operator")');
    expect(entries).toMatchObject([
      { actor: { id: null, name: 'operator token' }, changes: { rateLimit: 1000 } },
      { actor: { name: 'Root' }, operation: 'updateTenant', changes: { plan: 'growth' } },
    ]);
    expect(await entriesOf(other)).toEqual([]);
    expect((await server.call('DELETE', '/admin/tenants/nonsense', { token: OPERATOR_TOKEN })).status).toBe(
      200,
    );
  });

  it('is for owners and admins', async () => {
    const tenant = await server.tenant();
    for (const [role, status] of [
      ['owner', 200],
      ['admin', 200],
      ['agent', 403],
      ['viewer', 403],
    ] as const) {
      const person = await usePerson(server, tenant, role);
      expect((await person.post('/v3/audit_entries/search', {})).status).toBe(status);
    }
  });

  it('of others stays when a tenant is deleted, in whichever week it is', async () => {
    const [first, second] = [await server.tenant(), await server.tenant()];
    // Rows of a week that has no partition are in the default one. Those of both partitions begin at the same place.
    const insertOld = `insert into audit_entries
        (id, tenant_id, created_at, actor_type, actor_name, operation, target_id, changes, address, request_id)
      select ('00000000-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid, $1, now(), 'operator', 'x', 'deleteLabel',
             null, '{}', '', ''
        from generate_series(1, 200) as number`;
    await db.query(insertOld, [second.id]);
    await first.post('/v3/labels', { name: 'A' });
    await server.call('DELETE', `/admin/tenants/${first.id}`, { token: OPERATOR_TOKEN });
    const left = await db.query('select 1 from audit_entries where tenant_id = $1', [second.id]);
    expect(left.rows).toHaveLength(200);
  });

  it('goes with its tenant, whose deletion stays in it, and after its time', async () => {
    const tenant = await server.tenant();
    await tenant.post('/v3/labels', { name: 'A' });
    const count = async () =>
      (await db.query('select 1 from audit_entries where tenant_id = $1', [tenant.id])).rows.length;
    expect(await count()).toBe(1);
    await server.call('DELETE', `/admin/tenants/${tenant.id}`, { token: OPERATOR_TOKEN });
    expect(await count()).toBe(0);
    const deletions = async () =>
      (
        await db.query(`select 1 from audit_entries where target_id = $1 and operation = 'deleteTenant'`, [
          tenant.id,
        ])
      ).rows.length;
    expect(await deletions()).toBe(1);
    // Ids of one process never go back, and files that ran before in this one may have moved the time.
    const now = Number.parseInt(newId().replace('-', '').slice(0, 12), 16);
    const inDays = (days: number) => new Date(now + days * 24 * 3600_000);
    await dropOldAuditEntries(db, inDays(300), 365);
    expect(await deletions()).toBe(1);
    // It gives up when others would wait for it, and is called again.
    const afterwards = async () => {
      await dropOldAuditEntries(db, inDays(400), 365);
      return deletions();
    };
    await expect.poll(afterwards, { timeout: 30_000 }).toBe(0);
  });
});

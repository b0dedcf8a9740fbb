import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import {
  cookieOf,
  OWN_PAGE,
  PASSWORD,
  personWith,
  type TestPerson,
  tokenOf,
  usePerson,
} from '../kit/people.ts';
import { setRealTime } from '../kit/real-time.ts';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
afterEach(() => vi.useRealTimers());

const logIn = (email: string, password = PASSWORD, more: object = {}, headers: object = {}) =>
  server.call('POST', '/v3/session', {
    body: { email, password, ...more },
    headers: { ...headers },
  });

describe('a login', () => {
  it('sets a cookie that scripts cannot read, and says who has logged in', async () => {
    const tenant = await server.tenant();
    const { email, userId } = await usePerson(server, tenant, 'agent');
    const answer = await logIn(email.toUpperCase());
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-parley=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=2592000; Secure$/,
    );
    const person = personWith(server, cookieOf(answer) as string, {});
    const session = (await person.get('/v3/session')).body.data;
    expect(session).toEqual(answer.body.data);
    expect(session).toMatchObject({
      person: { email, isOperator: false, hasPassword: true, hasTotp: false },
      memberships: [{ tenantId: tenant.id, userId, role: 'agent', channelIds: null }],
    });
    expect(session.memberships[0].scopes).toContain('automations:trigger');
    expect((await person.get('/v3/me')).body.data).toMatchObject({ tokenId: null, userId });
  });

  it('stores neither the cookie nor the password, and logs none of them', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const cookie = cookieOf(await logIn(email)) as string;
    const { rows } = await server.system.db.query(
      'select to_jsonb(s)::text as text from sessions s union all select to_jsonb(p)::text from people p',
      [],
    );
    const everything = [...rows.map(({ text }) => text), ...server.logged].join('\n');
    for (const secret of [cookie, PASSWORD]) expect(everything).not.toContain(secret);
    expect(everything).toContain('$scrypt$ln=4,r=8,p=1$');
  });

  it('over plain http has a cookie of another name', async () => {
    const plain = await useServer({
      databaseUrl: server.databaseUrl,
      baseUrl: () => 'http://localhost:3000',
    });
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const answer = await plain.call('POST', '/v3/session', { body: { email, password: PASSWORD } });
    expect(answer.headers['set-cookie']).toMatch(/^parley=[\w-]{43}; .*Max-Age=2592000$/);
  });

  it('ends after 12 hours without a request, and after 30 days', async () => {
    const { cookie } = await usePerson(server, await server.tenant(), 'agent');
    const person = personWith(server, cookie, {});
    const status = async () => (await person.get('/v3/session')).status;
    const start = Date.now();
    const at = (hours: number) => setRealTime(start + hours * 3600_000);
    at(11);
    expect(await status()).toBe(200);
    at(22);
    await expect.poll(status).toBe(200);
    at(35);
    expect(await status()).toBe(401);

    const busy = await usePerson(server, await server.tenant(), 'agent');
    const again = personWith(server, busy.cookie, {});
    const begin = Date.now();
    for (let hour = 11; hour < 30 * 24; hour += 11) {
      setRealTime(begin + hour * 3600_000);
      expect((await again.get('/v3/session')).status).toBe(200);
      // The note of the last use is written beside the request.
      await until(async () => {
        const { rows } = await server.system.db.query(
          'select 1 from sessions where person_id = (select person_id from users where id = $1) and last_seen_at > $2',
          [busy.userId, new Date(begin + (hour - 1) * 3600_000)],
        );
        return rows.length === 1;
      });
    }
    setRealTime(begin + 30 * 24 * 3600_000 + 1000);
    expect((await again.get('/v3/session')).status).toBe(401);
  });

  it('hashes the password again if the cost has changed', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const costly = await useServer({
      databaseUrl: server.databaseUrl,
      people: { scryptCost: { ln: 5, r: 8, p: 1 } },
    });
    const hash = async () =>
      (await server.system.db.query('select password_hash from people where email = $1', [email])).rows[0]
        ?.password_hash;
    expect(await hash()).toMatch(/^\$scrypt\$ln=4,/);
    const answer = await costly.call('POST', '/v3/session', { body: { email, password: PASSWORD } });
    expect(answer.status).toBe(200);
    expect(await hash()).toMatch(/^\$scrypt\$ln=5,/);
    expect((await logIn(email)).status).toBe(200);
  });

  it('succeeds several times at once although the cost has changed', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const costly = await useServer({
      databaseUrl: server.databaseUrl,
      people: { scryptCost: { ln: 5, r: 8, p: 1 } },
    });
    const answers = await Promise.all(
      [1, 2, 3, 4].map(() => costly.call('POST', '/v3/session', { body: { email, password: PASSWORD } })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('has a small body: anyone may send one', async () => {
    for (const path of ['/v3/session', '/v3/session/link', '/v3/password_resets']) {
      const raw = JSON.stringify({ email: 'a@example.com', padding: 'x'.repeat(16 * 1024) });
      const { status, body } = await server.call('POST', path, { raw });
      expect([path, status, body.error.messageKey]).toEqual([path, 413, 'payload_too_large']);
    }
  });

  it('is refused with every issue of the body', async () => {
    const { body } = await logIn('nobody', '', { pasword: 'x' });
    expect(body.error.invalidParams).toMatchObject({
      email: { key: 'invalid_string' },
      password: { key: 'too_small' },
      pasword: { key: 'unrecognized_keys' },
    });
  });
});

describe('a session', () => {
  it('of another value is refused: tampered, shortened, someone’s id, two cookies', async () => {
    const { cookie } = await usePerson(server, await server.tenant(), 'agent');
    const flipped = `${cookie.slice(0, -1)}${cookie.endsWith('A') ? 'B' : 'A'}`;
    for (const value of [flipped, cookie.slice(0, -2), '', newId(), 'x'.repeat(5000), `"${cookie}"`, '%00'])
      expect((await personWith(server, value, {}).get('/v3/session')).status).toBe(401);
    const twice = await server.call('GET', '/v3/session', {
      headers: { cookie: `__Host-parley=${cookie}; __Host-parley=planted` },
    });
    expect(twice.status).toBe(401);
    const plain = await server.call('GET', '/v3/session', { headers: { cookie: `parley=${cookie}` } });
    expect(plain.status).toBe(401);
  });

  it('gets another value at the login, and the one that was sent ends (fixation)', async () => {
    const tenant = await server.tenant();
    const attacker = await usePerson(server, tenant, 'agent');
    const victim = await usePerson(server, tenant, 'agent');
    const planted = personWith(server, attacker.cookie, {});
    const answer = await planted.post('/v3/session', { email: victim.email, password: PASSWORD });
    expect(answer.status).toBe(200);
    expect(cookieOf(answer)).not.toBe(attacker.cookie);
    expect((await planted.get('/v3/session')).status).toBe(401);
    const invented = personWith(server, 'attackers-choice', {});
    const fresh = await invented.post('/v3/session', { email: victim.email, password: PASSWORD });
    expect(cookieOf(fresh)).not.toBe('attackers-choice');
    expect((await invented.get('/v3/session')).status).toBe(401);
  });

  it('ends with a log-out, also for a copy of the cookie', async () => {
    const { cookie } = await usePerson(server, await server.tenant(), 'agent');
    const person = personWith(server, cookie, {});
    const answer = await person.call('DELETE', '/v3/session');
    expect(answer.headers['set-cookie']).toMatch(/^__Host-parley=; .*Max-Age=0/);
    expect((await person.get('/v3/session')).status).toBe(401);
  });

  it('is listed and can be ended by its person, and by nobody else', async () => {
    const tenant = await server.tenant();
    const mine = await usePerson(server, tenant, 'agent');
    const other = await usePerson(server, tenant, 'owner');
    await logIn(mine.email, PASSWORD, {}, { 'user-agent': 'A phone\0' });
    const second = personWith(server, cookieOf(await logIn(mine.email)) as string, {});
    const sessions = (await mine.get('/v3/session/sessions')).body.data;
    expect(sessions).toHaveLength(3);
    expect(sessions.filter((one: { isCurrent: boolean }) => one.isCurrent)).toHaveLength(1);
    const { id } = (await second.get('/v3/session')).body.data;
    const end = async (by: TestPerson, one: string) =>
      (await by.call('DELETE', `/v3/session/sessions/${one}`)).body.data;
    expect(await end(other, id)).toEqual({ deletedIds: [], notFoundIds: [id] });
    expect((await second.get('/v3/session')).status).toBe(200);
    expect(await end(mine, id)).toEqual({ deletedIds: [id], notFoundIds: [] });
    expect((await second.get('/v3/session')).status).toBe(401);
    expect(await end(mine, 'nonsense')).toEqual({ deletedIds: [], notFoundIds: ['nonsense'] });
  });

  it('gets a new cookie with a new password, and all others end', async () => {
    const { email, cookie } = await usePerson(server, await server.tenant(), 'agent');
    const other = personWith(server, cookieOf(await logIn(email)) as string, {});
    const person = personWith(server, cookie, {});
    const change = (current: string, next: string) => person.post('/v3/session/password', { current, next });
    expect((await change('wrong', 'another good secret')).status).toBe(401);
    expect((await change(PASSWORD, 'short')).body.error.invalidParams.next.key).toBe('too_small');
    const changed = await change(PASSWORD, 'another good secret');
    expect(changed.status).toBe(200);
    for (const old of [person, other]) expect((await old.get('/v3/session')).status).toBe(401);
    const fresh = personWith(server, cookieOf(changed) as string, {});
    expect((await fresh.get('/v3/session')).status).toBe(200);
    expect((await logIn(email)).status).toBe(401);
    expect((await logIn(email, 'another good secret')).status).toBe(200);
  });

  it('gives way to an Authorization header, valid or not', async () => {
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    const token = await person.get('/v3/me', { token: tenant.token });
    expect(token.body.data.userId).toBeNull();
    expect((await person.get('/v3/me', { token: 'wrong' })).status).toBe(401);
    expect((await person.get('/v3/session', { token: tenant.token })).status).toBe(401);
  });

  it('is not accepted by version 2', async () => {
    const person = await usePerson(server, await server.tenant(), 'owner');
    expect((await person.get('/v2/attributes')).status).toBe(401);
  });

  it('chooses the tenant by the header, the parameter of a link, or the only membership', async () => {
    const [one, two] = [await server.tenant(), await server.tenant()];
    const { cookie, email } = await usePerson(server, one, 'agent');
    const anywhere = personWith(server, cookie, {});
    expect((await anywhere.get('/v3/me')).body.data.tenant.id).toBe(one.id);
    const user = await two.post('/v3/users', { name: 'Again', email, role: 'viewer' });
    const link = await two.post(`/v3/users/${user.body.data.id}/invitation`);
    const joined = await anywhere.post('/v3/session/link', { token: tokenOf(link) });
    expect(joined.body.data.memberships).toHaveLength(2);
    const now = personWith(server, cookieOf(joined) as string, {});
    expect((await now.get('/v3/me')).body.error.invalidParams).toHaveProperty('Parley-Tenant');
    expect((await now.get(`/v3/me?tenantId=${two.id}`)).body.data.tenant.id).toBe(two.id);
    const header = { 'parley-tenant': one.id };
    expect((await now.get(`/v3/me?tenantId=${two.id}`, { headers: header })).body.data.tenant.id).toBe(
      one.id,
    );
    for (const foreign of [(await server.tenant()).id, newId(), 'nonsense', "' or 1=1"])
      expect((await now.get('/v3/me', { headers: { 'parley-tenant': foreign } })).status).toBe(403);
    expect((await now.post('/v3/contacts', { firstName: 'A' })).status).toBe(403);
    expect((await now.post(`/v3/contacts?tenantId=${one.id}`, { firstName: 'A' })).status).toBe(403);
    expect((await now.post('/v3/contacts', { firstName: 'A' }, { headers: header })).status).toBe(200);
    const viewer = { 'parley-tenant': two.id };
    expect((await now.post('/v3/contacts', { firstName: 'A' }, { headers: viewer })).status).toBe(403);
  });
});

describe('a page of another site (CSRF)', () => {
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'cross-site', origin: 'https://parley.test' },
    { origin: 'https://evil.example' },
    { origin: 'https://parley.test.evil.example' },
    { origin: 'http://parley.test' },
    { origin: 'null' },
    { origin: 'nonsense' },
  ];
  it('cannot change anything with a cookie', async () => {
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'owner');
    const headers = { cookie: `__Host-parley=${person.cookie}`, 'parley-tenant': tenant.id };
    const write = (more: Record<string, string>) =>
      server.call('POST', '/v3/contacts', { body: { firstName: 'A' }, headers: { ...headers, ...more } });
    for (const more of [...foreign, {}]) expect((await write(more)).status).toBe(403);
    for (const more of [...foreign, {}]) {
      const call = (method: string, path: string, body?: unknown) =>
        server.call(method, path, { body, headers: { ...headers, ...more } });
      expect((await call('DELETE', '/v3/session')).status).toBe(403);
      const change = { current: PASSWORD, next: 'another good secret' };
      expect((await call('POST', '/v3/session/password', change)).status).toBe(403);
      expect((await call('POST', '/v3/session', { email: person.email, password: PASSWORD })).status).toBe(
        403,
      );
    }
    expect((await tenant.post('/v3/contacts/search', {})).body.pagination.total).toBe(0);
    expect((await write({ 'sec-fetch-site': 'same-origin' })).status).toBe(200);
    expect((await write({ origin: 'https://parley.test' })).status).toBe(200);
    expect((await write({ origin: 'http://10.0.0.7:3000', host: '10.0.0.7:3000' })).status).toBe(200);
    expect((await write({ ...OWN_PAGE, origin: 'https://evil.example' })).status).toBe(200);
  });

  it('cannot log anybody in, while a program without a browser can', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    for (const headers of foreign) expect((await logIn(email, PASSWORD, {}, headers)).status).toBe(403);
    for (const headers of foreign)
      expect((await server.call('POST', '/v3/session/link', { body: { token: 'x' }, headers })).status).toBe(
        403,
      );
    expect((await logIn(email)).status).toBe(200);
    expect((await logIn(email, PASSWORD, {}, { origin: 'https://parley.test' })).status).toBe(200);
  });

  it('reads nothing: answers have no CORS header for credentials', async () => {
    const open = await useServer({ databaseUrl: server.databaseUrl, corsOrigins: ['https://shop.example'] });
    const { cookie } = await usePerson(server, await server.tenant(), 'agent');
    const answer = await open.call('GET', '/v3/session', {
      headers: { cookie: `__Host-parley=${cookie}`, origin: 'https://shop.example' },
    });
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
  });
});

describe('somebody who is an operator', () => {
  it('may do over /admin what the operator’s token may, but only from a page of this server', async () => {
    const link = await server.call('POST', '/admin/login_links', { body: {}, token: OPERATOR_TOKEN });
    const email = `root.${newId()}@example.com`;
    const first = await server.call('POST', '/v3/session/link', {
      body: { token: tokenOf(link), email, name: 'Root', password: PASSWORD },
    });
    expect(first.body.data.person).toMatchObject({ email, name: 'Root', isOperator: true });
    expect(first.body.data.memberships).toMatchObject([{ role: 'owner', scopes: ['*'] }]);
    const operator = personWith(server, cookieOf(first) as string, {});
    expect((await operator.get('/admin/tenants')).status).toBe(200);
    expect((await operator.post('/admin/tenants', { name: 'Second' })).status).toBe(200);
    const foreign = await operator.post(
      '/admin/tenants',
      { name: 'Third' },
      { headers: { 'sec-fetch-site': 'cross-site' } },
    );
    expect(foreign.status).toBe(403);
    expect((await operator.get('/admin/tenants', { token: 'wrong' })).status).toBe(401);
    const agent = await usePerson(server, await server.tenant(), 'owner');
    expect((await agent.get('/admin/tenants')).status).toBe(403);
  });
});

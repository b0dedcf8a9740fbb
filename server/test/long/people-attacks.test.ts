import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { cookieOf, PASSWORD, personWith, tokenOf, usePerson } from '../kit/people.ts';
import { setRealTime } from '../kit/real-time.ts';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';

const MINUTE = 60_000;
/** The beginning of a period in which failures are counted; each test has its own. */
let start = Date.parse('2030-01-01T00:00:00Z');
beforeEach(() => {
  start += 60 * MINUTE;
  setRealTime(start);
});
afterEach(() => vi.useRealTimers());

const server = await useServer({ trustedProxies: ['127.0.0.1'] });

const from = (address: string) => ({ 'x-forwarded-for': address });
let addresses = 0;
const newAddress = (): string => `203.0.${Math.floor(++addresses / 250)}.${(addresses % 250) + 1}`;
const logIn = (email: string, password: string, address: string) =>
  server.call('POST', '/v3/session', { body: { email, password }, headers: from(address) });
const redeem = (body: object, address: string, headers: object = {}) =>
  server.call('POST', '/v3/session/link', { body, headers: { ...from(address), ...headers } });

describe('guessing a password', () => {
  it('ends after ten failures for one address from one network, for the rest of 15 minutes', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const address = newAddress();
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await logIn(email, `wrong ${attempt}`, address)).status).toBe(401);
    setRealTime(start + 5 * MINUTE);
    const refused = await logIn(email, PASSWORD, address);
    expect([refused.status, refused.body.error.messageKey]).toEqual([429, 'too_many_attempts']);
    expect(Number(refused.headers['retry-after'])).toBe(10 * 60);
    // Others are not locked out: the same person elsewhere, and other people here.
    expect((await logIn(email, PASSWORD, newAddress())).status).toBe(200);
    const other = await usePerson(server, await server.tenant(), 'agent');
    expect((await logIn(other.email, PASSWORD, address)).status).toBe(200);
    setRealTime(start + 15 * MINUTE);
    expect((await logIn(email, PASSWORD, address)).status).toBe(200);
  });

  it('R8: is refused no longer than before if the clock is set back by hours', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const address = newAddress();
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await logIn(email, 'wrong', address)).status).toBe(401);
    setRealTime(start - 300 * MINUTE);
    expect((await logIn(email, PASSWORD, address)).status).toBe(429);
    setRealTime(start - 285 * MINUTE);
    expect((await logIn(email, PASSWORD, address)).status).toBe(200);
  });

  it('ends after thirty failures from one network, and a whole IPv6 network is one', async () => {
    const email = () => `${newId()}@example.com`;
    for (let attempt = 0; attempt < 30; attempt += 1)
      expect((await logIn(email(), 'wrong', `2001:db8:1:2::${attempt}`)).status).toBe(401);
    expect((await logIn(email(), 'wrong', '2001:db8:1:2:ffff::1')).status).toBe(429);
    expect((await logIn(email(), 'wrong', '2001:db8:1:3::1')).status).toBe(401);
  });

  it('ends after a hundred failures for one address from everywhere', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    for (let attempt = 0; attempt < 100; attempt += 1)
      expect((await logIn(email, 'wrong', newAddress())).status).toBe(401);
    expect((await logIn(email, PASSWORD, newAddress())).status).toBe(429);
  });

  it('does not get further with fifty attempts at once', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const address = newAddress();
    const answers = await Promise.all(Array.from({ length: 50 }, () => logIn(email, 'wrong', address)));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
  });

  it('does not count logins that succeed', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const address = newAddress();
    for (let attempt = 0; attempt < 40; attempt += 1)
      expect((await logIn(email, PASSWORD, address)).status).toBe(200);
  });

  it('tells nothing about who has an account: the same answer, and the same work', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const comparable = ({ status, text, headers }: Awaited<ReturnType<typeof logIn>>) => [
      status,
      text.replaceAll(/req_[0-9a-f-]{36}/g, 'req'),
      Object.keys(headers).sort(),
    ];
    const known = await logIn(email, 'wrong password', newAddress());
    const unknown = await logIn(`${newId()}@example.com`, 'wrong password', newAddress());
    expect(comparable(known)).toEqual(comparable(unknown));
    expect(known.status).toBe(401);
  });

  it('checks a password also for an address that nobody has, and more than a few at once are asked to wait', async () => {
    const slow = await useServer({
      databaseUrl: server.databaseUrl,
      trustedProxies: ['127.0.0.1'],
      people: { scryptCost: { ln: 13, r: 8, p: 1 } },
    });
    const attempt = () =>
      slow.call('POST', '/v3/session', {
        body: { email: `${newId()}@example.com`, password: 'wrong' },
        headers: from(newAddress()),
      });
    const answers = await Promise.all(Array.from({ length: 60 }, attempt));
    const waiting = answers.filter(({ status }) => status === 503);
    expect(waiting.length).toBeGreaterThan(0);
    expect(answers.filter(({ status }) => status === 401).length).toBe(60 - waiting.length);
    for (const { headers } of waiting) expect(headers['retry-after']).toBe('1');
  });

  it('by links does not lock anybody out of logging in, and ends by itself', async () => {
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const address = newAddress();
    for (let attempt = 0; attempt < 30; attempt += 1)
      expect((await redeem({ token: `guess ${attempt}` }, address)).status).toBe(401);
    expect((await redeem({ token: 'another' }, address)).status).toBe(429);
    expect((await logIn(email, PASSWORD, address)).status).toBe(200);
  });

  it('believes X-Forwarded-For only of a trusted proxy', async () => {
    const direct = await useServer({ databaseUrl: server.databaseUrl });
    const { email } = await usePerson(server, await server.tenant(), 'agent');
    const attempt = (password: string) =>
      direct.call('POST', '/v3/session', { body: { email, password }, headers: from(newAddress()) });
    for (let count = 0; count < 10; count += 1) expect((await attempt('wrong')).status).toBe(401);
    expect((await attempt('wrong')).status).toBe(429);
  });
});

describe('a password', () => {
  it.each([
    ['too short', 'short one'],
    ['common', 'password123'],
    ['common with signs', '!!Passw0rd2026!!'],
    ['a sequence', '1234567890'],
    ['a repetition', 'abababababab'],
    ['a row of the keyboard', 'qwertyuiop'],
  ])('that is %s is refused, and the link still works', async (_, password) => {
    const tenant = await server.tenant();
    const { token } = await invite(tenant, 'agent');
    const refused = await redeem({ token, password }, newAddress());
    expect(refused.body.error.invalidParams).toHaveProperty('password');
    expect((await redeem({ token, password: PASSWORD }, newAddress())).status).toBe(200);
  });

  it('must not be the email address', async () => {
    const tenant = await server.tenant();
    const { token, email } = await invite(tenant, 'agent');
    expect((await redeem({ token, password: email }, newAddress())).status).toBe(400);
  });
});

async function invite(tenant: TestTenant, role: string, email = `${newId()}@example.com`) {
  const user = (await tenant.post('/v3/users', { name: 'Invited', email, role })).body.data;
  const link = await tenant.post(`/v3/users/${user.id}/invitation`);
  return { userId: user.id as string, email, token: tokenOf(link) };
}

describe('an invitation', () => {
  it('makes somebody a user once, and shows its state', async () => {
    const tenant = await server.tenant();
    const { token, userId, email } = await invite(tenant, 'agent');
    const state = async () => (await tenant.get(`/v3/users/${userId}`)).body.data;
    expect(await state()).toMatchObject({ hasLogin: false, invitation: 'pending' });
    const joined = await redeem({ token, password: PASSWORD, name: 'Ada' }, newAddress());
    expect(joined.body.data).toMatchObject({
      person: { email, name: 'Ada' },
      memberships: [{ tenantId: tenant.id, userId, role: 'agent' }],
    });
    expect(await state()).toMatchObject({ hasLogin: true, invitation: 'accepted' });
    expect((await redeem({ token, password: PASSWORD }, newAddress())).status).toBe(401);
    const again = await tenant.post(`/v3/users/${userId}/invitation`);
    expect(again.body.error.messageKey).toBe('conflict');
    const found = await tenant.post('/v3/users/search', { query: 'eq(hasLogin,true)' });
    expect(found.body.data.map((one: { id: string }) => one.id)).toEqual([userId]);
  });

  it('of two requests at once only one redeems', async () => {
    const tenant = await server.tenant();
    const { token } = await invite(tenant, 'agent');
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => redeem({ token, password: PASSWORD }, newAddress())),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status } of answers) expect([200, 401, 409]).toContain(status);
  });

  it('expires after seven days, and ends with the next one or with the user', async () => {
    const tenant = await server.tenant();
    const first = await invite(tenant, 'agent');
    const second = tokenOf(await tenant.post(`/v3/users/${first.userId}/invitation`));
    expect((await redeem({ token: first.token, password: PASSWORD }, newAddress())).status).toBe(401);
    setRealTime(start + 7 * 24 * 60 * MINUTE);
    expect((await redeem({ token: second, password: PASSWORD }, newAddress())).status).toBe(401);
    const token = await tenant.tokenWith(['*']);
    const shown = await tenant.get(`/v3/users/${first.userId}`, { token });
    expect(shown.body.data.invitation).toBe('expired');
    const third = await tenant.post(`/v3/users/${first.userId}/invitation`, undefined, { token });
    await tenant.delete(`/v3/users/${first.userId}`, { token });
    expect((await redeem({ token: tokenOf(third), password: PASSWORD }, newAddress())).status).toBe(401);
  });

  it('of somebody with an account does not give the inviting user that account', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const victim = await usePerson(server, tenant, 'owner');
    const { token } = await invite(other, 'agent', victim.email);
    const attacker = newAddress();
    expect((await redeem({ token }, attacker)).body.error.invalidParams).toHaveProperty('password');
    expect((await redeem({ token, password: 'a password of my own' }, attacker)).status).toBe(401);
    const colleague = await usePerson(server, other, 'owner');
    const planted = { cookie: `__Host-parley=${colleague.cookie}`, 'sec-fetch-site': 'same-origin' };
    expect((await redeem({ token, password: 'a password of my own' }, attacker, planted)).status).toBe(401);
    const joined = await redeem({ token, password: PASSWORD }, newAddress());
    expect(joined.body.data.memberships).toHaveLength(2);
  });

  it('cannot be used to guess the password of an account', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const victim = await usePerson(server, tenant, 'owner');
    const { token } = await invite(other, 'agent', victim.email);
    const address = newAddress();
    for (let attempt = 0; attempt < 10; attempt += 1)
      expect((await redeem({ token, password: `guess number ${attempt}` }, address)).status).toBe(401);
    expect((await redeem({ token, password: PASSWORD }, address)).status).toBe(429);
  });

  it('needs all rights of the role: nobody gives more than they have', async () => {
    const tenant = await server.tenant();
    const narrow = await tenant.tokenWith(['users:read', 'users:write']);
    const create = (role: string, token: string) =>
      tenant.post('/v3/users', { name: 'A', email: `${newId()}@example.com`, role }, { token });
    expect((await create('owner', narrow)).status).toBe(403);
    const admin = (await create('admin', narrow)).body.data.id;
    for (const path of ['invitation', 'password_reset'])
      expect((await tenant.post(`/v3/users/${admin}/${path}`, undefined, { token: narrow })).status).toBe(
        403,
      );
    const { userId } = await usePerson(server, tenant, 'agent');
    const promote = await tenant.put(`/v3/users/${userId}`, { role: 'admin' }, { token: narrow });
    expect(promote.status).toBe(403);
    expect((await tenant.delete(`/v3/users/${userId}`, { token: narrow })).status).toBe(403);
    const person = await usePerson(server, tenant, 'admin');
    expect((await person.call('PUT', `/v3/users/${userId}`, { body: { role: 'owner' } })).status).toBe(403);
    expect((await person.call('PUT', `/v3/users/${userId}`, { body: { role: 'admin' } })).status).toBe(200);
  });
});

describe('an owner', () => {
  it('is managed by owners only, and the last one stays', async () => {
    const tenant = await server.tenant();
    const owner = await usePerson(server, tenant, 'owner');
    const admin = await usePerson(server, tenant, 'admin');
    const path = `/v3/users/${owner.userId}`;
    expect((await admin.call('DELETE', path)).status).toBe(403);
    expect((await admin.call('PUT', path, { body: { name: 'Renamed' } })).status).toBe(403);
    expect((await admin.post(`${path}/password_reset`)).status).toBe(403);
    expect((await owner.call('DELETE', path)).body.error.messageKey).toBe('conflict');
    expect((await owner.call('PUT', path, { body: { role: 'admin' } })).body.error.messageKey).toBe(
      'conflict',
    );
    // A user who cannot log in is no owner to rely on.
    await tenant.post('/v3/users', { name: 'B', email: `${newId()}@example.com`, role: 'owner' });
    expect((await owner.call('DELETE', path)).status).toBe(409);
    const second = await usePerson(server, tenant, 'owner');
    const both = await Promise.all([
      owner.call('DELETE', `/v3/users/${second.userId}`),
      second.call('DELETE', path),
    ]);
    // The other one is the last owner, or is no longer a member when the request comes.
    const statuses = both.map(({ status }) => status).sort();
    expect([
      [200, 409],
      [200, 403],
    ]).toContainEqual(statuses);
    const left = (await tenant.post('/v3/users/search', { query: 'eq(role,"owner")' })).body.data;
    const ids = left.map(({ id }: { id: string }) => id);
    expect(ids.filter((id: string) => [owner.userId, second.userId].includes(id))).toHaveLength(1);
  });
});

describe('a link for a new password', () => {
  it('sets it once, and ends all sessions', async () => {
    const tenant = await server.tenant();
    const { userId, email, cookie } = await usePerson(server, tenant, 'agent');
    const link = await tenant.post(`/v3/users/${userId}/password_reset`);
    const changed = await redeem({ token: tokenOf(link), password: 'another good secret' }, newAddress());
    expect(changed.status).toBe(200);
    expect((await personWith(server, cookie, {}).get('/v3/session')).status).toBe(401);
    expect((await logIn(email, PASSWORD, newAddress())).status).toBe(401);
    expect((await logIn(email, 'another good secret', newAddress())).status).toBe(200);
    expect((await redeem({ token: tokenOf(link), password: PASSWORD }, newAddress())).status).toBe(401);
  });

  it('is not made for somebody who has rights elsewhere: the operator makes one', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const person = await usePerson(server, tenant, 'agent');
    const { token } = await invite(other, 'owner', person.email);
    await redeem({ token, password: PASSWORD }, newAddress());
    const refused = await tenant.post(`/v3/users/${person.userId}/password_reset`);
    expect(refused.body.error.messageKey).toBe('conflict');
    const link = await server.call('POST', '/admin/login_links', {
      body: { email: person.email },
      token: OPERATOR_TOKEN,
    });
    const entered = await redeem({ token: tokenOf(link), password: 'another good secret' }, newAddress());
    expect(entered.body.data.person).toMatchObject({ email: person.email, isOperator: false });
    expect((await redeem({ token: tokenOf(link) }, newAddress())).status).toBe(401);
  });
});

describe('requests of people', () => {
  it('have a limit beside that of tokens, and a session has one of its own', async () => {
    const tenant = await server.tenant({ rateLimit: 3 });
    // The three requests of the tenant that it takes to create a person.
    const person = await usePerson(server, tenant, 'agent');
    setRealTime(start + 2 * MINUTE);
    const statuses = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await person.get('/v3/me')).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
    expect((await tenant.get('/v3/me')).headers['x-ratelimit-remaining']).toBe('2');

    const rich = await server.tenant();
    const busy = await usePerson(server, rich, 'agent');
    setRealTime(start + 4 * MINUTE);
    const answers = [];
    for (let count = 0; count < 601; count += 1) answers.push(await busy.get('/v3/me'));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(600);
    expect(answers.at(-1)?.headers['retry-after']).toBe('60');
    expect(cookieOf(answers[0] as never)).toBeUndefined();
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { findCookie } from '../../src/http/cookies.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { CLIENT_ID, CLIENT_SECRET, type Claims, useIssuer } from '../kit/issuer.ts';
import { cookieOf, PASSWORD, personWith, tokenOf, usePerson } from '../kit/people.ts';
import { setRealTime } from '../kit/real-time.ts';
import { type Answer, type TestServer, useServer } from '../kit/server.ts';

const issuer = await useIssuer();
const oidc = { issuer: issuer.url, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, autoJoin: undefined };
/** Failures are limited per address. */
const trustedProxies = ['127.0.0.1'];
let addresses = 0;
const newAddress = (): string => `203.0.113.${++addresses}`;
const server = await useServer({ trustedProxies, people: { oidc } });
afterEach(() => vi.useRealTimers());

const loginCookieOf = (answer: Answer): string =>
  findCookie(
    [answer.headers['set-cookie']]
      .flat()
      .map((one) => one?.split(';')[0])
      .join('; '),
    '__Host-parley-login',
  ) as string;

interface Started {
  page: string;
  cookie: string;
}
async function start(on: TestServer = server): Promise<Started> {
  const answer = await on.call('POST', '/v3/session/oidc');
  return { page: answer.body.data.url, cookie: loginCookieOf(answer) };
}
const finish = (query: string, cookie: string | undefined, on: TestServer = server) =>
  on.call('POST', '/v3/session/oidc/callback', {
    body: { query },
    headers: {
      'x-forwarded-for': newAddress(),
      ...(cookie === undefined ? {} : { cookie: `__Host-parley-login=${cookie}` }),
    },
  });
async function logIn(claims: Claims, on: TestServer = server): Promise<Answer> {
  const { page, cookie } = await start(on);
  return finish(await issuer.authorize(page, claims), cookie, on);
}
const newClaims = (): Claims & { email: string } => ({
  sub: newId(),
  email: `${newId()}@example.com`,
  email_verified: true,
  name: 'Grace Hopper',
});
async function invited(email: string, role = 'agent') {
  const tenant = await server.tenant();
  const user = (await tenant.post('/v3/users', { name: 'Invited', email, role })).body.data;
  const link = await tenant.post(`/v3/users/${user.id}/invitation`);
  return { tenant, userId: user.id as string, token: tokenOf(link) };
}

describe('a login over an identity provider', () => {
  it('leads to its page with a state, a nonce and a PKCE challenge', async () => {
    const { page } = await start();
    const url = new URL(page);
    expect(url.origin + url.pathname).toBe(`${issuer.url}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: CLIENT_ID,
      redirect_uri: 'https://parley.test/console/login/oidc',
      response_type: 'code',
      scope: 'openid email profile',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge'])
      expect(url.searchParams.get(name)?.length).toBeGreaterThan(30);
    expect((await server.call('GET', '/v3/session/methods')).body.data).toEqual({
      password: true,
      oidc: true,
      resetByMail: false,
    });
  });

  it('makes somebody who was invited a user, and recognises them later by their subject', async () => {
    const claims = newClaims();
    const { tenant, userId } = await invited(claims.email);
    const first = await logIn(claims);
    expect(first.body.data).toMatchObject({
      person: { email: claims.email, name: 'Grace Hopper', hasPassword: false },
      memberships: [{ tenantId: tenant.id, userId, role: 'agent' }],
    });
    const person = personWith(server, cookieOf(first) as string, { tenantId: tenant.id });
    expect((await person.get('/v3/me')).status).toBe(200);
    const renamed = await logIn({
      sub: claims.sub as string,
      email: 'other@example.com',
      email_verified: false,
    });
    expect(renamed.body.data.person.id).toBe(first.body.data.person.id);
    const wrong = await server.call('POST', '/v3/session', { body: { email: claims.email, password: 'x' } });
    expect(wrong.status).toBe(401);
  });

  it('refuses somebody who was not invited, and an address that is not verified', async () => {
    expect((await logIn(newClaims())).status).toBe(403);
    const claims = newClaims();
    await invited(claims.email);
    for (const email_verified of [false, undefined, 'true' as never])
      expect((await logIn({ ...claims, email_verified: email_verified as boolean })).status).toBe(403);
    expect((await logIn(claims)).status).toBe(200);
  });

  it('does not take an expired invitation', async () => {
    const claims = newClaims();
    await invited(claims.email);
    setRealTime(Date.now() + 8 * 24 * 3600_000);
    expect((await logIn(claims)).status).toBe(403);
  });

  it('takes an account over from somebody who created it without owning the address', async () => {
    const tenant = await server.tenant();
    const claims = newClaims();
    const squatter = await usePerson(server, tenant, 'agent', { email: claims.email });
    const answer = await logIn(claims);
    expect(answer.body.data.person).toMatchObject({ email: claims.email, hasPassword: false });
    expect((await squatter.get('/v3/session')).status).toBe(401);
    const body = { email: claims.email, password: PASSWORD };
    expect((await server.call('POST', '/v3/session', { body })).status).toBe(401);
  });
});

describe('somebody whom the provider knows', () => {
  it('keeps the account with another address, which it then has; the old one leads nobody there', async () => {
    const claims = newClaims();
    const { tenant } = await invited(claims.email);
    const { id } = (await logIn(claims)).body.data.person;
    const email = `${newId()}@example.com`;
    const renamed = await logIn({ ...claims, email });
    expect(renamed.body.data.person).toMatchObject({ id, email });
    expect(renamed.body.data.memberships).toMatchObject([{ tenantId: tenant.id }]);
    const heir = { ...newClaims(), email: claims.email };
    expect((await logIn(heir)).status).toBe(403);
    const taken = await usePerson(server, tenant, 'viewer');
    const same = await logIn({ ...claims, email: taken.email });
    expect(same.body.data.person).toMatchObject({ id, email });
  });

  it('is not taken over by another subject with the same address', async () => {
    const claims = newClaims();
    await invited(claims.email);
    const first = await logIn(claims);
    const heir = await logIn({ ...claims, sub: newId() });
    expect([heir.status, cookieOf(heir)]).toEqual([403, undefined]);
    const person = personWith(server, cookieOf(first) as string, {});
    expect((await person.get('/v3/session')).status).toBe(200);
  });

  it('logs in although another user of the same tenant was invited with the new address', async () => {
    const claims = newClaims();
    const { tenant } = await invited(claims.email);
    expect((await logIn(claims)).status).toBe(200);
    const email = `${newId()}@example.com`;
    const user = await tenant.post('/v3/users', { name: 'Twice', email, role: 'agent' });
    await tenant.post(`/v3/users/${user.body.data.id}/invitation`);
    const again = await logIn({ ...claims, email });
    expect(again.body.data.memberships).toHaveLength(1);
  });

  it('logs in once and twice at once', async () => {
    const claims = newClaims();
    const person = await usePerson(server, await server.tenant(), 'agent', { email: claims.email });
    const answers = await Promise.all([logIn(claims), logIn(claims), logIn(claims)]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await person.get('/v3/session')).status).toBe(401);
  });

  it('does not let an admin into another tenant with a password that the person never set', async () => {
    const claims = newClaims();
    const { tenant, userId } = await invited(claims.email);
    const own = personWith(server, cookieOf(await logIn(claims)) as string, {});
    const grab = async () => {
      const token = tokenOf(await tenant.post(`/v3/users/${userId}/password_reset`));
      const body = { token, password: PASSWORD };
      return personWith(
        server,
        cookieOf(await server.call('POST', '/v3/session/link', { body })) as string,
        {},
      );
    };
    const admin = await grab();
    const other = await server.tenant();
    const user = await other.post('/v3/users', { name: 'Again', email: claims.email, role: 'owner' });
    await other.post(`/v3/users/${user.body.data.id}/invitation`);
    expect((await own.get('/v3/session')).status).toBe(401);
    expect((await logIn(claims)).body.data.memberships).toHaveLength(2);
    expect((await admin.get('/v3/session')).status).toBe(401);
    const body = { email: claims.email, password: PASSWORD };
    expect((await server.call('POST', '/v3/session', { body })).status).toBe(401);
  });

  it('nor where the person accepts the invitation with a session', async () => {
    const claims = newClaims();
    const { tenant, userId } = await invited(claims.email);
    expect((await logIn(claims)).status).toBe(200);
    const reset = tokenOf(await tenant.post(`/v3/users/${userId}/password_reset`));
    await server.call('POST', '/v3/session/link', { body: { token: reset, password: PASSWORD } });
    const person = personWith(server, cookieOf(await logIn(claims)) as string, {});
    const other = await server.tenant();
    const user = await other.post('/v3/users', { name: 'Again', email: claims.email, role: 'owner' });
    const invitation = tokenOf(await other.post(`/v3/users/${user.body.data.id}/invitation`));
    const joined = await person.post('/v3/session/link', { token: invitation });
    expect(joined.body.data).toMatchObject({ person: { hasPassword: false } });
    expect(joined.body.data.memberships).toHaveLength(2);
    const body = { email: claims.email, password: PASSWORD };
    expect((await server.call('POST', '/v3/session', { body })).status).toBe(401);
  });
});

describe('an answer of the provider', () => {
  it.each<[string, object]>([
    ['with another nonce', { nonce: 'another' }],
    ['without a nonce', { nonce: undefined }],
    ['of another issuer', { iss: 'https://evil.example' }],
    ['for another audience', { aud: 'another-client' }],
    ['for several audiences without saying for whom', { aud: [CLIENT_ID, 'another'], azp: 'another' }],
    ['that has expired', { exp: Math.floor(Date.now() / 1000) - 600 }],
    ['without an end', { exp: undefined }],
    ['without a subject', { sub: undefined }],
  ])('%s is refused', async (_, change) => {
    const claims = newClaims();
    await invited(claims.email);
    const answer = await logIn({ ...claims, ...change });
    expect([answer.status, answer.body.error.messageKey]).toEqual([401, 'unauthorized']);
    expect(cookieOf(answer)).toBeUndefined();
  });

  it('signed with another key is refused', async () => {
    const claims = newClaims();
    await invited(claims.email);
    const { page, cookie } = await start();
    const query = await issuer.authorize(page, claims, { signWith: 'another key' });
    expect((await finish(query, cookie)).status).toBe(401);
  });

  it('with another state, of another browser, twice, or too late is refused', async () => {
    const claims = newClaims();
    await invited(claims.email);
    const [mine, theirs] = [await start(), await start()];
    const query = await issuer.authorize(mine.page, claims);
    for (const cookie of [theirs.cookie, undefined, 'planted', ''])
      expect((await finish(query, cookie)).status).toBe(401);
    for (const other of [
      '?code=x',
      '?state=x',
      query.replace(/state=.*/, 'state=x'),
      '?error=access_denied',
      'x',
    ])
      expect((await finish(other, mine.cookie)).status).toBe(401);
    const done = await finish(query, mine.cookie);
    expect(done.status).toBe(200);
    expect((await finish(query, mine.cookie)).status).toBe(401);
    const late = await start();
    const answer = await issuer.authorize(late.page, claims);
    setRealTime(Date.now() + 601_000);
    expect((await finish(answer, late.cookie)).status).toBe(401);
  });

  it('that does not come is no fault of the person who logs in', async () => {
    const silent = await useServer({
      databaseUrl: server.databaseUrl,
      trustedProxies,
      people: { oidc: { ...oidc, issuer: 'http://127.0.0.1:9' } },
    });
    const answer = await silent.call('POST', '/v3/session/oidc');
    expect([answer.status, answer.body.error.messageKey]).toEqual([503, 'service_unavailable']);
  });

  it('cannot lead into our network: requests go through the guarded client', async () => {
    const guarded = await useServer({
      databaseUrl: server.databaseUrl,
      trustedProxies,
      policy: { allow: parseAllowList(''), loopback: false },
      people: { oidc },
    });
    const before = issuer.requests.length;
    expect((await guarded.call('POST', '/v3/session/oidc')).status).toBe(503);
    expect(issuer.requests.length).toBe(before);
  });
});

describe('a domain whose people may join', () => {
  const joining = (tenantId: string | undefined, role: 'agent' | 'viewer' = 'agent') =>
    useServer({
      databaseUrl: server.databaseUrl,
      trustedProxies,
      people: { oidc: { ...oidc, autoJoin: { domain: 'corp.example', role, tenantId } } },
    });

  it('makes them users of the named tenant, and nobody else', async () => {
    const tenant = await server.tenant();
    const on = await joining(tenant.id, 'viewer');
    const claims = { ...newClaims(), email: `${newId()}@CORP.example` };
    const joined = await logIn(claims, on);
    expect(joined.body.data.memberships).toMatchObject([{ tenantId: tenant.id, role: 'viewer' }]);
    expect((await logIn(claims, on)).body.data.memberships).toHaveLength(1);
    for (const email of ['a@evil-corp.example', 'a@corp.example.evil.example', 'corp.example@evil.example'])
      expect((await logIn({ ...newClaims(), email }, on)).status).toBe(403);
    expect((await logIn({ ...claims, sub: newId(), email_verified: false }, on)).status).toBe(403);
  });

  it('does not raise anybody: who is a user already keeps the role', async () => {
    const tenant = await server.tenant();
    const on = await joining(tenant.id);
    const email = `${newId()}@corp.example`;
    await tenant.post('/v3/users', { name: 'A', email, role: 'viewer' });
    const joined = await logIn({ ...newClaims(), email }, on);
    expect(joined.body.data.memberships).toMatchObject([{ tenantId: tenant.id, role: 'viewer' }]);
  });

  it('without a named tenant joins nobody if there are several', async () => {
    const on = await joining(undefined);
    const joined = await logIn({ ...newClaims(), email: `${newId()}@corp.example` }, on);
    expect(joined.body.data.memberships).toEqual([]);
  });
});

describe('with passwords switched off', () => {
  it('nobody logs in with one, and invitations need none', async () => {
    const off = await useServer({
      databaseUrl: server.databaseUrl,
      trustedProxies,
      people: { oidc, hasPasswordLogin: false },
    });
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    const refused = await off.call('POST', '/v3/session', {
      body: { email: person.email, password: PASSWORD },
    });
    expect([refused.status, refused.body.error.messageKey]).toEqual([403, 'forbidden']);
    const claims = newClaims();
    const { token } = await invited(claims.email);
    const joined = await off.call('POST', '/v3/session/link', { body: { token } });
    expect(joined.body.data.person).toMatchObject({ email: claims.email, hasPassword: false });
    const reset = await tenant.post(`/v3/users/${person.userId}/password_reset`);
    const body = { token: tokenOf(reset), password: 'another good secret' };
    expect((await off.call('POST', '/v3/session/link', { body })).status).toBe(403);
    expect((await off.call('GET', '/v3/session/methods')).body.data).toEqual({
      password: false,
      oidc: true,
      resetByMail: false,
    });
  });
});

it('without a provider there is nothing to start', async () => {
  const plain = await useServer({ databaseUrl: server.databaseUrl });
  expect((await plain.call('POST', '/v3/session/oidc')).status).toBe(404);
  expect((await plain.call('GET', '/v3/session/methods')).body.data.oidc).toBe(false);
});

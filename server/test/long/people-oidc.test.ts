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
  const answer = await on.call('GET', '/v3/session/oidc');
  expect(answer.status).toBe(302);
  return { page: answer.headers.location as string, cookie: loginCookieOf(answer) };
}
/** As the browser comes back from the page of the provider, which is another site. */
const comeBack = (query: string, cookie: string | undefined, on: TestServer = server) =>
  on.call('GET', `/v3/session/oidc/callback${query}`, {
    headers: {
      'x-forwarded-for': newAddress(),
      'sec-fetch-site': 'cross-site',
      ...(cookie === undefined ? {} : { cookie: `__Host-parley-login=${cookie}` }),
    },
  });
const PAGE = 'https://parley.test/console/login/oidc';
/** The session after a login, or else why there is none. */
async function finish(query: string, cookie: string | undefined, on: TestServer = server) {
  const answer = await comeBack(query, cookie, on);
  expect(answer.status).toBe(302);
  const session = cookieOf(answer);
  const page = new URL(answer.headers.location as string);
  expect(page.origin + page.pathname).toBe(PAGE);
  const reason = page.searchParams.get('error') ?? undefined;
  expect(reason === undefined).toBe(session !== undefined);
  const { body } =
    session === undefined ? { body: undefined } : await personWith(on, session, {}).get('/v3/session');
  return { reason, body, session };
}
async function logIn(claims: Claims, on: TestServer = server) {
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
      redirect_uri: 'https://parley.test/v3/session/oidc/callback',
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
    const person = personWith(server, first.session as string, { tenantId: tenant.id });
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
    expect((await logIn(newClaims())).reason).toBe('not_invited');
    const claims = newClaims();
    await invited(claims.email);
    for (const email_verified of [false, undefined, 'true' as never])
      expect((await logIn({ ...claims, email_verified: email_verified as boolean })).reason).toBe(
        'not_verified',
      );
    expect((await logIn(claims)).reason).toBeUndefined();
  });

  it('does not take an expired invitation', async () => {
    const claims = newClaims();
    await invited(claims.email);
    setRealTime(Date.now() + 8 * 24 * 3600_000);
    expect((await logIn(claims)).reason).toBe('not_invited');
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
    expect((await logIn(heir)).reason).toBe('not_invited');
    const taken = await usePerson(server, tenant, 'viewer');
    const same = await logIn({ ...claims, email: taken.email });
    expect(same.body.data.person).toMatchObject({ id, email });
  });

  it('is not taken over by another subject with the same address', async () => {
    const claims = newClaims();
    await invited(claims.email);
    const first = await logIn(claims);
    const heir = await logIn({ ...claims, sub: newId() });
    expect([heir.reason, heir.session]).toEqual(['other_account', undefined]);
    const person = personWith(server, first.session as string, {});
    expect((await person.get('/v3/session')).status).toBe(200);
  });

  it('logs in although another user of the same tenant was invited with the new address', async () => {
    const claims = newClaims();
    const { tenant } = await invited(claims.email);
    expect((await logIn(claims)).reason).toBeUndefined();
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
    expect(answers.map(({ reason }) => reason)).toEqual([undefined, undefined, undefined]);
    expect((await person.get('/v3/session')).status).toBe(401);
  });

  it('does not let an admin into another tenant with a password that the person never set', async () => {
    const claims = newClaims();
    const { tenant, userId } = await invited(claims.email);
    const own = personWith(server, (await logIn(claims)).session as string, {});
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
    expect((await logIn(claims)).reason).toBeUndefined();
    const reset = tokenOf(await tenant.post(`/v3/users/${userId}/password_reset`));
    await server.call('POST', '/v3/session/link', { body: { token: reset, password: PASSWORD } });
    const person = personWith(server, (await logIn(claims)).session as string, {});
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

it('of a provider that is not configured any more does not cost anybody the password', async () => {
  const claims = newClaims();
  const { tenant, userId } = await invited(claims.email);
  expect((await logIn(claims)).reason).toBeUndefined();
  for (const people of [{}, { oidc: { ...oidc, issuer: 'https://new.example' } }]) {
    const later = await useServer({ databaseUrl: server.databaseUrl, trustedProxies, people });
    const reset = tokenOf(await tenant.post(`/v3/users/${userId}/password_reset`));
    await later.call('POST', '/v3/session/link', { body: { token: reset, password: PASSWORD } });
    const other = await server.tenant();
    const user = await other.post('/v3/users', { name: 'Again', email: claims.email, role: 'agent' });
    const token = tokenOf(await other.post(`/v3/users/${user.body.data.id}/invitation`));
    const joined = await later.call('POST', '/v3/session/link', { body: { token, password: PASSWORD } });
    expect(joined.body.data.person.hasPassword).toBe(true);
    const body = { email: claims.email, password: PASSWORD };
    expect((await later.call('POST', '/v3/session', { body })).status).toBe(200);
    await other.delete(`/v3/users/${user.body.data.id}`);
  }
});

describe('a page of another site', () => {
  it('cannot start a login, which may end the password of the account; somebody who types the address can', async () => {
    const from = (site: string, more: object = {}) =>
      server.call('GET', '/v3/session/oidc', { headers: { 'sec-fetch-site': site, ...more } });
    const { cookie } = await usePerson(server, await server.tenant(), 'agent');
    for (const site of ['cross-site', 'same-site'])
      for (const more of [{}, { cookie: `__Host-parley=${cookie}` }]) {
        const answer = await from(site, more);
        expect([answer.status, answer.headers['set-cookie']]).toEqual([403, undefined]);
      }
    for (const site of ['same-origin', 'none']) expect((await from(site)).status).toBe(302);
  });

  it('cannot log anybody in with a code of its own: another browser has begun that login', async () => {
    const claims = newClaims();
    await invited(claims.email);
    const attacker = await start();
    const query = await issuer.authorize(attacker.page, claims);
    const victim = await start();
    for (const cookie of [undefined, victim.cookie]) {
      const answer = await comeBack(query, cookie);
      expect(cookieOf(answer)).toBeUndefined();
    }
  });
});

it('is recorded', async () => {
  const claims = newClaims();
  const { tenant } = await invited(claims.email);
  expect((await logIn(claims)).reason).toBeUndefined();
  const found = await tenant.post('/v3/audit_entries/search', { query: 'eq(operation,"finishOidcLogin")' });
  expect(found.body.data).toMatchObject([{ operation: 'finishOidcLogin', changes: {} }]);
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
    expect([answer.reason, answer.session]).toEqual(['not_valid', undefined]);
  });

  it('signed with another key is refused', async () => {
    const claims = newClaims();
    await invited(claims.email);
    const { page, cookie } = await start();
    const query = await issuer.authorize(page, claims, { signWith: 'another key' });
    expect((await finish(query, cookie)).reason).toBe('not_valid');
  });

  it('with another state, of another browser, twice, or too late is refused', async () => {
    const claims = newClaims();
    await invited(claims.email);
    const [mine, theirs] = [await start(), await start()];
    const query = await issuer.authorize(mine.page, claims);
    for (const cookie of [undefined, 'planted', ''])
      expect((await finish(query, cookie)).reason).toBe('expired');
    expect((await finish(query, theirs.cookie)).reason).toBe('not_valid');
    for (const other of [
      '?code=x',
      '?state=x',
      query.replace(/state=.*/, 'state=x'),
      '?error=access_denied',
      '',
    ])
      expect((await finish(other, mine.cookie)).reason).toBe('not_valid');
    expect((await comeBack(`${query}&state=x`, mine.cookie)).status).toBe(400);
    const done = await finish(`${query}&session_state=of-the-provider`, mine.cookie);
    expect(done.reason).toBeUndefined();
    expect((await finish(query, mine.cookie)).reason).toBe('not_valid');
    const late = await start();
    const answer = await issuer.authorize(late.page, claims);
    setRealTime(Date.now() + 601_000);
    expect((await finish(answer, late.cookie)).reason).toBe('expired');
  });

  it('that other sites ask for does not use up the attempts of its readers', async () => {
    const headers = { 'x-forwarded-for': newAddress(), 'sec-fetch-site': 'cross-site' };
    const askAs = (query: string, cookie?: string) =>
      server.call('GET', `/v3/session/oidc/callback${query}`, {
        headers: { ...headers, ...(cookie ? { cookie: `__Host-parley-login=${cookie}` } : {}) },
      });
    for (let number = 0; number < 40; number += 1)
      expect((await askAs('?code=x')).headers.location).toBe(`${PAGE}?error=expired`);
    const claims = newClaims();
    await invited(claims.email);
    const { page, cookie } = await start();
    expect((await askAs(await issuer.authorize(page, claims), cookie)).headers.location).toBe(PAGE);
  });

  it('that does not come is no fault of the person who logs in', async () => {
    const silent = await useServer({
      databaseUrl: server.databaseUrl,
      trustedProxies,
      people: { oidc: { ...oidc, issuer: 'http://127.0.0.1:9' } },
    });
    const answer = await silent.call('GET', '/v3/session/oidc');
    expect([answer.status, answer.headers.location]).toEqual([302, `${PAGE}?error=no_answer`]);
  });

  it('cannot lead into our network: requests go through the guarded client', async () => {
    const guarded = await useServer({
      databaseUrl: server.databaseUrl,
      trustedProxies,
      policy: { allow: parseAllowList(''), loopback: false },
      people: { oidc },
    });
    const before = issuer.requests.length;
    const answer = await guarded.call('GET', '/v3/session/oidc');
    expect(answer.headers.location).toBe(`${PAGE}?error=no_answer`);
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
      expect((await logIn({ ...newClaims(), email }, on)).reason).toBe('not_invited');
    expect((await logIn({ ...claims, sub: newId(), email_verified: false }, on)).reason).toBe('not_verified');
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
  for (const path of ['/v3/session/oidc', '/v3/session/oidc/callback?code=x'])
    expect((await plain.call('GET', path)).status).toBe(404);
  expect((await plain.call('GET', '/v3/session/methods')).body.data.oidc).toBe(false);
});

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { cookieOf, PASSWORD, personWith, type TestPerson, tokenOf, usePerson } from '../kit/people.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { setRealTime } from '../kit/real-time.ts';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';
import { codeOf, useTotp } from '../kit/session-calls.ts';

const server = await useServer({ trustedProxies: ['127.0.0.1'] });
const PERIOD_MS = 15 * 60_000;
const NEW_PASSWORD = 'another good secret';
let tenant: TestTenant;
let person: TestPerson;
beforeEach(async () => {
  tenant = await server.tenant();
  person = await usePerson(server, tenant, 'agent');
});
afterEach(() => vi.useRealTimers());

let addresses = 0;
/** Failures are limited per address. */
const headers = () => ({ 'x-forwarded-for': `203.0.113.${++addresses}` });
const resetLink = async (): Promise<string> =>
  tokenOf(await tenant.post(`/v3/users/${person.userId}/password_reset`));
const operatorLink = async (): Promise<string> =>
  tokenOf(
    await server.call('POST', '/admin/login_links', { body: { email: person.email }, token: OPERATOR_TOKEN }),
  );
const redeem = (token: string, more: object = { password: NEW_PASSWORD }) =>
  server.call('POST', '/v3/session/link', { body: { token, ...more }, headers: headers() });
const logIn = (password: string) =>
  server.call('POST', '/v3/session', { body: { email: person.email, password }, headers: headers() });
async function invite(other: TestTenant, email: string) {
  const user = await other.post('/v3/users', { name: 'Again', email, role: 'agent' });
  return tokenOf(await other.post(`/v3/users/${user.body.data.id}/invitation`));
}

describe('a link for a new password ends', () => {
  const expectEnded = async (token: string) => {
    expect((await redeem(token)).status).toBe(401);
    expect((await server.call('POST', '/v3/session/link/describe', { body: { token } })).status).toBe(401);
    expect((await logIn(NEW_PASSWORD)).status).toBe(401);
  };

  it('when its person changes the password', async () => {
    const token = await resetLink();
    const body = { current: PASSWORD, next: 'a third good secret' };
    expect((await person.post('/v3/session/password', body)).status).toBe(200);
    await expectEnded(token);
  });

  it('when another link of the person is used, or made', async () => {
    const token = await resetLink();
    expect((await redeem(await operatorLink(), {})).status).toBe(200);
    await expectEnded(token);
    const [first, second] = [await resetLink(), await resetLink()];
    await expectEnded(first);
    expect((await redeem(second)).status).toBe(200);
  });

  it('a link of the operator, too, when a new password is set', async () => {
    const token = await operatorLink();
    expect((await redeem(await resetLink(), { password: 'a third good secret' })).status).toBe(200);
    await expectEnded(token);
  });

  it('when its person loses the membership, and when the tenant is deleted', async () => {
    const token = await resetLink();
    await tenant.delete(`/v3/users/${person.userId}`);
    await expectEnded(token);
    tenant = await server.tenant();
    person = await usePerson(server, tenant, 'agent');
    const last = await resetLink();
    await server.call('DELETE', `/admin/tenants/${tenant.id}`, { token: OPERATOR_TOKEN });
    await expectEnded(last);
  });

  it('when its person joins another tenant: the admin who has it gets no rights there', async () => {
    const token = await resetLink();
    const other = await server.tenant();
    const joined = await person.post('/v3/session/link', { token: await invite(other, person.email) });
    expect(joined.body.data.memberships).toHaveLength(2);
    await expectEnded(token);
  });
});

it('of links used at once one works, and the others end', async () => {
  const tokens = [await resetLink(), await operatorLink(), await operatorLink()];
  const answers = await Promise.all([...tokens, ...tokens].map((token) => redeem(token)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401, 401, 401, 401, 401]);
  const sessions = answers.map(cookieOf).filter((cookie) => cookie !== undefined);
  expect(sessions).toHaveLength(1);
  expect((await personWith(server, sessions[0] as string, {}).get('/v3/session')).status).toBe(200);
  expect((await person.get('/v3/session')).status).toBe(401);
});

it('a login and a change whose password is replaced meanwhile are refused', async () => {
  const [other, watch] = [await usePgClient(server.databaseUrl), await usePgClient(server.databaseUrl)];
  const body = { current: PASSWORD, next: NEW_PASSWORD };
  for (const attempt of [() => logIn(PASSWORD), () => person.post('/v3/session/password', body)]) {
    person = await usePerson(server, tenant, 'agent');
    await other.query('begin');
    // As a reset does: the attempt has checked the old password, and waits for the person.
    await other.query('update people set password_hash = null where email = $1', [person.email]);
    const answer = attempt();
    await expect
      .poll(
        async () =>
          (
            await watch.query(
              `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
            )
          ).rowCount,
        { timeout: 30_000 },
      )
      .toBe(1);
    await other.query('commit');
    expect([(await answer).status, cookieOf(await answer)]).toEqual([401, undefined]);
  }
});

it('guessing the second factor with a link ends after ten codes, from wherever they come', async () => {
  // Within one period of counting.
  setRealTime(Math.ceil(Date.now() / PERIOD_MS) * PERIOD_MS + 1_000);
  const { secret } = await useTotp(person);
  const token = await resetLink();
  const guess = (code: string) => redeem(token, { password: NEW_PASSWORD, code });
  for (let attempt = 0; attempt < 10; attempt += 1) expect((await guess('000000')).status).toBe(401);
  expect((await guess(codeOf(secret))).status).toBe(429);
  const body = { email: person.email, password: PASSWORD, code: codeOf(secret) };
  expect((await server.call('POST', '/v3/session', { body, headers: headers() })).status).toBe(429);
  // Without a code nothing is guessed.
  expect((await redeem(token)).body.error.messageKey).toBe('totp_required');
});

describe('the address of a person', () => {
  it('is one address in whatever case it is written, also beyond ASCII', async () => {
    const name = newId();
    const member = await usePerson(server, tenant, 'agent', { email: `İÜ${name}@Example.com` });
    const email = `i̇ü${name}@example.com`;
    expect((await member.get('/v3/session')).body.data.person.email).toBe(email);
    for (const written of [
      email,
      `İÜ${name}@example.com`,
      `İü${name}@EXAMPLE.com`,
      `İU\u0308${name}@example.com`,
    ])
      expect(
        (
          await server.call('POST', '/v3/session', {
            body: { email: written, password: PASSWORD },
            headers: headers(),
          })
        ).status,
      ).toBe(200);
    const again = await tenant.post('/v3/users', {
      name: 'Again',
      email: `İÜ${name}@example.com`,
      role: 'agent',
    });
    expect(again.body.error.invalidParams).toHaveProperty('email');
  });

  it('is not that of somebody whose address PostgreSQL makes the same', async () => {
    const name = newId();
    await usePerson(server, tenant, 'agent', { email: `i${name}@example.com` });
    const body = { email: `İ${name}@example.com`, password: PASSWORD };
    expect((await server.call('POST', '/v3/session', { body, headers: headers() })).status).toBe(401);
    const other = await usePerson(server, tenant, 'agent', { email: `İ${name}@example.com` });
    expect((await other.get('/v3/session')).body.data.person.email).toBe(`i̇${name}@example.com`);
  });

  it('that was stored as it was written is found', async () => {
    const { db } = server.system;
    const stored = `Ü${person.email.toUpperCase()}`;
    await db.query('update people set email = $2 where email = $1', [person.email, stored]);
    const body = { email: stored, password: PASSWORD };
    expect((await server.call('POST', '/v3/session', { body, headers: headers() })).status).toBe(200);
  });
});

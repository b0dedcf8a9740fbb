import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keysFrom } from '../../src/base/crypto.ts';
import { rotateKey } from '../../src/rotate-key.ts';
import { cookieOf, PASSWORD, personWith, tokenOf, usePerson } from '../kit/people.ts';
import { setRealTime } from '../kit/real-time.ts';
import { OPERATOR_TOKEN, SECRET_KEY, useServer } from '../kit/server.ts';
import { codeOf, enrol, useTotp } from '../kit/session-calls.ts';

const server = await useServer();
let start = Date.parse('2030-01-01T00:00:00Z');
beforeEach(() => {
  start += 3600_000;
  setRealTime(start);
});
afterEach(() => vi.useRealTimers());

const logIn = (email: string, code?: string) =>
  server.call('POST', '/v3/session', { body: { email, password: PASSWORD, code } });

it('the login asks for a code, which counts once', async () => {
  const person = await usePerson(server, await server.tenant(), 'agent');
  const { secret } = await useTotp(person);
  const asked = await logIn(person.email);
  expect([asked.status, asked.body.error.messageKey]).toEqual([401, 'totp_required']);
  expect((await logIn(person.email, '000000')).body.error.messageKey).toBe('unauthorized');
  const entered = await logIn(person.email, codeOf(secret));
  expect(entered.body.data.person.hasTotp).toBe(true);
  expect((await logIn(person.email, codeOf(secret))).status).toBe(401);
  setRealTime(start + 30_000);
  expect((await logIn(person.email, codeOf(secret))).status).toBe(200);
});

it('a recovery code replaces one, once', async () => {
  const person = await usePerson(server, await server.tenant(), 'agent');
  const { recoveryCodes } = await useTotp(person);
  const [code = ''] = recoveryCodes;
  const statuses = (await Promise.all([1, 2, 3].map(() => logIn(person.email, code)))).map(
    ({ status }) => status,
  );
  expect(statuses.sort()).toEqual([200, 401, 401]);
  expect((await logIn(person.email, recoveryCodes[1])).status).toBe(200);
});

it('a secret has no effect before a code confirms it, and wrong codes are limited', async () => {
  const person = await usePerson(server, await server.tenant(), 'agent');
  const refused = await person.post('/v3/session/totp', { password: 'wrong' });
  expect(refused.status).toBe(401);
  const secret = await enrol(person);
  expect((await logIn(person.email)).status).toBe(200);
  const confirm = (code: string) => person.post('/v3/session/totp/confirm', { code });
  for (let attempt = 0; attempt < 9; attempt += 1) expect((await confirm('000000')).status).toBe(401);
  expect((await confirm(codeOf(secret))).status).toBe(429);
  setRealTime(start + 15 * 60_000);
  expect((await confirm(codeOf(secret))).status).toBe(200);
  expect((await confirm(codeOf(secret))).status).toBe(409);
  expect((await person.post('/v3/session/totp', { password: PASSWORD })).status).toBe(409);
});

it('guessing codes with the right password is limited as guessing passwords is', async () => {
  const person = await usePerson(server, await server.tenant(), 'agent');
  await useTotp(person);
  for (let attempt = 0; attempt < 10; attempt += 1)
    expect((await logIn(person.email, '000000')).status).toBe(401);
  expect((await logIn(person.email, '000000')).status).toBe(429);
});

it('it is switched off with a code only, and stays on through a new password', async () => {
  const tenant = await server.tenant();
  const person = await usePerson(server, tenant, 'agent');
  const { secret, recoveryCodes } = await useTotp(person);
  const reset = tokenOf(await tenant.post(`/v3/users/${person.userId}/password_reset`));
  const redeem = (code?: string) =>
    server.call('POST', '/v3/session/link', { body: { token: reset, password: PASSWORD, code } });
  expect((await redeem()).body.error.messageKey).toBe('totp_required');
  const back = personWith(server, cookieOf(await redeem(recoveryCodes[0])) as string, {});
  expect((await back.post('/v3/session/totp/disable', { code: '000000' })).status).toBe(401);
  const off = await back.post('/v3/session/totp/disable', { code: codeOf(secret) });
  expect(off.body.data.person.hasTotp).toBe(false);
  expect((await logIn(person.email)).status).toBe(200);
});

it('the operator lets in somebody who has lost everything', async () => {
  const person = await usePerson(server, await server.tenant(), 'agent');
  await useTotp(person);
  const link = await server.call('POST', '/admin/login_links', {
    body: { email: person.email.toUpperCase() },
    token: OPERATOR_TOKEN,
  });
  const entered = await server.call('POST', '/v3/session/link', { body: { token: tokenOf(link) } });
  expect(entered.body.data.person).toMatchObject({ email: person.email, hasTotp: false });
});

it('the secret is encrypted, and follows a change of the installation’s key', async () => {
  const person = await usePerson(server, await server.tenant(), 'agent');
  const { secret } = await useTotp(person);
  const { rows } = await server.system.db.query('select to_jsonb(p)::text as text from people p', []);
  expect(JSON.stringify(rows)).not.toContain(secret);
  const fresh = keysFrom('another-secret-key-0123456789abcdef', [SECRET_KEY]);
  await rotateKey(server.system.db, fresh);
  const rotated = await useServer({
    databaseUrl: server.databaseUrl,
    keys: keysFrom('another-secret-key-0123456789abcdef'),
  });
  const entered = await rotated.call('POST', '/v3/session', {
    body: { email: person.email, password: PASSWORD, code: codeOf(secret) },
  });
  expect(entered.status).toBe(200);
});

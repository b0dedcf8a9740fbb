import { expect, it } from 'vitest';
import { loginLink } from '../../src/cli/login-link.ts';
import { runCommand } from '../kit/command.ts';
import { cookieOf, PASSWORD, personWith } from '../kit/people.ts';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';
import { listen } from '../kit/wire.ts';

const server = await useServer();
const url = `http://127.0.0.1:${await listen(server.system.app.server)}`;

/** What `parley login-link` prints. */
const run = (...args: string[]): Promise<string[]> =>
  runCommand(loginLink, ['--url', url, ...args], { PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN });
const redeem = (link: string, body: object) =>
  server.call('POST', '/v3/session/link', { body: { token: link.split('#')[1], ...body } });

it('the first person becomes an operator and an owner, even if there is no tenant yet', async () => {
  const [link = '', note] = await run();
  expect(link).toMatch(/^https:\/\/parley\.test\/console\/welcome#[\w-]{43}$/);
  expect(note).toMatch(/^It works once, until 20.*Z\.$/);
  expect((await redeem(link, { password: PASSWORD })).body.error.invalidParams).toHaveProperty('email');
  const first = await redeem(link, { email: 'ada@example.com', name: 'Ada', password: PASSWORD });
  expect(first.body.data).toMatchObject({
    person: { name: 'Ada', isOperator: true },
    memberships: [{ tenantName: 'Main', role: 'owner' }],
  });
  const operator = personWith(server, cookieOf(first) as string, {});
  expect((await operator.get('/admin/tenants')).body.data).toHaveLength(1);
  expect((await operator.post('/admin/login_links', {})).status).toBe(200);

  const [second = ''] = await run();
  const joined = await redeem(second, { email: 'grace@example.com', password: PASSWORD });
  expect(joined.body.data.memberships[0].tenantId).toBe(first.body.data.memberships[0].tenantId);
  const [third = ''] = await run();
  const taken = await redeem(third, { email: 'ADA@example.com', password: 'another good secret' });
  expect(taken.body.error.messageKey).toBe('conflict');
});

it('a link for an address is for that address only', async () => {
  const [link = ''] = await run('--email', 'alan@example.com');
  const other = await redeem(link, { email: 'eve@example.com', password: PASSWORD });
  expect(other.body.error.invalidParams).toHaveProperty('email');
  const entered = await redeem(link, { password: PASSWORD });
  expect(entered.body.data.person).toMatchObject({ email: 'alan@example.com', isOperator: true });
});

it('the command says what is wrong', async () => {
  await expect(run('--email', 'nonsense')).rejects.toThrow(/email: /);
  await expect(run('extra')).rejects.toThrow('Unexpected argument "extra"');
  await expect(run('--token', 'wrong')).rejects.toThrow(/Unauthorized/);
  expect((await run('--help'))[0]).toContain('parley login-link');
});

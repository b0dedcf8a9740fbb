import { describe, expect, it } from 'vitest';
import { createFirstLogin, requireSameKey } from '../../src/installation.ts';
import { PASSWORD, personWith, tokenOf, usePerson } from '../kit/people.ts';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';
import { useTotp } from '../kit/session-calls.ts';

const server = await useServer();
const describeLink = (token: string) => server.call('POST', '/v3/session/link/describe', { body: { token } });

describe('what a link is for', () => {
  it('is said as often as one asks, and the link keeps working', async () => {
    const tenant = await server.tenant();
    const user = await tenant.post('/v3/users', { name: 'Alan', email: 'alan@example.com', role: 'agent' });
    const token = tokenOf(await tenant.post(`/v3/users/${user.body.data.id}/invitation`));
    const expected = {
      kind: 'invitation',
      email: 'alan@example.com',
      name: 'Alan',
      tenantName: 'test',
      createsTenant: false,
      hasAccount: false,
      hasTotp: false,
    };
    expect((await describeLink(token)).body.data).toEqual(expected);
    expect((await describeLink(token)).body.data).toEqual(expected);
    const body = { token, password: PASSWORD };
    expect((await server.call('POST', '/v3/session/link', { body })).status).toBe(200);
    expect((await describeLink(token)).body.error.messageKey).toBe('unauthorized');
  });

  it('says whether the invited person has an account and a second factor', async () => {
    const person = await usePerson(server, await server.tenant(), 'agent', { email: 'both@example.com' });
    await useTotp(person);
    const other = await server.tenant();
    const user = await other.post('/v3/users', { name: 'B', email: 'BOTH@example.com', role: 'viewer' });
    const token = tokenOf(await other.post(`/v3/users/${user.body.data.id}/invitation`));
    expect((await describeLink(token)).body.data).toMatchObject({ hasAccount: true, hasTotp: true });
  });

  it('the link of an operator has no address, or that of its person, whose second factor it switches off', async () => {
    const link = async (body: object) =>
      tokenOf(await server.call('POST', '/admin/login_links', { body, token: OPERATOR_TOKEN }));
    expect((await describeLink(await link({}))).body.data).toEqual({
      kind: 'login',
      email: null,
      name: null,
      tenantName: null,
      createsTenant: false,
      hasAccount: false,
      hasTotp: false,
    });
    const person = await usePerson(server, await server.tenant(), 'agent');
    await useTotp(person);
    expect((await describeLink(await link({ email: person.email }))).body.data).toMatchObject({
      kind: 'login',
      email: person.email,
      hasAccount: true,
      hasTotp: false,
    });
  });

  it('guessing is limited, and answers never say more than that a link is wrong', async () => {
    // Of its own: the limit holds for the address of all tests.
    const attacked = await useServer();
    const guess = (token: string) => attacked.call('POST', '/v3/session/link/describe', { body: { token } });
    for (let attempt = 0; attempt < 30; attempt += 1)
      expect((await guess(`guess ${attempt}`)).status).toBe(401);
    expect((await guess('guess')).body.error.messageKey).toBe('too_many_attempts');
  });
});

describe('the own name', () => {
  it('changes in every tenant of the person, and of nobody else', async () => {
    const [one, two] = [await server.tenant(), await server.tenant()];
    const person = await usePerson(server, one, 'agent');
    const colleague = await usePerson(server, one, 'agent');
    const user = await two.post('/v3/users', { name: 'Old', email: person.email, role: 'viewer' });
    const token = tokenOf(await two.post(`/v3/users/${user.body.data.id}/invitation`));
    const body = { token, password: PASSWORD };
    expect((await server.call('POST', '/v3/session/link', { body })).status).toBe(200);

    const changed = await person.call('PUT', '/v3/session/person', { body: { name: 'Grace Hopper' } });
    expect(changed.body.data.person.name).toBe('Grace Hopper');
    expect(changed.body.data.memberships.map(({ name }: { name: string }) => name)).toEqual([
      'Grace Hopper',
      'Grace Hopper',
    ]);
    expect((await two.get(`/v3/users/${user.body.data.id}`)).body.data.name).toBe('Grace Hopper');
    expect((await one.get(`/v3/users/${colleague.userId}`)).body.data.name).not.toBe('Grace Hopper');
  });

  it('is refused if it is empty or too long, without a session, and from another site', async () => {
    const person = await usePerson(server, await server.tenant(), 'agent');
    for (const name of ['', 'x'.repeat(256), 5, null])
      expect((await person.call('PUT', '/v3/session/person', { body: { name } })).body.error).toMatchObject({
        messageKey: 'invalid_body_params',
        invalidParams: { name: expect.anything() },
      });
    const body = { name: 'Eve' };
    expect((await server.call('PUT', '/v3/session/person', { body })).status).toBe(401);
    const foreign = await person.call('PUT', '/v3/session/person', {
      body,
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect(foreign.status).toBe(403);
    const again = personWith(server, person.cookie, {});
    expect((await again.get('/v3/session')).body.data.person.name).not.toBe('Eve');
  });
});

it('the first start creates one link, which nobody needs once somebody has an account', async () => {
  const fresh = await useServer();
  // As every start does before: the row that is locked.
  await requireSameKey(fresh.system.db, fresh.keys);
  const create = () => createFirstLogin(fresh.system.db, 'https://parley.test');
  const links = (await Promise.all([create(), create(), create()])).filter((link) => link !== undefined);
  expect(links).toHaveLength(1);
  const body = { token: links[0]?.url.split('#')[1], email: 'ada@example.com', password: PASSWORD };
  const entered = await fresh.call('POST', '/v3/session/link', { body });
  expect(entered.body.data.person.isOperator).toBe(true);
  expect(await create()).toBeUndefined();
});

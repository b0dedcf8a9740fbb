import { afterEach, describe, expect, it, vi } from 'vitest';
import { useEventStream } from '../kit/event-client.ts';
import { cookieOf, OWN_PAGE, personWith, type TestPerson, tokenOf, usePerson } from '../kit/people.ts';
import { setRealTime } from '../kit/real-time.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
afterEach(() => vi.useRealTimers());

const open = ({ cookie }: Pick<TestPerson, 'cookie'>, query = '') =>
  useEventStream(server.system.app.server, {
    query,
    headers: { ...OWN_PAGE, cookie: `__Host-parley=${cookie}` },
  });
/** Lets the process look again who has logged in. */
const laterOn = () => setRealTime(Date.now() + 3_001);
async function happen(tenant: TestTenant, firstName: string): Promise<void> {
  await tenant.post('/v3/contacts', { firstName });
  await server.settle();
}

/** Makes somebody a user of another tenant without ending the session, as an identity provider or the operator does. */
async function join(tenant: TestTenant, person: TestPerson, role: string): Promise<string> {
  const user = await tenant.post('/v3/users', { name: 'Again', email: `x.${person.email}`, role });
  await server.system.db.query(
    'update users set person_id = (select person_id from users where id = $1) where id = $2',
    [person.userId, user.body.data.id],
  );
  return user.body.data.id;
}

it('the stream of a person stays with its tenant when the person joins another', async () => {
  const [one, two] = [await server.tenant(), await server.tenant()];
  const person = await usePerson(server, one, 'agent');
  const client = await open(person);
  await join(two, person, 'owner');
  laterOn();
  await happen(two, 'of two');
  await happen(one, 'of one');
  const [heard] = await client.until(1);
  expect(heard?.data).toMatchObject({ tenantId: one.id, data: { firstName: 'of one' } });
  expect(client.text()).not.toContain('of two');
});

it('it ends with the membership, though the person belongs to other tenants', async () => {
  const [one, two, three] = [await server.tenant(), await server.tenant(), await server.tenant()];
  const person = await usePerson(server, one, 'agent');
  const client = await open(person);
  await join(two, person, 'owner');
  await one.delete(`/v3/users/${person.userId}`);
  laterOn();
  expect(await client.ended).toBe(true);

  const other = await usePerson(server, one, 'agent');
  const named = await open(other, `?tenantId=${one.id}`);
  for (const tenant of [two, three]) await join(tenant, other, 'owner');
  await one.delete(`/v3/users/${other.userId}`);
  laterOn();
  expect(await named.ended).toBe(true);
});

it('it ends when the person becomes another user of the tenant, and with the log-out', async () => {
  const tenant = await server.tenant();
  const person = await usePerson(server, tenant, 'agent');
  const client = await open(person, `?tenantId=${tenant.id}`);
  const user = await tenant.post('/v3/users', { name: 'New', email: `new.${person.email}`, role: 'owner' });
  const { rows } = await server.system.db.query('select person_id from users where id = $1', [person.userId]);
  await tenant.delete(`/v3/users/${person.userId}`);
  await server.system.db.query('update users set person_id = $1 where id = $2', [
    rows[0]?.person_id,
    user.body.data.id,
  ]);
  laterOn();
  expect(await client.ended).toBe(true);

  const ending = await usePerson(server, tenant, 'agent');
  const last = await open(ending, `?tenantId=${tenant.id}`);
  expect((await ending.call('DELETE', '/v3/session')).status).toBe(200);
  await happen(tenant, 'afterwards');
  expect(await last.ended).toBe(true);
});

it('it is not opened with the cookie of one tenant and the name of another', async () => {
  const [one, two] = [await server.tenant(), await server.tenant()];
  const person = await usePerson(server, one, 'owner');
  expect((await open(person, `?tenantId=${two.id}`)).status).toBe(403);
  const user = await two.post('/v3/users', { name: 'Again', email: person.email, role: 'agent' });
  const link = await two.post(`/v3/users/${user.body.data.id}/invitation`);
  const joined = await person.post('/v3/session/link', { token: tokenOf(link) });
  const now = personWith(server, cookieOf(joined) as string, {});
  expect((await open(now)).status).toBe(400);
  expect((await open(person, `?tenantId=${one.id}`)).status).toBe(401);
  const client = await open(now, `?tenantId=${two.id}`);
  await happen(one, 'of one');
  await happen(two, 'of two');
  const [heard] = await client.until(1);
  expect(heard?.data.tenantId).toBe(two.id);
});

describe('while a stream is open, a session', () => {
  const start = Date.now();
  const at = (hours: number) => setRealTime(start + hours * 3600_000);
  /** Waits until the process has looked once more who has logged in: streams are checked in the order of their opening. */
  async function untilChecked(tenant: TestTenant): Promise<void> {
    const removed = await usePerson(server, tenant, 'agent');
    const last = await open(removed);
    await tenant.delete(`/v3/users/${removed.userId}`);
    laterOn();
    expect(await last.ended).toBe(true);
  }

  it('ends after 12 hours without a request: the stream alone is no use', async () => {
    const tenant = await server.tenant();
    const client = await open(await usePerson(server, tenant, 'agent'));
    at(11);
    await untilChecked(tenant);
    at(22);
    expect(await client.ended).toBe(true);
  });

  it('goes on with every request', async () => {
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, 'agent');
    const client = await open(person);
    at(11);
    await untilChecked(tenant);
    expect((await person.get('/v3/me')).status).toBe(200);
    await until(async () => {
      const { rows } = await server.system.db.query(
        'select 1 from sessions s join users u on u.person_id = s.person_id where u.id = $1 and s.last_seen_at > $2',
        [person.userId, new Date(start + 10 * 3600_000)],
      );
      return rows.length === 1;
    });
    at(22);
    await untilChecked(tenant);
    expect((await person.get('/v3/me')).status).toBe(200);
    await happen(tenant, 'still heard');
    await client.until(1);
  });
});

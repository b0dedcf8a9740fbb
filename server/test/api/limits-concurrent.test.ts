import { describe, expect, it } from 'vitest';
import type { LimitName } from '../../src/http/permissions.ts';
import { usePerson } from '../kit/people.ts';
import { type Answer, OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const LIMIT = 4;
const AT_ONCE = 20;

interface Limited {
  name: LimitName;
  advice: string;
  create(tenant: TestTenant, number: number): Promise<Answer>;
  path: string;
  /** What identifies one in the path of its deletion. */
  key: 'id' | 'name';
}

const limited: Limited[] = [
  {
    name: 'segments',
    advice: 'delete a segment that is no longer needed',
    create: (tenant, number) =>
      tenant.post('/v3/segments', { name: `Segment ${number}`, query: 'eq(isSubscribed,true)' }),
    path: '/v3/segments',
    key: 'id',
  },
  {
    name: 'inboxViews',
    advice: 'delete a view that is no longer needed',
    create: (tenant, number) =>
      tenant.post('/v3/views', { name: `View ${number}`, query: 'eq(status,"open")' }),
    path: '/v3/views',
    key: 'id',
  },
  {
    name: 'savedReplies',
    advice: 'delete a saved reply that is no longer needed',
    create: (tenant, number) =>
      tenant.post('/v3/saved_replies', { shortcut: `reply${number}`, text: 'Hello' }),
    path: '/v3/saved_replies',
    key: 'id',
  },
  {
    name: 'secrets',
    advice: 'delete a secret that is no longer needed',
    create: (tenant, number) => tenant.put(`/v3/secrets/key${number}`, { value: 'x' }),
    path: '/v3/secrets',
    key: 'name',
  },
];

describe.each(limited)('the limit of $name', ({ name, advice, create, path, key }) => {
  const listOf = async (tenant: TestTenant) => (await tenant.post(`${path}/search`, {})).body.data;

  it(`lets one of ${AT_ONCE} pass that come at once where one is left`, async () => {
    const tenant = await server.tenant({ limits: { [name]: LIMIT } });
    for (let number = 1; number < LIMIT; number += 1) expect((await create(tenant, number)).status).toBe(200);
    const made = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => create(tenant, LIMIT + index)),
    );
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, ...Array(AT_ONCE - 1).fill(409)]);
    expect(made.find(({ status }) => status === 409)?.body.error).toMatchObject({
      messageKey: 'limit_reached',
      message: `Limit reached: ${name} is ${LIMIT} for this tenant; ${advice}, or ask the operator to raise it`,
    });
    expect(await listOf(tenant)).toHaveLength(LIMIT);
  });

  it('leaves room for another when one is deleted, or the operator raises it, and counts no other tenant', async () => {
    const tenant = await server.tenant({ limits: { [name]: 1 } });
    const other = await server.tenant({ limits: { [name]: 1 } });
    expect((await create(tenant, 1)).status).toBe(200);
    expect((await create(other, 1)).status).toBe(200);
    expect((await create(tenant, 2)).status).toBe(409);
    const [first] = await listOf(tenant);
    await tenant.delete(`${path}/${first[key]}`);
    expect((await create(tenant, 2)).status).toBe(200);
    await server.call('PUT', `/admin/tenants/${tenant.id}`, {
      token: OPERATOR_TOKEN,
      body: { limits: { [name]: 2 } },
    });
    expect((await create(tenant, 3)).status).toBe(200);
    expect((await create(tenant, 4)).status).toBe(409);
  });
});

it('counts the views of all users together, also those that are not shared', async () => {
  const tenant = await server.tenant({ limits: { inboxViews: 2 } });
  const [one, other] = [await usePerson(server, tenant, 'agent'), await usePerson(server, tenant, 'agent')];
  const body = { name: 'Mine', query: 'eq(status,"open")', isShared: false };
  const statuses: number[] = [];
  for (const person of [one, other, one]) statuses.push((await person.post('/v3/views', body)).status);
  expect(statuses).toEqual([200, 200, 409]);
});

it('replaces the value of a secret, however many there are', async () => {
  const tenant = await server.tenant({ limits: { secrets: 2 } });
  for (const name of ['one', 'two'])
    expect((await tenant.put(`/v3/secrets/${name}`, { value: 'x' })).status).toBe(200);
  await server.call('PUT', `/admin/tenants/${tenant.id}`, {
    token: OPERATOR_TOKEN,
    body: { limits: { secrets: 0 } },
  });
  expect((await tenant.put('/v3/secrets/one', { value: 'y' })).status).toBe(200);
  expect((await tenant.put('/v3/secrets/three', { value: 'y' })).status).toBe(409);
});

it('lets callers who create the same secret at once all pass where one is left', async () => {
  const tenant = await server.tenant({ limits: { secrets: 1 } });
  const made = await Promise.all(
    Array.from({ length: AT_ONCE }, () => tenant.put('/v3/secrets/same', { value: 'x' })),
  );
  expect(new Set(made.map(({ status }) => status))).toEqual(new Set([200]));
});

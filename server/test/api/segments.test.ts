import { beforeEach, describe, expect, it } from 'vitest';
import { groundFor } from '../kit/campaigns.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { until } from '../kit/until.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
});

const create = async (path: string, body: object): Promise<string> => {
  const answer = await tenant.post(path, body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.data.id;
};
const segmentOf = (query: string, name = 'Segment') => create('/v3/segments', { name, query });
const nameContact = (firstName: string, phoneNumber: string) =>
  create('/v3/contacts', { firstName, phoneNumber });

describe('a segment', () => {
  it('is saved, found, changed, counted and deleted', async () => {
    await nameContact('Ada', '+15550001111');
    await nameContact('Grace', '+15550002222');
    const id = await segmentOf('eq(firstName,"Ada")', '  First  ');
    expect((await tenant.get(`/v3/segments/${id}`)).body.data).toEqual({
      id,
      name: 'First',
      query: 'eq(firstName,"Ada")',
      createdAt: '2026-11-15T01:02:03.456Z',
      updatedAt: '2026-11-15T01:02:03.456Z',
    });
    const count = async () => (await tenant.get(`/v3/segments/${id}/count`)).body.data;
    expect(await count()).toEqual({ total: 1, totalIsCapped: false });
    const changed = await tenant.put(`/v3/segments/${id}`, { query: 'not(isNull(phoneNumber))' });
    expect(changed.body.data).toMatchObject({ name: 'First', query: 'not(isNull(phoneNumber))' });
    expect(await count()).toEqual({ total: 2, totalIsCapped: false });
    expect((await tenant.post('/v3/segments/search', { search: 'first' })).body.data).toHaveLength(1);
    expect((await tenant.delete(`/v3/segments/${id}`)).body.data).toEqual({
      deletedIds: [id],
      notFoundIds: [],
    });
    expect((await tenant.get(`/v3/segments/${id}`)).status).toBe(404);
    expect((await tenant.delete(`/v3/segments/${id}`)).body.data.notFoundIds).toEqual([id]);
  });

  it.each([
    [{ name: 'One', query: 'eq(nope,1)' }, 'query'],
    [{ name: 'One', query: '   ' }, 'query'],
    [{ name: 'taken', query: 'eq(isSubscribed,true)' }, 'name'],
    [{ name: ' ', query: 'eq(isSubscribed,true)' }, 'name'],
    [{ query: 'eq(isSubscribed,true)' }, 'name'],
  ])('is refused with the parameter that is wrong: %j', async (body, path) => {
    const taken = await segmentOf('eq(isSubscribed,true)', 'Taken');
    const other = await segmentOf('eq(isSubscribed,true)', 'Other');
    const created = await tenant.post('/v3/segments', body);
    expect([created.status, Object.keys(created.body.error.invalidParams)]).toEqual([400, [path]]);
    if ('name' in body) expect((await tenant.put(`/v3/segments/${other}`, body)).status).toBe(400);
    const { data } = (await tenant.post('/v3/segments/search', {})).body;
    expect(data.map((one: { id: string }) => one.id).sort()).toEqual([taken, other].sort());
  });

  it('is refused a name that another one gets at the same moment', async () => {
    const first = await segmentOf('eq(isSubscribed,true)', 'First');
    const second = await segmentOf('eq(isSubscribed,true)', 'Second');
    const client = await usePgClient(server.databaseUrl);
    await client.query('begin');
    await client.query(`update segments set name = 'Both' where id = $1`, [first]);
    const renaming = tenant.put(`/v3/segments/${second}`, { name: 'both' });
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await until(async () => (await server.system.db.query(waiting, [])).rows.length > 0);
    await client.query('commit');
    const { status, body } = await renaming;
    expect([status, body.error.invalidParams]).toEqual([
      400,
      { name: { key: 'custom', message: 'Another segment is named "both" already' } },
    ]);
  });

  it('belongs to one tenant', async () => {
    const id = await segmentOf('eq(isSubscribed,true)');
    const other = await server.tenant();
    expect((await other.get(`/v3/segments/${id}`)).status).toBe(404);
    expect((await other.get(`/v3/segments/${id}/count`)).status).toBe(404);
    expect((await other.put(`/v3/segments/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await other.delete(`/v3/segments/${id}`)).body.data.notFoundIds).toEqual([id]);
    expect((await tenant.get(`/v3/segments/${id}`)).body.data.name).toBe('Segment');
  });

  it('compares values of attributes as they are stored: without spaces around those of a select and of URLs', async () => {
    const attribute = (externalId: string, type: string, more: object = {}) =>
      create('/v3/attributes', { externalId, name: externalId, type, ...more });
    await attribute('plan', 'select', { options: ['Gold', 'Silver'] });
    await attribute('site', 'url');
    await attribute('note', 'text');
    const values = { plan: ' Gold ', site: ' https://example.com/ ', note: ' VIP ' };
    const attributes = Object.entries(values).map(([externalId, value]) => ({ externalId, value }));
    await create('/v3/contacts', { firstName: 'Ada', phoneNumber: '+15550001111', attributes });
    const counted: Record<string, number> = {};
    for (const query of [
      'in(attributes.plan,"Silver"," Gold ")',
      'eq(attributes.plan," Gold")',
      'ne(attributes.plan,"Gold ")',
      'eq(attributes.plan,"gold")',
      'eq(attributes.site," https://example.com/")',
      'contains(attributes.plan,"Gold ")',
      'eq(attributes.note," VIP ")',
      'eq(attributes.note,"VIP")',
    ]) {
      const id = await segmentOf(query, query);
      counted[query] = (await tenant.get(`/v3/segments/${id}/count`)).body.data.total;
    }
    expect(Object.values(counted)).toEqual([1, 1, 0, 0, 1, 0, 1, 0]);
  });

  it('is no longer valid when what it needs was deleted with force', async () => {
    const attribute = await create('/v3/attributes', { name: 'Plan', externalId: 'plan' });
    const id = await segmentOf('eq(attributes.plan,"gold")');
    const refused = await tenant.delete(`/v3/attributes/${attribute}`);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      expect.stringContaining('segment "Segment"'),
    ]);
    await tenant.delete(`/v3/attributes/${attribute}?force=true`);
    const counted = await tenant.get(`/v3/segments/${id}/count`);
    expect([counted.status, counted.body.error.message]).toEqual([
      409,
      expect.stringContaining('no longer valid'),
    ]);
  });
});

describe('a campaign for a segment', () => {
  const STEPS = [
    { id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } },
  ];

  it('reaches those who belong to it when it starts', async () => {
    const ground = await groundFor(tenant, { steps: STEPS });
    await nameContact('Ada', '+15550002111');
    const segmentId = await segmentOf('eq(firstName,"Ada")');
    const campaignId = await create('/v3/campaigns', {
      ...ground,
      name: 'Later',
      segmentId,
      scheduledAt: '2026-11-16T09:00:00.000Z',
    });
    const read = async () => (await tenant.get(`/v3/campaigns/${campaignId}`)).body.data;
    expect(await read()).toMatchObject({ segmentId, audience: 'eq(firstName,"Ada")', status: 'scheduled' });
    const grace = await nameContact('Grace', '+15550002222');
    await tenant.put(`/v3/segments/${segmentId}`, { query: 'eq(firstName,"Grace")' });
    server.clock.set(new Date('2026-11-16T09:00:00.000Z'));
    await server.settle();
    expect(await read()).toMatchObject({ audience: 'eq(firstName,"Grace")' });
    const found = await tenant.post(`/v3/campaigns/${campaignId}/recipients/search`, {});
    expect(found.body.data.map((one: { contactId: string }) => one.contactId)).toEqual([grace]);
  });

  it('protects the segment, also as a draft, and keeps its filter if it is deleted all the same', async () => {
    const ground = await groundFor(tenant, { steps: STEPS });
    const segmentId = await segmentOf('eq(firstName,"Ada")');
    const campaignId = await create('/v3/campaigns', {
      ...ground,
      name: 'Later',
      segmentId,
      scheduledAt: '2026-11-16T09:00:00.000Z',
    });
    const refused = await tenant.delete(`/v3/segments/${segmentId}`);
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('"Later"')]);
    await tenant.put(`/v3/campaigns/${campaignId}`, { scheduledAt: null });
    expect((await tenant.delete(`/v3/segments/${segmentId}`)).status).toBe(409);
    expect((await tenant.delete(`/v3/segments/${segmentId}?force=true`)).status).toBe(200);
    expect((await tenant.get(`/v3/campaigns/${campaignId}`)).body.data).toMatchObject({
      status: 'draft',
      segmentId: null,
      audience: 'eq(firstName,"Ada")',
    });
  });

  it.each([
    [{ segmentId: UNKNOWN }, 'segmentId'],
    [{ segmentId: 'OWN', audience: 'eq(firstName,"Ada")' }, 'segmentId'],
  ])('is refused with %j', async (more, path) => {
    const ground = await groundFor(tenant);
    const own = await segmentOf('eq(firstName,"Ada")');
    const body = JSON.parse(JSON.stringify({ ...ground, name: 'Sale', ...more }).replace('OWN', own));
    const answer = await tenant.post('/v3/campaigns', body);
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, [path]]);
  });
});

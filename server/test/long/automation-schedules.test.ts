import { describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { execution, workerDatabase } from '../kit/execution.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const workerDb = workerDatabase(server);
const { db } = server.system;
const PUBLISHED = new Date('2026-11-15T01:02:03.456Z');

async function scheduled(tenant: TestTenant, parameters: object, more: object = {}): Promise<string> {
  server.clock.set(PUBLISHED);
  return automationOf(tenant, {
    trigger: {
      type: 'schedule',
      parameters: { rrule: 'FREQ=DAILY;BYHOUR=9;BYMINUTE=0', audience: 'eq(firstName,"Ada")', ...parameters },
    },
    ...more,
  });
}
const contact = async (tenant: TestTenant, firstName: string, number: string): Promise<string> =>
  (await tenant.post('/v3/contacts', { firstName, phoneNumber: `+1555000${number}` })).body.data.id;
const runs = async (automationId: string) =>
  (
    await db.query(
      `select occurrence_at, contact_id, status, error ->> 'code' as code from automation_runs
        where automation_id = $1 order by occurrence_at, contact_id`,
      [automationId],
    )
  ).rows;
const times = async (automationId: string): Promise<string[]> =>
  (await runs(automationId)).map(({ occurrence_at }) => (occurrence_at as Date).toISOString());
const at = async (tenant: TestTenant, time: string): Promise<void> => {
  server.clock.set(new Date(time));
  await execution(server, workerDb, tenant).settle();
};

describe('a schedule', () => {
  it('starts a run for everyone in the audience at its time, in its zone, once', async () => {
    const tenant = await server.tenant();
    server.clock.set(PUBLISHED);
    const [ada, other] = [await contact(tenant, 'Ada', '1111'), await contact(tenant, 'Ada', '2222')];
    await contact(tenant, 'Grace', '3333');
    const id = await scheduled(tenant, { timezone: 'Europe/Berlin' });
    await at(tenant, '2026-11-15T07:59:59.999Z');
    expect(await runs(id)).toEqual([]);
    await at(tenant, '2026-11-15T08:00:00Z');
    await at(tenant, '2026-11-15T12:00:00Z');
    expect(await runs(id)).toMatchObject(
      [ada, other].sort().map((contact_id) => ({ contact_id, status: 'completed' })),
    );
    await contact(tenant, 'Ada', '4444');
    await at(tenant, '2026-11-16T08:00:00Z');
    expect(await times(id)).toEqual([
      ...Array.from({ length: 2 }, () => '2026-11-15T08:00:00.000Z'),
      ...Array.from({ length: 3 }, () => '2026-11-16T08:00:00.000Z'),
    ]);
  });

  it('keeps its time on the wall on the days on which clocks change', async () => {
    const tenant = await server.tenant();
    await contact(tenant, 'Ada', '1111');
    const id = await scheduled(tenant, {
      timezone: 'Europe/Berlin',
      rrule: 'FREQ=WEEKLY;BYDAY=SU;BYHOUR=9;BYMINUTE=0',
    });
    const sundays = ['2027-03-21', '2027-03-28', '2027-10-24', '2027-10-31'];
    for (const day of sundays) await at(tenant, `${day}T12:00:00Z`);
    // Nine in the morning is 08:00 in winter and 07:00 in summer, from the last Sunday of March to that of October.
    expect(await times(id)).toEqual([
      '2027-03-21T08:00:00.000Z',
      '2027-03-28T07:00:00.000Z',
      '2027-10-24T07:00:00.000Z',
      '2027-10-31T08:00:00.000Z',
    ]);
  });

  it('runs once for what was missed, and then goes on', async () => {
    const tenant = await server.tenant();
    server.clock.set(PUBLISHED);
    await contact(tenant, 'Ada', '1111');
    const id = await scheduled(tenant, {});
    await at(tenant, '2026-11-20T10:00:00Z');
    await at(tenant, '2026-11-21T09:00:00Z');
    expect(await times(id)).toEqual(['2026-11-20T09:00:00.000Z', '2026-11-21T09:00:00.000Z']);
  });

  it('counts from its publishing, which is not itself an occurrence', async () => {
    const tenant = await server.tenant();
    server.clock.set(PUBLISHED);
    await contact(tenant, 'Ada', '1111');
    const id = await scheduled(tenant, { rrule: 'FREQ=HOURLY;COUNT=2' });
    await at(tenant, '2026-11-15T01:59:00Z');
    expect(await times(id)).toEqual([]);
    await at(tenant, '2026-11-15T02:02:00Z');
    await at(tenant, '2026-11-15T03:02:00Z');
    await at(tenant, '2026-11-16T00:00:00Z');
    expect(await times(id)).toEqual(['2026-11-15T02:02:00.000Z', '2026-11-15T03:02:00.000Z']);
  });

  it('rests while the automation is inactive, and what passed then is not made up for', async () => {
    const tenant = await server.tenant();
    server.clock.set(PUBLISHED);
    await contact(tenant, 'Ada', '1111');
    const id = await scheduled(tenant, {});
    const set = (status: string) => tenant.post(`/v3/automations/${id}/status`, { status });
    await set('inactive');
    await at(tenant, '2026-11-17T10:00:00Z');
    await set('active');
    await at(tenant, '2026-11-17T11:00:00Z');
    expect(await runs(id)).toEqual([]);
    await at(tenant, '2026-11-18T09:00:00Z');
    expect(await times(id)).toEqual(['2026-11-18T09:00:00.000Z']);
    await tenant.put(`/v3/automations/${id}`, { trigger: { type: 'api' } });
    await tenant.post(`/v3/automations/${id}/publish`);
    await at(tenant, '2026-11-19T09:00:00Z');
    expect(await runs(id)).toHaveLength(1);
  });

  it('that was never planned, as before an upgrade, begins with the next occurrence', async () => {
    const tenant = await server.tenant();
    server.clock.set(PUBLISHED);
    await contact(tenant, 'Ada', '1111');
    const id = await scheduled(tenant, {});
    await db.query(`update automations set next_at = null, due_at = '-infinity' where id = $1`, [id]);
    await at(tenant, '2026-11-17T10:00:00Z');
    expect(await runs(id)).toEqual([]);
    await at(tenant, '2026-11-18T09:00:00Z');
    expect(await times(id)).toEqual(['2026-11-18T09:00:00.000Z']);
  });

  it('starts each run once when two work on it at the same time', async () => {
    const tenant = await server.tenant();
    await db.query(
      `insert into contacts (id, tenant_id, first_name, is_subscribed, metadata, search_text, created_at, updated_at)
       select gen_random_uuid(), $1, 'Ada', true, '{}', '', $2, $2 from generate_series(1, 5200)`,
      [tenant.id, PUBLISHED],
    );
    const id = await scheduled(tenant, {});
    server.clock.set(new Date('2026-11-15T09:00:00Z'));
    await Promise.all([1, 2].map(() => execution(server, workerDb, tenant).settleCampaigns()));
    const started = await runs(id);
    expect(started).toHaveLength(5200);
    expect(new Set(started.map(({ contact_id }) => contact_id)).size).toBe(5200);
  });

  it('records runs that lack a variable as failed, and leaves out an audience that cannot be found', async () => {
    const tenant = await server.tenant();
    server.clock.set(PUBLISHED);
    await contact(tenant, 'Ada', '1111');
    const lacking = await scheduled(
      tenant,
      {},
      { variables: [{ name: 'city', type: 'string', required: true }] },
    );
    const attribute = await tenant.post('/v3/attributes', { name: 'City', externalId: 'city' });
    const unasked = await scheduled(tenant, { audience: 'eq(attributes.city,"Rome")' });
    await tenant.delete(`/v3/attributes/${attribute.body.data.id}?force=true`);
    await at(tenant, '2026-11-15T09:00:00Z');
    expect(await runs(lacking)).toMatchObject([{ status: 'failed', code: 'missing_variables' }]);
    expect(await runs(unasked)).toEqual([]);
    const { rows } = await db.query('select next_at from automations where id = $1', [unasked]);
    expect(rows).toEqual([{ next_at: new Date('2026-11-16T09:00:00Z') }]);
  });
});

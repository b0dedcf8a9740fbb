import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const HOUR = 3_600_000;
/** Held runs as those of other events, without creating thousands of contacts. */
const COPY_RUN = `
  insert into automation_runs
  select (jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'cause_event_id', gen_random_uuid()))).*
    from automation_runs r, generate_series(1, $2) where r.tenant_id = $1`;
let tenant: TestTenant;
let welcomedId: string;

const limited = async (runsPerMinute: number): Promise<void> => {
  tenant = await server.tenant({ limits: { runsPerMinute } });
  welcomedId = (await tenant.post('/v3/labels', { name: 'Welcomed' })).body.data.id;
  await automationOf(tenant, {
    trigger: { type: 'contact_created', parameters: {} },
    steps: [{ id: 'label', type: 'add_label', parameters: { labelId: welcomedId } }],
  });
};
const raise = (runsPerMinute: number) =>
  tenant.call('PUT', `/admin/tenants/${tenant.id}`, {
    body: { limits: { runsPerMinute } },
    token: OPERATOR_TOKEN,
  });
const createContacts = async (count: number): Promise<void> => {
  for (let number = 0; number < count; number += 1)
    await tenant.post('/v3/contacts', { phoneNumber: `+1555000${1000 + number}` });
  await server.settle();
};
const later = async (ms: number): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};
const welcomed = async (): Promise<number> =>
  (await tenant.post('/v3/contacts/search', { query: `contains(labelIds,"${welcomedId}")` })).body.pagination
    .total;

describe('a limit of no runs per minute', () => {
  beforeEach(() => limited(0));

  it('I11: lets runs of events wait until it is raised, and then start as it allows', async () => {
    await createContacts(4);
    await later(HOUR);
    expect(await welcomed()).toBe(0);
    // A change of something else lets nothing start.
    expect((await raise(0)).status).toBe(200);
    await later(HOUR);
    expect(await welcomed()).toBe(0);
    expect((await raise(2)).status).toBe(200);
    await server.settle();
    expect(await welcomed()).toBe(2);
    await later(30_000);
    expect(await welcomed()).toBe(3);
    await later(30_000);
    expect(await welcomed()).toBe(4);
  });
});

describe('many runs that a limit of no runs per minute has held', () => {
  const held = async (): Promise<number> =>
    (
      await server.system.db.query(
        "select 1 from automation_runs where tenant_id = $1 and due_at = 'infinity'",
        [tenant.id],
      )
    ).rows.length;

  it('are released in parts: the first with the change, the others by a job', async () => {
    await limited(0);
    await createContacts(1);
    await server.system.db.query(COPY_RUN, [tenant.id, 4_999]);
    expect(await held()).toBe(5_000);
    expect((await raise(2)).status).toBe(200);
    expect(await held()).toBe(3_000);
    await server.settle();
    expect(await held()).toBe(0);
    const { data } = (await tenant.post('/v3/jobs/search', { query: 'eq(kind,"wake_runs")' })).body;
    expect(data).toMatchObject([{ status: 'completed', done: 3_000, total: 3_000 }]);
    // They start as the limit allows, the oldest first.
    const { rows } = await server.system.db.query(
      `select count(*) filter (where due_at is null)::int as started, count(distinct due_at)::int as times
         from automation_runs where tenant_id = $1`,
      [tenant.id],
    );
    expect(rows).toEqual([{ started: 2, times: 4_998 }]);
  });
});

describe('a limit of runs per minute', () => {
  it('I12: is not used up for hours after the clock was set back', async () => {
    await limited(2);
    await createContacts(2);
    await later(0);
    expect(await welcomed()).toBe(2);
    await later(-5 * HOUR);
    await tenant.post('/v3/contacts', { phoneNumber: '+15550009999' });
    await server.settle();
    // It was used up when the clock was set back, and the next run starts half a minute later.
    expect(await welcomed()).toBe(2);
    await later(30_000);
    expect(await welcomed()).toBe(3);
  });
});

import { describe, expect, it } from 'vitest';
import { groundFor, testContacts } from '../kit/campaigns.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const LATER = '2026-12-24T09:00:00.000Z';
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';

async function campaignOf(tenant: TestTenant, more: object = {}): Promise<string> {
  const made = await tenant.post('/v3/campaigns', { ...(await groundFor(tenant)), name: 'x', ...more });
  expect(made.status).toBe(200);
  return made.body.data.id;
}

const starts = async (tenant: TestTenant): Promise<number> =>
  (
    await server.system.db.query(`select 1 from events where tenant_id = $1 and type = 'campaign.started'`, [
      tenant.id,
    ])
  ).rows.length;

/** Puts a campaign into a status that only its execution leads to. */
const force = (id: string, status: string) =>
  server.system.db.query(
    `update campaigns set status = $2, due_at = case when $2 in ('scheduled', 'running') then updated_at end where id = $1`,
    [id, status],
  );

describe('the status of a campaign', () => {
  it('goes from scheduled to paused and back, and to cancelled', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, { contacts: testContacts(1), scheduledAt: LATER });
    const set = async (status: string) =>
      (await tenant.post(`/v3/campaigns/${id}/status`, { status })).body.data.status;
    expect(await set('paused')).toBe('paused');
    expect(await set('running')).toBe('scheduled');
    expect(await set('running')).toBe('scheduled');
    expect(await set('paused')).toBe('paused');
    expect(await set('cancelled')).toBe('cancelled');
    expect(await set('cancelled')).toBe('cancelled');
    expect(await starts(tenant)).toBe(0);
  });

  it('goes from running to paused and back, and the start is published once', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, { contacts: testContacts(1) });
    for (const status of ['paused', 'running', 'running', 'paused', 'running']) {
      const { body } = await tenant.post(`/v3/campaigns/${id}/status`, { status });
      expect(body.data).toMatchObject({ status, startedAt: '2026-11-15T01:02:03.456Z' });
    }
    expect(await starts(tenant)).toBe(1);
  });

  it('is running when a pause ends after its time has come', async () => {
    const late = await server.tenant();
    const id = await campaignOf(late, { contacts: testContacts(1), scheduledAt: LATER });
    await late.post(`/v3/campaigns/${id}/status`, { status: 'paused' });
    const before = server.clock.now();
    server.clock.set(new Date('2026-12-25T00:00:00Z'));
    const { body } = await late.post(`/v3/campaigns/${id}/status`, { status: 'running' });
    server.clock.set(before);
    expect(body.data).toMatchObject({ status: 'running', startedAt: '2026-12-25T00:00:00.000Z' });
    expect(await starts(late)).toBe(1);
  });

  it.each([
    ['draft', 'paused'],
    ['cancelled', 'running'],
    ['cancelled', 'paused'],
    ['completed', 'running'],
    ['completed', 'paused'],
    ['completed', 'cancelled'],
    ['failed', 'running'],
    ['failed', 'cancelled'],
  ])('cannot go from %s to %s', async (from, to) => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, { contacts: testContacts(1), scheduledAt: LATER });
    await force(id, from);
    const answer = await tenant.post(`/v3/campaigns/${id}/status`, { status: to });
    expect([answer.status, answer.body.error.message]).toEqual([
      409,
      `Conflict: a campaign that is ${from} cannot become ${to}`,
    ]);
    expect((await tenant.get(`/v3/campaigns/${id}`)).body.data.status).toBe(from);
  });

  it('of a draft is started by hand, once there is someone to start it for', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant);
    const start = () => tenant.post(`/v3/campaigns/${id}/status`, { status: 'running' });
    const refused = await start();
    expect([refused.status, refused.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(refused.body.error.message).toContain('no recipients');
    const filled = await tenant.post(`/v3/campaigns/${id}/recipients`, { contacts: testContacts(2) });
    expect(filled.body.data).toMatchObject({ status: 'draft', recipientCounts: { queued: 2 } });
    expect(await starts(tenant)).toBe(0);
    expect((await start()).body.data).toMatchObject({ status: 'running' });
    expect(await starts(tenant)).toBe(1);
  });

  it('stays if somebody has changed the campaign since it was looked at', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant);
    const path = `/v3/campaigns/${id}`;
    const before = server.clock.now();
    const seen = (await tenant.post(`${path}/recipients`, { contacts: testContacts(1) })).body.data;
    const start = (baseUpdatedAt: string) =>
      tenant.post(`${path}/status`, { status: 'running', baseUpdatedAt });
    server.clock.set(new Date(before.getTime() + 1_000));
    const changed = (await tenant.put(path, { name: 'Other' })).body.data;
    const refused = await start(seen.updatedAt);
    expect([refused.status, refused.body.error.message]).toEqual([
      409,
      'Conflict: the campaign was changed meanwhile; look at it again before you change its status',
    ]);
    expect((await tenant.get(path)).body.data.status).toBe('draft');
    expect((await start('yesterday')).status).toBe(400);
    server.clock.set(new Date(before.getTime() + 2_000));
    expect((await start(changed.updatedAt)).body.data).toMatchObject({ status: 'running', name: 'Other' });
    // Asked for again, as after a lost answer.
    expect((await start(changed.updatedAt)).body.data).toMatchObject({ status: 'running' });
    expect(await starts(tenant)).toBe(1);
    server.clock.set(before);
  });

  it('asked for 20 times at once is published once', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant);
    await tenant.post(`/v3/campaigns/${id}/recipients`, { contacts: testContacts(1) });
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => tenant.post(`/v3/campaigns/${id}/status`, { status: 'running' })),
    );
    expect(new Set(answers.map(({ body }) => body.data.status))).toEqual(new Set(['running']));
    expect(await starts(tenant)).toBe(1);
  });
});

describe('recipients', () => {
  it('are added call by call, and nobody twice', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, { contacts: testContacts(2), scheduledAt: LATER });
    const add = async (contacts: object[]) =>
      (await tenant.post(`/v3/campaigns/${id}/recipients`, { contacts })).body.data.recipientCounts.queued;
    expect(await add(testContacts(3))).toBe(3);
    expect(await add([...testContacts(1, 10), ...testContacts(1, 10)])).toBe(4);
    expect(await add([])).toBe(4);
  });

  it('added by ten calls at once are all there, once', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, call) =>
        tenant.post(`/v3/campaigns/${id}/recipients`, { contacts: testContacts(30, call * 20).reverse() }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect((await tenant.get(`/v3/campaigns/${id}`)).body.data.recipientCounts.queued).toBe(210);
  });

  it.each(['completed', 'cancelled', 'failed'])('are not added to a campaign that is %s', async (status) => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant, { contacts: testContacts(1) });
    await force(id, status);
    const answer = await tenant.post(`/v3/campaigns/${id}/recipients`, { contacts: testContacts(2, 50) });
    expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
    const { queued, failed } = (await tenant.get(`/v3/campaigns/${id}`)).body.data.recipientCounts;
    expect(queued + failed).toBe(1);
    const { rows } = await server.system.db.query('select 1 from contacts where tenant_id = $1', [tenant.id]);
    expect(rows).toHaveLength(1);
  });

  it('are refused by their paths, 5001 of them by their number, and none is added', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant);
    const add = async (body: object) =>
      (await tenant.post(`/v3/campaigns/${id}/recipients`, body)).body.error.invalidParams;
    expect(await add({})).toEqual({ contacts: { key: 'invalid_type', message: 'Required' } });
    expect(await add({ contacts: [...testContacts(1), {}] })).toMatchObject({
      'contacts.1.phoneNumber': { key: 'custom' },
    });
    expect(await add({ contacts: testContacts(5001) })).toMatchObject({ contacts: { key: 'too_big' } });
    expect((await tenant.get(`/v3/campaigns/${id}`)).body.data.recipientCounts.queued).toBe(0);
  });

  it('are found within their campaign, by status and by contact', async () => {
    const tenant = await server.tenant();
    const [id, other] = [
      await campaignOf(tenant, { contacts: testContacts(15) }),
      await campaignOf(tenant, { contacts: testContacts(2, 100) }),
    ];
    const search = async (body: object) =>
      (await tenant.post(`/v3/campaigns/${id}/recipients/search`, body)).body;
    const first = await search({ query: 'eq(status,"queued")', pagination: { limit: 10 } });
    expect(first.pagination).toMatchObject({ total: 15 });
    const rest = await search({
      query: 'eq(status,"queued")',
      pagination: { limit: 10, cursor: first.pagination.nextCursor },
    });
    expect(rest.data).toHaveLength(5);
    const { contactId } = first.data[0];
    expect((await search({ query: `eq(contactId,"${contactId}")` })).data).toEqual([first.data[0]]);
    expect((await search({ query: 'eq(status,"skipped")' })).data).toEqual([]);
    const elsewhere = await tenant.post(`/v3/campaigns/${other}/recipients/search`, {
      query: `eq(contactId,"${contactId}")`,
    });
    expect(elsewhere.body.data).toEqual([]);
    const unknown = await tenant.post(`/v3/campaigns/${UNKNOWN}/recipients/search`, {});
    expect(unknown.body.error.messageKey).toBe('campaign_not_found');
  });

  it('D2: too many of them, or of what belongs to them, leave nothing behind', async () => {
    const tenant = await server.tenant();
    const id = await campaignOf(tenant);
    const many = (count: number, item: string) => `[${Array.from({ length: count }, () => item).join()}]`;
    const bodies: [string, string][] = [
      [`{"contacts":${many(150_000, '{}')}}`, 'contacts'],
      [`{"contacts":[{"labels":${many(120_000, '{"name":"x"}')}}]}`, 'contacts.0.labels'],
      [`{"contacts":${many(5000, `{"a":${many(420, '0')}}`)}}`, 'body'],
    ];
    for (const [raw, path] of bodies) {
      const answer = await tenant.call('POST', `/v3/campaigns/${id}/recipients`, { raw });
      expect([path, answer.status]).toEqual([path, 400]);
      expect(answer.body.error.invalidParams).toMatchObject({ [path]: { key: 'too_big' } });
      expect(answer.text.length).toBeLessThan(30_000);
    }
    const large = await tenant.call('POST', `/v3/campaigns/${id}/recipients`, {
      raw: `{"contacts":[]${' '.repeat(9_000_000)}}`,
    });
    expect(large.status).toBe(200);
  });
});

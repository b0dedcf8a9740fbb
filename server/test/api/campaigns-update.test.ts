import { beforeEach, describe, expect, it } from 'vitest';
import { countCampaignRows, discount, groundFor, HELLO, testContacts, VARIABLES } from '../kit/campaigns.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const LATER = '2026-12-24T09:00:00.000Z';
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

describe('a campaign that has not started', () => {
  const read = async (id: string) => (await tenant.get(`/v3/campaigns/${id}`)).body.data;

  it('can be changed, and what was read can be sent back', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const other = await groundFor(tenant);
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      variables: discount,
      scheduledAt: LATER,
      contacts: testContacts(2),
    });
    const before = await read(id);
    server.clock.set(new Date('2026-11-15T02:00:00.000Z'));
    const same = await tenant.put(`/v3/campaigns/${id}`, before);
    expect(same.body.data).toEqual({ ...before, updatedAt: '2026-11-15T02:00:00.000Z' });
    const changed = await tenant.put(`/v3/campaigns/${id}`, {
      name: 'Winter sale',
      automationId: other.automationId,
      variables: [],
      scheduledAt: '2026-12-01T09:00:00.000Z',
      purpose: 'service',
      audience: 'eq(firstName,"Ada")',
    });
    expect(changed.body.data).toMatchObject({
      name: 'Winter sale',
      automationId: other.automationId,
      variables: [],
      purpose: 'service',
      status: 'scheduled',
      nextOccurrenceAt: '2026-12-01T09:00:00.000Z',
      audience: 'eq(firstName,"Ada")',
      recipientCounts: { queued: 2 },
    });
    server.clock.set(new Date('2026-12-01T09:00:00.000Z'));
    await server.settle();
    expect((await read(id)).startedAt).toBe('2026-12-01T09:00:00.000Z');
    const late = await tenant.put(`/v3/campaigns/${id}`, { name: 'Too late' });
    expect(late.status).toBe(409);
    expect((await tenant.delete(`/v3/campaigns/${id}`)).status).toBe(409);
  });

  it('becomes a draft without its time, and does not start by itself', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      scheduledAt: LATER,
      contacts: testContacts(1),
    });
    expect((await tenant.put(`/v3/campaigns/${id}`, { scheduledAt: null })).body.data).toMatchObject({
      status: 'draft',
      scheduledAt: null,
      nextOccurrenceAt: null,
    });
    server.clock.set(new Date('2027-01-01T09:00:00.000Z'));
    await server.settle();
    expect((await read(id)).status).toBe('draft');
    expect((await tenant.post(`/v3/campaigns/${id}/status`, { status: 'running' })).status).toBe(200);
  });

  it('loses its time and its rules by isScheduled and isReoccurring alone, and a copy of itself changes nothing', async () => {
    const ground = await groundFor(tenant);
    const rules = ['RRULE:FREQ=DAILY'];
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      scheduledAt: LATER,
      recurrenceRules: rules,
      contacts: testContacts(1),
    });
    const change = async (body: object) => (await tenant.put(`/v3/campaigns/${id}`, body)).body;
    const copy = await read(id);
    const { updatedAt: _, ...same } = copy;
    expect((await change(copy)).data).toMatchObject(same);
    expect((await change({ isReoccurring: false })).data).toMatchObject({
      isReoccurring: false,
      recurrenceRules: [],
      status: 'scheduled',
    });
    expect((await change({ isReoccurring: true })).error.invalidParams).toHaveProperty('recurrenceRules');
    expect((await change({ isReoccurring: true, recurrenceRules: rules })).data).toMatchObject({
      isReoccurring: true,
    });
    expect((await change({ isScheduled: false })).data).toMatchObject({ status: 'draft', scheduledAt: null });
    expect((await change({ isScheduled: true })).error.invalidParams).toHaveProperty('scheduledAt');
    const planned = await change({ isScheduled: true, scheduledAt: LATER });
    expect(planned.data).toMatchObject({ isScheduled: true, scheduledAt: LATER });
    const unplanned = await change({ isScheduled: false, scheduledAt: null });
    expect(unplanned.data).toMatchObject({ isScheduled: false, scheduledAt: null });
  });

  it('is refused a time that isScheduled denies and rules that isReoccurring denies, as a new one is', async () => {
    const ground = await groundFor(tenant);
    const plan = { scheduledAt: LATER, recurrenceRules: ['RRULE:FREQ=DAILY'] };
    const body = { ...ground, name: 'Sale', contacts: testContacts(1) };
    const id = await create('/v3/campaigns', { ...body, ...plan });
    const before = await read(id);
    for (const [more, path] of [
      [{ isScheduled: false, scheduledAt: LATER }, 'scheduledAt'],
      [{ isScheduled: false, scheduledAt: '2026-12-25T09:00:00.000Z' }, 'scheduledAt'],
      [{ isReoccurring: false, recurrenceRules: plan.recurrenceRules }, 'recurrenceRules'],
      [{ isReoccurring: true, recurrenceRules: [] }, 'recurrenceRules'],
    ] as const) {
      const created = await tenant.post('/v3/campaigns', { ...body, ...more });
      const { invalidParams } = created.body.error;
      expect([more, Object.keys(invalidParams)]).toEqual([more, [path]]);
      const changed = await tenant.put(`/v3/campaigns/${id}`, more);
      expect([more, changed.status, changed.body.error?.invalidParams]).toEqual([more, 400, invalidParams]);
    }
    expect(await read(id)).toEqual(before);
  });

  it('keeps a time that has passed while it was a draft', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', { ...ground, name: 'Sale', scheduledAt: LATER });
    server.clock.set(new Date('2027-01-01T09:00:00.000Z'));
    const { updatedAt: _, ...copy } = await read(id);
    expect((await tenant.put(`/v3/campaigns/${id}`, copy)).body.data).toMatchObject(copy);
    const past = { scheduledAt: '2026-12-25T09:00:00.000Z' };
    const refused = await tenant.put(`/v3/campaigns/${id}`, past);
    expect(Object.keys(refused.body.error.invalidParams)).toEqual(['scheduledAt']);
  });

  it('is refused with the parameter that is wrong, and stays as it is', async () => {
    const ground = await groundFor(tenant, { steps: HELLO, variables: VARIABLES });
    const other = await tenant.channel('sms');
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      variables: discount,
      scheduledAt: LATER,
      contacts: testContacts(1),
    });
    const before = await read(id);
    for (const [body, path] of [
      [{ channelId: UNKNOWN }, 'channelId'],
      [{ channelId: other.id }, 'channelId'],
      [{ variables: [] }, 'variables'],
      [{ scheduledAt: '2026-01-01T00:00:00.000Z' }, 'scheduledAt'],
      [{ audience: 'nope(' }, 'audience'],
      [{ segmentId: UNKNOWN }, 'segmentId'],
      [{ recurrenceRules: ['FREQ=NEVER'] }, 'recurrenceRules.0'],
      [{ nmae: 'x' }, 'nmae'],
    ] as const) {
      const answer = await tenant.put(`/v3/campaigns/${id}`, body);
      expect([body, answer.status, Object.keys(answer.body.error.invalidParams ?? {})]).toEqual([
        body,
        400,
        [path],
      ]);
    }
    expect(await read(id)).toEqual(before);
    const another = await server.tenant();
    expect((await another.put(`/v3/campaigns/${id}`, { name: 'Mine' })).status).toBe(404);
    expect((await another.delete(`/v3/campaigns/${id}`)).body.data.notFoundIds).toEqual([id]);
  });

  it('can be changed between two occurrences, but not when it began', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Daily',
      recurrenceRules: ['FREQ=DAILY;COUNT=5'],
      contacts: testContacts(1),
    });
    await server.settle();
    // The end of an occurrence is checked a second later.
    server.clock.set(new Date('2026-11-15T01:02:10.000Z'));
    await server.settle();
    expect(await read(id)).toMatchObject({
      status: 'scheduled',
      nextOccurrenceAt: '2026-11-16T01:02:03.000Z',
    });
    const moved = await tenant.put(`/v3/campaigns/${id}`, { scheduledAt: LATER });
    expect([moved.status, Object.keys(moved.body.error.invalidParams)]).toEqual([400, ['scheduledAt']]);
    const weekly = await tenant.put(`/v3/campaigns/${id}`, { recurrenceRules: ['FREQ=WEEKLY;COUNT=5'] });
    expect(weekly.body.data).toMatchObject({
      status: 'scheduled',
      nextOccurrenceAt: '2026-11-22T01:02:03.000Z',
    });
    expect((await tenant.put(`/v3/campaigns/${id}`, { recurrenceRules: [] })).status).toBe(409);
    expect((await tenant.delete(`/v3/campaigns/${id}`)).status).toBe(409);
  });

  it('is deleted with its recipients, and its contacts stay', async () => {
    const ground = await groundFor(tenant);
    const id = await create('/v3/campaigns', {
      ...ground,
      name: 'Sale',
      scheduledAt: LATER,
      contacts: testContacts(2),
    });
    expect((await tenant.delete(`/v3/campaigns/${id}`)).body.data).toEqual({
      deletedIds: [id],
      notFoundIds: [],
    });
    expect((await tenant.get(`/v3/campaigns/${id}`)).status).toBe(404);
    expect(await countCampaignRows(server, tenant)).toMatchObject({
      campaigns: 0,
      recipients: 0,
      contacts: 2,
    });
  });
});

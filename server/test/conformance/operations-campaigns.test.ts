import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, eventually } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
let channelId: string;
let automationId: string;
const STEPS = [
  { id: 'hello', type: 'send_message', parameters: { text: 'Hello {{ contact.firstName }}' } },
  { id: 'more', type: 'send_message', parameters: { text: 'Bye' } },
];
beforeAll(async () => {
  tenant = await server.tenant();
  channelId = (await make.channel(tenant, 'sms')).id;
  automationId = (
    await make.automation(tenant, { trigger: { type: 'campaign', parameters: {} }, steps: STEPS })
  ).id;
});

const create = async (more: object): Promise<{ id: string }> =>
  dataOf(await tenant.post('/v3/campaigns', { channelId, name: 'Sale', automationId, ...more }));

describe('Operations / POST /campaigns/preview', () => {
  it('answers who gets what, with the scope campaigns:read', async () => {
    const [first, second] = [make.phoneNumber(), make.phoneNumber()];
    await make.contact(tenant, { phoneNumber: second, isSubscribed: false });
    const answer = await tenant.post(
      '/v3/campaigns/preview',
      {
        channelId,
        name: 'Sale',
        automationId,
        contacts: [{ firstName: 'Ada', phoneNumber: first }, { phoneNumber: second }],
      },
      { token: await tenant.tokenWith(['campaigns:read']) },
    );
    expect(dataOf(answer)).toMatchObject({
      matched: 2,
      sendable: 1,
      skipped: { unsubscribed: 1 },
      samples: [{ contactId: expect.any(String), messages: [{ text: 'Hello Ada' }, { text: 'Bye' }] }],
      estimatedMinutes: expect.any(Number),
    });
  });
});

describe('Operations / POST /campaigns/{campaignId}/test', () => {
  it('takes an address', async () => {
    const { id } = await create({});
    const to = make.phoneNumber();
    dataOf(await tenant.post(`/v3/campaigns/${id}/test`, { to }));
    await eventually('message', async () =>
      dataOf(await tenant.get(`/v3/sandbox/${channelId}/outbox?limit=1000`)).find(
        (one: { to: string; text: string }) => one.to === to && one.text === 'Bye',
      ),
    );
  });

  it('takes a user, who gets it by email', async () => {
    const { id: userId } = dataOf(
      await tenant.post('/v3/users', { name: 'Ada', email: make.addressOn('email'), role: 'agent' }),
    );
    const mail = await make.channel(tenant, 'email');
    const { id } = await create({ channelId: mail.id });
    expect(dataOf(await tenant.post(`/v3/campaigns/${id}/test`, { userId }))).toMatchObject({
      channelId: mail.id,
      status: 'running',
    });
  });
});

describe('Operations / PUT and DELETE /campaigns/{campaignId}', () => {
  it('change and delete a draft and a scheduled campaign', async () => {
    for (const more of [
      {},
      { scheduledAt: make.inDays(1), contacts: [{ phoneNumber: make.phoneNumber() }] },
    ]) {
      const { id } = await create(more);
      const change = { timezone: 'Europe/Berlin', purpose: 'service', closeChats: true, name: 'Winter' };
      expect(dataOf(await tenant.put(`/v3/campaigns/${id}`, change))).toMatchObject(change);
      expect(dataOf(await tenant.delete(`/v3/campaigns/${id}`)).deletedIds).toEqual([id]);
    }
  });

  it('answer 409 for one that has started', async () => {
    const { id } = await create({ contacts: [{ phoneNumber: make.phoneNumber() }] });
    const isStarted = async () => dataOf(await tenant.get(`/v3/campaigns/${id}`)).startedAt ?? undefined;
    await eventually('start', isStarted);
    expect((await tenant.put(`/v3/campaigns/${id}`, { name: 'Late' })).status).toBe(409);
    expect((await tenant.delete(`/v3/campaigns/${id}`)).status).toBe(409);
  });
});

describe('Operations / segments', () => {
  it('are created, read, changed, found and deleted', async () => {
    const made = dataOf(
      await tenant.post('/v3/segments', { name: make.uniqueName('segment'), query: 'eq(firstName,"Joan")' }),
    );
    expect(dataOf(await tenant.get(`/v3/segments/${made.id}`))).toEqual(made);
    const query = 'eq(firstName,"Jo")';
    expect(dataOf(await tenant.put(`/v3/segments/${made.id}`, { query }))).toMatchObject({ query });
    const found = await tenant.post('/v3/segments/search', { query: `eq(id,"${made.id}")` });
    expect(dataOf(found)).toHaveLength(1);
    expect(dataOf(await tenant.delete(`/v3/segments/${made.id}`)).deletedIds).toEqual([made.id]);
  });

  it('are usable as an audience and in every filter of contacts', async () => {
    const { id: contactId } = await make.contact(tenant, { firstName: 'Katherine' });
    const { id } = dataOf(
      await tenant.post('/v3/segments', {
        name: make.uniqueName('segment'),
        query: 'eq(firstName,"Katherine")',
      }),
    );
    const audience = `segment("${id}")`;
    expect(dataOf(await tenant.post('/v3/contacts/search', { query: audience }))).toMatchObject([
      { id: contactId },
    ]);
    const preview = await tenant.post('/v3/campaigns/preview', {
      channelId,
      name: 'Sale',
      automationId,
      audience,
    });
    expect(dataOf(preview)).toMatchObject({ matched: 1, samples: [{ contactId }] });
    expect(await create({ audience, scheduledAt: make.inDays(1) })).toMatchObject({ audience });
    expect((await tenant.delete(`/v3/segments/${id}`)).status).toBe(409);
  });
});

describe('Operations / POST /reports/search', () => {
  const period = { from: make.inDays(-2), to: make.inDays(1) };

  it.each([
    'volumes',
    'response_times',
    'agents',
    'campaigns',
    'automations',
  ])('answers %s by hour, day and week, with the scope reports:read', async (name) => {
    const token = await tenant.tokenWith(['reports:read']);
    for (const interval of ['hour', 'day', 'week']) {
      const rows = dataOf(await tenant.post('/v3/reports/search', { name, ...period, interval }, { token }));
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows) expect(row).toMatchObject({ at: expect.any(String), group: null });
    }
  });

  it('groups and filters, and refuses a filter that its figures do not have', async () => {
    const { channelId: id } = await make.chat(tenant, { kind: 'sms' });
    const body = {
      name: 'volumes',
      ...period,
      interval: 'week',
      groupBy: 'channel',
      query: `eq(channelId,"${id}")`,
    };
    const rows = dataOf(await tenant.post('/v3/reports/search', body));
    expect(rows).toMatchObject([{ at: expect.any(String), group: { id }, received: 1 }]);
    const answer = await tenant.post('/v3/reports/search', { ...body, query: `eq(campaignId,"${id}")` });
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, ['query']]);
  });
});

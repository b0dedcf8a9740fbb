import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const labelOf = async (name: string): Promise<{ id: string }> =>
  (await tenant.post('/v3/labels', { name })).body.data;
const contactOf = async (phoneNumber: string): Promise<{ id: string }> =>
  (await tenant.post('/v3/contacts', { phoneNumber })).body.data;
const runs = async (query?: string): Promise<{ status: string; error: unknown; scheduledAt: string }[]> =>
  (
    await tenant.post('/v3/automation_runs/search', {
      sortBy: 'asc(createdAt)',
      pagination: { limit: 100 },
      ...(query === undefined ? {} : { query }),
    })
  ).body.data;

/** Takes a label away and adds it again, whenever it is added. */
const endless = (labelId: string, next = labelId) => ({
  trigger: { type: 'label_added', parameters: { labelId, fromAutomations: true } },
  steps: [
    { id: 'remove', type: 'remove_label', parameters: { labelId: next } },
    { id: 'add', type: 'add_label', parameters: { labelId: next } },
  ],
});

describe('automations that start each other', () => {
  it.each([
    ['X9', 'itself', 1],
    ['I11', 'each other', 2],
  ])('%s: end after a chain of eleven runs when one starts %s', async (_id, _what, count) => {
    const labels = await Promise.all(['one', 'two'].slice(0, count).map(labelOf));
    for (const [index, label] of labels.entries())
      await automationOf(tenant, endless(label.id, labels[(index + 1) % count]?.id));
    const contact = await contactOf('+15550001111');
    await tenant.post(`/v3/contacts/${contact.id}/labels`, { labels: [{ id: labels[0]?.id }] });
    await server.settle();
    const all = await runs();
    expect(all.filter(({ status }) => status === 'completed')).toHaveLength(11);
    expect(all.filter(({ status }) => status !== 'completed')).toMatchObject([
      { status: 'failed', error: { code: 'chain_too_long' } },
    ]);
    // The next label that a person adds starts a new chain.
    await tenant.delete(`/v3/contacts/${contact.id}/labels/${labels[0]?.id}`);
    await tenant.post(`/v3/contacts/${contact.id}/labels`, { labels: [{ id: labels[0]?.id }] });
    await server.settle();
    expect((await runs('eq(status,"completed")')).length).toBe(22);
  });
});

describe('the limit of runs per minute', () => {
  it('I11: lets runs of events start later, in order, and drops none', async () => {
    tenant = await server.tenant({ limits: { runsPerMinute: 4 } });
    const label = await labelOf('one');
    const done = await labelOf('done');
    await automationOf(tenant, {
      trigger: { type: 'label_added', parameters: { labelId: label.id } },
      steps: [{ id: 'add', type: 'add_label', parameters: { labelId: done.id } }],
    });
    const labelled = async (): Promise<number> =>
      (await tenant.post('/v3/contacts/search', { query: `contains(labelIds,"${done.id}")` })).body.pagination
        .total;
    for (let index = 0; index < 10; index += 1) {
      const contact = await contactOf(`+1555000${1000 + index}`);
      await tenant.post(`/v3/contacts/${contact.id}/labels`, { labels: [{ id: label.id }] });
    }
    await server.settle();
    expect(await labelled()).toBe(4);
    expect(await runs('eq(status,"scheduled")')).toHaveLength(6);
    // A run every 15 seconds from then on.
    for (const expected of [5, 6, 7, 8, 9, 10, 10]) {
      server.clock.advance(15_000);
      await server.settle();
      expect(await labelled()).toBe(expected);
    }
    expect((await runs()).every(({ status }) => status === 'completed')).toBe(true);
  });

  it('I11: does not count the runs of campaigns, and is not of other tenants', async () => {
    tenant = await server.tenant({ limits: { runsPerMinute: 1 } });
    const channel = await tenant.channel('sms');
    const automationId = await automationOf(tenant, { trigger: { type: 'campaign' } });
    const campaign = await tenant.post('/v3/campaigns', {
      name: 'News',
      channelId: channel.id,
      automationId,
      contacts: [
        { phoneNumber: '+15550001111' },
        { phoneNumber: '+15550002222' },
        { phoneNumber: '+15550003333' },
      ],
    });
    expect(campaign.status).toBe(200);
    await server.settle();
    expect((await runs()).map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  });
});

it('I11: contacts of a list start no automation', async () => {
  const channel = await tenant.channel('sms');
  const automationId = await automationOf(tenant, { trigger: { type: 'campaign' } });
  const welcome = await automationOf(tenant, { trigger: { type: 'contact_created', parameters: {} } });
  await tenant.post('/v3/campaigns', {
    name: 'News',
    channelId: channel.id,
    automationId,
    contacts: [{ phoneNumber: '+15550001111' }],
  });
  await server.settle();
  expect(await runs(`eq(automationId,"${welcome}")`)).toEqual([]);
  await contactOf('+15550002222');
  await server.settle();
  expect(await runs(`eq(automationId,"${welcome}")`)).toHaveLength(1);
});

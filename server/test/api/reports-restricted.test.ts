import { beforeEach, expect, it } from 'vitest';
import { automationOf, smallest } from '../kit/automations.ts';
import { type TestPerson, usePerson } from '../kit/people.ts';
import { countAll } from '../kit/reports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const WEEK = { from: '2026-11-09T00:00:00Z', to: '2026-11-16T00:00:00Z' };
const GROUPS = { volumes: 'channel', response_times: 'channel', agents: 'user', automations: 'automation' };

let tenant: TestTenant;
let agent: TestPerson;
let own: string;
let others: string;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-11T09:00:00.000Z'));
  tenant = await server.tenant();
  [own, others] = [(await tenant.channel('sms')).id, (await tenant.channel('sms')).id];
  agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
  await tenant.post('/v3/teams', { name: 'Team', userIds: [agent.userId], channelIds: [own] });
});

const rowsOf = async (caller: Pick<TestTenant, 'post'>, body: Record<string, string>) => {
  const answer = await caller.post('/v3/reports/search', { ...WEEK, ...body });
  expect(answer.status).toBe(200);
  return answer.body.data;
};
/** A contact writes, which starts a run, and a colleague answers. */
async function converse(channelId: string, from: string, colleague: TestPerson): Promise<void> {
  await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text: 'Hi' });
  await server.settle();
  server.clock.advance(60_000);
  const [chat] = (await tenant.post('/v3/chats/search', { query: `eq(channelId,"${channelId}")` })).body.data;
  expect((await colleague.post(`/v3/chats/${chat.id}/messages`, { text: 'Hello' })).status).toBe(200);
  await server.settle();
}

it('a restricted agent reads the figures of the own channels only', async () => {
  const admin = await usePerson(server, tenant, 'admin');
  await automationOf(tenant, { ...smallest, trigger: { type: 'message_received' } });
  await converse(own, '+15550002401', admin);
  const before = new Map<string, object[]>();
  for (const [name, groupBy] of Object.entries(GROUPS))
    before.set(name, await rowsOf(agent, { name, groupBy }));
  expect(before.get('volumes')).toEqual([
    expect.objectContaining({ group: expect.objectContaining({ id: own }) }),
  ]);
  expect(before.get('automations')).toHaveLength(1);
  expect(before.get('agents')).toEqual([
    expect.objectContaining({ group: expect.objectContaining({ id: admin.userId }) }),
  ]);
  await converse(others, '+15550002402', await usePerson(server, tenant, 'admin'));
  for (const isStored of [false, true]) {
    if (isStored) await countAll(server);
    for (const [name, groupBy] of Object.entries(GROUPS)) {
      expect(await rowsOf(agent, { name, groupBy })).toEqual(before.get(name));
      const asked = { name, groupBy, query: `or(eq(channelId,"${others}"),not(eq(channelId,"${others}")))` };
      expect(await rowsOf(agent, asked)).toEqual(before.get(name));
      expect(await rowsOf(agent, { name, groupBy, query: `eq(channelId,"${others}")` })).toEqual([]);
    }
    expect(await rowsOf(tenant, { name: 'volumes', groupBy: 'channel' })).toHaveLength(2);
    const [total] = await rowsOf(agent, { name: 'volumes' });
    expect(total).toMatchObject({ received: 1, sent: 1, failed: 0, opened: 1, reopened: 0, closed: 0 });
  }
});

import { beforeEach, describe, expect, it } from 'vitest';
import { type TestPerson, usePerson } from '../kit/people.ts';
import { countAll, randomFrom, reportOf, storedFigures, totalOf } from '../kit/reports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const START = '2026-11-02T08:00:00.000Z';
const WEEK = { from: '2026-11-02T00:00:00.000Z', to: '2026-11-09T00:00:00.000Z' };
const MINUTE = 60_000;
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date(START));
  tenant = await server.tenant();
});

const write = async (channelId: string, from: string, text = 'Is it still there?') => {
  await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text });
  await server.settle();
};
const chatOf = async (channelId: string, from: string): Promise<string> =>
  (await tenant.post('/v3/chats/search', { search: from, query: `eq(channelId,"${channelId}")` })).body
    .data[0].id;
const iso = (ms: number): string => new Date(ms).toISOString();
const hourOf = (ms: number): string => iso(Math.floor(ms / 3600_000) * 3600_000);

/** What is known about a chat without looking at the database. */
interface KnownChat {
  id: string;
  channelId: string;
  from: string;
  isOpen: boolean;
  waitingSince: number | null;
  isFirst: boolean;
}
type Counts = Record<string, number>;

/** Counts by itself what it does, hour by hour. */
class Model {
  readonly hours = new Map<string, Counts>();
  readonly agents = new Map<string, Counts>();
  readonly first: number[] = [];
  readonly later: number[] = [];
  add(figure: string, agent?: string, by = 1): void {
    const hour = hourOf(server.clock.real().getTime());
    const counts = this.hours.get(hour) ?? {};
    this.hours.set(hour, { ...counts, [figure]: (counts[figure] ?? 0) + by });
    if (agent === undefined) return;
    const own = this.agents.get(agent) ?? {};
    this.agents.set(agent, { ...own, [figure]: (own[figure] ?? 0) + by });
  }
  total(figure: string): number {
    return [...this.hours.values()].reduce((sum, counts) => sum + (counts[figure] ?? 0), 0);
  }
}

async function converse(model: Model, seed: number, steps: number, channels: string[], agents: TestPerson[]) {
  const random = randomFrom(seed);
  const chats: KnownChat[] = [];
  const customers = ['+15550002301', '+15550002302', '+15550002303'];
  const now = (): number => server.clock.real().getTime();
  const receive = async (channelId: string, from: string) => {
    const known = chats.find((chat) => chat.channelId === channelId && chat.from === from);
    await write(channelId, from);
    model.add('received');
    if (known === undefined) {
      model.add('opened');
      chats.push({
        id: await chatOf(channelId, from),
        channelId,
        from,
        isOpen: true,
        waitingSince: now(),
        isFirst: true,
      });
      return;
    }
    if (!known.isOpen) {
      model.add('reopened');
      Object.assign(known, { isOpen: true, isFirst: true });
    }
    known.waitingSince ??= now();
  };
  const reply = async (chat: KnownChat, agent: TestPerson | undefined) => {
    await (agent ?? tenant).post(`/v3/chats/${chat.id}/messages`, { text: 'Yes' });
    await server.settle();
    model.add('sent', agent?.userId);
    if (!chat.isOpen || chat.waitingSince === null) return;
    (chat.isFirst ? model.first : model.later).push(now() - chat.waitingSince);
    model.add(chat.isFirst ? 'firstResponses' : 'laterResponses', agent?.userId);
    Object.assign(chat, { waitingSince: null, isFirst: false });
  };
  const close = async (chat: KnownChat, agent: TestPerson) => {
    await agent.post(`/v3/chats/${chat.id}/status`, { status: 'closed' });
    await server.settle();
    if (!chat.isOpen) return;
    model.add('closed', agent.userId);
    Object.assign(chat, { isOpen: false, waitingSince: null });
  };
  for (let step = 0; step < steps; step += 1) {
    server.clock.advance((1 + random(50)) * MINUTE + random(60_000));
    const chat = chats[random(chats.length)];
    const agent = agents[random(agents.length)] as TestPerson;
    const what = random(10);
    if (!chat || what < 5)
      await receive(channels[random(channels.length)] as string, customers[random(3)] as string);
    else if (what < 8) await reply(chat, random(4) === 0 ? undefined : agent);
    else await close(chat, agent);
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length / 2) - 1] as number;

describe('a report', () => {
  it('counts what happened, now and when it is stored, in whatever order', async () => {
    const channels = [(await tenant.channel('sms')).id, (await tenant.channel('whatsapp')).id];
    const agents = [await usePerson(server, tenant, 'agent'), await usePerson(server, tenant, 'admin')];
    const model = new Model();
    await converse(model, 7, 60, channels, agents);

    async function check(): Promise<void> {
      const hours = await reportOf(tenant, { name: 'volumes', ...WEEK, interval: 'hour' });
      expect(hours).toHaveLength(7 * 24);
      for (const { at, group, ...figures } of hours) {
        const { received = 0, sent = 0, opened = 0, reopened = 0, closed = 0 } = model.hours.get(at) ?? {};
        expect([at, group, figures]).toEqual([
          at,
          null,
          { received, sent, failed: 0, opened, reopened, closed },
        ]);
      }
      const times = await totalOf(tenant, { name: 'response_times', ...WEEK });
      expect([times.firstResponses, times.laterResponses]).toEqual([model.first.length, model.later.length]);
      for (const [name, values] of [
        ['first', model.first],
        ['later', model.later],
      ] as const) {
        const average = values.reduce((sum, value) => sum + value, 0) / values.length / 1000;
        expect(times[`${name}ResponseAverageSeconds`]).toBeCloseTo(average, 0);
        const exact = median(values) / 1000;
        expect(Math.abs(times[`${name}ResponseMedianSeconds`] - exact)).toBeLessThan(0.05 * exact);
      }
      const rows = await reportOf(tenant, { name: 'agents', ...WEEK, groupBy: 'user' });
      expect(rows).toHaveLength(2);
      for (const { group, replies, closed, firstResponses, laterResponses } of rows) {
        const own = model.agents.get(group.id) ?? {};
        expect({ replies, closed, firstResponses, laterResponses }).toEqual({
          replies: own.sent ?? 0,
          closed: own.closed ?? 0,
          firstResponses: own.firstResponses ?? 0,
          laterResponses: own.laterResponses ?? 0,
        });
      }
    }

    await check();
    for (const figure of ['received', 'sent', 'opened', 'reopened', 'closed'])
      expect(model.total(figure)).toBeGreaterThan(0);
    await countAll(server);
    await check();
    const { rows } = await server.system.db.query(
      'select count(*)::int as left from report_marks where tenant_id = $1',
      [tenant.id],
    );
    expect(rows[0]?.left).toBe(0);
  });

  it('is grouped by channel and by author, whose figures add up', async () => {
    const [one, other] = [(await tenant.channel('sms')).id, (await tenant.channel()).id];
    const agent = await usePerson(server, tenant, 'agent');
    for (const [channelId, count] of [
      [one, 3],
      [other, 2],
    ] as const)
      for (let n = 0; n < count; n += 1) await write(channelId, `+1555000240${n}`);
    const chatId = await chatOf(one, '+15550002400');
    await agent.post(`/v3/chats/${chatId}/messages`, { text: 'Hello' });
    await tenant.post(`/v3/chats/${chatId}/messages`, { text: 'From a program' });
    await server.settle();
    const byChannel = await reportOf(tenant, { name: 'volumes', ...WEEK, groupBy: 'channel' });
    expect(
      byChannel
        .map(({ group, received, sent }: never) => [(group as { id: string }).id, received, sent])
        .sort(),
    ).toEqual(
      [
        [one, 3, 2],
        [other, 2, 0],
      ].sort(),
    );
    const byAuthor = await reportOf(tenant, { name: 'volumes', ...WEEK, groupBy: 'author' });
    expect(
      byAuthor.map(({ group, received, sent }: never) => [(group as { id: string }).id, received, sent]),
    ).toEqual([
      ['api', 0, 1],
      ['contact', 5, 0],
      ['user', 0, 1],
    ]);
    const filtered = await totalOf(tenant, { name: 'volumes', ...WEEK, query: `eq(channelId,"${other}")` });
    expect(filtered).toMatchObject({ received: 2, sent: 0, opened: 2 });
  });

  it('counts a scheduled message when it is sent, and one that is cancelled never', async () => {
    const { id } = await tenant.channel('sms');
    await write(id, '+15550002400');
    const chatId = await chatOf(id, '+15550002400');
    const scheduledAt = '2026-11-03T10:10:00.000Z';
    await tenant.post(`/v3/chats/${chatId}/messages`, { text: 'Tomorrow', scheduledAt });
    const other = await tenant.post(`/v3/chats/${chatId}/messages`, { text: 'Never', scheduledAt });
    await tenant.delete(`/v3/messages/${other.body.data.id}`);
    server.clock.set(new Date('2026-11-03T10:20:00.000Z'));
    await countAll(server);
    const days = await reportOf(tenant, { name: 'volumes', ...WEEK, interval: 'day' });
    expect(days.map(({ sent }: { sent: number }) => sent)).toEqual([0, 1, 0, 0, 0, 0, 0]);
    const times = await totalOf(tenant, { name: 'response_times', ...WEEK });
    expect(times).toMatchObject({ firstResponses: 1, laterResponses: 0 });
    expect(times.firstResponseAverageSeconds).toBeGreaterThan(26 * 3600);
  });

  it('has nothing of another tenant', async () => {
    const { id } = await tenant.channel('sms');
    await write(id, '+15550002400');
    const other = await server.tenant();
    await countAll(server);
    for (const name of ['volumes', 'agents', 'campaigns', 'automations'])
      for (const value of Object.values((await totalOf(other, { name, ...WEEK })) as object))
        expect([0, null, WEEK.from]).toContain(value);
    expect(await storedFigures(server, other)).toEqual([]);
    expect((await totalOf(tenant, { name: 'volumes', ...WEEK })).received).toBe(1);
  });

  it('shows a restricted agent the figures of the own channels only', async () => {
    const [own, others] = [(await tenant.channel('sms')).id, (await tenant.channel()).id];
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    const team = await tenant.post('/v3/teams', {
      name: 'Team',
      userIds: [agent.userId],
      channelIds: [own],
    });
    for (const channelId of [own, others, others]) await write(channelId, `+1555000240${channelId.length}`);
    for (const isStored of [false, true]) {
      if (isStored) await countAll(server);
      expect(await totalOf(agent, { name: 'volumes', ...WEEK })).toMatchObject({ received: 1, opened: 1 });
      const rows = await reportOf(agent, { name: 'volumes', ...WEEK, groupBy: 'channel' });
      expect(rows.map(({ group }: { group: { id: string } }) => group.id)).toEqual([own]);
      const asked = { name: 'volumes', ...WEEK, query: `eq(channelId,"${others}")` };
      expect((await totalOf(agent, asked)).received).toBe(0);
      expect((await totalOf(tenant, asked)).received).toBe(2);
      const ofTeam = { name: 'volumes', ...WEEK, query: `contains(teamIds,"${team.body.data.id}")` };
      expect((await totalOf(tenant, ofTeam)).received).toBe(1);
    }
  });
});

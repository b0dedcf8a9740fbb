import { beforeAll, describe, expect, it } from 'vitest';
import { countAll, reportOf } from '../kit/reports.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
let channelId: string;
/** Half an hour after and before midnight in Berlin and in Kathmandu, around the day on which Berlin's clocks go back. */
const TIMES = [
  '2026-10-24T21:30:00.000Z',
  '2026-10-24T22:30:00.000Z',
  '2026-10-25T22:30:00.000Z',
  '2026-10-25T23:30:00.000Z',
  '2026-10-26T18:10:00.000Z',
  '2026-10-26T18:20:00.000Z',
];
beforeAll(async () => {
  server.clock.set(new Date('2026-10-24T20:00:00.000Z'));
  tenant = await server.tenant();
  channelId = (await tenant.channel('sms')).id;
  for (const time of TIMES) {
    server.clock.set(new Date(time));
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550002400', text: 'Hello' });
    await server.settle();
  }
  await countAll(server);
});
const ask = (body: object) => tenant.post('/v3/reports/search', { name: 'volumes', ...body });
const refusal = async (body: object) => (await ask(body)).body.error.invalidParams;
const received = (rows: { at: string; received: number }[]) =>
  rows.filter((row) => row.received > 0).map((row) => [row.at, row.received]);

describe('the days of a report', () => {
  it('begin at midnight in the time zone, also when a day has 25 hours', async () => {
    const rows = await reportOf(tenant, {
      name: 'volumes',
      from: '2026-10-23T22:00:00Z',
      to: '2026-10-26T23:00:00Z',
      interval: 'day',
      timezone: 'Europe/Berlin',
    });
    expect(rows.map(({ at }: { at: string }) => at)).toEqual([
      '2026-10-23T22:00:00.000Z',
      '2026-10-24T22:00:00.000Z',
      '2026-10-25T23:00:00.000Z',
    ]);
    expect(rows.map((row: { received: number }) => row.received)).toEqual([1, 2, 3]);
  });

  it('begin at a quarter past where clocks do', async () => {
    const rows = await reportOf(tenant, {
      name: 'volumes',
      from: '2026-10-25T18:15:00Z',
      to: '2026-10-27T18:15:00Z',
      interval: 'day',
      timezone: 'Asia/Kathmandu',
    });
    expect(received(rows)).toEqual([
      ['2026-10-25T18:15:00.000Z', 3],
      ['2026-10-26T18:15:00.000Z', 1],
    ]);
  });

  it('are those of the tenant unless another time zone is given', async () => {
    await tenant.put('/v3/tenant', { timezone: 'Europe/Berlin' });
    const rows = await reportOf(tenant, {
      name: 'volumes',
      from: '2026-10-24T20:00:00Z',
      to: '2026-10-27T00:00:00Z',
      interval: 'day',
    });
    // The first one is cut by the period.
    expect(received(rows)).toEqual([
      ['2026-10-24T20:00:00.000Z', 1],
      ['2026-10-24T22:00:00.000Z', 2],
      ['2026-10-25T23:00:00.000Z', 3],
    ]);
  });
});

describe('a period', () => {
  it('of ten years is answered by the month, and refused by the day with what to do', async () => {
    const decade = { from: '2017-01-01T00:00:00Z', to: '2027-01-01T00:00:00Z' };
    const rows = await reportOf(tenant, { name: 'volumes', ...decade, interval: 'month', timezone: 'UTC' });
    expect(rows).toHaveLength(120);
    expect(received(rows)).toEqual([['2026-10-01T00:00:00.000Z', 6]]);
    expect(await refusal({ ...decade, interval: 'day' })).toEqual({
      interval: {
        key: 'custom',
        message: 'The period has more than 1000 of them; choose a longer interval or a shorter period',
      },
    });
    const long = { ...decade, to: '2027-02-01T00:00:00Z' };
    expect((await refusal(long)).to.message).toBe(
      'Must be at most ten years after from; ask for a shorter period',
    );
  });

  it('counts the quarters of an hour in which it begins and ends as a whole', async () => {
    const body = { name: 'volumes', from: '2026-10-26T18:14:59.999Z', to: '2026-10-26T18:15:00.001Z' };
    const whole = { ...body, from: '2026-10-26T18:00:00.000Z', to: '2026-10-26T18:30:00.000Z' };
    const rows = await reportOf(tenant, { ...body, interval: 'hour' });
    expect(rows).toEqual(await reportOf(tenant, { ...whole, interval: 'hour' }));
    expect(rows).toMatchObject([{ at: whole.from, received: 2 }]);
  });

  it('is filtered only by what its figures have', async () => {
    const day = { from: '2026-10-24T00:00:00Z', to: '2026-10-25T00:00:00Z' };
    const id = '019a82a0-0000-7000-8000-00000000ffff';
    const filters = {
      channelId: `eq(channelId,"${id}")`,
      teamIds: `contains(teamIds,"${id}")`,
      authorType: 'ne(authorType,"user")',
      userId: `not(eq(userId,"${id}"))`,
      campaignId: `or(eq(channelId,"${id}"),eq(campaignId,"${id}"))`,
      automationId: `isNull(automationId)`,
    };
    const always = ['channelId', 'teamIds'];
    for (const [name, own] of [
      ['volumes', ['authorType', 'userId']],
      ['response_times', ['userId']],
      ['agents', ['userId']],
      ['campaigns', ['campaignId']],
      ['automations', ['automationId']],
    ] as const)
      for (const [field, query] of Object.entries(filters)) {
        const { status, body } = await tenant.post('/v3/reports/search', { name, ...day, query });
        const isKnown = [...always, ...own].includes(field);
        expect([name, field, status]).toEqual([name, field, isKnown ? 200 : 400]);
        if (!isKnown)
          expect(body.error.invalidParams.query.message).toBe(
            `The report ${name} cannot be filtered by ${field}, only by ${[...always, ...own].join(', ')}`,
          );
      }
    const csv = new URLSearchParams({ name: 'agents', ...day, query: filters.campaignId });
    expect((await tenant.get(`/v3/reports/export.csv?${csv}`)).status).toBe(400);
  });

  it('is refused with the name of what is wrong', async () => {
    const day = { from: '2026-10-24T00:00:00Z', to: '2026-10-25T00:00:00Z' };
    const cases: [object, string, string][] = [
      [{ ...day, to: day.from }, 'to', 'Must be after from'],
      [
        { ...day, timezone: 'Mars/Olympus' },
        'timezone',
        'Must be the name of a time zone, such as Europe/Berlin',
      ],
      [{ ...day, groupBy: 'user' }, 'groupBy', 'The report volumes can be grouped by channel or author'],
    ];
    for (const [body, path, message] of cases) expect((await refusal(body))[path].message).toBe(message);
    expect(Object.keys(await refusal({ ...day, query: 'eq(nothing,"x")' }))).toEqual(['query']);
    expect(Object.keys(await refusal({ ...day, name: 'weather' }))).toEqual(['name']);
    expect(Object.keys(await refusal({ ...day, unknown: 1 }))).toEqual(['unknown']);
    expect(Object.keys(await refusal({}))).toEqual(['from', 'to']);
  });

  it('needs the scope', async () => {
    const token = await tenant.tokenWith(['chats:read']);
    const day = { name: 'volumes', from: '2026-10-24T00:00:00Z', to: '2026-10-25T00:00:00Z' };
    const answer = await server.call('POST', '/v3/reports/search', { token, body: day });
    expect(answer.status).toBe(403);
  });
});

it('is downloaded as CSV, in which a name is no formula', async () => {
  await tenant.put(`/v3/channels/${channelId}`, { name: '=cmd|calc' });
  const query = new URLSearchParams({
    name: 'volumes',
    from: '2026-10-24T00:00:00Z',
    to: '2026-11-01T00:00:00Z',
    groupBy: 'channel',
  });
  const answer = await tenant.get(`/v3/reports/export.csv?${query}`);
  expect(answer.headers['content-disposition']).toBe('attachment; filename="volumes.csv"');
  expect(answer.text.trimEnd().split('\r\n')).toEqual([
    'at,groupId,group,received,sent,failed,opened,reopened,closed',
    `2026-10-24T00:00:00.000Z,${channelId},'=cmd|calc,6,0,0,1,0,0`,
  ]);
  const latest = await tenant.get('/v3/reports/export.csv');
  expect([latest.status, latest.text.split('\r\n')[1]]).toEqual([
    200,
    expect.stringMatching(/,6,0,0,1,0,0$/),
  ]);
  expect((await tenant.get('/v3/reports/export.csv?name=weather')).status).toBe(400);
});

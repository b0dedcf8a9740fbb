import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf, smallest } from '../kit/automations.ts';
import { usePerson } from '../kit/people.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';
import { advance, testTenant } from '../kit/test-clock.ts';

const server = await useServer();
/** A Sunday. */
const NOW = '2026-11-15T01:02:03.456Z';
const OFFICE = { timezone: 'Europe/Berlin', mon: [['09:00', '17:00']], wed: [['10:00', '12:00']] };
const MONDAY = '2026-11-16T08:00:00.000Z';
const WEDNESDAY = '2026-11-18T09:00:00.000Z';

let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date(NOW));
  tenant = await server.tenant();
});

const dataOf = ({ status, body }: Answer) => {
  expect([status, body.error]).toEqual([200, undefined]);
  return body.data;
};
const setHours = async (businessHours: unknown, path = '/v3/tenant') =>
  dataOf(await tenant.put(path, { businessHours })).businessHours;
const describeHours = async (body: object = {}) =>
  dataOf(await tenant.post('/v3/business_hours/describe', body));

describe('business hours', () => {
  it('are stored in the order of time, read back as they are, and removed with null', async () => {
    expect(dataOf(await tenant.get('/v3/tenant'))).toMatchObject({ businessHours: null, quietHours: null });
    const stored = await setHours({
      mon: [
        ['13:00', '24:00'],
        ['09:00', '12:00'],
      ],
      tue: [],
      closedOn: ['2026-12-26', '2026-12-25'],
      exceptions: [
        { date: '2026-12-31', hours: [['09:00', '12:00']] },
        { date: '2026-12-24', hours: [['09:00', '12:00']] },
      ],
    });
    expect(stored).toEqual({
      mon: [
        ['09:00', '12:00'],
        ['13:00', '24:00'],
      ],
      tue: [],
      closedOn: ['2026-12-25', '2026-12-26'],
      exceptions: [
        { date: '2026-12-24', hours: [['09:00', '12:00']] },
        { date: '2026-12-31', hours: [['09:00', '12:00']] },
      ],
    });
    const read = dataOf(await tenant.get('/v3/tenant'));
    expect(dataOf(await tenant.put('/v3/tenant', read)).businessHours).toEqual(stored);
    await tenant.put('/v3/tenant', { name: 'Other' });
    expect(dataOf(await tenant.get('/v3/tenant')).businessHours).toEqual(stored);
    expect(await setHours(null)).toBeNull();
  });

  const dates = (count: number) =>
    Array.from({ length: count }, (_, day) => new Date(day * 86_400_000).toISOString().slice(0, 10));

  it.each([
    ['businessHours.timezone', { timezone: 'Mars/Olympus' }],
    ['businessHours.timezone', { timezone: '' }],
    ['businessHours.mon.0', { mon: [['17:00', '09:00']] }],
    ['businessHours.mon.0', { mon: [['09:00', '09:00']] }],
    ['businessHours.mon.0', { mon: [['09:00']] }],
    ['businessHours.mon.0.0', { mon: [['9:00', '17:00']] }],
    ['businessHours.mon.0.1', { mon: [['09:00', '24:01']] }],
    ['businessHours.mon.0.0', { mon: [['25:00', '23:00']] }],
    [
      'businessHours.sat.1',
      {
        sat: [
          ['09:00', '12:00'],
          ['11:59', '13:00'],
        ],
      },
    ],
    [
      'businessHours.sat.0',
      {
        sat: [
          ['09:00', '12:00'],
          ['08:00', '17:00'],
        ],
      },
    ],
    ['businessHours.monday', { monday: [] }],
    ['businessHours.closedOn.0', { closedOn: ['2026-02-30'] }],
    ['businessHours.closedOn.1', { closedOn: ['2026-12-25', '2026-12-25'] }],
    [
      'businessHours.exceptions.0.date',
      { closedOn: ['2026-12-25'], exceptions: [{ date: '2026-12-25', hours: [['09:00', '10:00']] }] },
    ],
    ['businessHours.exceptions.0.hours', { exceptions: [{ date: '2026-12-25', hours: [] }] }],
    [
      'businessHours.exceptions.0.hours.0',
      { exceptions: [{ date: '2026-12-25', hours: [['10:00', '09:00']] }] },
    ],
    ['businessHours.closedOn', { closedOn: dates(501) }],
    [
      'businessHours.exceptions',
      { exceptions: dates(501).map((date) => ({ date, hours: [['09:00', '10:00']] })) },
    ],
    ['businessHours', 'always'],
  ])('name %s as what is wrong with %j, and stay as they are', async (path, businessHours) => {
    for (const target of ['/v3/tenant', `/v3/channels/${(await tenant.channel()).id}`]) {
      const answer = await tenant.put(target, { businessHours });
      expect([answer.status, Object.keys(answer.body.error?.invalidParams ?? {})]).toEqual([400, [path]]);
      expect(dataOf(await tenant.get(target)).businessHours).toBeNull();
    }
  });

  it('with 10,000 dates are refused', async () => {
    const answer = await tenant.put('/v3/tenant', { businessHours: { closedOn: dates(10_000) } });
    expect(answer.status).toBe(400);
    expect(dataOf(await tenant.get('/v3/tenant')).businessHours).toBeNull();
  });

  it('of all channels have a limit together, so that they can be read at once', async () => {
    const spans = Array.from({ length: 12 }, (_, index) => {
      const hour = String(2 * index).padStart(2, '0');
      return [`${hour}:00`, `${hour}:30`];
    });
    const businessHours = { exceptions: dates(500).map((date) => ({ date, hours: spans })) };
    const statuses: number[] = [];
    for (let count = 0; count < 9; count += 1) {
      const { id } = await tenant.channel();
      statuses.push((await tenant.put(`/v3/channels/${id}`, { businessHours })).status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([200, 400]);
    const input = { kind: 'sms', provider: 'sandbox', name: 'One more', address: '+15550009999' };
    const refused = await tenant.post('/v3/channels', { ...input, businessHours });
    expect(Object.keys(refused.body.error.invalidParams)).toEqual(['businessHours']);
    expect((await tenant.post('/v3/channels', input)).status).toBe(200);
  });

  it('say how hours over midnight are written', async () => {
    const answer = await tenant.put('/v3/tenant', { businessHours: { fri: [['22:00', '02:00']] } });
    expect(answer.body.error.invalidParams['businessHours.fri.0'].message).toContain('["00:00","02:00"]');
    await setHours({ fri: [['22:00', '24:00']], sat: [['00:00', '02:00']] });
    expect(await describeHours({ at: '2026-11-20T23:00:00Z' })).toMatchObject({
      isOpen: true,
      closesAt: '2026-11-21T02:00:00.000Z',
    });
  });

  it('say whether it is open now, and when that changes', async () => {
    expect(await describeHours()).toMatchObject({ at: NOW, isOpen: true, opensAt: null, closesAt: null });
    await setHours(OFFICE);
    expect(await describeHours()).toMatchObject({
      timezone: 'Europe/Berlin',
      isOpen: false,
      opensAt: MONDAY,
      closesAt: null,
    });
    expect(await describeHours({ at: '2026-11-16T09:00:00Z' })).toMatchObject({
      isOpen: true,
      closesAt: '2026-11-16T16:00:00.000Z',
    });
    const others = { sun: [['00:00', '02:00']] };
    expect(await describeHours({ businessHours: others })).toMatchObject({ timezone: 'UTC', isOpen: true });
    expect(await describeHours({ businessHours: {} })).toMatchObject({ isOpen: false, opensAt: null });
    // Nothing of that was stored.
    expect(await describeHours()).toMatchObject({ opensAt: MONDAY });
  });

  it('of a channel are used instead of those of the tenant, and of no other channel', async () => {
    const [one, other] = [await tenant.channel(), await tenant.channel('sms')];
    await setHours(OFFICE);
    await setHours({ sun: [['00:00', '02:00']] }, `/v3/channels/${one.id}`);
    expect(await describeHours({ channelId: one.id })).toMatchObject({ isOpen: true });
    expect(await describeHours({ channelId: other.id })).toMatchObject({ isOpen: false });
    expect(await describeHours({ channelId: one.id, businessHours: null })).toMatchObject({ isOpen: false });
    await setHours(null, `/v3/channels/${one.id}`);
    expect(await describeHours({ channelId: one.id })).toMatchObject({ isOpen: false });
    const foreign = await (await server.tenant()).channel();
    const refused = await tenant.post('/v3/business_hours/describe', { channelId: foreign.id });
    expect(refused.status).toBe(404);
  });

  it('can be given when a channel is created', async () => {
    const made = await tenant.post('/v3/channels', {
      kind: 'sms',
      provider: 'sandbox',
      name: 'Night',
      address: '+15550009999',
      businessHours: OFFICE,
      quietHours: { isOff: true },
    });
    expect(dataOf(made)).toMatchObject({ businessHours: OFFICE, quietHours: { isOff: true } });
  });

  it('can be asked about by an agent', async () => {
    const agent = await usePerson(server, tenant, 'agent');
    const answer = await agent.call('POST', '/v3/business_hours/describe', { body: {} });
    expect([answer.status, answer.body.data.isOpen]).toEqual([200, true]);
  });
});

describe('a run', () => {
  const FROM = '+15550001111';
  const WAIT = { id: 'wait', type: 'wait', parameters: { untilOpen: true } };
  let channelId: string;
  beforeEach(async () => {
    channelId = (await tenant.channel()).id;
  });
  const write = async (text = 'hello') => {
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: FROM, text });
    await server.settle();
  };
  const onMessage = (steps: object[]) =>
    automationOf(tenant, { ...smallest, trigger: { type: 'message_received' }, steps });
  const runOf = async (automationId: string) => {
    const found = dataOf(
      await tenant.post('/v3/automation_runs/search', { query: `eq(automationId,"${automationId}")` }),
    );
    return dataOf(await tenant.get(`/v3/automation_runs/${found[0].id}`));
  };
  const moveTo = async (time: string) => {
    server.clock.set(new Date(time));
    await server.settle();
  };

  it('waits until its channel opens, goes on then, and at once while it is open', async () => {
    await setHours(OFFICE);
    const id = await onMessage([WAIT]);
    await write();
    expect(await runOf(id)).toMatchObject({ status: 'waiting', trace: [{ detail: { opensAt: MONDAY } }] });
    await moveTo('2026-11-16T07:59:59.999Z');
    expect((await runOf(id)).status).toBe('waiting');
    await moveTo(MONDAY);
    expect((await runOf(id)).status).toBe('completed');
    const other = await onMessage([WAIT]);
    await write('again');
    expect(await runOf(other)).toMatchObject({ status: 'completed', trace: [{ type: 'wait' }] });
  });

  it.each([
    ['the tenant', () => '/v3/tenant'],
    ['its channel', () => `/v3/channels/${channelId}`],
  ])('that waits follows a change of the hours of %s, to earlier and to later', async (_, path) => {
    await setHours(OFFICE, path());
    const id = await onMessage([WAIT]);
    await write();
    await setHours({ ...OFFICE, mon: [] }, path());
    await server.settle();
    expect((await runOf(id)).trace[0].detail).toEqual({ opensAt: WEDNESDAY });
    await moveTo(MONDAY);
    expect((await runOf(id)).status).toBe('waiting');
    await setHours({ timezone: 'Europe/Berlin', mon: [['09:30', '10:00']] }, path());
    await server.settle();
    await moveTo('2026-11-16T08:30:00.000Z');
    expect((await runOf(id)).status).toBe('completed');
  });

  it('goes on when the hours are removed, or the time zone makes it open', async () => {
    await setHours({ sun: [['02:00', '03:00']] });
    const id = await onMessage([WAIT]);
    await write();
    expect((await runOf(id)).status).toBe('waiting');
    await tenant.put('/v3/tenant', { timezone: 'Europe/Berlin' });
    await server.settle();
    expect((await runOf(id)).status).toBe('completed');
  });

  it('fails with the reason if it never opens, and can be retried when it does', async () => {
    await setHours({ exceptions: [{ date: '2026-11-14', hours: [['09:00', '17:00']] }] });
    const id = await onMessage([WAIT]);
    await write();
    const failed = await runOf(id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'never_open' } });
    await setHours(null);
    dataOf(await tenant.post(`/v3/automation_runs/${failed.id}/retry`));
    await server.settle();
    expect((await runOf(id)).status).toBe('completed');
  });

  it('branches by whether it is open, and texts tell when it opens', async () => {
    await setHours(OFFICE);
    const id = await onMessage([
      {
        id: 'open',
        type: 'branch',
        parameters: { cases: [{ when: 'eq(hours.isOpen,true)', next: 'yes' }] },
      },
      {
        id: 'no',
        type: 'send_message',
        parameters: { text: 'We open {{ hours.opensAt | date: "%A %H:%M", "Europe/Berlin" }}' },
      },
      { id: 'end', type: 'end' },
      { id: 'yes', type: 'send_message', parameters: { text: 'We are here' } },
    ]);
    await write();
    const { trace } = await runOf(id);
    expect(trace[0].detail.values).toEqual({ 'hours.isOpen': false });
    expect(trace[1].detail.text).toBe('We open Monday 09:00');
    const [{ contactId }] = dataOf(await tenant.post('/v3/chats/search', {}));
    const dry = async (at: string) =>
      dataOf(await tenant.post(`/v3/automations/${id}/dry_run`, { contactId, message: { text: 'hi' }, at }));
    expect((await dry('2026-11-16T09:00:00Z')).trace[1].output.text).toBe('We are here');
    expect((await dry('2026-11-17T09:00:00Z')).trace[1].output.text).toBe('We open Wednesday 10:00');
  });

  it('is tried out to its end: a dry run does not wait', async () => {
    await setHours(OFFICE);
    const id = await automationOf(tenant, { ...smallest, steps: [WAIT] });
    await write();
    const [{ contactId }] = dataOf(await tenant.post('/v3/chats/search', {}));
    const run = dataOf(await tenant.post(`/v3/automations/${id}/dry_run`, { contactId }));
    expect(run).toMatchObject({ status: 'completed', startedAt: NOW, endedAt: MONDAY });
  });

  it('is checked: nobody has set hours, or they never open', async () => {
    const definition = { ...smallest, steps: [WAIT] };
    const warnings = async () =>
      dataOf(await tenant.post('/v3/automations/check', definition)).issues.map(
        ({ code, path }: { code: string; path: string }) => [path, code],
      );
    expect(await warnings()).toEqual([['steps.0', 'always_open']]);
    await setHours({});
    expect(await warnings()).toEqual([['steps.0', 'never_open']]);
    await setHours(OFFICE);
    expect(await warnings()).toEqual([]);
  });

  it.each([
    [{ untilOpen: false }, 'steps.0.parameters.untilOpen'],
    [{ untilOpen: true, for: 'PT1H' }, 'steps.0.parameters'],
  ])('cannot wait with %j', async (parameters, path) => {
    const answer = await tenant.post('/v3/automations', {
      ...smallest,
      steps: [{ id: 'wait', type: 'wait', parameters }],
    });
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, [path]]);
  });

  it('of a test tenant opens by the clock of that tenant', async () => {
    tenant = await testTenant(server);
    channelId = (await tenant.channel()).id;
    await setHours(OFFICE);
    const id = await onMessage([WAIT]);
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: FROM, text: 'hello' });
    await advance(tenant, { by: 'PT0S' });
    const { trace, status } = await runOf(id);
    expect(status).toBe('waiting');
    await advance(tenant, { to: trace[0].detail.opensAt });
    expect((await runOf(id)).status).toBe('completed');
  });
});

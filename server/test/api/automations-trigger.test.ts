import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { automationOf, personOf } from '../kit/automations.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const RUN_ID = 'x-automation-run-id';

const fromNow = (ms: number): string => new Date(server.clock.now().getTime() + ms).toISOString();
const runOf = async (tenant: TestTenant, answer: Answer) =>
  (await tenant.get(`/v3/automation_runs/${answer.headers[RUN_ID]}`)).body.data;
const countRuns = async (tenant: TestTenant): Promise<number> =>
  (await tenant.post('/v3/automation_runs/search', {})).body.pagination.total;

async function ready(more: object = {}) {
  const tenant = await server.tenant();
  const { contactId, chatId } = await personOf(server, tenant);
  const id = await automationOf(tenant, more);
  const trigger = (body: object = {}, options = {}) =>
    tenant.post(`/v3/automations/${id}/trigger`, { contactId, ...body }, options);
  return { tenant, contactId, chatId, id, trigger };
}

describe('triggering an automation', () => {
  it('records a run that is due now, and answers with nothing but success and its id in the header', async () => {
    const { tenant, contactId, id, trigger } = await ready();
    const answer = await trigger();
    expect(answer.text).toBe('{"success":true}');
    const run = await runOf(tenant, answer);
    const now = server.clock.now().toISOString();
    const { activeVersionId } = (await tenant.get(`/v3/automations/${id}`)).body.data;
    expect(run).toEqual({
      id: answer.headers[RUN_ID],
      automationId: id,
      versionId: activeVersionId,
      contactId,
      chatId: null,
      campaignId: null,
      status: 'scheduled',
      variables: {},
      scheduledAt: now,
      startedAt: null,
      endedAt: null,
      step: null,
      error: null,
      trace: [],
      createdAt: now,
      updatedAt: now,
    });
    const again = await trigger();
    expect(again.headers[RUN_ID]).not.toBe(answer.headers[RUN_ID]);
    expect(await countRuns(tenant)).toBe(2);
  });

  it('takes one statement when the automation was triggered before', async () => {
    const { trigger } = await ready({ variables: [{ name: 'a', type: 'string', default: 'x' }] });
    await trigger();
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    expect((await trigger()).status).toBe(200);
    const names = sent.mock.calls.map(([query]) => (query as { name?: string }).name ?? query);
    sent.mockRestore();
    // Wake-ups are sent after the request, and a new connection sets its session up first.
    const ofRequest = names.filter(
      (name) => name !== 'wakeups.notify' && !String(name).includes('set_config'),
    );
    expect(ofRequest).toEqual(['automation_runs.insert']);
  });

  it('works whatever the trigger of the automation is', async () => {
    const { trigger } = await ready({
      trigger: { type: 'message_received', parameters: { keywords: ['hi'] } },
    });
    expect((await trigger()).status).toBe(200);
  });

  it('puts the run into the queue of its automation', async () => {
    const { tenant, id, trigger } = await ready();
    const answer = await trigger({ scheduledAt: fromNow(DAY) });
    const { rows } = await server.system.db.query(
      'select shard, automation_id, due_at, attempts, revision from automation_runs where tenant_id = $1',
      [tenant.id],
    );
    expect(rows).toEqual([
      {
        shard: Number.parseInt(id.slice(-2), 16) % 64,
        automation_id: id,
        due_at: new Date(fromNow(DAY)),
        attempts: 0,
        revision: 0,
      },
    ]);
    expect((await runOf(tenant, answer)).scheduledAt).toBe(fromNow(DAY));
  });

  it.each([
    ['a year ahead', 365 * DAY, 365 * DAY],
    ['in a moment', 1, 1],
    ['now', 0, 0],
    ['a minute late, which is now', -MINUTE, 0],
    ['five minutes late, which is now', -5 * MINUTE, 0],
  ])('can be for %s', async (_, asked, expected) => {
    const { tenant, trigger } = await ready();
    const answer = await trigger({ scheduledAt: fromNow(asked) });
    expect((await runOf(tenant, answer)).scheduledAt).toBe(fromNow(expected));
  });

  it.each([
    ['more than five minutes ago', () => fromNow(-5 * MINUTE - 1), 'custom'],
    ['more than a year ahead', () => fromNow(366 * DAY), 'custom'],
    ['at a time that cannot be read', () => 'tomorrow', 'invalid_string'],
    ['on the 30th of February', () => '2027-02-30T00:00:00Z', 'invalid_string'],
    ['in the year 0001', () => '0001-01-01T00:00:00Z', 'custom'],
    ['in the year 9999', () => '9999-12-31T23:59:59Z', 'custom'],
    ['at a number', () => 5, 'invalid_type'],
  ])('cannot be for %s', async (_, scheduledAt, key) => {
    const { tenant, trigger } = await ready();
    const { status, body } = await trigger({ scheduledAt: scheduledAt() });
    expect([status, body.error.invalidParams.scheduledAt.key]).toEqual([400, key]);
    expect(await countRuns(tenant)).toBe(0);
  });

  it('is validated before the automation is looked for', async () => {
    const { tenant, id } = await ready();
    expect((await tenant.post(`/v3/automations/${id}/status`, { status: 'inactive' })).status).toBe(200);
    const contactId = '019a82a0-0000-7000-8000-00000000ffff';
    for (const automationId of [contactId, 'x', id]) {
      const body = { contactId, scheduledAt: '2001-01-01T00:00:00Z' };
      const answer = await tenant.post(`/v3/automations/${automationId}/trigger`, body);
      expect([answer.status, Object.keys(answer.body.error.invalidParams ?? {})]).toEqual([
        400,
        ['scheduledAt'],
      ]);
    }
  });

  it('names every parameter that is wrong', async () => {
    const { tenant, trigger } = await ready({
      variables: [{ name: 'plan', type: 'string', required: true }],
    });
    const { status, body } = await trigger({ scheduledAt: fromNow(366 * DAY) });
    expect([status, Object.keys(body.error.invalidParams).sort()]).toEqual([
      400,
      ['scheduledAt', 'variables.plan'],
    ]);
    expect(await countRuns(tenant)).toBe(0);
  });

  it('takes an offset and answers in UTC', async () => {
    const { tenant, trigger } = await ready();
    const answer = await trigger({ scheduledAt: '2026-12-01T02:00:00+02:00' });
    expect((await runOf(tenant, answer)).scheduledAt).toBe('2026-12-01T00:00:00.000Z');
  });
});

describe('the variables of a run', () => {
  const variables = [
    { name: 'plan', type: 'string', required: true },
    { name: 'seats', type: 'number', default: 1 },
    { name: 'vip', type: 'boolean', required: true, default: false },
    { name: 'note', type: 'string' },
  ];

  it('are those given, with defaults for what is not, and what nobody declared is kept', async () => {
    const { tenant, trigger } = await ready({ variables });
    const answer = await trigger({ variables: { plan: '', seats: 0, 'first-name': 'Ada', toString: true } });
    expect((await runOf(tenant, answer)).variables).toEqual({
      plan: '',
      seats: 0,
      vip: false,
      'first-name': 'Ada',
      toString: true,
    });
  });

  it('are refused by their names when one is missing or of another type', async () => {
    const { tenant, trigger } = await ready({ variables });
    const issues = async (given?: object) =>
      (await trigger(given === undefined ? {} : { variables: given })).body.error.invalidParams;
    expect(await issues()).toEqual({ 'variables.plan': { key: 'invalid_type', message: 'Required' } });
    expect(await issues({ plan: 5, seats: '5', vip: 'true', note: false })).toEqual({
      'variables.plan': { key: 'invalid_type', message: 'Expected string, received number' },
      'variables.seats': { key: 'invalid_type', message: 'Expected number, received string' },
      'variables.vip': { key: 'invalid_type', message: 'Expected boolean, received string' },
      'variables.note': { key: 'invalid_type', message: 'Expected string, received boolean' },
    });
    for (const value of [{}, [], ['a']]) {
      const found = await issues({ plan: 'a', other: value });
      expect([Object.keys(found), found['variables.other'].key]).toEqual([
        ['variables.other'],
        'invalid_type',
      ]);
    }
    expect(Object.keys(await issues({ plan: 'x'.repeat(1001) }))).toEqual(['variables.plan']);
    expect(Object.keys(await issues([]))).toEqual(['variables']);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`v${index}`, 1]));
    expect((await issues(many)).variables.key).toBe('too_big');
    expect((await issues({ [`n${'x'.repeat(100)}`]: 1 })).variables.key).toBe('too_big');
    expect(await countRuns(tenant)).toBe(0);
  });

  it('are those of the version that is active now, whatever was active before', async () => {
    const { tenant, id, trigger } = await ready({
      variables: [{ name: 'a', type: 'string', required: true }],
    });
    const first = await trigger({ variables: { a: 'x' } });
    await tenant.put(`/v3/automations/${id}`, { variables: [{ name: 'a', type: 'number', required: true }] });
    // Saved is not published.
    expect((await trigger({ variables: { a: 'x' } })).status).toBe(200);
    await tenant.post(`/v3/automations/${id}/publish`);
    expect((await trigger({ variables: { a: 'x' } })).body.error.invalidParams).toEqual({
      'variables.a': { key: 'invalid_type', message: 'Expected number, received string' },
    });
    const second = await trigger({ variables: { a: 1 } });
    const [before, after] = [await runOf(tenant, first), await runOf(tenant, second)];
    expect(after.versionId).not.toBe(before.versionId);
    expect([before.variables, after.variables]).toEqual([{ a: 'x' }, { a: 1 }]);
  });
});

import { describe, expect, it, vi } from 'vitest';
import { automationOf, personOf } from '../kit/automations.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
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
    const { db } = server.system;
    const spies = [
      vi.spyOn(db, 'run'),
      vi.spyOn(db, 'find'),
      vi.spyOn(db, 'all'),
      vi.spyOn(db, 'transaction'),
    ];
    expect((await trigger()).status).toBe(200);
    expect(spies.map((spy) => spy.mock.calls.length)).toEqual([1, 0, 0, 0]);
    for (const spy of spies) spy.mockRestore();
  });

  it('works whatever the trigger of the automation is', async () => {
    const { trigger } = await ready({
      trigger: { type: 'message_received', parameters: { keywords: ['hi'] } },
    });
    expect((await trigger()).status).toBe(200);
  });

  it('puts the run on the work list of its automation', async () => {
    const { tenant, id, trigger } = await ready();
    const answer = await trigger({ scheduledAt: fromNow(DAY) });
    const { rows } = await server.system.db.query(
      'select slot, automation_id, due_at, attempts, revision from automation_runs where tenant_id = $1',
      [tenant.id],
    );
    expect(rows).toEqual([
      {
        slot: Number.parseInt(id.slice(-2), 16) % 64,
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
    const faults = async (given?: object) =>
      (await trigger(given === undefined ? {} : { variables: given })).body.error.invalidParams;
    expect(await faults()).toEqual({ 'variables.plan': { key: 'invalid_type', message: 'Required' } });
    expect(await faults({ plan: 5, seats: '5', vip: 'true', note: false })).toEqual({
      'variables.plan': { key: 'invalid_type', message: 'Expected string, received number' },
      'variables.seats': { key: 'invalid_type', message: 'Expected number, received string' },
      'variables.vip': { key: 'invalid_type', message: 'Expected boolean, received string' },
      'variables.note': { key: 'invalid_type', message: 'Expected string, received boolean' },
    });
    for (const value of [null, {}, [], ['a']]) {
      const found = await faults({ plan: 'a', other: value });
      expect([Object.keys(found), found['variables.other'].key]).toEqual([
        ['variables.other'],
        'invalid_type',
      ]);
    }
    expect(Object.keys(await faults({ plan: 'x'.repeat(1001) }))).toEqual(['variables.plan']);
    expect(Object.keys(await faults([]))).toEqual(['variables']);
    const many = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`v${index}`, 1]));
    expect((await faults(many)).variables.key).toBe('too_big');
    expect((await faults({ [`n${'x'.repeat(100)}`]: 1 })).variables.key).toBe('too_big');
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

describe('what cannot be triggered', () => {
  it.each([
    'draft',
    'inactive',
    'archived',
  ])('is an automation that is %s, and the answer says so', async (state) => {
    const { tenant, id, trigger } = await ready();
    let path = `/v3/automations/${id}`;
    if (state === 'draft') path = `/v3/automations/${await automationOf(tenant, {}, { published: false })}`;
    else {
      // What was active a moment ago is no longer.
      expect((await trigger()).status).toBe(200);
      await tenant.post(`${path}/status`, { status: state });
    }
    const before = await countRuns(tenant);
    const answer = await tenant.post(`${path}/trigger`, { contactId: UNKNOWN });
    expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(answer.body.error.message).toContain(`is ${state}`);
    expect(answer.headers[RUN_ID]).toBeUndefined();
    expect(await countRuns(tenant)).toBe(before);
  });

  it('is what nobody has: first the automation, then its state, then whom it is for', async () => {
    const { tenant, id, trigger } = await ready();
    const path = `/v3/automations/${id}`;
    const keyOf = async (at: string, contactId: string) =>
      (await tenant.post(`${at}/trigger`, { contactId })).body.error.messageKey;
    expect(await keyOf(`/v3/automations/${UNKNOWN}`, UNKNOWN)).toBe('automation_not_found');
    expect(await keyOf('/v3/automations/x', UNKNOWN)).toBe('automation_not_found');
    expect(await keyOf(path, UNKNOWN)).toBe('contact_not_found');
    expect((await trigger()).status).toBe(200);
    expect(await keyOf(path, UNKNOWN)).toBe('contact_not_found');
    const bad = await tenant.post(`${path}/trigger`, { contactId: 'x' });
    expect(bad.body.error.invalidParams.contactId.key).toBe('invalid_string');
    expect((await tenant.post(`${path}/trigger`, {})).body.error.invalidParams.contactId.message).toBe(
      'Required',
    );
    await tenant.delete(path);
    expect(await keyOf(path, UNKNOWN)).toBe('automation_not_found');
  });

  it('A1, A2: is another tenant’s automation, and ours for their contact', async () => {
    const [ours, theirs] = [await ready(), await ready()];
    expect((await theirs.trigger()).status).toBe(200);
    const foreign = await ours.tenant.post(`/v3/automations/${theirs.id}/trigger`, {
      contactId: ours.contactId,
    });
    expect(foreign.body.error.messageKey).toBe('automation_not_found');
    const linked = await ours.trigger({ contactId: theirs.contactId });
    expect(linked.body.error.messageKey).toBe('contact_not_found');
    expect([await countRuns(ours.tenant), await countRuns(theirs.tenant)]).toEqual([0, 1]);
  });
});

describe('triggering and everything else at once', () => {
  it('R9: with one key is one run, and its id comes again with the answer', async () => {
    const { tenant, trigger } = await ready();
    const withKey = { headers: { 'idempotency-key': 'k' } };
    const first = await trigger({}, withKey);
    const again = await trigger({}, withKey);
    expect(again.headers).toMatchObject({ 'idempotent-replayed': 'true', [RUN_ID]: first.headers[RUN_ID] });
    expect(again.text).toBe('{"success":true}');
    expect(await countRuns(tenant)).toBe(1);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => trigger({}, { headers: { 'idempotency-key': 'l' } })),
    );
    const ids = new Set(answers.filter(({ status }) => status === 200).map(({ headers }) => headers[RUN_ID]));
    expect(ids.size).toBe(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await countRuns(tenant)).toBe(2);
    // Only successes are kept: the same key for nobody, and then for somebody, is a new attempt.
    const key = { headers: { 'idempotency-key': 'm' } };
    expect((await trigger({ contactId: UNKNOWN }, key)).status).toBe(404);
    expect((await trigger({}, key)).status).toBe(200);
  });

  it('a hundred at once are a hundred runs', async () => {
    const { tenant, trigger } = await ready();
    const answers = await Promise.all(Array.from({ length: 100 }, () => trigger()));
    expect(new Set(answers.map(({ headers }) => headers[RUN_ID])).size).toBe(100);
    expect(await countRuns(tenant)).toBe(100);
  });

  it('while the automation is deleted, a run is either refused as unknown or gone with it', async () => {
    for (let times = 0; times < 5; times += 1) {
      const { tenant, id, trigger } = await ready();
      await trigger();
      const [, ...answers] = await Promise.all([
        tenant.delete(`/v3/automations/${id}`),
        ...Array.from({ length: 20 }, () => trigger()),
      ]);
      for (const { status, body } of answers)
        expect([200, 404, body.error?.messageKey]).toEqual([
          200,
          404,
          status === 200 ? undefined : 'automation_not_found',
        ]);
      expect(await countRuns(tenant)).toBe(0);
    }
  });

  it('while the contact is deleted, the same', async () => {
    const { tenant, contactId, trigger } = await ready();
    await trigger();
    const [, ...answers] = await Promise.all([
      server.system.db.query('delete from contacts where id = $1', [contactId]),
      ...Array.from({ length: 30 }, () => trigger()),
    ]);
    for (const { status, body } of answers)
      expect([status, body.error?.messageKey]).toEqual(
        status === 200 ? [200, undefined] : [404, 'contact_not_found'],
      );
    expect(await countRuns(tenant)).toBe(0);
  });

  it('while other versions are published, every run has the variables that its own version asks for', async () => {
    const { tenant, id, trigger } = await ready({ variables: [{ name: 'a', type: 'number', default: 0 }] });
    const versions = [(await tenant.get(`/v3/automations/${id}`)).body.data.latestVersionId];
    for (const value of [1, 2, 3])
      versions.push(
        (
          await tenant.put(`/v3/automations/${id}`, {
            variables: [{ name: 'a', type: 'number', default: value }],
          })
        ).body.data.latestVersionId,
      );
    await Promise.all([
      ...Array.from({ length: 60 }, () => trigger()),
      ...Array.from({ length: 30 }, (_, index) =>
        tenant.post(`/v3/automations/${id}/publish`, { versionId: versions[index % 4] }),
      ),
    ]);
    const runs = (await tenant.post('/v3/automation_runs/search', { pagination: { limit: 100 } })).body.data;
    expect(runs.length).toBeGreaterThan(0);
    for (const { versionId, variables } of runs) expect(variables.a).toBe(versions.indexOf(versionId));
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf, smallest } from '../kit/automations.ts';
import { usePerson } from '../kit/people.ts';
import { type Answer, type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const NOW = '2026-11-15T01:02:03.456Z';
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date(NOW));
  tenant = await server.tenant();
});

const contactOf = async (number: number): Promise<string> =>
  (await tenant.post('/v3/contacts', { phoneNumber: `+1555000${1000 + number}` })).body.data.id;
const trigger = async (id: string, contactId: string, variables: object = {}): Promise<string> => {
  const answer = await tenant.post(`/v3/automations/${id}/trigger`, { contactId, variables });
  await server.settle();
  return answer.headers['x-automation-run-id'] as string;
};
const funnelOf = async (id: string, body: object = {}) =>
  (await tenant.post(`/v3/automations/${id}/funnel`, body)).body.data;
/** A run ends, waits or fails, as its variable says. */
const way = {
  variables: [{ name: 'way', type: 'string', default: 'end' }],
  steps: [
    {
      id: 'which',
      type: 'branch',
      parameters: {
        cases: [
          { when: 'eq(variables.way,"wait")', next: 'wait' },
          { when: 'eq(variables.way,"fail")', next: 'fail' },
          { when: 'eq(variables.way,"loop")', next: 'loop' },
        ],
        else: 'end',
      },
    },
    { id: 'wait', type: 'wait', parameters: { for: 'P1D' }, next: 'end' },
    { id: 'fail', type: 'send_message', parameters: { text: 'Hi' } },
    { id: 'loop', type: 'wait', parameters: { for: 'PT1H' }, next: 'loop' },
    { id: 'end', type: 'end' },
  ],
};
const counts = (step: string, type: string, ...values: number[]) => {
  const [entered, left, waiting, failed, ended] = values;
  return { step, type, entered, left, waiting, failed, ended };
};

describe('the funnel of an automation', () => {
  it('counts the runs that came to each step, and what became of them there', async () => {
    const id = await automationOf(tenant, way);
    for (const [index, name] of ['end', 'end', 'wait', 'fail', 'loop'].entries())
      await trigger(id, await contactOf(index), { way: name });
    // A run that comes to a step again counts once.
    server.clock.advance(2 * 3600_000);
    await server.settle();
    expect(await funnelOf(id)).toEqual({
      automationId: id,
      versionId: null,
      from: null,
      to: null,
      runs: 5,
      isComplete: true,
      steps: [
        counts('which', 'branch', 5, 5, 0, 0, 0),
        counts('wait', 'wait', 1, 0, 1, 0, 0),
        counts('fail', 'send_message', 1, 0, 0, 1, 0),
        counts('loop', 'wait', 1, 1, 1, 0, 0),
        counts('end', 'end', 2, 0, 0, 0, 2),
      ],
    });
  });

  it('is of a version or a period, and of all steps that there ever were', async () => {
    const id = await automationOf(tenant, { steps: [{ id: 'old', type: 'end' }] });
    const { activeVersionId } = (await tenant.get(`/v3/automations/${id}`)).body.data;
    const contactId = await contactOf(1);
    await trigger(id, contactId);
    await tenant.put(`/v3/automations/${id}`, { steps: [{ id: 'new', type: 'end' }] });
    await tenant.post(`/v3/automations/${id}/publish`);
    server.clock.advance(3600_000);
    await trigger(id, contactId);
    await trigger(id, contactId);
    const stepsOf = async (body: object) =>
      (await funnelOf(id, body)).steps.map(({ step, ended }: { step: string; ended: number }) => [
        step,
        ended,
      ]);
    expect(await stepsOf({})).toEqual([
      ['new', 2],
      ['old', 1],
    ]);
    expect(await stepsOf({ versionId: activeVersionId })).toEqual([['old', 1]]);
    expect(await stepsOf({ to: NOW })).toEqual([['new', 0]]);
    expect(await stepsOf({ from: '2026-11-15T01:30:00Z' })).toEqual([['new', 2]]);
  });

  it('counts for an agent the runs in the own channels', async () => {
    const [own, other] = [await tenant.channel(), await tenant.channel()];
    const id = await automationOf(tenant, { ...way, trigger: { type: 'message_received' } });
    for (const { id: channelId } of [own, other, other])
      await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text: 'hi' });
    await server.settle();
    const agent = await usePerson(server, tenant, 'agent', { access: 'teams' });
    await tenant.post('/v3/teams', { name: 'Own', userIds: [agent.userId], channelIds: [own.id] });
    expect((await funnelOf(id)).runs).toBe(3);
    expect((await agent.post(`/v3/automations/${id}/funnel`, {})).body.data.runs).toBe(1);
  });

  it('is refused for what does not exist', async () => {
    const id = await automationOf(tenant);
    const theirs = await automationOf(await server.tenant());
    const ask = async (automationId: string, body: object) =>
      (await tenant.post(`/v3/automations/${automationId}/funnel`, body)).body.error;
    for (const unknown of [UNKNOWN, 'x', theirs])
      expect((await ask(unknown, {})).messageKey).toBe('automation_not_found');
    const issues = async (body: object) => Object.keys((await ask(id, body)).invalidParams);
    expect(await issues({ versionId: UNKNOWN })).toEqual(['versionId']);
    expect(await issues({ from: 'yesterday' })).toEqual(['from']);
    expect(await issues({ since: '2026-01-01T00:00:00Z' })).toEqual(['since']);
  });
});

describe('the versions of an automation', () => {
  it('are searched, the latest first, and read one by one', async () => {
    const id = await automationOf(tenant);
    await tenant.put(`/v3/automations/${id}`, { steps: [{ type: 'end', id: 'other' }] });
    const search = async (body: object = {}) =>
      (await tenant.post(`/v3/automations/${id}/versions/search`, body)).body;
    const { data, pagination } = await search({ sortBy: 'desc(number)' });
    expect(pagination.total).toBe(2);
    expect(
      data.map(({ number, steps }: { number: number; steps: { id: string }[] }) => [number, steps[0]?.id]),
    ).toEqual([
      [2, 'other'],
      [1, smallest.steps[0]?.id],
    ]);
    expect((await search({ query: 'eq(number,1)' })).data).toEqual([data[1]]);
    expect((await tenant.get(`/v3/automations/${id}/versions/${data[1].id}`)).body.data).toEqual(data[1]);
    const { latestVersion } = (await tenant.get(`/v3/automations/${id}`)).body.data;
    expect(latestVersion).toEqual(data[0]);
  });

  it('have their keys in one order, however they were sent', async () => {
    const send = (steps: object[]) => tenant.post('/v3/automations', { ...smallest, steps });
    const wait = { for: 'PT1H' };
    const textOf = (answer: Answer): string => JSON.stringify(answer.body.data.latestVersion.steps);
    const one = await send([{ id: 'a', type: 'wait', parameters: wait, next: 'a' }]);
    const other = await send([{ next: 'a', parameters: wait, type: 'wait', id: 'a' }]);
    expect(textOf(other)).toBe(textOf(one));
  });

  it('are not found for another automation or tenant', async () => {
    const [id, other] = [await automationOf(tenant), await automationOf(tenant)];
    const { latestVersionId } = (await tenant.get(`/v3/automations/${id}`)).body.data;
    const keyOf = async (path: string) => (await tenant.get(`/v3/automations/${path}`)).body.error.messageKey;
    expect(await keyOf(`${other}/versions/${latestVersionId}`)).toBe('automation_version_not_found');
    expect(await keyOf(`${id}/versions/x`)).toBe('automation_version_not_found');
    expect(await keyOf(`x/versions/${latestVersionId}`)).toBe('automation_not_found');
    const otherTenant = await server.tenant();
    const searched = await otherTenant.post(`/v3/automations/${id}/versions/search`, {});
    expect(searched.body.error.messageKey).toBe('automation_not_found');
  });
});

describe('many runs at once', () => {
  const jobOf = async (started: Answer) => {
    expect([started.status, started.body.data.jobId]).toEqual([200, expect.any(String)]);
    await server.settle();
    return (await tenant.get(`/v3/jobs/${started.body.data.jobId}`)).body.data;
  };
  const bulk = (body: object, by: Pick<TestTenant, 'post'> = tenant) =>
    by.post('/v3/automation_runs/bulk', body);
  const statusOf = async (runId: string) =>
    (await tenant.get(`/v3/automation_runs/${runId}`)).body.data.status;

  it('are cancelled, with an event for each, and those that have ended are named', async () => {
    const id = await automationOf(tenant, way);
    const waiting = [
      await trigger(id, await contactOf(1), { way: 'wait' }),
      await trigger(id, await contactOf(2), { way: 'wait' }),
    ];
    const done = await trigger(id, await contactOf(3));
    const job = await jobOf(await bulk({ ids: [...waiting, done, UNKNOWN], action: 'cancel' }));
    expect(job).toMatchObject({ kind: 'change_runs', status: 'completed', done: 2, failed: 2, total: 4 });
    expect(job.errors.sort()).toEqual([`The run ${done} is already completed`, `There is no run ${UNKNOWN}`]);
    expect(await Promise.all([...waiting, done].map(statusOf))).toEqual([
      'cancelled',
      'cancelled',
      'completed',
    ]);
    const events = await tenant.post('/v3/events/search', { query: 'eq(type,"automation.run_cancelled")' });
    expect(events.body.pagination.total).toBe(2);
  });

  it('are retried from their failed step', async () => {
    const channel = await tenant.channel();
    const id = await automationOf(tenant, way);
    const failed = await trigger(id, await contactOf(1), { way: 'fail' });
    const early = await automationOf(tenant, {
      trigger: { type: 'message_received' },
      variables: [{ name: 'plan', type: 'string', required: true }],
    });
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hi' });
    await server.settle();
    const job = await jobOf(await bulk({ query: 'eq(status,"failed")', action: 'retry' }));
    expect(job).toMatchObject({
      done: 1,
      failed: 1,
      errors: [expect.stringContaining('failed before its first step')],
    });
    const { trace } = (await tenant.get(`/v3/automation_runs/${failed}`)).body.data;
    expect(trace.map(({ step }: { step: string }) => step)).toEqual(['which', 'fail', 'fail']);
    expect((await funnelOf(early)).runs).toBe(1);
  });

  it('are those of the tenant only, and for an agent none', async () => {
    const other = await server.tenant();
    const id = await automationOf(tenant, way);
    const runId = await trigger(id, await contactOf(1), { way: 'wait' });
    const started = await bulk({ ids: [runId], action: 'cancel' }, other);
    await server.settle();
    expect((await other.get(`/v3/jobs/${started.body.data.jobId}`)).body.data).toMatchObject({
      done: 0,
      failed: 1,
    });
    expect(await statusOf(runId)).toBe('waiting');
    const agent = await usePerson(server, tenant, 'agent');
    expect((await bulk({ ids: [runId], action: 'cancel' }, agent)).status).toBe(403);
  });

  it.each([
    ['neither a query nor ids', { action: 'cancel' }, ['query']],
    ['an empty query', { query: ' ', action: 'cancel' }, ['query']],
    ['an unknown action', { ids: [UNKNOWN], action: 'close' }, ['action']],
    ['an action that is no text', { ids: [UNKNOWN], action: { type: 'cancel' } }, ['action']],
    ['a field of another action', { ids: [UNKNOWN], action: 'cancel', labelIds: [UNKNOWN] }, ['labelIds']],
  ])('are refused with %s', async (_what, body, paths) => {
    const answer = await bulk(body);
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, paths]);
  });
});

import { describe, expect, it } from 'vitest';
import { automationOf, personOf } from '../kit/automations.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const RUN_ID = 'x-automation-run-id';

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
        expect([status, body.error?.messageKey]).toEqual(
          status === 200 ? [200, undefined] : [404, 'automation_not_found'],
        );
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
    const answers = await Promise.all([
      ...Array.from({ length: 60 }, () => trigger()),
      ...Array.from({ length: 30 }, (_, index) =>
        tenant.post(`/v3/automations/${id}/publish`, { versionId: versions[index % 4] }),
      ),
    ]);
    expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([]);
    const runs = (await tenant.post('/v3/automation_runs/search', { pagination: { limit: 100 } })).body.data;
    expect(runs).toHaveLength(answers.slice(0, 60).filter(({ status }) => status === 200).length);
    for (const { versionId, variables } of runs) expect(variables.a).toBe(versions.indexOf(versionId));
  });
});

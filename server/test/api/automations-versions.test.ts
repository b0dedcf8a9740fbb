import { describe, expect, it } from 'vitest';
import { automationOf } from '../kit/automations.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const end = { id: 'end', type: 'end', parameters: {} };
const hello = { id: 'hello', type: 'send_message', parameters: { text: 'Hello' } };

const countVersions = async (tenant: TestTenant): Promise<number> => {
  const { rows } = await server.system.db.query(
    'select count(*)::int as count from automation_versions where tenant_id = $1',
    [tenant.id],
  );
  return Number(rows[0]?.count);
};

describe('saving', () => {
  it('makes a version when the definition says something new, and only then', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant, { steps: [hello] });
    const path = `/v3/automations/${id}`;
    const before = (await tenant.get(path)).body.data;
    server.clock.advance(1000);
    const renamed = (await tenant.put(path, { name: 'Other' })).body.data;
    expect(renamed).toEqual({ ...before, name: 'Other', updatedAt: server.clock.now().toISOString() });
    // The same definition in another order of words, and with what is left out as null.
    const same = {
      parameters: { text: 'Hello', media: null },
      type: 'send_message',
      id: 'hello',
      next: null,
    };
    expect((await tenant.put(path, { steps: [same], trigger: { type: 'api' } })).body.data).toEqual(renamed);
    expect(await countVersions(tenant)).toBe(1);

    const changed = (await tenant.put(path, { steps: [hello, end] })).body.data;
    expect(changed).toMatchObject({
      status: 'active',
      activeVersionId: before.latestVersionId,
      activeVersion: before.latestVersion,
      latestVersion: { number: 2, trigger: { type: 'api' }, variables: [], steps: [hello, end] },
    });
    expect(changed.latestVersionId).not.toBe(before.latestVersionId);
    expect(changed.latestVersionId).toBe(changed.latestVersion.id);
  });

  it('keeps what is left out as the latest version has it', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const variables = [{ name: 'plan', type: 'string' }];
    const id = await automationOf(tenant, { variables }, { published: false });
    const trigger = { type: 'chat_opened', parameters: { channelId: channel.id } };
    await tenant.put(`/v3/automations/${id}`, { trigger });
    const { data } = (await tenant.put(`/v3/automations/${id}`, { steps: [hello] })).body;
    expect(data).toMatchObject({
      status: 'draft',
      latestVersionTriggerType: 'chat_opened',
      latestVersionTriggerParametersChannelId: channel.id,
      latestVersion: { number: 3, trigger, variables, steps: [hello] },
    });
  });

  it('checks the whole that comes out of it, and keeps nothing of what is wrong', async () => {
    const tenant = await server.tenant();
    const branch = {
      id: 'branch',
      type: 'branch',
      parameters: { cases: [{ when: 'eq(variables.plan,"gold")', next: 'branch' }] },
    };
    const variables = [{ name: 'plan', type: 'string' }];
    const id = await automationOf(tenant, { variables, steps: [branch] });
    const before = (await tenant.get(`/v3/automations/${id}`)).text;
    const answer = await tenant.put(`/v3/automations/${id}`, { name: 'x', variables: [] });
    expect(Object.keys(answer.body.error.invalidParams)).toEqual(['steps.0.parameters.cases.0.when']);
    const after = (await tenant.get(`/v3/automations/${id}`)).text;
    expect(after.replace(/req_[^"]*/, '')).toBe(before.replace(/req_[^"]*/, ''));
    expect((await tenant.put(`/v3/automations/${UNKNOWN}`, { name: 'x' })).body.error.messageKey).toBe(
      'automation_not_found',
    );
  });

  it('twenty times at once makes twenty versions with twenty numbers', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        tenant.put(`/v3/automations/${id}`, { steps: [{ ...end, id: `s${index}` }] }),
      ),
    );
    expect(await countVersions(tenant)).toBe(21);
    expect((await tenant.get(`/v3/automations/${id}`)).body.data.latestVersion.number).toBe(21);
  });

  it('on the same version at once saves one, and refuses the others with a sentence', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant);
    const path = `/v3/automations/${id}`;
    const { latestVersionId: baseVersionId } = (await tenant.get(path)).body.data;
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        tenant.put(path, { name: `N${index}`, steps: [{ ...end, id: `s${index}` }], baseVersionId }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    const stored = (await tenant.get(path)).body.data;
    expect(answers.find(({ status }) => status === 200)?.body.data).toEqual(stored);
    const refused = answers.find(({ status }) => status === 409)?.body.error;
    expect(refused).toMatchObject({
      messageKey: 'conflict',
      message: `Conflict: another version was saved meanwhile; read it, and send its id, ${stored.latestVersionId}, as baseVersionId to save yours after it`,
    });
    expect(await countVersions(tenant)).toBe(2);

    const next = { steps: [hello], baseVersionId: stored.latestVersionId.toUpperCase() };
    expect((await tenant.put(path, next)).body.data.latestVersion.number).toBe(3);
    expect((await tenant.put(path, { name: 'Late', baseVersionId: UNKNOWN })).status).toBe(409);
    expect((await tenant.put(path, { baseVersionId: 'x' })).body.error.invalidParams).toHaveProperty(
      'baseVersionId',
    );
    expect((await tenant.get(path)).body.data).toMatchObject({
      name: stored.name,
      latestVersion: { number: 3 },
    });
  });
});

describe('publishing', () => {
  it('makes the latest version active, or the one that is named', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const trigger = { type: 'chat_closed', parameters: { channelId: channel.id } };
    const id = await automationOf(tenant, { trigger }, { published: false });
    const path = `/v3/automations/${id}`;
    const first = (await tenant.get(path)).body.data.latestVersion;
    await tenant.put(path, { trigger: { type: 'api' } });
    const latest = (await tenant.post(`${path}/publish`)).body.data;
    expect(latest).toMatchObject({
      status: 'active',
      activeVersionId: latest.latestVersionId,
      activeVersionTriggerType: 'api',
      activeVersionTriggerParametersChannelId: null,
    });
    expect(latest.activeVersion).toEqual(latest.latestVersion);
    const back = (await tenant.post(`${path}/publish`, { versionId: first.id.toUpperCase() })).body.data;
    expect(back).toMatchObject({
      activeVersionId: first.id,
      activeVersionTriggerType: 'chat_closed',
      activeVersionTriggerParametersChannelId: channel.id,
      activeVersion: first,
      latestVersionTriggerType: 'api',
      latestVersionId: latest.latestVersionId,
    });
  });

  it('A2: an unknown version is named, be it nobody’s, another automation’s or another tenant’s', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant, {}, { published: false });
    const versionOf = async (owner: TestTenant) =>
      (await owner.get(`/v3/automations/${await automationOf(owner)}`)).body.data.latestVersionId;
    for (const versionId of [UNKNOWN, await versionOf(tenant), await versionOf(await server.tenant())]) {
      const answer = await tenant.post(`/v3/automations/${id}/publish`, { versionId });
      expect([answer.status, answer.body.error.invalidParams]).toEqual([
        400,
        { versionId: { key: 'custom', message: `The automation has no version ${versionId}` } },
      ]);
    }
    expect((await tenant.get(`/v3/automations/${id}`)).body.data.status).toBe('draft');
  });
});

describe('the status', () => {
  /** Brings an automation into a state, by the ways that lead there. */
  const reach: Record<string, [string, object?][]> = {
    draft: [],
    active: [['publish']],
    inactive: [['publish'], ['status', { status: 'inactive' }]],
    archived: [['publish'], ['status', { status: 'archived' }]],
    'archived draft': [['status', { status: 'archived' }]],
    'inactive draft': [
      ['status', { status: 'archived' }],
      ['status', { status: 'inactive' }],
    ],
  };
  const allowed: Record<string, string[]> = {
    draft: ['draft', 'archived'],
    active: ['active', 'inactive', 'archived'],
    inactive: ['inactive', 'active', 'archived'],
    archived: ['archived', 'inactive'],
    'archived draft': ['archived', 'inactive'],
    'inactive draft': ['inactive', 'archived'],
  };

  it.each(
    Object.keys(reach),
  )('of what is %s goes where it may, and elsewhere is a conflict', async (state) => {
    const tenant = await server.tenant();
    for (const to of ['draft', 'active', 'inactive', 'archived']) {
      const path = `/v3/automations/${await automationOf(tenant, {}, { published: false })}`;
      for (const [verb, body] of reach[state] ?? [])
        expect((await tenant.post(`${path}/${verb}`, body)).status).toBe(200);
      const answer = await tenant.post(`${path}/status`, { status: to });
      const from = state.split(' ')[0];
      if (allowed[state]?.includes(to)) expect([to, answer.body.data?.status]).toEqual([to, to]);
      else {
        expect([to, answer.status, answer.body.error?.messageKey]).toEqual([to, 409, 'conflict']);
        expect(answer.body.error.message).toContain(`the automation is ${from}`);
        expect((await tenant.get(path)).body.data.status).toBe(from);
      }
    }
  });

  it('draft, active, inactive and archived are all there is', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant);
    const { body } = await tenant.post(`/v3/automations/${id}/status`, { status: 'paused' });
    expect(body.error.invalidParams.status.key).toBe('invalid_enum_value');
    expect(
      (await tenant.post(`/v3/automations/${id}/status`, {})).body.error.invalidParams.status.message,
    ).toBe('Required');
  });

  it('setting it to what it is changes nothing', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant);
    const before = (await tenant.get(`/v3/automations/${id}`)).body.data;
    server.clock.advance(1000);
    expect((await tenant.post(`/v3/automations/${id}/status`, { status: 'active' })).body.data).toEqual(
      before,
    );
  });

  it('an archived automation is not published', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant);
    await tenant.post(`/v3/automations/${id}/status`, { status: 'archived' });
    const answer = await tenant.post(`/v3/automations/${id}/publish`);
    expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(answer.body.error.message).toContain('archived');
  });
});

import { describe, expect, it } from 'vitest';
import { automationOf, smallest } from '../kit/automations.ts';
import { furnish } from '../kit/route-calls.ts';
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

describe('an automation', () => {
  it('is made as a draft with its first version, every field there', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const trigger = { type: 'message_received', parameters: { channelId: channel.id, keywords: ['hi'] } };
    const variables = [{ name: 'plan', type: 'string', required: true, default: 'free' }];
    const made = await tenant.post('/v3/automations', { name: 'Hi', trigger, variables, steps: [hello] });
    const { id, latestVersionId } = made.body.data;
    const now = server.clock.now().toISOString();
    expect(made.body.data).toEqual({
      id,
      createdAt: now,
      updatedAt: now,
      name: 'Hi',
      status: 'draft',
      activeVersionId: null,
      activeVersionTriggerType: null,
      activeVersionTriggerParametersChannelId: null,
      latestVersionTriggerType: 'message_received',
      latestVersionTriggerParametersChannelId: channel.id,
      latestVersionId,
      activeVersion: null,
      latestVersion: { id: latestVersionId, number: 1, trigger, variables, steps: [hello], createdAt: now },
    });
    expect((await tenant.get(`/v3/automations/${id}`)).body.data).toEqual(made.body.data);
  });

  it('is made of what it knows: other keys are not kept, wherever they stand', async () => {
    const tenant = await server.tenant();
    const made = await tenant.post('/v3/automations', {
      ...smallest,
      status: 'active',
      trigger: { type: 'api', parameters: { keywords: ['x'] }, note: 1 },
      variables: [{ name: 'a', type: 'number', note: 1 }],
      steps: [{ ...hello, parameters: { text: 'Hello', note: 1 }, note: 1 }],
    });
    expect(made.body.data).toMatchObject({ status: 'draft' });
    expect(made.body.data.latestVersion).toMatchObject({
      trigger: { type: 'api', parameters: {} },
      variables: [{ name: 'a', type: 'number' }],
      steps: [hello],
    });
    expect(made.text).not.toContain('note');
  });

  it('needs the plan for it', async () => {
    const tenant = await server.tenant({ plan: 'free' });
    for (const [method, path] of [
      ['POST', '/v3/automations'],
      ['POST', '/v3/automations/search'],
      ['POST', `/v3/automations/${UNKNOWN}/trigger`],
      ['GET', `/v3/automation_runs/${UNKNOWN}`],
      ['POST', '/v3/automation_runs/search'],
    ] as const) {
      const answer = await tenant.call(method, path, method === 'POST' ? { body: {} } : {});
      expect([path, answer.status, answer.body.error.messageKey]).toEqual([
        path,
        402,
        'insufficient_billing_plan',
      ]);
    }
    expect(
      (await server.tenant({ plan: 'growth' }).then((one) => one.post('/v3/automations', smallest))).status,
    ).toBe(200);
  });

  it('has a name, a trigger and at least one step, and everything that is wrong is named', async () => {
    const tenant = await server.tenant();
    const post = async (body: unknown) => {
      const { invalidParams } = (await tenant.post('/v3/automations', body)).body.error;
      return Object.fromEntries(
        Object.entries<{ key: string }>(invalidParams).map(([path, { key }]) => [path, key]),
      );
    };
    expect(await post({})).toEqual({ name: 'invalid_type', trigger: 'invalid_type', steps: 'invalid_type' });
    expect(await post({ ...smallest, steps: [] })).toEqual({ steps: 'too_small' });
    const many = Array.from({ length: 201 }, (_, index) => ({ id: `s${index}`, type: 'end' }));
    expect(await post({ ...smallest, steps: many })).toEqual({ steps: 'too_big' });
    expect((await tenant.post('/v3/automations', { ...smallest, steps: many.slice(1) })).status).toBe(200);
    expect(
      await post({
        name: '',
        trigger: { type: 'magic' },
        variables: [
          { name: '1a', type: 'date' },
          { name: 'constructor', type: 'string', default: null },
        ],
        steps: [
          { id: 'a b', type: 'fly' },
          { id: 'x'.repeat(65), type: 'end', next: '' },
        ],
      }),
    ).toEqual({
      name: 'too_small',
      'trigger.type': 'invalid_enum_value',
      'variables.0.name': 'invalid_string',
      'variables.0.type': 'invalid_enum_value',
      'variables.1.name': 'invalid_string',
      'variables.1.default': 'invalid_type',
      'steps.0.id': 'invalid_string',
      'steps.0.type': 'invalid_enum_value',
      'steps.1.id': 'invalid_string',
      'steps.1.next': 'too_small',
    });
    expect(
      await post({
        ...smallest,
        steps: [
          { id: 'a', type: 'end', next: 'b' },
          { id: 'c', type: 'wait' },
        ],
      }),
    ).toEqual({
      'steps.0.next': 'custom',
      'steps.1.parameters': 'custom',
    });
    expect((await tenant.post('/v3/automations/search', {})).body.pagination.total).toBe(1);
  });

  it('A2: refers to what the tenant has; another tenant’s things are as unknown as nobody’s', async () => {
    const [ours, theirs] = [await furnish(server), await furnish(server)];
    const definition = (ids: Record<string, string>, externalId: string) => ({
      name: 'References',
      trigger: { type: 'label_added', parameters: { labelId: ids.labelId, channelId: ids.channelId } },
      steps: [
        { id: 'a', type: 'send_message', parameters: { text: 'x', channelId: ids.channelId } },
        { id: 'b', type: 'add_label', parameters: { labelId: ids.labelId } },
        { id: 'c', type: 'remove_label', parameters: { labelId: ids.labelId } },
        { id: 'd', type: 'assign', parameters: { userId: ids.userId, teamId: ids.teamId } },
        { id: 'e', type: 'set_attribute', parameters: { externalId, value: 'x' } },
        {
          id: 'f',
          type: 'branch',
          parameters: { cases: [{ when: `eq(attributes.${externalId},1)`, next: 'a' }] },
        },
      ],
    });
    const { tenant } = ours;
    expect((await tenant.post('/v3/automations', definition(ours.ids, 'furniture'))).status).toBe(200);
    // Ids in capitals are the same ids.
    const capitals = Object.fromEntries(
      Object.entries(ours.ids).map(([name, id]) => [name, id.toUpperCase()]),
    );
    const made = await tenant.post('/v3/automations', definition(capitals, 'furniture'));
    expect(made.body.data.latestVersion.steps[1].parameters.labelId).toBe(ours.ids.labelId);

    const nobody = Object.fromEntries(Object.keys(ours.ids).map((name) => [name, UNKNOWN]));
    await theirs.tenant.post('/v3/attributes', { name: 'Theirs', externalId: 'theirs' });
    for (const [ids, externalId] of [
      [theirs.ids, 'theirs'],
      [nobody, 'nothing'],
    ] as const) {
      const { status, body } = await tenant.post('/v3/automations', definition(ids, externalId));
      expect(status).toBe(400);
      const unknown = (noun: string, value?: string) => ({
        key: 'custom',
        message: `There is no ${noun} ${value}`,
      });
      expect(body.error.invalidParams).toEqual({
        'trigger.parameters.labelId': unknown('label', ids.labelId),
        'trigger.parameters.channelId': unknown('channel', ids.channelId),
        'steps.0.parameters.channelId': unknown('channel', ids.channelId),
        'steps.1.parameters.labelId': unknown('label', ids.labelId),
        'steps.2.parameters.labelId': unknown('label', ids.labelId),
        'steps.3.parameters.userId': unknown('user', ids.userId),
        'steps.3.parameters.teamId': unknown('team', ids.teamId),
        'steps.4.parameters.externalId': unknown('attribute', externalId),
        'steps.5.parameters.cases.0.when': unknown('attribute', externalId),
      });
    }
  });

  it('is told of unknown references and of other faults at once', async () => {
    const tenant = await server.tenant();
    const steps = [
      { id: 'a', type: 'add_label', parameters: { labelId: UNKNOWN } },
      { id: 'b', type: 'wait', parameters: { for: 'soon' } },
    ];
    const { body } = await tenant.post('/v3/automations', { ...smallest, steps });
    expect(Object.keys(body.error.invalidParams).sort()).toEqual([
      'steps.0.parameters.labelId',
      'steps.1.parameters.for',
    ]);
  });
});

describe('saving', () => {
  it('makes a version when the definition says something new, and only then', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant, { steps: [hello] });
    const path = `/v3/automations/${id}`;
    const before = (await tenant.get(path)).body.data;
    server.clock.advance(1000);
    const renamed = (await tenant.put(path, { name: 'Other' })).body.data;
    expect(renamed).toEqual({ ...before, name: 'Other', updatedAt: server.clock.now().toISOString() });
    // The same definition in another order of words, and with what is not part of it.
    const same = { parameters: { text: 'Hello', extra: 1 }, type: 'send_message', id: 'hello' };
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

describe('deleting', () => {
  it('takes versions and runs along, and is told of what was not there', async () => {
    const { tenant, ids } = await furnish(server);
    const path = `/v3/automations/${ids.automationId}`;
    await tenant.put(path, { steps: [hello] });
    expect((await tenant.get(`/v3/automation_runs/${ids.runId}`)).status).toBe(200);
    expect((await tenant.delete(path)).body.data).toEqual({
      deletedIds: [ids.automationId],
      notFoundIds: [],
    });
    expect((await tenant.get(path)).body.error.messageKey).toBe('automation_not_found');
    expect((await tenant.get(`/v3/automation_runs/${ids.runId}`)).body.error.messageKey).toBe(
      'automation_run_not_found',
    );
    expect(await countVersions(tenant)).toBe(0);
    for (const id of [String(ids.automationId), UNKNOWN, 'x'])
      expect((await tenant.delete(`/v3/automations/${id}`)).body.data).toEqual({
        deletedIds: [],
        notFoundIds: [id],
      });
  });
});

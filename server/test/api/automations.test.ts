import { describe, expect, it } from 'vitest';
import { smallest } from '../kit/automations.ts';
import { createFixtures } from '../kit/route-calls.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
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
    const variables = [
      { name: 'plan', type: 'string', required: true, default: 'free' },
      { name: 'seats', type: 'number', default: 0 },
      { name: 'vip', type: 'boolean', required: false, default: false },
    ];
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
      latestVersion: {
        id: latestVersionId,
        number: 1,
        purpose: 'service',
        trigger,
        variables,
        steps: [hello],
        createdAt: now,
      },
    });
    expect((await tenant.get(`/v3/automations/${id}`)).body.data).toEqual(made.body.data);
  });

  it('is made of what it knows: other keys are refused, wherever they stand', async () => {
    const tenant = await server.tenant();
    const unknown = async (more: object) =>
      Object.entries<{ key: string }>(
        (await tenant.post('/v3/automations', { ...smallest, ...more })).body.error.invalidParams,
      ).map(([path, { key }]) => `${path} ${key}`);
    expect(
      await unknown({
        trigger: { type: 'api', note: 1 },
        variables: [{ name: 'a', type: 'number', note: 1 }],
        steps: [{ ...hello, note: 1 }],
      }),
    ).toEqual(
      ['trigger.note', 'variables.0.note', 'steps.0.note'].map((path) => `${path} unrecognized_keys`),
    );
    expect(
      await unknown({
        trigger: { type: 'api', parameters: { keywords: ['x'] } },
        steps: [{ ...hello, parameters: { text: 'Hello', note: 1 } }],
      }),
    ).toEqual(
      ['trigger.parameters.keywords', 'steps.0.parameters.note'].map((path) => `${path} unrecognized_keys`),
    );
    // A field that only the server sets is ignored.
    const made = await tenant.post('/v3/automations', { ...smallest, status: 'active' });
    expect(made.body.data.status).toBe('draft');
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
          { name: 'constructor', type: 'string', default: [] },
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
    const [ours, theirs] = [await createFixtures(server), await createFixtures(server)];
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
        { id: 'g', type: 'send_template', parameters: { templateId: ids.messageTemplateId } },
        { id: 'h', type: 'send_message', parameters: { media: { fileId: ids.fileId } } },
      ],
    });
    const { tenant } = ours;
    expect((await tenant.post('/v3/automations', definition(ours.ids, 'fixture'))).status).toBe(200);
    // Ids in capitals are the same ids.
    const capitals = Object.fromEntries(
      Object.entries(ours.ids).map(([name, id]) => [name, id.toUpperCase()]),
    );
    const made = await tenant.post('/v3/automations', definition(capitals, 'fixture'));
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
        'steps.6.parameters.templateId': unknown('message template', ids.messageTemplateId),
        'steps.7.parameters.media.fileId': unknown('file', ids.fileId),
      });
    }
  });

  it('reports unknown references and other issues at once', async () => {
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

describe('deleting', () => {
  it('deletes versions and runs, and names what did not exist', async () => {
    const { tenant, ids } = await createFixtures(server);
    const path = `/v3/automations/${ids.automationId}`;
    await tenant.put(path, { steps: [hello] });
    expect((await tenant.get(`/v3/automation_runs/${ids.runId}`)).status).toBe(200);
    expect((await tenant.delete(`${path}?force=true`)).body.data).toEqual({
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

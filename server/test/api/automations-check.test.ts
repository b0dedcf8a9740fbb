import { beforeEach, describe, expect, it } from 'vitest';
import { smallest } from '../kit/automations.ts';
import { expectShortGaps } from '../kit/heartbeat.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

const check = async (definition: unknown) => {
  const answer = await tenant.post('/v3/automations/check', definition);
  expect([answer.status, answer.body.error]).toEqual([200, undefined]);
  expect(Object.keys(answer.body.data)).toEqual(['issues']);
  return answer.body.data.issues as { path: string; code: string; message: string; severity: string }[];
};
const warningsOf = async (definition: object) => {
  const issues = await check({ ...smallest, ...definition });
  expect(issues.filter(({ severity }) => severity !== 'warning')).toEqual([]);
  return issues.map(({ path, code }) => `${path}: ${code}`);
};
const say = (id: string, text = 'x', more: object = {}) => ({
  id,
  type: 'send_message',
  parameters: { text, ...more },
});

describe('checking a definition', () => {
  it('finds nothing wrong with a good one, named or not, and stores nothing', async () => {
    const { name: _, ...definition } = smallest;
    expect(await check(smallest)).toEqual([]);
    expect(await check(definition)).toEqual([]);
    expect((await tenant.post('/v3/automations/search', {})).body.pagination.total).toBe(0);
  });

  it.each([
    ['nothing', {}],
    ['a wrong shape', { name: 5, trigger: 'api', steps: [{ id: 'a b', type: 'fly' }] }],
    ['an unknown key', { ...smallest, step: [] }],
    [
      '201 steps',
      { ...smallest, steps: Array.from({ length: 201 }, (_, id) => ({ id: `${id}`, type: 'end' })) },
    ],
    ['a step that leads nowhere', { ...smallest, steps: [{ id: 'a', type: 'end', next: 'b' }] }],
    [
      'what does not exist',
      { ...smallest, steps: [{ id: 'a', type: 'add_label', parameters: { labelId: UNKNOWN } }] },
    ],
    [
      'invalid Liquid and an unknown root',
      { ...smallest, steps: [say('a', '{{ contct.id }}'), say('b', '{% if')] },
    ],
    [
      'an unknown field',
      {
        ...smallest,
        steps: [
          { id: 'a', type: 'branch', parameters: { cases: [{ when: 'eq(variables.pln,"x")', next: 'a' }] } },
        ],
      },
    ],
    [
      'too much',
      { ...smallest, steps: Array.from({ length: 30 }, (_, id) => say(`${id}`, 'x'.repeat(9_000))) },
    ],
  ])('finds with %s what saving refuses', async (_what, definition) => {
    const saved = await tenant.post('/v3/automations', { name: 'A', ...definition });
    const checked = await check({ name: 'A', ...definition });
    const issues = saved.body.error.invalidParams as Record<string, { key: string; message: string }>;
    expect(saved.status).toBe(400);
    expect(checked.filter(({ severity }) => severity !== 'error')).toEqual([]);
    expect(
      Object.fromEntries(checked.map(({ path, code, message }) => [path, { key: code, message }])),
    ).toEqual(issues);
  });

  it('tells what the token may not use', async () => {
    const token = await tenant.tokenWith(['automations:read']);
    const body = { ...smallest, steps: [say('a', '{{ contact.firstName }}')] };
    const { data } = (await tenant.post('/v3/automations/check', body, { token })).body;
    expect(data.issues).toMatchObject([
      { path: 'steps.0.parameters.text', message: expect.stringContaining('contacts:read') },
    ]);
  });

  it('does not know what another tenant has', async () => {
    const other = await server.tenant();
    const labelId = (await other.post('/v3/labels', { name: 'theirs' })).body.data.id;
    const issues = await check({
      ...smallest,
      steps: [{ id: 'a', type: 'add_label', parameters: { labelId } }],
    });
    expect(issues).toMatchObject([{ path: 'steps.0.parameters.labelId', code: 'custom', severity: 'error' }]);
  });

  it('needs the scope to read, and an object', async () => {
    const statusFor = async (body: unknown, scope: string) =>
      (await tenant.post('/v3/automations/check', body, { token: await tenant.tokenWith([scope]) })).status;
    expect(await statusFor(smallest, 'automations:read')).toBe(200);
    expect(await statusFor(smallest, 'campaigns:read')).toBe(403);
    for (const wrong of [[], 'text', 5]) expect(await statusFor(wrong, 'automations:read')).toBe(400);
    // It is the body itself that is checked.
    const paths = (await check({ definition: smallest })).map(({ path }) => path);
    expect(paths).toContain('definition');
  });
});

describe('a warning', () => {
  it('is given for a step that nothing leads to', async () => {
    const steps = [
      { id: 'a', type: 'add_label', parameters: {}, next: 'c' },
      { id: 'b', type: 'end' },
      { id: 'c', type: 'end' },
    ];
    const { id: labelId } = (await tenant.post('/v3/labels', { name: 'gold' })).body.data;
    (steps[0] as { parameters: object }).parameters = { labelId };
    expect(await warningsOf({ steps })).toEqual(['steps.1: unreachable_step']);
  });

  it('is given once for a loop in which nothing waits, and for none that waits', async () => {
    const branch = (id: string, next: string) => ({
      id,
      type: 'branch',
      parameters: { cases: [{ when: 'isNull(contact.email)', next }] },
    });
    const wait = { id: 'w', type: 'wait', parameters: { for: 'PT1H' } };
    const end = { id: 'end', type: 'end' };
    expect(await warningsOf({ steps: [branch('a', 'end'), branch('b', 'a'), end] })).toEqual([
      'steps.0: loop_without_wait',
    ]);
    expect(await warningsOf({ steps: [branch('a', 'end'), wait, branch('b', 'a'), end] })).toEqual([]);
    expect(await warningsOf({ steps: [branch('a', 'a'), branch('b', 'b'), end] })).toEqual([
      'steps.0: loop_without_wait',
      'steps.1: loop_without_wait',
    ]);
  });

  it('is given for names that have no value', async () => {
    const channelId = (await tenant.channel()).id;
    await tenant.post('/v3/attributes', { name: 'Plan', externalId: 'plan' });
    const text =
      '{{ variables.ordr }} {{ variables.order }} {{ attributes.plan }} {{ attributes.plam }} {{ steps.crm.status }}';
    const warnings = await check({
      ...smallest,
      trigger: { type: 'api', parameters: { channelId } },
      variables: [{ name: 'order', type: 'string' }],
      steps: [say('a', text)],
    });
    expect(warnings.map(({ code, message }) => `${code}: ${message}`).sort()).toEqual([
      'unknown_answer: There is no saved answer "crm"',
      'unknown_attribute: There is no attribute "plam"',
      'unknown_variable: There is no variable "ordr"; did you mean "order"?',
    ]);
    expect(new Set(warnings.map(({ path }) => path))).toEqual(new Set(['steps.0.parameters.text']));
  });

  it('is given for a required variable that the trigger cannot give', async () => {
    const variables = [{ name: 'order', type: 'string', required: true }];
    expect(await warningsOf({ trigger: { type: 'message_received' }, variables })).toEqual([
      'variables.0: missing_variables',
    ]);
    expect(await warningsOf({ variables })).toEqual([]);
  });

  it('is given for a message that has no channel', async () => {
    const channelId = (await tenant.channel()).id;
    expect(await warningsOf({ steps: [say('a')] })).toEqual(['steps.0.parameters.channelId: no_channel']);
    expect(await warningsOf({ steps: [say('a', 'x', { channelId }), say('b')] })).toEqual([]);
    expect(
      await warningsOf({ trigger: { type: 'api', parameters: { channelId } }, steps: [say('a')] }),
    ).toEqual([]);
    expect(await warningsOf({ trigger: { type: 'message_received' }, steps: [say('a')] })).toEqual([]);
  });

  it('keeps nobody waiting, whatever the definition is', async () => {
    const cases = Array.from({ length: 50 }, (_, index) => ({
      when: 'isNull(contact.email)',
      next: `${index * 3}`,
    }));
    const branches = Array.from({ length: 190 }, (_, id) => ({
      id: `${id}`,
      type: 'branch',
      parameters: { cases },
    }));
    const few = Array.from({ length: 12 }, (_, id) => say(`${id}`, '{{ variables.x }}'.repeat(400)));
    await expectShortGaps(200, async () => {
      expect(await check({ ...smallest, steps: branches })).toMatchObject([{ code: 'too_big' }]);
      expect((await check({ ...smallest, steps: few })).length).toBeGreaterThan(0);
    });
  });
});

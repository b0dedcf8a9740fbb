import { beforeEach, describe, expect, it } from 'vitest';
import { automationOf, smallest } from '../kit/automations.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

describe('a branch', () => {
  const caseOf = async (when: string, contact: object): Promise<number | null> => {
    const cases = [{ when, next: 'end' }];
    const automationId = await automationOf(tenant, {
      steps: [
        { id: 'decide', type: 'branch', parameters: { cases } },
        { id: 'end', type: 'end' },
      ],
    });
    const { body } = await tenant.post('/v3/contacts', contact);
    const { headers } = await tenant.post(`/v3/automations/${automationId}/trigger`, {
      contactId: body.data.id,
    });
    await server.settle();
    const run = await tenant.get(`/v3/automation_runs/${headers['x-automation-run-id']}`);
    return run.body.data.trace[0].detail.case;
  };

  it.each([
    ['gt(attributes.visit,"2026-11-15T01:00:00+02:00")', 0],
    ['lt(attributes.visit,"2026-11-15T01:00:00+02:00")', null],
    ['eq(attributes.visit,"2026-11-15T02:30:00+02:00")', 0],
    ['gt(attributes.birthday,"2000-01-02T01:00:00+02:00")', 0],
  ])('compares times of contacts as moments, as a search does: %s', async (when, expected) => {
    for (const [externalId, type] of Object.entries({ visit: 'datetime', birthday: 'date' }))
      await tenant.post('/v3/attributes', { name: externalId, externalId, type });
    const attributes = [
      { externalId: 'visit', value: '2026-11-15T00:30:00Z' },
      { externalId: 'birthday', value: '2000-01-02' },
    ];
    expect(await caseOf(when, { phoneNumber: '+15550001111', attributes })).toBe(expected);
    const { body } = await tenant.post('/v3/contacts/search', { query: when });
    expect(body.data).toHaveLength(expected === null ? 0 : 1);
  });

  it('finds an element of a list, whatever its case', async () => {
    const metadata = { tags: ['VIP', 'new'] };
    expect(await caseOf('contains(contact.metadata.tags,"vip")', { email: 'a@example.com', metadata })).toBe(
      0,
    );
    expect(await caseOf('in(contact.metadata.tags,"old","new")', { email: 'b@example.com', metadata })).toBe(
      0,
    );
  });
});

it('the trace of a branch shows the first 1000 characters of long values', async () => {
  const crm = await useHttpServer((_, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ note: 'n'.repeat(60_000), tags: ['t'.repeat(30_000), 'vip'], short: ['a', 1] })),
  );
  const name = (field: string): string => `steps.crm.body.${field}`;
  const when = `and(contains(${name('note')},"nn"),contains(${name('tags')},"vip"),contains(${name('short')},"a"),ne(steps.crm.body,"x"))`;
  const automationId = await automationOf(tenant, {
    steps: [
      { id: 'crm', type: 'http_request', parameters: { method: 'GET', url: crm.url, saveAs: 'crm' } },
      { id: 'decide', type: 'branch', parameters: { cases: [{ when, next: 'end' }] } },
      { id: 'end', type: 'end' },
    ],
  });
  const { body } = await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' });
  const { headers } = await tenant.post(`/v3/automations/${automationId}/trigger`, {
    contactId: body.data.id,
  });
  await server.settle();
  const run = await tenant.get(`/v3/automation_runs/${headers['x-automation-run-id']}`);
  expect(run.body.data.trace[1].detail).toEqual({
    case: 0,
    when,
    values: {
      [name('note')]: `${'n'.repeat(999)}…`,
      [name('tags')]: `["${'t'.repeat(997)}…`,
      [name('short')]: ['a', 1],
      'steps.crm.body': `{"note":"${'n'.repeat(990)}…`,
    },
  });
});

describe('a keyword', () => {
  it.each([' ', '\t\n', '\u00a0 '])('that is %j is refused, by its place', async (keyword) => {
    const trigger = { type: 'message_received', parameters: { keywords: ['order', keyword] } };
    const { status, body } = await tenant.post('/v3/automations', { ...smallest, trigger });
    expect([status, body.error?.invalidParams]).toEqual([
      400,
      {
        'trigger.parameters.keywords.1': {
          key: 'too_small',
          message: 'Must not be blank',
        },
      },
    ]);
  });
});

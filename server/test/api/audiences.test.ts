import { beforeEach, describe, expect, it } from 'vitest';
import { groundFor } from '../kit/campaigns.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const LATER = '2027-06-01T09:00:00Z';

let tenant: TestTenant;
let label: string;
beforeEach(async () => {
  tenant = await server.tenant();
  const made = await tenant.post('/v3/attributes', { externalId: 'age', name: 'Age', type: 'number' });
  expect([made.status, made.body.error]).toEqual([200, undefined]);
  label = (await tenant.post('/v3/labels', { name: 'Fan' })).body.data.id;
});

const scheduleOf = (audience: string): object => ({
  name: 'Daily',
  trigger: { type: 'schedule', parameters: { rrule: 'FREQ=DAILY', audience } },
  steps: [{ id: 'end', type: 'end' }],
});
const issueOf = (answer: { status: number; body: { error?: { invalidParams?: object } } }) => [
  answer.status,
  answer.body.error?.invalidParams,
];

/** What each of these says of an audience: [status, invalidParams]. */
const places: [string, string, (audience: string) => Promise<ReturnType<typeof issueOf>>][] = [
  [
    'a new campaign',
    'audience',
    async (audience) => {
      const body = { ...(await groundFor(tenant)), name: 'x', scheduledAt: LATER, audience };
      return issueOf(await tenant.post('/v3/campaigns', body));
    },
  ],
  [
    'a changed campaign',
    'audience',
    async (audience) => {
      const body = { ...(await groundFor(tenant)), name: 'x', scheduledAt: LATER };
      const made = await tenant.post('/v3/campaigns', { ...body, audience: 'eq(firstName,"Ada")' });
      return issueOf(await tenant.put(`/v3/campaigns/${made.body.data.id}`, { audience }));
    },
  ],
  [
    'a new schedule',
    'trigger.parameters.audience',
    async (audience) => issueOf(await tenant.post('/v3/automations', scheduleOf(audience))),
  ],
  [
    'a changed schedule',
    'trigger.parameters.audience',
    async (audience) => {
      const made = await tenant.post('/v3/automations', scheduleOf('eq(firstName,"Ada")'));
      return issueOf(await tenant.put(`/v3/automations/${made.body.data.id}`, scheduleOf(audience)));
    },
  ],
];

describe.each(places)('%s', (_, path, say) => {
  it('takes an audience whose values have the types of the attributes', async () => {
    for (const audience of [
      'gt(attributes.age,30)',
      'isNull(attributes.age)',
      `contains(labelIds,"${label}")`,
    ])
      expect([audience, ...(await say(audience))]).toEqual([audience, 200, undefined]);
  });

  it('refuses one that would match nobody when it is used', async () => {
    for (const audience of [
      'eq(attributes.age,"old")',
      'contains(attributes.age,"3")',
      'eq(attributes.age,true)',
    ])
      expect([audience, ...(await say(audience))]).toEqual([
        audience,
        400,
        { [path]: { key: 'invalid_string', message: expect.any(String) } },
      ]);
  });
});

it('a schedule whose attribute got another type meanwhile is not made active', async () => {
  const made = await tenant.post('/v3/automations', scheduleOf('gt(attributes.age,30)'));
  const { data } = (await tenant.post('/v3/attributes/search', {})).body;
  expect((await tenant.delete(`/v3/attributes/${data[0].id}?force=true`)).status).toBe(200);
  expect((await tenant.post('/v3/attributes', { externalId: 'age', name: 'Age', type: 'text' })).status).toBe(
    200,
  );
  const answer = await tenant.post(`/v3/automations/${made.body.data.id}/publish`);
  expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
});

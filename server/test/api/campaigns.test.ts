import { describe, expect, it } from 'vitest';
import { automationOf, groundFor, testContacts } from '../kit/campaigns.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const LATER = '2026-12-24T09:00:00.000Z';
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';
const NOBODY = { queued: 0, sent: 0, delivered: 0, read: 0, failed: 0, skipped: 0 };

/** Everything that a refused campaign could have left behind. */
async function traces(tenant: TestTenant): Promise<unknown> {
  const { rows } = await server.system.db.query(
    `select (select count(*) from campaigns where tenant_id = $1)::int as campaigns,
            (select count(*) from recipients where tenant_id = $1)::int as recipients,
            (select count(*) from contacts where tenant_id = $1)::int as contacts,
            (select count(*) from labels where tenant_id = $1)::int as labels,
            (select count(*) from events where tenant_id = $1)::int as events`,
    [tenant.id],
  );
  return rows[0];
}

describe('a campaign', () => {
  it('for people, without a time, is running at once and tells so', async () => {
    const tenant = await server.tenant();
    const receiver = await useReceiver();
    const ground = await groundFor(tenant);
    await tenant.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'campaign.*' }] });
    const made = await tenant.post('/v3/campaigns', { ...ground, name: 'Sale', contacts: testContacts(3) });
    expect(made.body.data).toEqual({
      id: made.body.data.id,
      ...ground,
      name: 'Sale',
      status: 'running',
      message: null,
      closeChats: false,
      waiting: null,
      messageTemplateId: null,
      templateHeader: null,
      timezone: 'UTC',
      purpose: 'marketing',
      isScheduled: false,
      scheduledAt: null,
      isReoccurring: false,
      recurrenceRules: [],
      variables: [],
      audience: null,
      segmentId: null,
      isTest: false,
      startedAt: '2026-11-15T01:02:03.456Z',
      nextOccurrenceAt: null,
      error: null,
      createdAt: '2026-11-15T01:02:03.456Z',
      updatedAt: '2026-11-15T01:02:03.456Z',
      recipientCounts: { ...NOBODY, queued: 3 },
    });
    expect((await tenant.get(`/v3/campaigns/${made.body.data.id}`)).body.data).toEqual(made.body.data);
    await server.settle();
    const { recipientCounts: _, waiting: _waiting, ...record } = made.body.data;
    const started = receiver.received.filter(({ body }) => body.type === 'campaign.started');
    expect(started.map(({ body }) => [body.channelId, body.data])).toEqual([[ground.channelId, record]]);
  });

  it('with a time to come is scheduled, and nothing is published yet', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    for (const more of [
      { scheduledAt: LATER },
      { isScheduled: true, scheduledAt: '2026-12-24T10:00:00+01:00' },
    ]) {
      const made = await tenant.post('/v3/campaigns', {
        ...ground,
        name: 'x',
        contacts: testContacts(1),
        ...more,
      });
      expect(made.body.data).toMatchObject({
        status: 'scheduled',
        isScheduled: true,
        scheduledAt: LATER,
        startedAt: null,
        nextOccurrenceAt: LATER,
      });
    }
    const { rows } = await server.system.db.query(
      `select 1 from events where tenant_id = $1 and type like 'campaign%'`,
      [tenant.id],
    );
    expect(rows).toEqual([]);
  });

  it('without people is a draft, whatever its time; an audience is people', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    const statusWith = async (more: object) =>
      (await tenant.post('/v3/campaigns', { ...ground, name: 'x', ...more })).body.data.status;
    expect(await statusWith({})).toBe('draft');
    expect(await statusWith({ contacts: [] })).toBe('draft');
    expect(await statusWith({ scheduledAt: LATER })).toBe('draft');
    expect(await statusWith({ audience: 'eq(firstName,"Ada")' })).toBe('running');
    expect(await statusWith({ audience: 'eq(firstName,"Ada")', scheduledAt: LATER })).toBe('scheduled');
  });

  it('takes an audience in the grammar of a search over contacts, and names what is wrong with it', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    await tenant.post('/v3/attributes', { name: 'Size', externalId: 'size', type: 'number' });
    const make = async (audience: string) =>
      (await tenant.post('/v3/campaigns', { ...ground, name: 'x', audience })).body;
    for (const good of [
      'and(eq(isSubscribed,true),ge(attributes.size,40))',
      `contains(labelIds,"${UNKNOWN}")`,
      'startsWith(phoneNumber,"+44")',
    ])
      expect((await make(good)).data).toMatchObject({ audience: good, status: 'running' });
    for (const [bad, message] of [
      ['eq(firstNam,"Ada")', /firstName/],
      ['eq(attributes.other,"x")', /column 4/],
      ['ge(attributes.size,"big")', /number/],
      ['eq(firstName,"Ada"', /column/],
      [' ', /column/],
    ] as const)
      expect([bad, (await make(bad)).error?.invalidParams]).toEqual([
        bad,
        { audience: { key: 'invalid_string', message: expect.stringMatching(message) } },
      ]);
  });

  it('answers recurrenceRules and variables as they were sent', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant, { variables: [{ name: 'discount', type: 'number' }] });
    const sent = {
      recurrenceRules: ['RRULE:FREQ=WEEKLY;BYDAY=SA', 'EXDATE:20261226T090000Z'],
      variables: [
        { name: 'discount', value: '20' },
        { name: 'undeclared', value: 'kept' },
      ],
    };
    const made = await tenant.post('/v3/campaigns', {
      ...ground,
      name: 'x',
      contacts: testContacts(1),
      ...sent,
    });
    expect(made.body.data).toMatchObject({ ...sent, isReoccurring: true });
  });

  it('merges people into the contacts, each a recipient once, with labels and attributes', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    await tenant.post('/v3/attributes', { name: 'Size', externalId: 'size' });
    const contacts = [
      { phoneNumber: '+1 555 000 1111', firstName: 'Ada', labels: [{ name: 'VIP' }] },
      {
        phoneNumber: '+15550001111',
        lastName: 'Lovelace',
        attributes: [{ externalId: 'size', value: '40' }],
      },
      { phoneNumber: '+15550002222', email: 'grace@example.com' },
    ];
    const made = await tenant.post('/v3/campaigns', { ...ground, name: 'x', contacts });
    expect(made.body.data.recipientCounts.queued).toBe(2);
    const found = await tenant.post(`/v3/campaigns/${made.body.data.id}/recipients/search`, {});
    expect(found.body.data).toMatchObject([
      { status: 'queued', skipReason: null },
      { status: 'queued', skipReason: null },
    ]);
    const shown = await Promise.all(
      found.body.data.map(
        async ({ contactId }: { contactId: string }) =>
          (await tenant.get(`/v3/contacts/${contactId}`)).body.data,
      ),
    );
    expect(shown).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          fullName: 'Ada Lovelace',
          labels: [expect.objectContaining({ name: 'VIP' })],
          attributes: [expect.objectContaining({ externalId: 'size', value: '40' })],
        }),
        expect.objectContaining({ phoneNumber: '+15550002222', email: 'grace@example.com' }),
      ]),
    );
  });

  it('knows people by what its channel uses', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant, { kind: 'email' });
    const contacts = [
      { email: 'Ada@Example.com', phoneNumber: '+15550001111' },
      { email: 'ada@example.com', phoneNumber: '+15550002222' },
    ];
    const made = await tenant.post('/v3/campaigns', { ...ground, name: 'x', contacts });
    expect(made.body.data.recipientCounts.queued).toBe(1);
  });

  it('reports all issues at once and stores nothing', async () => {
    const tenant = await server.tenant();
    const automationId = await automationOf(tenant, {
      variables: [{ name: 'discount', type: 'number', required: true }],
    });
    const before = await traces(tenant);
    const { status, body } = await tenant.post('/v3/campaigns', {
      channelId: UNKNOWN,
      name: 'x',
      automationId,
      messageTemplateId: UNKNOWN,
      isScheduled: true,
      scheduledAt: '2026-11-14T00:00:00Z',
      recurrenceRules: ['RRULE:FREQ=MINUTELY', 'EXDATE:x'],
      variables: [{ name: 'discount', value: 'much' }],
      contacts: [
        { phoneNumber: '+15550001111', labels: [{ name: 'New' }] },
        { phoneNumber: '5550001111' },
        { email: 'nobody', attributes: [{ externalId: 'unknown', value: '1' }] },
      ],
      audience: 'eq(firstName',
    });
    expect([status, body.error.messageKey]).toEqual([400, 'invalid_body_params']);
    expect(
      Object.fromEntries(
        Object.entries(body.error.invalidParams).map(([path, issue]) => [
          path,
          (issue as { key: string }).key,
        ]),
      ),
    ).toEqual({
      channelId: 'custom',
      messageTemplateId: 'custom',
      scheduledAt: 'custom',
      'recurrenceRules.0': 'invalid_string',
      'recurrenceRules.1': 'invalid_string',
      'variables.0.value': 'invalid_string',
      'contacts.1.phoneNumber': 'invalid_string',
      'contacts.2.email': 'invalid_string',
      'contacts.2.attributes.0.externalId': 'custom',
      audience: 'invalid_string',
    });
    expect(await traces(tenant)).toEqual(before);
  });

  it('has an audience of what contacts have, and names what they have not', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    await tenant.post('/v3/attributes', { name: 'City', externalId: 'city' });
    const make = (audience: string) => tenant.post('/v3/campaigns', { ...ground, name: 'x', audience });
    expect((await make('and(eq(attributes.city,"London"),eq(isSubscribed,true))')).status).toBe(200);
    for (const audience of ['eq(attributes.town,"London")', 'eq(firstname,"Ada")', 'gt(isSubscribed,3)'])
      expect((await make(audience)).body.error.invalidParams.audience.key).toBe('invalid_string');
  });

  it('stores nothing when only one of its people is wrong', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    const before = await traces(tenant);
    const contacts = [...testContacts(20), { phoneNumber: '+1', labels: [{ name: 'New' }] }];
    const { body } = await tenant.post('/v3/campaigns', { ...ground, name: 'x', contacts });
    expect(Object.keys(body.error.invalidParams)).toEqual(['contacts.20.phoneNumber']);
    expect(await traces(tenant)).toEqual(before);
  });

  it.each(['draft', 'inactive', 'archived'])('cannot run an automation that is %s', async (status) => {
    const tenant = await server.tenant();
    const { id: channelId } = await tenant.channel();
    const automationId = await automationOf(tenant, { publish: status !== 'draft' });
    if (status !== 'draft') await tenant.post(`/v3/automations/${automationId}/status`, { status });
    const answer = await tenant.post('/v3/campaigns', { channelId, automationId, name: 'x' });
    expect([answer.status, answer.body.error.messageKey]).toEqual([409, 'conflict']);
    expect(answer.body.error.message).toContain(`the automation is ${status}`);
  });

  it('A2: takes neither channel, automation nor template of another tenant', async () => {
    const [ours, theirs] = [await server.tenant(), await server.tenant()];
    const [ground, foreign] = [await groundFor(ours), await groundFor(theirs, { kind: 'whatsapp' })];
    const template = { name: 'hello', language: 'en', body: 'Hello' };
    const made = await theirs.post('/v3/message_templates', { ...template, channelId: foreign.channelId });
    const before = await traces(theirs);
    const refused = async (more: object) =>
      (await ours.post('/v3/campaigns', { ...ground, name: 'x', contacts: testContacts(1), ...more })).body
        .error.invalidParams;
    expect(await refused({ channelId: foreign.channelId })).toMatchObject({ channelId: { key: 'custom' } });
    expect(await refused({ automationId: foreign.automationId })).toEqual({
      automationId: { key: 'custom', message: `There is no automation ${foreign.automationId}` },
    });
    expect(await refused({ messageTemplateId: made.body.data.id })).toMatchObject({
      messageTemplateId: { key: 'custom' },
    });
    expect(await traces(theirs)).toEqual(before);
    expect(await traces(ours)).toMatchObject({ campaigns: 0, recipients: 0 });
  });

  it('takes a template of its channel, and of no other', async () => {
    const tenant = await server.tenant();
    const { id: channelId } = await tenant.channel();
    const other = await tenant.channel();
    const template = async (channel: string) =>
      (
        await tenant.post('/v3/message_templates', {
          channelId: channel,
          name: 'hello',
          language: 'en',
          body: 'Hello',
        })
      ).body.data.id as string;
    const [messageTemplateId, elsewhere] = [await template(channelId), await template(other.id)];
    const make = async (id: string) =>
      (
        await tenant.post('/v3/campaigns', {
          channelId,
          automationId: await automationOf(tenant),
          messageTemplateId: id,
          name: 'x',
        })
      ).body;
    expect((await make(messageTemplateId)).data).toMatchObject({ messageTemplateId });
    expect((await make(elsewhere)).error.invalidParams).toEqual({
      messageTemplateId: { key: 'custom', message: `The channel has no template ${elsewhere}` },
    });
  });

  it('of 5001 people is too large, and nothing is stored', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    const before = await traces(tenant);
    const refused = await tenant.post('/v3/campaigns', {
      ...ground,
      name: 'x',
      contacts: testContacts(5001),
    });
    expect(refused.body.error.invalidParams).toMatchObject({ contacts: { key: 'too_big' } });
    expect(await traces(tenant)).toEqual(before);
  });

  it('needs the plan growth', async () => {
    const tenant = await server.tenant({ plan: 'free' });
    for (const path of [
      '/v3/campaigns',
      '/v3/campaigns/search',
      `/v3/campaigns/${UNKNOWN}/recipients/search`,
    ])
      expect((await tenant.post(path, {})).body.error.messageKey).toBe('insufficient_billing_plan');
  });

  it('is found by its fields', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    const make = async (name: string, more: object = {}) =>
      (await tenant.post('/v3/campaigns', { ...ground, name, ...more })).body.data.id as string;
    const draft = await make('Spring sale');
    const scheduled = await make('Winter sale', { scheduledAt: LATER, contacts: testContacts(1) });
    const idsOf = async (body: object) =>
      (await tenant.post('/v3/campaigns/search', body)).body.data.map(({ id }: { id: string }) => id);
    expect(await idsOf({ query: 'eq(status,"scheduled")' })).toEqual([scheduled]);
    expect(await idsOf({ query: 'isNull(scheduledAt)' })).toEqual([draft]);
    expect(await idsOf({ search: 'SPRING' })).toEqual([draft]);
    expect(await idsOf({ sortBy: 'asc(name)' })).toEqual([draft, scheduled]);
    expect(
      await idsOf({
        query: `and(eq(channelId,"${ground.channelId}"),eq(automationId,"${ground.automationId}"),gt(scheduledAt,"2026-12-01"))`,
      }),
    ).toEqual([scheduled]);
    expect(await idsOf({ query: `eq(channelId,"${UNKNOWN}")` })).toEqual([]);
  });

  it('made again with the same Idempotency-Key is the same', async () => {
    const tenant = await server.tenant();
    const body = { ...(await groundFor(tenant)), name: 'x', contacts: testContacts(2) };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        tenant.post('/v3/campaigns', body, { headers: { 'idempotency-key': 'k' } }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect((await tenant.post('/v3/campaigns/search', {})).body.pagination.total).toBe(1);
  });
});

import { describe, expect, it } from 'vitest';
import { automationOf, groundFor, testContacts } from '../kit/campaigns.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();
const LATER = '2026-12-24T09:00:00.000Z';
const UNKNOWN = '019a82a0-0000-7000-8000-00000000ffff';

describe('a broadcast of version 2', () => {
  it('is a campaign of version 3 under another name', async () => {
    const tenant = await server.tenant();
    const { channelId, automationId } = await groundFor(tenant);
    const sent = {
      name: 'Sale',
      workflowId: automationId,
      isScheduled: true,
      scheduledAt: LATER,
      isReoccurring: true,
      recurrenceRules: ['RRULE:FREQ=DAILY;COUNT=3'],
      variables: [{ name: 'discount', value: '20' }],
      contacts: [
        {
          firstName: 'Ada',
          lastName: null,
          email: null,
          phoneNumber: '+15550001111',
          attributes: [],
          labels: [{ name: 'VIP' }],
        },
      ],
    };
    const made = await tenant.post(`/v2/${channelId}/broadcasts`, sent);
    expect(made.status).toBe(200);
    const { contacts: _, ...shown } = sent;
    const record = {
      id: made.body.data.id,
      ...shown,
      status: 'scheduled',
      createdAt: '2026-11-15T01:02:03.456Z',
      updatedAt: '2026-11-15T01:02:03.456Z',
    };
    expect(made.body).toEqual({ success: true, data: record });
    expect((await tenant.get(`/v2/${channelId}/broadcasts`)).body).toEqual({
      success: true,
      data: { broadcasts: [record] },
    });
    const today = await tenant.get(`/v3/campaigns/${record.id}`);
    expect(today.body.data).toMatchObject({ channelId, automationId, recipientCounts: { queued: 1 } });
  });

  it('leaves out what is not set, and returns an empty list that was sent', async () => {
    const tenant = await server.tenant();
    const { channelId, automationId: workflowId } = await groundFor(tenant);
    const make = async (more: object) =>
      (await tenant.post(`/v2/${channelId}/broadcasts`, { name: 'x', workflowId, ...more })).body.data;
    const draft = await make({});
    expect(Object.keys(draft)).toEqual([
      'id',
      'name',
      'workflowId',
      'isScheduled',
      'isReoccurring',
      'status',
      'createdAt',
      'updatedAt',
    ]);
    expect(draft).toMatchObject({ status: 'draft', isScheduled: false, isReoccurring: false });
    expect(await make({ recurrenceRules: [], variables: [] })).toMatchObject({
      recurrenceRules: [],
      variables: [],
      isReoccurring: false,
    });
    expect(await make({ contacts: testContacts(1) })).toMatchObject({ status: 'running' });
  });

  it('is refused with the parameter names of version 2', async () => {
    const tenant = await server.tenant();
    const { id: channelId } = await tenant.channel();
    const post = (body: object) => tenant.post(`/v2/${channelId}/broadcasts`, body);
    expect(
      (await post({ workflowId: 'x', contacts: {}, variables: [{}] })).body.error.invalidParams,
    ).toMatchObject({
      name: { key: 'invalid_type', message: 'Required' },
      workflowId: { key: 'invalid_string' },
      contacts: { key: 'invalid_type' },
      'variables.0.name': { key: 'invalid_type' },
      'variables.0.value': { key: 'invalid_type' },
    });
    const unknown = await post({
      name: 'x',
      workflowId: UNKNOWN,
      messageTemplateId: UNKNOWN,
      contacts: [{ phoneNumber: '5550001111' }, { attributes: [{ externalId: '1x', value: 'x' }] }],
    });
    expect(Object.keys(unknown.body.error.invalidParams)).toEqual(['contacts.1.attributes.0.externalId']);
    const references = await post({
      name: 'x',
      workflowId: UNKNOWN,
      messageTemplateId: UNKNOWN,
      contacts: [{ phoneNumber: '5550001111' }],
    });
    expect(references.body.error.invalidParams).toMatchObject({
      workflowId: { key: 'custom', message: `There is no automation ${UNKNOWN}` },
      messageTemplateId: { key: 'custom' },
      'contacts.0.phoneNumber': { key: 'invalid_string' },
    });
    const deps = await automationOf(tenant, { variables: [{ name: 'n', type: 'number', required: true }] });
    const variables = [{ name: 'n', value: 'x' }];
    expect((await post({ name: 'x', workflowId: deps, variables })).body.error.invalidParams).toMatchObject({
      'variables.0.value': { key: 'invalid_string' },
    });
    expect((await tenant.get(`/v2/${channelId}/broadcasts`)).body.data.broadcasts).toEqual([]);
  });

  it('needs a channel of the tenant in its path', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const { automationId: workflowId } = await groundFor(tenant);
    const foreign = await other.channel();
    for (const id of [UNKNOWN, 'x', foreign.id]) {
      for (const answer of [
        await tenant.get(`/v2/${id}/broadcasts`),
        await tenant.post(`/v2/${id}/broadcasts`, { name: 'x', workflowId }),
      ])
        expect([answer.status, answer.body.error.messageKey]).toEqual([404, 'channel_not_found']);
    }
  });

  it('is listed with those of its channel, the oldest first, including campaigns of version 3', async () => {
    const tenant = await server.tenant();
    const ground = await groundFor(tenant);
    const elsewhere = await tenant.channel();
    const make = async (channelId: string, name: string) =>
      tenant.post(`/v2/${channelId}/broadcasts`, { name, workflowId: ground.automationId });
    await make(ground.channelId, 'first');
    await make(elsewhere.id, 'elsewhere');
    await tenant.post('/v3/campaigns', { ...ground, name: 'second' });
    const { broadcasts } = (await tenant.get(`/v2/${ground.channelId}/broadcasts`)).body.data;
    expect(broadcasts.map(({ name }: { name: string }) => name)).toEqual(['first', 'second']);
  });

  it('ignores what only campaigns of version 3 have', async () => {
    const tenant = await server.tenant();
    const { channelId, automationId: workflowId } = await groundFor(tenant);
    const made = await tenant.post(`/v2/${channelId}/broadcasts`, {
      name: 'x',
      workflowId,
      purpose: 'service',
      timezone: 'Nowhere/Berlin',
      templateHeader: { url: 'no URL' },
      closeChats: 'perhaps',
    });
    expect([made.status, made.body.error]).toEqual([200, undefined]);
    expect((await tenant.get(`/v3/campaigns/${made.body.data.id}`)).body.data).toMatchObject({
      purpose: 'marketing',
      timezone: 'UTC',
      templateHeader: null,
      closeChats: false,
    });
  });

  it('has no audience, also if the body has one', async () => {
    const tenant = await server.tenant();
    const { channelId, automationId: workflowId } = await groundFor(tenant);
    const body = { name: 'x', workflowId, audience: 'eq(firstName,"Ada")', channelId: UNKNOWN };
    const made = await tenant.post(`/v2/${channelId}/broadcasts`, body);
    expect(made.body.data.status).toBe('draft');
    expect((await tenant.get(`/v3/campaigns/${made.body.data.id}`)).body.data).toMatchObject({
      audience: null,
      segmentId: null,
      isTest: false,
      channelId,
    });
  });

  it('is refused if it can never run', async () => {
    const tenant = await server.tenant();
    const { channelId, automationId: workflowId } = await groundFor(tenant, { kind: 'whatsapp' });
    const refused = async (path: string, more: object) =>
      (await tenant.post(`/v2/${path}/broadcasts`, { name: 'x', workflowId, ...more })).body.error
        .invalidParams;
    for (const more of [
      { scheduledAt: LATER, isScheduled: true },
      { scheduledAt: LATER, contacts: [] },
    ])
      expect(await refused(channelId, more)).toEqual({
        contacts: { key: 'too_small', message: 'A scheduled broadcast needs at least one contact' },
      });

    const template = await tenant.post('/v3/message_templates', {
      channelId,
      name: 'hello',
      language: 'en',
      body: 'Hello',
    });
    expect(template.status).toBe(200);
    expect(
      await refused(channelId, { messageTemplateId: template.body.data.id, contacts: testContacts(1) }),
    ).toEqual({
      messageTemplateId: {
        key: 'custom',
        message: 'The workflow has no step `send_template` that would send it',
      },
    });

    const instagram = await tenant.channel('instagram');
    await tenant.post(`/v3/sandbox/${instagram.id}/inbound`, { from: '1784', text: 'hello' });
    await server.settle();
    const [ada] = (await tenant.post('/v3/contacts/search', {})).body.data;
    await tenant.put(`/v3/contacts/${ada.id}`, { email: 'ada@example.com' });
    const contacts = [{ email: 'ada@example.com' }, ...testContacts(1)];
    const message = 'Has no Instagram handle: only people who wrote there can be reached';
    expect(await refused(instagram.id, { contacts })).toEqual({ 'contacts.1': { key: 'custom', message } });
    const some = await tenant.post(`/v2/${instagram.id}/broadcasts`, {
      name: 'x',
      workflowId,
      contacts: contacts.slice(0, 1),
    });
    expect(some.body.data.status).toBe('running');
  });

  it('is failed if everybody failed', async () => {
    const tenant = await server.tenant();
    const steps = [{ id: 'hi', type: 'send_message', parameters: { text: 'Hello' } }];
    const { channelId, automationId: workflowId } = await groundFor(tenant, { steps });
    const statusOf = async (contacts: object[]) => {
      const made = await tenant.post(`/v2/${channelId}/broadcasts`, { name: 'x', workflowId, contacts });
      await server.settle();
      server.clock.advance(60_000);
      await server.settle();
      const { data } = (await tenant.get(`/v3/campaigns/${made.body.data.id}`)).body;
      return [data.status, data.error?.code];
    };
    expect(await statusOf(testContacts(1, 1))).toEqual(['failed', 'nobody_reached']);
    expect(await statusOf([...testContacts(1, 1), ...testContacts(1, 5)])).toEqual(['completed', undefined]);
  });

  it('needs the plan growth and the scope of campaigns', async () => {
    const poor = await server.tenant({ plan: 'free' });
    const { id } = await poor.channel();
    expect((await poor.get(`/v2/${id}/broadcasts`)).body.error.messageKey).toBe('insufficient_billing_plan');
    const tenant = await server.tenant();
    const { channelId } = await groundFor(tenant);
    const token = await tenant.tokenWith(['campaigns:read']);
    expect((await tenant.get(`/v2/${channelId}/broadcasts`, { token })).status).toBe(200);
    expect((await tenant.post(`/v2/${channelId}/broadcasts`, {}, { token })).status).toBe(403);
  });
});

import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, invalid, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';
import { expectFits, v2Broadcast } from './tables.ts';

const server = await useServerUnderTest();

describe.skipIf(!server.servesV2)('Endpoints / v2', () => {
  let tenant: Tenant;
  let channelId: string;
  let workflowId: string;
  beforeAll(async () => {
    tenant = await server.tenant();
    channelId = (await make.channel(tenant)).id;
    workflowId = (await make.automation(tenant)).id;
  });
  const create = (more: object = {}) =>
    tenant.post(`/v2/${channelId}/broadcasts`, { name: 'News', workflowId, ...more });
  const list = async () => dataOf(await tenant.get(`/v2/${channelId}/broadcasts`)).broadcasts;

  describe('GET /{channelId}/broadcasts', () => {
    it('lists the broadcasts of the channel', async () => {
      const { id: fresh } = await make.channel(tenant);
      const empty = await tenant.get(`/v2/${fresh}/broadcasts`);
      expect(empty.body).toEqual({ success: true, data: { broadcasts: [] } });
      const { id } = dataOf(await create());
      const ids = (broadcasts: { id: string }[]) => broadcasts.map((one) => one.id);
      expect(ids(await list())).toContain(id);
      expect(ids(dataOf(await tenant.get(`/v2/${fresh}/broadcasts`)).broadcasts)).toEqual([]);
    });

    it.each([randomUUID(), 'not-an-id'])('does not find the channel %s', async (id) => {
      expect(refusalOf(await tenant.get(`/v2/${id}/broadcasts`))).toEqual([404, 'channel_not_found']);
    });
  });

  describe('POST /{channelId}/broadcasts', () => {
    const tomorrow = make.inDays(1);
    const inAthens = (time: string) =>
      new Date(Date.parse(time) + 2 * 3600_000).toISOString().replace('Z', '+02:00');

    it('creates a broadcast from a name and a workflow', async () => {
      const made = dataOf(await create());
      expectFits(v2Broadcast, made);
      expect(made).toMatchObject({ name: 'News', workflowId, isScheduled: false, isReoccurring: false });
    });

    it('accepts every documented field', async () => {
      const [{ id: templateId }, { id: messageTemplateId }] = [
        await make.template(tenant, channelId),
        await make.template(tenant, channelId),
      ];
      const steps = [{ id: 'greet', type: 'send_template', parameters: { templateId } }];
      const { id: workflow } = await make.automation(tenant, { steps });
      const { externalId } = await make.attribute(tenant);
      const body = {
        isScheduled: true,
        scheduledAt: make.inDays(1),
        isReoccurring: true,
        recurrenceRules: ['RRULE:FREQ=WEEKLY;COUNT=4'],
        variables: [{ name: 'greeting', value: 'Hello' }],
      };
      const contacts = [
        {
          firstName: 'Ada',
          lastName: 'Lovelace',
          email: 'ada@example.com',
          phoneNumber: make.phoneNumber(),
          attributes: [{ externalId, value: 'Rome' }],
          labels: [{ name: 'VIP' }],
        },
      ];
      const made = dataOf(await create({ ...body, workflowId: workflow, messageTemplateId, contacts }));
      expectFits(v2Broadcast, made);
      expect(made).toMatchObject(body);
    });

    const contacts = [{ phoneNumber: make.phoneNumber() }];
    it.each([
      ['isScheduled false', { isScheduled: false }, { isScheduled: false }],
      [
        'scheduledAt alone',
        { scheduledAt: tomorrow, contacts },
        { isScheduled: true, scheduledAt: tomorrow },
      ],
      [
        'scheduledAt with an offset',
        { scheduledAt: inAthens(tomorrow), contacts },
        { scheduledAt: tomorrow },
      ],
      ['isReoccurring false', { isReoccurring: false }, { isReoccurring: false }],
      ['no contacts', { contacts: [] }, { status: 'draft' }],
      ['no variables', { variables: [] }, {}],
    ])('takes %s', async (_, body, expected) => {
      expect(dataOf(await create(body))).toMatchObject(expected);
    });

    it('merges its contacts into those of the tenant', async () => {
      const { externalId } = await make.attribute(tenant);
      const known = await make.contact(tenant, { firstName: 'Grace', lastName: 'Hopper' });
      const newcomer = make.phoneNumber();
      const scheduled = { scheduledAt: make.inDays(1) };
      const contacts = [
        { phoneNumber: known.phoneNumber, lastName: null, labels: [{ name: 'merged' }] },
        { phoneNumber: newcomer, firstName: 'Mary', attributes: [{ externalId, value: 'Oxford' }] },
      ];
      dataOf(await create({ ...scheduled, contacts }));
      const found = async (phoneNumber: string) => {
        const answer = await tenant.post('/v3/contacts/search', {
          query: `eq(phoneNumber,"${phoneNumber}")`,
        });
        expect(answer.body.data).toHaveLength(1);
        return dataOf(answer)[0];
      };
      expect(await found(known.phoneNumber)).toMatchObject({
        id: known.id,
        fullName: 'Grace Hopper',
        labels: [{ name: 'merged' }],
      });
      expect(await found(newcomer)).toMatchObject({
        firstName: 'Mary',
        lastName: null,
        attributes: [{ externalId, value: 'Oxford' }],
      });
    });

    it.each([
      'firstName',
      'lastName',
      'email',
      'phoneNumber',
    ])('takes null for the %s of a contact', async (name) => {
      const [phoneNumber, email] = [make.phoneNumber(), make.addressOn('email')];
      const contacts = [{ firstName: 'Ada', lastName: 'Lovelace', phoneNumber, email, [name]: null }];
      expect(dataOf(await create({ scheduledAt: make.inDays(1), contacts })).status).toBe('scheduled');
    });

    it.each([
      ['name', undefined, 'invalid_type'],
      ['name', 5, 'invalid_type'],
      ['workflowId', undefined, 'invalid_type'],
      ['workflowId', 5, 'invalid_type'],
      ['workflowId', 'flow', 'invalid_string'],
      ['workflowId', randomUUID(), 'custom'],
      ['isScheduled', 'yes', 'invalid_type'],
      ['scheduledAt', 5, 'invalid_type'],
      ['scheduledAt', 'soon', 'invalid_string'],
      ['scheduledAt', '2020-01-01T00:00:00Z', 'custom'],
      ['isReoccurring', 1, 'invalid_type'],
      ['recurrenceRules', 'RRULE:FREQ=DAILY', 'invalid_type'],
      ['messageTemplateId', 5, 'invalid_type'],
      ['messageTemplateId', 'greeting', 'invalid_string'],
      ['messageTemplateId', randomUUID(), 'custom'],
      ['contacts', {}, 'invalid_type'],
      ['variables', {}, 'invalid_type'],
    ])('refuses %s: %s', async (name, value, key) => {
      const before = await list();
      expect(refusalOf(await create({ [name]: value }))).toEqual(invalid({ [name]: key }));
      expect(await list()).toEqual(before);
    });

    it('refuses a time without contacts, as nobody would get it', async () => {
      expect(refusalOf(await create({ scheduledAt: tomorrow }))).toEqual(invalid({ contacts: 'too_small' }));
    });

    it.each([
      ['isScheduled without scheduledAt', { isScheduled: true }, 'scheduledAt'],
      ['isReoccurring without recurrenceRules', { isReoccurring: true }, 'recurrenceRules'],
    ])('refuses %s', async (_, body, name) => {
      const [status, messageKey, issues = {}] = refusalOf(await create(body));
      expect([status, messageKey, Object.keys(issues)]).toEqual([400, 'invalid_body_params', [name]]);
    });

    const inContact = (contact: object) => ({ contacts: [{ phoneNumber: '+12025550100', ...contact }] });
    it.each([
      ['a rule that is no text', { recurrenceRules: [5] }, { 'recurrenceRules.0': 'invalid_type' }],
      ['a variable without value', { variables: [{ name: 'a' }] }, { 'variables.0.value': 'invalid_type' }],
      ['a variable without name', { variables: [{ value: 'a' }] }, { 'variables.0.name': 'invalid_type' }],
      [
        'a variable whose value is a number',
        { variables: [{ name: 'a', value: 5 }] },
        { 'variables.0.value': 'invalid_type' },
      ],
      ['a contact that is text', { contacts: ['Ada'] }, { 'contacts.0': 'invalid_type' }],
      [
        'a firstName that is a number',
        inContact({ firstName: 5 }),
        { 'contacts.0.firstName': 'invalid_type' },
      ],
      ['a lastName that is a number', inContact({ lastName: 5 }), { 'contacts.0.lastName': 'invalid_type' }],
      ['an email that is a number', inContact({ email: 5 }), { 'contacts.0.email': 'invalid_type' }],
      ['an email that is none', inContact({ email: 'ada' }), { 'contacts.0.email': 'invalid_string' }],
      [
        'a phoneNumber that is a number',
        inContact({ phoneNumber: 5 }),
        { 'contacts.0.phoneNumber': 'invalid_type' },
      ],
      [
        'a phoneNumber that is none',
        inContact({ phoneNumber: 'x' }),
        { 'contacts.0.phoneNumber': 'invalid_string' },
      ],
      [
        'attributes that are no list',
        inContact({ attributes: {} }),
        { 'contacts.0.attributes': 'invalid_type' },
      ],
      [
        'an attribute without externalId',
        inContact({ attributes: [{ value: 'x' }] }),
        { 'contacts.0.attributes.0.externalId': 'invalid_type' },
      ],
      [
        'an attribute without value',
        inContact({ attributes: [{ externalId: 'city' }] }),
        { 'contacts.0.attributes.0.value': 'invalid_type' },
      ],
      [
        'an unknown attribute',
        inContact({ attributes: [{ externalId: 'nobodyHasThis', value: 'x' }] }),
        { 'contacts.0.attributes.0.externalId': 'custom' },
      ],
      ['labels that are no list', inContact({ labels: {} }), { 'contacts.0.labels': 'invalid_type' }],
      ['a label without name', inContact({ labels: [{}] }), { 'contacts.0.labels.0.name': 'invalid_type' }],
      [
        'a label whose name is a number',
        inContact({ labels: [{ name: 5 }] }),
        { 'contacts.0.labels.0.name': 'invalid_type' },
      ],
    ])('refuses %s', async (_, body, issues) => {
      expect(refusalOf(await create(body))).toEqual(invalid(issues));
    });

    it.each([randomUUID(), 'not-an-id'])('does not find the channel %s', async (id) => {
      const answer = await tenant.post(`/v2/${id}/broadcasts`, { name: 'News', workflowId });
      expect(refusalOf(answer)).toEqual([404, 'channel_not_found']);
    });

    it('refuses a workflow of another tenant', async () => {
      const { id } = await make.automation(await server.tenant());
      expect(refusalOf(await create({ workflowId: id }))).toEqual(invalid({ workflowId: 'custom' }));
    });
  });
});

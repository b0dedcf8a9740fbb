import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';
import * as tables from './tables.ts';
import { expectField } from './tables.ts';

const server = await useServerUnderTest();

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Records = any[];
const named = (records: Records, name: string) => records.find((one) => one.name === name);

describe.skipIf(!server.servesV2)('Resources', () => {
  let tenant: Tenant;
  let channelId: string;
  let records: Records;
  beforeAll(async () => {
    tenant = await server.tenant();
    channelId = (await make.channel(tenant)).id;
  });

  describe('API webhook (v2)', () => {
    beforeAll(async () => {
      await make.v2Webhook(tenant, { type: 'WHATSAPP_MESSAGE_STATUS', channelId });
      await make.v2Webhook(tenant, { type: 'EMAIL_MESSAGE_RECEIVED' });
      records = dataOf(await tenant.get('/v2/api_webhooks'));
    });

    it.each(Object.entries(tables.v2ApiWebhook))('has %s: %s', (name, type) =>
      expectField(records, name, type));

    it('has a channelId only if it is for one channel', () => {
      const channels = Object.fromEntries(records.map((one) => [one.type, one.channelId]));
      expect(channels).toEqual({ WHATSAPP_MESSAGE_STATUS: channelId, EMAIL_MESSAGE_RECEIVED: undefined });
    });
  });

  describe('Attribute (v2)', () => {
    beforeAll(async () => {
      const path = '/v2/attributes';
      await tenant.post(path, { name: 'Full', externalId: 'full', description: 'Everything is known' });
      await tenant.post(path, { name: 'Bare', externalId: 'bare' });
      records = dataOf(await tenant.get(path));
    });

    it.each(Object.entries(tables.v2Attribute))('has %s: %s', (name, type) =>
      expectField(records, name, type));

    it('has a description only if one was given', () => {
      expect(named(records, 'Full').description).toBe('Everything is known');
      expect(named(records, 'Bare')).not.toHaveProperty('description');
    });
  });

  describe('Broadcast (v2)', () => {
    let recurring: object;
    beforeAll(async () => {
      const { id: workflowId } = await make.automation(tenant);
      const path = `/v2/${channelId}/broadcasts`;
      recurring = {
        name: 'Recurring',
        workflowId,
        isScheduled: true,
        scheduledAt: make.inDays(1),
        isReoccurring: true,
        recurrenceRules: ['RRULE:FREQ=DAILY;COUNT=3'],
        variables: [{ name: 'greeting', value: 'Hello' }],
      };
      await tenant.post(path, { ...recurring, contacts: [{ phoneNumber: make.phoneNumber() }] });
      await tenant.post(path, { name: 'Bare', workflowId });
      records = dataOf(await tenant.get(path)).broadcasts;
    });

    it.each(Object.entries(tables.v2Broadcast))('has %s: %s', (name, type) =>
      expectField(records, name, type));

    it('returns recurrenceRules and variables as they were sent', () => {
      expect(named(records, 'Recurring')).toMatchObject(recurring);
    });

    it('has no scheduledAt if nothing is scheduled', () => {
      expect(named(records, 'Bare')).not.toHaveProperty('scheduledAt');
    });
  });
});

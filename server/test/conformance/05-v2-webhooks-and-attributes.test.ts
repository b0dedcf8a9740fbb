import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, invalid, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';
import { expectFits, v2ApiWebhook, v2Attribute } from './tables.ts';

const server = await useServerUnderTest();

describe.skipIf(!server.servesV2)('Endpoints / v2', () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await server.tenant();
  });
  const other = 'http://127.0.0.1:9/other';

  describe('GET /api_webhooks', () => {
    it('lists the webhooks of the tenant that were created with version 2', async () => {
      const fresh = await server.tenant();
      expect((await fresh.get('/v2/api_webhooks')).body).toEqual({ success: true, data: [] });
      const { secret: _, ...one } = await make.v2Webhook(fresh);
      const { secret: __, ...two } = await make.v2Webhook(fresh, { type: 'SMS_MESSAGE_RECEIVED' });
      await make.webhook(fresh);
      const listed = dataOf(await fresh.get('/v2/api_webhooks'));
      expect(listed).toHaveLength(2);
      expect(listed).toEqual(expect.arrayContaining([one, two]));
    });

    it('does not show secrets', async () => {
      await make.v2Webhook(tenant);
      for (const webhook of dataOf(await tenant.get('/v2/api_webhooks')))
        expect(webhook).not.toHaveProperty('secret');
    });
  });

  describe('POST /api_webhooks', () => {
    const create = (body?: unknown) => tenant.post('/v2/api_webhooks', body);
    const good = () => ({ tenantId: tenant.id, type: 'WHATSAPP_MESSAGE_RECEIVED', url: make.NOBODY });

    it('creates a webhook without a channel', async () => {
      const made = dataOf(await create(good()));
      expectFits(v2ApiWebhook, made);
      expect(made).toMatchObject({ type: 'WHATSAPP_MESSAGE_RECEIVED', url: make.NOBODY, isActive: true });
      expect(made).not.toHaveProperty('channelId');
    });

    it('creates a webhook for one channel', async () => {
      const { id: channelId } = await make.channel(tenant);
      expect(dataOf(await create({ ...good(), channelId })).channelId).toBe(channelId);
    });

    it.each([
      ['tenantId', undefined, 'invalid_type'],
      ['tenantId', 5, 'invalid_type'],
      ['type', undefined, 'invalid_type'],
      ['type', 5, 'invalid_type'],
      ['type', 'WHATSAPP_MESSAGE', 'invalid_enum_value'],
      ['type', 'whatsapp_message_received', 'invalid_enum_value'],
      ['url', undefined, 'invalid_type'],
      ['url', 5, 'invalid_type'],
      ['url', 'example', 'invalid_string'],
      ['channelId', 5, 'invalid_type'],
      ['channelId', randomUUID(), 'custom'],
    ])('refuses %s: %s', async (name, value, key) => {
      const before = dataOf(await tenant.get('/v2/api_webhooks'));
      expect(refusalOf(await create({ ...good(), [name]: value }))).toEqual(invalid({ [name]: key }));
      expect(dataOf(await tenant.get('/v2/api_webhooks'))).toEqual(before);
    });

    it('reports everything that is missing', async () => {
      const missing = { tenantId: 'invalid_type', type: 'invalid_type', url: 'invalid_type' };
      expect(refusalOf(await create({}))).toEqual(invalid(missing));
    });

    it('is forbidden for another tenant', async () => {
      const { id: tenantId } = await server.tenant();
      expect(refusalOf(await create({ ...good(), tenantId }))).toEqual([403, 'forbidden']);
    });
  });

  describe('PUT /api_webhooks/{webhookId}', () => {
    const change = (id: string, body?: unknown) => tenant.put(`/v2/api_webhooks/${id}`, body);

    it.each([
      ['both', { url: other, isActive: false }],
      ['url alone', { url: other }],
      ['isActive alone', { isActive: false }],
      ['neither', {}],
    ])('takes %s', async (_, body) => {
      const { secret, updatedAt, ...webhook } = await make.v2Webhook(tenant);
      const changed = dataOf(await change(webhook.id, body));
      expectFits(v2ApiWebhook, changed);
      expect(changed).toMatchObject({ ...webhook, ...body });
    });

    it.each([
      ['url', 5, 'invalid_type'],
      ['url', 'example', 'invalid_string'],
      ['isActive', 'yes', 'invalid_type'],
      ['isActive', 0, 'invalid_type'],
    ])('refuses %s: %s', async (name, value, key) => {
      const { id } = await make.v2Webhook(tenant);
      expect(refusalOf(await change(id, { [name]: value }))).toEqual(invalid({ [name]: key }));
    });

    it.each([randomUUID(), 'not-an-id'])('does not find %s', async (id) => {
      expect(refusalOf(await change(id, { isActive: true }))).toEqual([404, 'api_webhook_not_found']);
    });
  });

  describe('DELETE /api_webhooks/{webhookId}', () => {
    it('deletes the webhook', async () => {
      const { id } = await make.v2Webhook(tenant);
      const result = dataOf(await tenant.delete(`/v2/api_webhooks/${id}`));
      expect(result).toEqual({ deletedIds: [id], notFoundIds: [] });
      const left = dataOf(await tenant.get('/v2/api_webhooks'));
      expect(left.map((one: { id: string }) => one.id)).not.toContain(id);
    });
  });

  describe('GET /attributes', () => {
    it('lists the attributes of the tenant', async () => {
      const fresh = await server.tenant();
      expect((await fresh.get('/v2/attributes')).body).toEqual({ success: true, data: [] });
      const made = dataOf(await fresh.post('/v2/attributes', { name: 'City', externalId: 'city' }));
      expect(dataOf(await fresh.get('/v2/attributes'))).toEqual([made]);
    });
  });

  describe('POST /attributes', () => {
    const create = (body?: unknown) => tenant.post('/v2/attributes', body);
    const good = () => ({ name: 'City', externalId: make.uniqueName('city') });
    const flags = ['isVisibleQuickEdit', 'isVisibleContactsTable', 'isVisibleContactCreate'];

    it('creates an attribute from a name and an externalId', async () => {
      const body = good();
      const made = dataOf(await create(body));
      expectFits(v2Attribute, made);
      expect(made).toMatchObject({ ...body, type: 'text' });
      for (const flag of flags) expect(made[flag]).toBe(false);
    });

    it.each([
      ['description', 'Where they live'],
      ['isVisibleQuickEdit', true],
      ['isVisibleContactsTable', true],
      ['isVisibleContactCreate', true],
      ['isVisibleContactCreate', false],
    ])('takes %s: %s', async (name, value) => {
      expect(dataOf(await create({ ...good(), [name]: value }))[name]).toBe(value);
    });

    it('accepts null for no description', async () => {
      expect(dataOf(await create({ ...good(), description: null }))).not.toHaveProperty('description');
    });

    it.each<[string, unknown, string]>([
      ['name', undefined, 'invalid_type'],
      ['name', 5, 'invalid_type'],
      ['externalId', undefined, 'invalid_type'],
      ['externalId', 5, 'invalid_type'],
      ['externalId', null, 'invalid_type'],
      ['description', 5, 'invalid_type'],
      ...flags.map((flag): [string, string, string] => [flag, 'yes', 'invalid_type']),
    ])('refuses %s: %s', async (name, value, key) => {
      expect(refusalOf(await create({ ...good(), [name]: value }))).toEqual(invalid({ [name]: key }));
    });

    it('refuses an externalId that is taken', async () => {
      const body = good();
      await create(body);
      expect(refusalOf(await create(body))).toEqual(invalid({ externalId: 'custom' }));
    });
  });

  describe('DELETE /attributes/{attributeId}', () => {
    it('deletes the attribute and its values', async () => {
      const { id, externalId } = await make.attribute(tenant);
      const contact = await make.contact(tenant, { attributes: [{ externalId, value: 'Rome' }] });
      expect(contact.attributes).toHaveLength(1);
      const result = dataOf(await tenant.delete(`/v2/attributes/${id}`));
      expect(result).toEqual({ deletedIds: [id], notFoundIds: [] });
      expect(dataOf(await tenant.get(`/v3/contacts/${contact.id}`)).attributes).toEqual([]);
    });
  });
});

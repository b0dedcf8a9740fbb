import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf, eventually, refusalOf } from './client.ts';
import * as make from './fixtures.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await server.tenant();
});

describe('States / Chat status', () => {
  it('is open after the first message', async () => {
    expect((await make.chat(tenant)).status).toBe('open');
  });

  it('can change from any value to any other', async () => {
    const { id } = await make.chat(tenant);
    const order = ['closed', 'snoozed', 'open', 'snoozed', 'closed', 'open'];
    for (const status of order) {
      const snoozedUntil = status === 'snoozed' ? { snoozedUntil: make.inDays(1) } : {};
      const answer = await tenant.post(`/v3/chats/${id}/status`, { status, ...snoozedUntil });
      expect(dataOf(answer).status).toBe(status);
      expect(dataOf(await tenant.get(`/v3/chats/${id}`)).status).toBe(status);
    }
  });

  it('is open again after a message of the customer', async () => {
    const { id, channelId, handle } = await make.chat(tenant);
    dataOf(await tenant.post(`/v3/chats/${id}/status`, {}));
    await make.write(tenant, { id: channelId }, { from: handle.value, text: 'One more thing' });
    await eventually('open chat', async () => {
      const { status } = dataOf(await tenant.get(`/v3/chats/${id}`));
      return status === 'open' ? status : undefined;
    });
  });
});

describe('States / API webhook v3 status', () => {
  it('is active, can be set to inactive, and to active again', async () => {
    const { id, status } = await make.webhook(tenant);
    expect(status).toBe('active');
    for (const next of ['inactive', 'active'])
      expect(dataOf(await tenant.put(`/v3/api_webhooks/${id}`, { status: next })).status).toBe(next);
  });
});

describe('States / Automation status', () => {
  const set = (id: string, status: string) => tenant.post(`/v3/automations/${id}/status`, { status });

  it('is draft until it is published, then active', async () => {
    const { id, status } = await make.automation(tenant, { isDraft: true });
    expect(status).toBe('draft');
    expect(dataOf(await tenant.post(`/v3/automations/${id}/publish`, {})).status).toBe('active');
  });

  it('is switched off and on, archived, and restored as inactive', async () => {
    const { id } = await make.automation(tenant);
    for (const status of ['inactive', 'active', 'archived', 'inactive'])
      expect(dataOf(await set(id, status)).status).toBe(status);
  });

  it('does not become active from archived', async () => {
    const { id } = await make.automation(tenant);
    await set(id, 'archived');
    expect(refusalOf(await set(id, 'active'))).toEqual([409, 'conflict']);
  });
});

describe.skipIf(!server.servesV2)('States / Broadcast (v2) status', () => {
  let channelId: string;
  let workflowId: string;
  beforeAll(async () => {
    channelId = (await make.channel(tenant)).id;
    workflowId = (await make.automation(tenant)).id;
  });
  const create = async (more: object) =>
    dataOf(await tenant.post(`/v2/${channelId}/broadcasts`, { name: 'News', workflowId, ...more }));
  const someone = () => ({ contacts: [{ phoneNumber: make.phoneNumber() }] });

  it('is draft without contacts', async () => expect((await create({})).status).toBe('draft'));

  it('is scheduled until its time comes', async () => {
    const { status } = await create({ ...someone(), scheduledAt: make.inDays(1) });
    expect(status).toBe('scheduled');
  });
});

describe.skipIf(!server.servesV2)('States / API webhook v2 activity flag', () => {
  it('is true at first, can be set to false and to true again, and every answer shows it', async () => {
    const { id, isActive } = await make.v2Webhook(tenant);
    expect(isActive).toBe(true);
    for (const next of [false, false, true, true]) {
      const { id: changed, ...webhook } = dataOf(
        await tenant.put(`/v2/api_webhooks/${id}`, { isActive: next }),
      );
      expect([changed, webhook.isActive]).toEqual([id, next]);
      const all = dataOf(await tenant.get('/v2/api_webhooks'));
      expect(all.find((one: { id: string }) => one.id === id).isActive).toBe(next);
    }
  });

  it('does not change with the url', async () => {
    const { id } = await make.v2Webhook(tenant);
    await tenant.put(`/v2/api_webhooks/${id}`, { isActive: false });
    const changed = dataOf(await tenant.put(`/v2/api_webhooks/${id}`, { url: 'http://127.0.0.1:9/other' }));
    expect(changed).toMatchObject({ isActive: false, url: 'http://127.0.0.1:9/other' });
  });
});

import { describe, expect, it } from 'vitest';
import { usePerson } from '../kit/people.ts';
import { useServer } from '../kit/server.ts';

const server = await useServer();

describe('the settings of a tenant', () => {
  it('are read, changed one by one, and of this tenant only', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const before = (await tenant.get('/v3/tenant')).body.data;
    expect(before).toMatchObject({
      id: tenant.id,
      name: 'test',
      timezone: 'UTC',
      locale: 'en',
      isTest: false,
    });
    const changed = await tenant.put('/v3/tenant', { name: ' Example Ltd ', locale: 'PT_br' });
    expect(changed.body.data).toMatchObject({ name: 'Example Ltd', timezone: 'UTC', locale: 'pt-BR' });
    await tenant.put('/v3/tenant', { timezone: 'Europe/Berlin' });
    expect((await tenant.get('/v3/tenant')).body.data).toMatchObject({
      name: 'Example Ltd',
      timezone: 'Europe/Berlin',
      locale: 'pt-BR',
    });
    expect((await tenant.put('/v3/tenant', (await tenant.get('/v3/tenant')).body.data)).status).toBe(200);
    expect((await other.get('/v3/tenant')).body.data.name).toBe('test');
  });

  it('show how much of the limits is used, by this tenant', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    const usageOf = async (of: typeof tenant) => (await of.get('/v3/tenant')).body.data.usage;
    const none = { webhooks: 0, activeAutomations: 0, storedFailedRequests: 0, storageBytes: 0 };
    expect(await usageOf(tenant)).toEqual(none);
    await tenant.post('/v3/api_webhooks', {
      url: 'https://example.com/hook',
      events: [{ type: 'message.received' }],
    });
    const draft = {
      name: 'After an order',
      trigger: { type: 'api', parameters: {} },
      steps: [{ id: 'done', type: 'end', parameters: {} }],
    };
    await tenant.post('/v3/automations', draft);
    const { id } = (await tenant.post('/v3/automations', draft)).body.data;
    await tenant.post(`/v3/automations/${id}/publish`, {});
    expect(await usageOf(tenant)).toEqual({ ...none, webhooks: 1, activeAutomations: 1 });
    expect(await usageOf(other)).toEqual(none);
    // It cannot be changed, only sent back.
    await tenant.put('/v3/tenant', { usage: none });
    expect(await usageOf(tenant)).toMatchObject({ webhooks: 1 });
  });

  it.each([
    ['name', ''],
    ['name', '   '],
    ['name', 'x'.repeat(256)],
    ['timezone', 'Mars/Olympus'],
    ['timezone', ''],
    ['locale', 'not a language'],
    ['locale', ''],
    ['plan', 'free'],
    ['businessHours', []],
  ])('refuse %s %j and stay as they are', async (name, value) => {
    const tenant = await server.tenant();
    const answer = await tenant.put('/v3/tenant', { [name]: value });
    expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, [name]]);
    expect((await tenant.get('/v3/tenant')).body.data).toMatchObject({
      name: 'test',
      timezone: 'UTC',
      locale: 'en',
    });
  });

  it.each([
    ['owner', 200],
    ['admin', 403],
    ['agent', 403],
    ['viewer', 403],
  ] as const)('are read by %s, and changing them is answered with %i', async (role, status) => {
    const tenant = await server.tenant();
    const person = await usePerson(server, tenant, role);
    expect((await person.get('/v3/tenant')).status).toBe(200);
    const changed = await person.call('PUT', '/v3/tenant', { body: { locale: 'de' } });
    expect(changed.status).toBe(status);
  });
});

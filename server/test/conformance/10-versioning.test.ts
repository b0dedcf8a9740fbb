import { beforeAll, describe, expect, it } from 'vitest';
import { dataOf } from './client.ts';
import * as make from './fixtures.ts';
import { named, v2Operations, v3Operations } from './operations.ts';
import { type Tenant, useServerUnderTest } from './server-under-test.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await server.tenant();
});

describe('Versioning', () => {
  it.each(named(server.operations))('1, 2: %s is under its major version', async (_, { method, path }) => {
    const isKnown = async (at: string) =>
      !['route_not_found', 'method_not_allowed'].includes(
        (await tenant.call(method, at)).body.error?.messageKey,
      );
    expect(await isKnown(path)).toBe(true);
    expect(await isKnown(path.replace(/^\/v\d/, ''))).toBe(false);
  });

  it.each(named(v3Operations))('1: %s is in no other version', async (_, { method, path }) => {
    expect((await tenant.call(method, path.replace('/v3/', '/v1/'))).status).toBe(404);
    expect((await tenant.call(method, path.replace('/v3/', '/v4/'))).status).toBe(404);
  });

  it('1, 3: the latest version is 3, with major and minor numbers', async () => {
    const { info } = await server.document('/openapi.json');
    expect(info.version).toMatch(/^3\.\d+\.\d+/);
    const { headers } = await tenant.get('/v3/me');
    for (const name of ['deprecation', 'sunset']) expect(headers.get(name)).toBeNull();
  });

  it.runIf(server.servesV2)('4: version 2 is marked as deprecated, with its successor', async () => {
    for (const { method, path } of v2Operations) {
      const { headers } = await tenant.call(method, path);
      expect(headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(headers.get('link')).toMatch(/rel="successor-version"/);
    }
  });

  it('5: searches use POST, and there are no lists', async () => {
    for (const resource of ['api_webhooks', 'attributes', 'automations', 'campaigns']) {
      expect((await tenant.post(`/v3/${resource}/search`, {})).body.data).toBeInstanceOf(Array);
      expect((await tenant.get(`/v3/${resource}`)).status).toBe(405);
    }
  });

  it.runIf(server.servesV2)('5: a broadcast is a campaign, and its workflow an automation', async () => {
    const { id: channelId } = await make.channel(tenant);
    const { id: workflowId } = await make.automation(tenant);
    const broadcast = dataOf(await tenant.post(`/v2/${channelId}/broadcasts`, { name: 'News', workflowId }));
    const campaign = dataOf(await tenant.get(`/v3/campaigns/${broadcast.id}`));
    expect(campaign).toMatchObject({ id: broadcast.id, name: 'News', channelId, automationId: workflowId });
  });

  it.runIf(server.servesV2)('5: a webhook of version 2 is managed through version 3', async () => {
    const { id } = await make.v2Webhook(tenant);
    const changed = dataOf(await tenant.put(`/v3/api_webhooks/${id}`, { url: 'http://127.0.0.1:9/moved' }));
    expect(changed).toMatchObject({ id, url: 'http://127.0.0.1:9/moved' });
    expect(dataOf(await tenant.delete(`/v3/api_webhooks/${id}`)).deletedIds).toEqual([id]);
    expect(dataOf(await tenant.get('/v2/api_webhooks'))).not.toContainEqual(expect.objectContaining({ id }));
  });
});

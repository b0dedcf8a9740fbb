import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dataOf, refusalOf } from './client.ts';
import * as make from './furniture.ts';
import { named, v2Operations, v3Operations } from './operations.ts';
import {
  connect,
  isRemote,
  type ServerUnderTest,
  type Tenant,
  useServerUnderTest,
} from './server-under-test.ts';

const server = await useServerUnderTest();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await server.tenant();
});

/** Version 2 is gone: for every operation, with and without a token. */
const expectEnded = async ({ call }: Pick<ServerUnderTest, 'call'>, token: string): Promise<void> => {
  for (const { method, path, name } of v2Operations)
    for (const credentials of [{ token }, {}]) {
      const answer = await call(method, path, credentials);
      expect([name, ...refusalOf(answer)]).toEqual([name, 410, 'api_version_sunset']);
      expect(answer.body.error.message).toContain('/v3');
      expect(answer.headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(answer.headers.get('sunset')).toMatch(/ GMT$/);
      expect(answer.headers.get('link')).toMatch(/rel="successor-version"/);
    }
};

describe('Versioning', () => {
  it.each(named([...v3Operations, ...v2Operations]))('1, 2: %s is under its major version', async (name, {
    method,
    path,
  }) => {
    expect(refusalOf(await tenant.call(method, path.replace(/^\/v\d/, '')))[1]).toBe('route_not_found');
    const isGone = name.includes('/v2/') && !server.servesV2;
    const { status, body } = await tenant.call(method, path);
    expect(status).not.toBe(405);
    expect(body.error?.messageKey).not.toBe('route_not_found');
    expect(status === 410).toBe(isGone);
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

  it.runIf(server.servesV2)('4: version 2 says that it is deprecated, and what comes after it', async () => {
    for (const { method, path } of v2Operations) {
      const { headers } = await tenant.call(method, path);
      expect(headers.get('deprecation')).toMatch(/^@\d+$/);
      expect(headers.get('link')).toMatch(/rel="successor-version"/);
    }
  });

  it.skipIf(server.servesV2)('4: version 2 is unavailable: it has ended on this server', () =>
    expectEnded(server, tenant.token),
  );

  it('5: search is done with POST, and there are no lists', async () => {
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

// A server that runs elsewhere has a clock of its own, which nobody can set.
describe.skipIf(isRemote)('Versioning / 4: the day on which version 2 ends', () => {
  it('is 1 November 2026, in UTC: until it is over everything works, and nothing afterwards', async () => {
    const { OPERATOR_TOKEN, startServer } = await import('../kit/server.ts');
    const { listen } = await import('../kit/wire.ts');
    const dated = await startServer({ v2Sunset: '2026-11-01' });
    afterAll(() => dated.stop());
    dated.clock.set(new Date('2026-11-01T23:59:59.999Z'));
    const url = `http://127.0.0.1:${await listen(dated.system.app.server)}`;
    const before = await connect(url, OPERATOR_TOKEN);
    expect(before.servesV2).toBe(true);
    const caller = await before.tenant();
    const { headers } = await caller.get('/v2/attributes');
    expect(headers.get('sunset')).toBe('Mon, 02 Nov 2026 00:00:00 GMT');
    expect(dataOf(await caller.post('/v2/attributes', { name: 'Last', externalId: 'last' })).name).toBe(
      'Last',
    );

    dated.clock.set(new Date('2026-11-02T00:00:00.000Z'));
    expect((await connect(url, OPERATOR_TOKEN)).servesV2).toBe(false);
    await expectEnded(before, caller.token);
    expect(dataOf(await caller.post('/v3/attributes/search', {}))).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { OPERATOR_TOKEN, type TestServer, useServer } from '../kit/server.ts';

const server = await useServer({ apiSettings: { PARLEY_V2_SUNSET: '2026-12-31' } });

interface Usage {
  tenantId: string;
  tenantName: string;
  tokenId: string;
  tokenName: string | null;
  operation: string;
  calls: number;
  lastCalledAt: string;
}

async function usageOf(tenantId: string, from: TestServer = server): Promise<Usage[]> {
  const answer = await from.call('GET', '/admin/v2-usage', { token: OPERATOR_TOKEN });
  expect(answer.status).toBe(200);
  return (answer.body.data as Usage[]).filter((row) => row.tenantId === tenantId);
}

describe('calls of version 2', () => {
  it('are shown to the tenant whose tokens made them, and to no other', async () => {
    const [tenant, other] = [await server.tenant(), await server.tenant()];
    await tenant.get('/v2/attributes');
    await other.get('/v2/api_webhooks');
    const answer = await tenant.get('/v3/v2_usage');
    expect(answer.body.data).toEqual([
      {
        tokenId: expect.any(String),
        tokenName: 'test',
        operation: 'GET /v2/attributes',
        calls: 1,
        lastCalledAt: server.clock.now().toISOString(),
      },
    ]);
    const reader = await tenant.post('/v3/tokens', { name: 'reader', scopes: ['contacts:read'] });
    const refused = await tenant.get('/v3/v2_usage', { token: reader.body.data.token as string });
    expect(refused.status).toBe(403);
  });

  it('are counted by token and operation, successful or not', async () => {
    const tenant = await server.tenant();
    const other = await tenant.post('/v3/tokens', { name: 'old shop', scopes: ['attributes:read'] });
    const old = { token: other.body.data.token as string };
    await tenant.get('/v2/attributes');
    await tenant.get('/v2/attributes');
    await tenant.put('/v2/api_webhooks/x', {});
    await tenant.call('POST', '/v2/attributes', { raw: '{' });
    server.clock.advance(1000);
    await tenant.get('/v2/attributes', old);
    await tenant.get('/v2/api_webhooks', old);
    await tenant.get('/v2/nothing');
    await tenant.get('/v3/me');
    const rows = await usageOf(tenant.id);
    const now = server.clock.now().toISOString();
    expect(rows).toHaveLength(5);
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ tokenName: 'test', operation: 'GET /v2/attributes', calls: 2 }),
        expect.objectContaining({ operation: 'PUT /v2/api_webhooks/{webhookId}', calls: 1 }),
        expect.objectContaining({ operation: 'POST /v2/attributes', calls: 1 }),
        {
          tenantId: tenant.id,
          tenantName: 'test',
          tokenId: other.body.data.id,
          tokenName: 'old shop',
          operation: 'GET /v2/attributes',
          calls: 1,
          lastCalledAt: now,
        },
        expect.objectContaining({ tokenName: 'old shop', operation: 'GET /v2/api_webhooks', calls: 1 }),
      ]),
    );
    // The last call comes first.
    expect(rows.map((row) => row.lastCalledAt)).toEqual(
      rows
        .map((row) => row.lastCalledAt)
        .sort()
        .reverse(),
    );
  });

  it('are also counted after its end, but never without a valid token', async () => {
    const ended = await useServer({
      databaseUrl: server.databaseUrl,
      apiSettings: { PARLEY_V2_SUNSET: '2026-11-01' },
    });
    const tenant = await ended.tenant();
    for (const token of [tenant.token, tenant.token, 'not a token', null])
      expect((await ended.call('GET', '/v2/attributes', { token })).status).toBe(410);
    await expect.poll(async () => (await usageOf(tenant.id, ended))[0]?.calls).toBe(2);
    expect(await usageOf(tenant.id, ended)).toHaveLength(1);
  });

  it('of all processes are added up, also those of a process that has stopped', async () => {
    const tenant = await server.tenant();
    const second = await useServer({ databaseUrl: server.databaseUrl });
    for (let call = 0; call < 3; call += 1) await second.call('GET', '/v2/attributes', tenant);
    await tenant.get('/v2/attributes');
    expect((await usageOf(tenant.id)).map(({ calls }) => calls)).toEqual([1]);
    await second.stop();
    expect((await usageOf(tenant.id)).map(({ calls }) => calls)).toEqual([4]);
  });

  it('are kept when the token is deleted, and deleted with the tenant', async () => {
    const tenant = await server.tenant();
    const spare = await tenant.post('/v3/tokens', { name: 'spare', scopes: ['*'] });
    await tenant.get('/v2/attributes', { token: spare.body.data.token });
    await tenant.delete(`/v3/tokens/${spare.body.data.id}`);
    expect(await usageOf(tenant.id)).toMatchObject([
      { tokenId: spare.body.data.id, tokenName: null, calls: 1 },
    ]);
    await tenant.get('/v2/attributes');
    await server.call('DELETE', `/admin/tenants/${tenant.id}`, { token: OPERATOR_TOKEN });
    expect(await usageOf(tenant.id)).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { OPERATOR_TOKEN, useServer } from '../kit/server.ts';

const server = await useServer();
const admin = (method: string, path: string, body?: unknown) =>
  server.call(method, path, { token: OPERATOR_TOKEN, body });

describe('the operator', () => {
  it('creates a tenant with the full plan, and a token with all rights', async () => {
    const tenant = (await admin('POST', '/admin/tenants', { name: 'Example' })).body.data;
    expect(tenant).toMatchObject({ name: 'Example', plan: 'scale', rateLimit: null });
    const made = (await admin('POST', `/admin/tenants/${tenant.id}/tokens`)).body.data;
    expect(made).toMatchObject({ name: 'operator', scopes: ['*'] });
    const me = await server.call('GET', '/v3/me', { token: made.token });
    expect(me.body.data).toMatchObject({
      tenant: { id: tenant.id, name: 'Example' },
      limits: { requestsPerMinute: 6000 },
    });
    expect((await admin('GET', '/admin/tenants')).body.data).toContainEqual(tenant);
  });

  it('changes a plan and a limit with immediate effect', async () => {
    const tenant = await server.tenant({ plan: 'free', rateLimit: 100 });
    const change = (body: object) => admin('PUT', `/admin/tenants/${tenant.id}`, body);
    const limits = async () => {
      const { plan, limits, tenant: of } = (await tenant.get('/v3/me')).body.data;
      return [of.name, plan, limits.requestsPerMinute];
    };
    expect(await limits()).toEqual(['test', 'free', 100]);
    await change({ plan: 'growth' });
    expect(await limits()).toEqual(['test', 'growth', 100]);
    await change({ rateLimit: null, name: 'Other' });
    expect(await limits()).toEqual(['Other', 'growth', 600]);
    await change({ rateLimit: 1_000_000_000 });
    expect(await limits()).toEqual(['Other', 'growth', 1_000_000_000]);
    const wrong = await change({ rateLimit: 1_000_000_001, plan: 'gold', name: '' });
    expect(wrong.body.error.invalidParams).toMatchObject({
      rateLimit: { key: 'too_big' },
      plan: { key: 'invalid_enum_value' },
      name: { key: 'too_small' },
    });
    expect((await change({ rateLimit: 0 })).body.error.invalidParams).toMatchObject({
      rateLimit: { key: 'too_small' },
    });
  });

  it('deletes a tenant with all its data, and its tokens are refused at once', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: 'hello' });
    await tenant.post(
      '/v3/api_webhooks',
      { url: 'https://example.com', events: [{}] },
      {
        headers: { 'idempotency-key': 'k' },
      },
    );
    await server.settle();
    const tables = await server.system.db.query(
      `select c.table_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
        where c.column_name = 'tenant_id' and c.table_schema = 'public' and t.table_type = 'BASE TABLE'`,
      [],
    );
    const rows = async () => {
      let total = 0;
      for (const { table_name } of tables.rows) {
        const found = await server.system.db.query(
          `select count(*) as n from ${table_name} where tenant_id = $1`,
          [tenant.id],
        );
        total += Number(found.rows[0]?.n);
      }
      return total;
    };
    expect(await rows()).toBeGreaterThan(10);
    expect((await admin('DELETE', `/admin/tenants/${tenant.id}`)).body.data.deletedIds).toEqual([tenant.id]);
    expect((await tenant.get('/v3/me')).status).toBe(401);
    expect(await rows()).toBe(0);
    expect((await admin('DELETE', `/admin/tenants/${tenant.id}`)).body.data.notFoundIds).toEqual([tenant.id]);
  });

  it('gets 404 for an unknown tenant, also if its id is not a UUID', async () => {
    for (const id of ['019a82a0-0000-7000-8000-00000000ffff', 'x', '%00', '%zz']) {
      expect((await admin('PUT', `/admin/tenants/${id}`, {})).body.error.messageKey).toBe('tenant_not_found');
      expect((await admin('POST', `/admin/tenants/${id}/tokens`, {})).body.error.messageKey).toBe(
        'tenant_not_found',
      );
      expect((await admin('DELETE', `/admin/tenants/${id}`)).body.data.notFoundIds).toHaveLength(1);
    }
  });

  it('may write the id of a tenant in capitals and gets a token of the same tenant', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const { token } = (await admin('POST', `/admin/tenants/${tenant.id.toUpperCase()}/tokens`)).body.data;
    expect((await tenant.get('/v3/me', { token })).body.data.tenant.id).toBe(tenant.id);
    const written = await tenant.post(
      `/v3/sandbox/${channel.id}/inbound`,
      { from: '+15550001111', text: 'hello' },
      { token },
    );
    expect(written.status).toBe(200);
    await admin('PUT', `/admin/tenants/${tenant.id}`, { plan: 'free' });
    expect((await tenant.get('/v3/me', { token })).body.data.plan).toBe('free');
  });
});

describe('the operator’s routes', () => {
  it.each([
    ['no token', {}],
    ['a wrong token', { authorization: `Bearer ${OPERATOR_TOKEN}x` }],
    ['a part of it', { authorization: `Bearer ${OPERATOR_TOKEN.slice(0, -1)}` }],
    ['nothing after Bearer', { authorization: 'Bearer ' }],
    ['another scheme', { authorization: `Basic ${OPERATOR_TOKEN}` }],
    ['the token twice', { authorization: `Bearer ${OPERATOR_TOKEN}, Bearer ${OPERATOR_TOKEN}` }],
  ])('refuse %s', async (_, headers) => {
    const answer = await server.call('GET', '/admin/tenants', { headers });
    expect([answer.status, answer.body.error.messageKey]).toEqual([401, 'unauthorized']);
    expect(answer.headers['www-authenticate']).toBe('Bearer');
  });

  it('refuse tokens of tenants, and those of tenants refuse the operator’s', async () => {
    const tenant = await server.tenant();
    expect((await tenant.get('/admin/tenants')).status).toBe(401);
    expect((await server.call('GET', '/v3/me', { token: OPERATOR_TOKEN })).status).toBe(401);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { subscribe } from '../kit/webhooks.ts';

const server = await useServer();
const receiver = await useReceiver();
const { db } = server.system;
let tenant: TestTenant;
beforeEach(async () => {
  server.clock.set(new Date('2026-11-15T01:02:03.456Z'));
  tenant = await server.tenant();
  receiver.received.length = 0;
});

const createContacts = async (count: number): Promise<void> => {
  for (let number = 0; number < count; number += 1)
    await tenant.post('/v3/contacts', { firstName: `N${number}` });
  await server.settle();
};
const search = async (query?: string, by = tenant) =>
  (
    await by.post('/v3/webhook_deliveries/search', {
      ...(query ? { query } : {}),
      pagination: { limit: 100 },
    })
  ).body;
const webhookIdsOf = async (): Promise<string[]> =>
  (await tenant.post('/v3/api_webhooks/search', {})).body.data.map((one: { id: string }) => one.id);

/** As after ten attempts. */
const failAll = (webhookId: string) =>
  db.query(`update deliveries set status = 'failed', due_at = null where webhook_id = $1`, [webhookId]);

describe('deliveries of all webhooks', () => {
  it('are found by webhook, state, type, time and status code', async () => {
    await subscribe(tenant, receiver.url, [{ type: 'contact.created' }]);
    await tenant.post('/v3/api_webhooks', { url: 'http://127.0.0.1:9/', events: [{ type: 'contact.*' }] });
    await createContacts(2);
    const all = await search();
    expect(all.pagination.total).toBe(4);
    const delivered = await search('eq(responseStatus,204)').then((one) =>
      one.pagination.total > 0 ? one : search('eq(responseStatus,200)'),
    );
    expect(delivered.data).toHaveLength(2);
    expect(delivered.data[0]).toMatchObject({
      status: 'delivered',
      eventType: 'contact.created',
      totalMs: expect.any(Number),
    });
    const { webhookId } = delivered.data[0];
    expect((await search(`eq(webhookId,"${webhookId}")`)).data).toHaveLength(2);
    expect((await search('and(eq(status,"pending"),isNull(responseStatus))')).data).toHaveLength(2);
    expect((await search('gt(createdAt,"2026-11-15T01:02:04Z")')).data).toEqual([]);
    expect((await search('eq(eventType,"contact.updated")')).data).toEqual([]);
    expect((await search(undefined, await server.tenant())).data).toEqual([]);
  });
});

describe('deliveries that match', () => {
  it('are sent again by a job, with the same id', async () => {
    await subscribe(tenant, receiver.url, [{ type: 'contact.created' }]);
    await createContacts(3);
    const [webhookId] = (await webhookIdsOf()) as [string];
    await failAll(webhookId);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    receiver.received.length = 0;
    const started = await tenant.post(`/v3/api_webhooks/${webhookId}/deliveries/retry`, {
      query: 'eq(status,"failed")',
    });
    expect(started.body.data).toMatchObject({ kind: 'retry_deliveries', status: 'queued', total: 3 });
    await server.settle();
    expect((await tenant.get(`/v3/jobs/${started.body.data.jobId}`)).body.data).toMatchObject({
      status: 'completed',
      done: 3,
      failed: 0,
    });
    expect(receiver.received.map(({ headers }) => headers['webhook-id']).sort()).toEqual(ids.sort());
    expect((await search('eq(status,"delivered")')).data).toHaveLength(3);
  });

  it('are chosen by all that they can be searched by', async () => {
    await subscribe(tenant, receiver.url, [{ type: 'contact.created' }]);
    await createContacts(2);
    const [webhookId] = (await webhookIdsOf()) as [string];
    await failAll(webhookId);
    const [{ eventId, responseStatus }] = (await search('eq(status,"failed")')).data;
    for (const [query, total] of [
      [`eq(eventId,"${eventId}")`, 1],
      [`eq(responseStatus,${responseStatus})`, 2],
      [`eq(webhookId,"${webhookId}")`, 2],
    ] as const) {
      const started = await tenant.post(`/v3/api_webhooks/${webhookId}/deliveries/retry`, { query });
      expect([started.status, started.body.data?.total]).toEqual([200, total]);
    }
  });

  it('count as failed if they wait for an attempt anyway', async () => {
    await tenant.post('/v3/api_webhooks', {
      url: 'http://127.0.0.1:9/',
      events: [{ type: 'contact.created' }],
    });
    await createContacts(1);
    const [webhookId] = (await webhookIdsOf()) as [string];
    const started = await tenant.post(`/v3/api_webhooks/${webhookId}/deliveries/retry`, {
      query: 'eq(status,"pending")',
    });
    await server.settle();
    expect((await tenant.get(`/v3/jobs/${started.body.data.jobId}`)).body.data).toMatchObject({
      status: 'completed',
      done: 0,
      failed: 1,
    });
  });

  it('are not sent again to a webhook that is not active, nor by another tenant, nor without a filter', async () => {
    await subscribe(tenant, receiver.url, [{ type: 'contact.created' }]);
    await createContacts(1);
    const [webhookId] = (await webhookIdsOf()) as [string];
    await failAll(webhookId);
    const path = `/v3/api_webhooks/${webhookId}/deliveries/retry`;
    const query = 'eq(status,"failed")';
    for (const body of [{}, { query: ' ' }, { query: 'eq(nope,1)' }]) {
      const answer = await tenant.post(path, body);
      expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, ['query']]);
    }
    expect((await (await server.tenant()).post(path, { query })).status).toBe(404);
    expect(
      (await tenant.post(path, { query }, { token: await tenant.tokenWith(['webhooks:read']) })).status,
    ).toBe(403);
    const started = await tenant.post(path, { query });
    await tenant.put(`/v3/api_webhooks/${webhookId}`, { status: 'inactive' });
    expect((await tenant.post(path, { query })).status).toBe(409);
    await server.settle();
    expect((await tenant.get(`/v3/jobs/${started.body.data.jobId}`)).body.data).toMatchObject({
      status: 'failed',
      errors: ['The webhook is inactive'],
    });
  });
});

describe('statistics of a webhook', () => {
  it('have every hour or day, also those without a delivery', async () => {
    await subscribe(tenant, receiver.url, [{ type: 'contact.created' }]);
    await createContacts(2);
    server.clock.set(new Date('2026-11-15T03:10:00.000Z'));
    await createContacts(1);
    const [webhookId] = (await webhookIdsOf()) as [string];
    const path = `/v3/api_webhooks/${webhookId}/stats`;
    const hours = (await tenant.get(`${path}?from=2026-11-15T01:30:00Z`)).body.data;
    expect(hours.interval).toBe('hour');
    expect(
      hours.intervals.map((one: { start: string; delivered: number }) => [one.start, one.delivered]),
    ).toEqual([
      ['2026-11-15T01:00:00.000Z', 2],
      ['2026-11-15T02:00:00.000Z', 0],
      ['2026-11-15T03:00:00.000Z', 1],
    ]);
    expect(hours.intervals[0].p50Ms).toBeGreaterThan(0);
    expect(hours.intervals[0].p95Ms).toBeGreaterThanOrEqual(hours.intervals[0].p50Ms);
    expect(hours.intervals[1]).toMatchObject({ failed: 0, pending: 0, p50Ms: null, p95Ms: null });
    const part = `${path}?from=2026-11-15T01:00:00Z&to=2026-11-15T03:00:00Z`;
    expect((await tenant.get(part)).body.data.intervals).toEqual(hours.intervals.slice(0, 2));
    expect((await tenant.get(path)).body.data.intervals).toHaveLength(24);
    const days = (await tenant.get(`${path}?interval=day`)).body.data;
    expect(days.intervals).toHaveLength(30);
    expect(days.intervals.at(-1)).toMatchObject({ start: '2026-11-15T00:00:00.000Z', delivered: 3 });
  });

  it('refuse too many intervals and an end before the beginning', async () => {
    await subscribe(tenant, receiver.url, [{ type: 'contact.created' }]);
    const [webhookId] = (await webhookIdsOf()) as [string];
    const path = `/v3/api_webhooks/${webhookId}/stats`;
    for (const [query, name] of [
      ['from=2020-01-01T00:00:00Z', 'from'],
      ['from=2026-11-15T01:00:00Z&to=2026-11-14T01:00:00Z', 'to'],
      ['interval=minute', 'interval'],
    ] as const) {
      const answer = await tenant.get(`${path}?${query}`);
      expect([answer.status, Object.keys(answer.body.error.invalidParams)]).toEqual([400, [name]]);
    }
    expect((await (await server.tenant()).get(path)).status).toBe(404);
  });
});

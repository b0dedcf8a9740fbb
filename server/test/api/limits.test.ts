import { describe, expect, it } from 'vitest';
import type { Adapter } from '../../src/providers/adapter.ts';
import { automationOf, smallest } from '../kit/automations.ts';
import { useEventStream } from '../kit/event-client.ts';
import { upload } from '../kit/files.ts';
import { storeInbound } from '../kit/inbound.ts';
import { OPERATOR_TOKEN, type TestTenant, useServer } from '../kit/server.ts';
import { pigeon, pigeonChannel } from '../kit/vendor.ts';

const adapter: Adapter = {
  ...pigeon,
  parseInbound() {
    throw new Error('Unreadable.');
  },
};
const server = await useServer({ adapters: new Map([['pigeon', adapter]]) });

const change = (tenant: TestTenant, body: object) =>
  server.call('PUT', `/admin/tenants/${tenant.id}`, { token: OPERATOR_TOKEN, body });
const limitsOf = async (tenant: TestTenant) => (await tenant.get('/v3/me')).body.data.limits;
const refused = (limit: string, value: number, advice: string) => ({
  success: false,
  error: expect.objectContaining({
    messageKey: 'limit_reached',
    message: `Limit reached: ${limit} is ${value} for this tenant; ${advice}, or ask the operator to raise it`,
  }),
});

describe('the limits of a tenant', () => {
  it('are those of its plan, unless the operator has set others', async () => {
    const tenant = await server.tenant({ plan: 'growth', limits: {} });
    const ofPlan = {
      requestsPerMinute: 1_000_000_000,
      webhooks: 100,
      activeAutomations: 500,
      runsPerMinute: 6_000,
      streams: 100,
      storedFailedRequests: 10_000,
      storageBytes: 100 * 1024 ** 3,
      unfinishedJobs: 100,
      segments: 1_000,
      inboxViews: 5_000,
      savedReplies: 5_000,
      secrets: 100,
    };
    expect(await limitsOf(tenant)).toEqual(ofPlan);
    expect((await change(tenant, { limits: { webhooks: 7, streams: 0 } })).body.data.limits).toEqual({
      webhooks: 7,
      streams: 0,
    });
    expect(await limitsOf(tenant)).toEqual({ ...ofPlan, webhooks: 7, streams: 0 });
    // Others stay, and null removes one.
    const changed = await change(tenant, { plan: 'scale', limits: { streams: null, storageBytes: 1 } });
    expect(changed.body.data.limits).toEqual({ webhooks: 7, storageBytes: 1 });
    expect(await limitsOf(tenant)).toMatchObject({ webhooks: 7, streams: 100, runsPerMinute: 600_000 });
    expect((await change(tenant, { limits: { webhooks: -1, unknown: 1 } })).status).toBe(400);
  });

  it('webhooks: refuses one too many, also when they come at once', async () => {
    const tenant = await server.tenant({ limits: { webhooks: 3 } });
    const create = () =>
      tenant.post('/v3/api_webhooks', { url: 'http://127.0.0.1:9/', events: [{ type: 'message.*' }] });
    const made = await Promise.all(Array.from({ length: 6 }, create));
    expect(made.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 409, 409, 409]);
    expect((await create()).body).toEqual(
      refused('webhooks', 3, 'delete a webhook that is no longer needed'),
    );
    const [{ id }] = (await tenant.post('/v3/api_webhooks/search', {})).body.data;
    await tenant.delete(`/v3/api_webhooks/${id}`);
    expect((await create()).status).toBe(200);
    await change(tenant, { limits: { webhooks: 4 } });
    expect((await create()).status).toBe(200);
  });

  it('activeAutomations: refuses to publish or start one too many; drafts and changes are free', async () => {
    const tenant = await server.tenant({ limits: { activeAutomations: 1 } });
    const first = await automationOf(tenant);
    const second = await automationOf(tenant, {}, { published: false });
    const answer = await tenant.post(`/v3/automations/${second}/publish`);
    expect(answer.body).toEqual(
      refused('activeAutomations', 1, 'make an automation inactive that is no longer needed'),
    );
    // One that is active already can be published again.
    await tenant.put(`/v3/automations/${first}`, { ...smallest, name: 'Changed' });
    expect((await tenant.post(`/v3/automations/${first}/publish`)).status).toBe(200);
    await tenant.post(`/v3/automations/${first}/status`, { status: 'inactive' });
    expect((await tenant.post(`/v3/automations/${second}/publish`)).status).toBe(200);
    expect((await tenant.post(`/v3/automations/${first}/status`, { status: 'active' })).status).toBe(409);
  });

  it('runsPerMinute: refuses to trigger more', async () => {
    const tenant = await server.tenant({ limits: { runsPerMinute: 3 } });
    const id = await automationOf(tenant);
    const contact = (await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' })).body.data;
    const trigger = () => tenant.post(`/v3/automations/${id}/trigger`, { contactId: contact.id });
    for (let count = 0; count < 3; count += 1) expect((await trigger()).status).toBe(200);
    expect((await trigger()).body).toEqual(refused('runsPerMinute', 3, 'try again in a minute'));
    server.clock.advance(20_000);
    expect((await trigger()).status).toBe(200);
    expect((await trigger()).status).toBe(409);
  });

  it('runsPerMinute: allows the first triggers of a tenant, also when they come at once', async () => {
    const tenant = await server.tenant();
    const id = await automationOf(tenant);
    const contact = (await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' })).body.data;
    const triggered = await Promise.all(
      Array.from({ length: 8 }, () =>
        tenant.post(`/v3/automations/${id}/trigger`, { contactId: contact.id }),
      ),
    );
    expect(triggered.map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  it('runsPerMinute: counts each trigger once, also when many come at once', async () => {
    const tenant = await server.tenant({ limits: { runsPerMinute: 1_000 } });
    const id = await automationOf(tenant);
    const contact = (await tenant.post('/v3/contacts', { phoneNumber: '+15550001111' })).body.data;
    for (let round = 0; round < 5; round += 1) {
      const triggered = await Promise.all(
        Array.from({ length: 60 }, () =>
          tenant.post(`/v3/automations/${id}/trigger`, { contactId: contact.id }),
        ),
      );
      expect(new Set(triggered.map(({ status }) => status))).toEqual(new Set([200]));
    }
  });

  it('streams: refuses one too many', async () => {
    const tenant = await server.tenant({ limits: { streams: 1 } });
    await useEventStream(server.system.app.server, { token: tenant.token });
    const answer = await tenant.get('/v3/events/stream');
    expect(answer.body).toEqual(refused('streams', 1, 'close a stream first'));
  });

  it('storedFailedRequests: keeps the newest', async () => {
    const tenant = await server.tenant({ limits: { storedFailedRequests: 2 } });
    const channel = await pigeonChannel(tenant);
    const fail = async (text: string): Promise<void> => {
      await storeInbound(server.system.db.forTenant(tenant.id), channel.id, [Buffer.from(text)]);
      for (let tries = 0; tries < 6; tries += 1) {
        await server.settle();
        server.clock.advance(60_000);
      }
    };
    for (const text of ['one', 'two', 'three']) await fail(text);
    const kept = (await tenant.post(`/v3/channels/${channel.id}/failed_requests/search`, {})).body.data;
    expect(kept.map(({ body }: { body: string }) => body)).toEqual(['three', 'two']);
  });

  it('storageBytes: refuses an upload that does not fit', async () => {
    const tenant = await server.tenant({ limits: { storageBytes: 10 } });
    const first = await upload(tenant, '12345678', 'first.txt');
    expect(first.status).toBe(200);
    const second = await upload(tenant, '123', 'second.txt');
    expect(second.body).toEqual(refused('storageBytes', 10, 'delete files that are no longer needed'));
    expect((await upload(tenant, '12', 'third.txt')).status).toBe(200);
    await tenant.delete(`/v3/files/${first.body.data.id}`);
    expect((await upload(tenant, '123', 'second.txt')).status).toBe(200);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { RETRY_DELAYS_MS } from '../../src/webhooks/schedule.ts';
import { type Receiver, useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { deliveriesOf, statusOf, subscribe, type TestWebhook, write } from '../kit/webhooks.ts';

const server = await useServer();
const DAY = 24 * 3600_000;

let tenant: TestTenant;
let channel: { id: string };
let target: Receiver;
let hook: TestWebhook;
/** Another webhook of the tenant, which receives all events. */
let watch: Receiver;
beforeEach(async () => {
  tenant = await server.tenant();
  channel = await tenant.channel();
  [target, watch] = [await useReceiver(), await useReceiver()];
  hook = await subscribe(tenant, target.url);
  await subscribe(tenant, watch.url, [{ type: 'webhook.*' }]);
});
const failing = async (): Promise<string | null> =>
  (await tenant.get(`/v3/api_webhooks/${hook.id}`)).body.data.failingSince;
const later = async (ms: number): Promise<void> => {
  server.clock.advance(ms);
  await server.settle();
};
/** Lets a delivery fail ten times, which takes almost four days. */
const failToTheEnd = async (text: string): Promise<void> => {
  target.answerWith(...Array(10).fill(500));
  await write(tenant, channel, text);
  await server.settle();
  for (const pause of RETRY_DELAYS_MS) await later(pause * 1.2);
};

describe('a receiver that answers 410', () => {
  it('is disabled at once: pending deliveries are cancelled, other webhooks get an event, and a line is logged', async () => {
    target.answerWith(500, 500);
    await write(tenant, channel, 'one', 'two');
    await server.settle();
    target.answerWith(410);
    await write(tenant, channel, 'three');
    await server.settle();
    expect(await statusOf(tenant, hook)).toBe('disabled');
    expect(await deliveriesOf(tenant, hook)).toMatchObject([
      { status: 'cancelled', attemptCount: 1, nextAttemptAt: null },
      { status: 'cancelled', attemptCount: 1, nextAttemptAt: null },
      { status: 'failed', nextAttemptAt: null, attempts: [{ response: { status: 410 } }] },
    ]);
    const shown = (await tenant.get(`/v3/api_webhooks/${hook.id}`)).body.data;
    expect(watch.received.map(({ body }) => [body.type, body.channelId, body.data])).toEqual([
      ['webhook.disabled', null, shown],
    ]);
    const lines = server.logged.filter((line) => line.includes('webhook disabled') && line.includes(hook.id));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ tenantId: tenant.id, reason: 'gone' }]);

    await write(tenant, channel, 'four');
    await later(3 * DAY);
    expect(target.received).toHaveLength(3);
  });

  it('is active again after its status is set to active, and receives events from then on', async () => {
    target.answerWith(410);
    await write(tenant, channel, 'one');
    await server.settle();
    const revived = await tenant.put(`/v3/api_webhooks/${hook.id}`, { status: 'active' });
    expect(revived.body.data).toMatchObject({ status: 'active', failingSince: null });
    await write(tenant, channel, 'two');
    await server.settle();
    expect(target.received.map(({ body }) => body.data.text)).toEqual(['one', 'two']);
  });

  it('is disabled once, also if many deliveries get this answer', async () => {
    target.answerWith(...Array(20).fill(410));
    await write(tenant, channel, ...Array.from({ length: 20 }, (_, index) => `message ${index}`));
    await server.settle();
    expect(watch.received).toHaveLength(1);
    const ends = (await deliveriesOf(tenant, hook)).map(({ status }) => status);
    expect(ends).toHaveLength(20);
    expect(ends).not.toContain('pending');
  });
});

describe('a receiver that only fails', () => {
  it('is disabled after five days, and not before', async () => {
    const started = server.clock.now().toISOString();
    await failToTheEnd('one');
    expect(await failing()).toBe(started);
    server.clock.set(new Date(new Date(started).getTime() + 5 * DAY - 1));
    target.answerWith(500, 500);
    await write(tenant, channel, 'two');
    await server.settle();
    expect(await statusOf(tenant, hook)).toBe('active');
    await later(6_000);
    expect(await statusOf(tenant, hook)).toBe('disabled');
    expect((await deliveriesOf(tenant, hook)).map(({ status }) => status)).toEqual(['failed', 'cancelled']);
    expect(watch.received.map(({ body }) => [body.type, body.data.id])).toEqual([
      ['webhook.disabled', hook.id],
    ]);
    await later(DAY);
    expect(target.received).toHaveLength(12);
  });

  it('gets five more days after one success', async () => {
    await failToTheEnd('one');
    await later(2 * DAY);
    await write(tenant, channel, 'two');
    await server.settle();
    expect(await failing()).toBeNull();
    target.answerWith(500);
    await write(tenant, channel, 'three');
    await server.settle();
    expect(await failing()).toBe(server.clock.now().toISOString());
    expect(await statusOf(tenant, hook)).toBe('active');
  });

  it('gets five more days at another URL, but not if the same URL is set again', async () => {
    target.answerWith(500);
    await write(tenant, channel, 'one');
    await server.settle();
    const since = await failing();
    expect(since).not.toBeNull();
    await tenant.put(`/v3/api_webhooks/${hook.id}`, { url: target.url, status: 'active' });
    expect(await failing()).toBe(since);
    await tenant.put(`/v3/api_webhooks/${hook.id}`, { url: `${target.url}/new` });
    expect(await failing()).toBeNull();
  });

  it('R8: is not disabled because the clock jumped, if there were hardly any attempts', async () => {
    target.answerWith(500, 500, 500);
    await write(tenant, channel, 'one');
    await server.settle();
    await later(400 * DAY);
    expect(target.received).toHaveLength(2);
    expect(await statusOf(tenant, hook)).toBe('active');
  });

  it('is healthy again after one delivery', async () => {
    target.answerWith(500, 200, 500, 200);
    await write(tenant, channel, 'one', 'two', 'three', 'four');
    await server.settle();
    await later(10_000);
    expect(await failing()).toBeNull();
    expect((await deliveriesOf(tenant, hook)).every(({ status }) => status === 'delivered')).toBe(true);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { isSignedWith, type Receiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { createWebhook, type TestWebhook, write } from '../kit/webhooks.ts';

const server = await useServer();
const HOUR = 3600_000;

let tenant: TestTenant;
let channel: { id: string };
let target: Receiver;
let hook: TestWebhook;
beforeEach(async () => {
  ({ tenant, channel, target, hook } = await createWebhook(server));
});
const texts = (): string[] => target.received.map(({ body }) => body.data.text);
const rotate = async () => (await tenant.post(`/v3/api_webhooks/${hook.id}/rotate_secret`)).body.data;

describe('a new secret', () => {
  it('is shown once, and for 24 hours both secrets sign', async () => {
    await write(tenant, channel, 'before');
    await server.settle();
    const rotated = await rotate();
    expect(rotated.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    expect(rotated.secret).not.toBe(hook.secret);
    expect(rotated.oldSecretUntil).toBe(new Date(server.clock.now().getTime() + 24 * HOUR).toISOString());
    expect((await tenant.get(`/v3/api_webhooks/${hook.id}`)).text).not.toContain(rotated.secret);

    await write(tenant, channel, 'during');
    await server.settle();
    server.clock.advance(24 * HOUR);
    await write(tenant, channel, 'after');
    await server.settle();
    const signed = target.received.map((delivery) => [
      delivery.body.data.text,
      isSignedWith(hook.secret, delivery),
      isSignedWith(rotated.secret, delivery),
      String(delivery.headers['webhook-signature']).split(' ').length,
    ]);
    expect(signed).toEqual([
      ['before', true, false, 1],
      ['during', true, true, 2],
      ['after', false, true, 1],
    ]);
  });

  it('ends the secret before the last at once', async () => {
    const second = await rotate();
    const third = await rotate();
    await write(tenant, channel, 'hello');
    await server.settle();
    const [delivery] = target.received as [Receiver['received'][0]];
    const secrets = [hook.secret, second.secret, third.secret];
    expect(secrets.map((secret) => isSignedWith(secret, delivery))).toEqual([false, true, true]);
  });

  it('R15: under load leaves no delivery without a signature by the old or the new secret', async () => {
    const count = 300;
    const names = Array.from({ length: count }, (_, index) => `message ${index}`);
    await write(tenant, channel, ...names.slice(0, 200));
    const settled = server.settle();
    await expect.poll(() => target.received.length).toBeGreaterThan(0);
    const rotated = await rotate();
    await write(tenant, channel, ...names.slice(200));
    await settled;
    await server.settle();
    expect(texts().toSorted()).toEqual(names.toSorted());
    for (const delivery of target.received)
      expect([hook.secret, rotated.secret].some((secret) => isSignedWith(secret, delivery))).toBe(true);
    // Deliveries after the rotation have both signatures.
    for (const delivery of target.received.filter(({ body }) => names.indexOf(body.data.text) >= 200))
      expect([hook.secret, rotated.secret].every((secret) => isSignedWith(secret, delivery))).toBe(true);
  });
});

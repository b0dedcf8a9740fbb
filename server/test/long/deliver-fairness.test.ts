import type { ServerResponse } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { deliveriesOf, subscribe, write } from '../kit/webhooks.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** A receiver that answers when the test says so. */
async function holding(answersAtOnce: (path: string) => boolean = () => false) {
  const held: ServerResponse[] = [];
  const seen: string[] = [];
  let isOpen = false;
  const { port } = await useHttpServer((request, response) => {
    request.resume().on('end', () => {
      seen.push(request.url as string);
      if (isOpen || answersAtOnce(request.url as string)) response.end();
      else held.push(response);
    });
  });
  return {
    port,
    held,
    seen,
    open() {
      isOpen = true;
      for (const response of held.splice(0)) response.end();
    },
  };
}

describe('one tenant with a thousand endpoints that hang', () => {
  it('R6: uses at most half of the places, and all other tenants are served meanwhile', async () => {
    // Every name resolves to this machine, so that a thousand endpoints are a thousand origins.
    const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
    const server = await useServer({ timers: true, outbound: { lookup }, deliveryDeadlineMs: 600_000 });
    const { db } = server.system;
    const hanging = await holding((path) => path === '/ok');
    const bad = await server.tenant();
    const first = await subscribe(bad, `http://shared.example:${hanging.port}/hang`);
    // The rest of the thousand, half of them at an origin that another tenant also uses.
    await db.query(
      `with copies as (
         insert into webhooks (id, tenant_id, url, status, secret_encrypted, api_version, created_at, updated_at)
         select c.id, w.tenant_id, 'http://' || case when c.at % 2 = 0 then 'shared' else 'endpoint-' || c.at end || $3,
                w.status, w.secret_encrypted, w.api_version, w.created_at, w.updated_at
           from webhooks w cross join unnest($2::uuid[]) with ordinality as c (id, at) where w.id = $1 returning id, tenant_id)
       insert into webhook_events (webhook_id, tenant_id, number, type_pattern)
       select id, tenant_id, 1, 'message.received' from copies`,
      [first.id, Array.from({ length: 999 }, newId), `.example:${hanging.port}/hang`],
    );
    await write(bad, await bad.channel(), 'hello');
    await expect.poll(() => hanging.held.length, { timeout: 60_000 }).toBe(128);

    const good = await useReceiver();
    const others = await Promise.all(Array.from({ length: 5 }, () => server.tenant()));
    const texts = Array.from({ length: 20 }, (_, index) => `message ${index}`);
    for (const tenant of others) {
      await subscribe(tenant, good.url);
      await subscribe(tenant, `http://shared.example:${hanging.port}/ok`);
      await write(tenant, await tenant.channel(), ...texts);
    }
    const served = (): number => hanging.seen.filter((path) => path === '/ok').length;
    await expect.poll(() => [good.received.length, served()], { timeout: 60_000 }).toEqual([100, 100]);
    // None of the thousand was answered in that time.
    expect(hanging.held).toHaveLength(128);

    hanging.open();
    const left = async () =>
      (await db.query(`select count(*) as n from deliveries where status <> 'delivered'`, [])).rows[0]?.n;
    await expect.poll(left, { timeout: 120_000 }).toBe(0);
    expect(hanging.seen.filter((path) => path === '/hang')).toHaveLength(1000);
  }, 240_000);
});

describe('a delivery that waits behind a slow receiver', async () => {
  const server = await useServer();
  const isLater = (): void => {
    const now = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => now + 2_000);
  };

  /** 32 requests are open; 28 deliveries are claimed and wait. */
  async function crowd(tenant: TestTenant) {
    const slow = await holding();
    const hook = await subscribe(tenant, `http://127.0.0.1:${slow.port}/`);
    await write(
      tenant,
      await tenant.channel(),
      ...Array.from({ length: 60 }, (_, index) => `message ${index}`),
    );
    const settled = server.settle();
    await expect.poll(() => slow.held.length, { timeout: 30_000 }).toBe(32);
    return { slow, hook, settled };
  }

  it('R14: is not sent if the webhook is deleted meanwhile', async () => {
    const tenant = await server.tenant();
    const { slow, hook, settled } = await crowd(tenant);
    await tenant.delete(`/v3/api_webhooks/${hook.id}`);
    isLater();
    slow.open();
    await settled;
    expect(slow.seen).toHaveLength(32);
  });

  it('R14: is held if the webhook is paused meanwhile, and continues afterwards', async () => {
    const tenant = await server.tenant();
    const { slow, hook, settled } = await crowd(tenant);
    await tenant.put(`/v3/api_webhooks/${hook.id}`, { status: 'inactive' });
    isLater();
    slow.open();
    await settled;
    expect(slow.seen).toHaveLength(32);
    vi.restoreAllMocks();
    await tenant.put(`/v3/api_webhooks/${hook.id}`, { status: 'active' });
    await server.settle();
    expect(slow.seen).toHaveLength(60);
    expect((await deliveriesOf(tenant, hook)).map(({ status }) => status)).toEqual(
      Array(60).fill('delivered'),
    );
  });

  it('is sent to the new URL if the webhook is changed meanwhile', async () => {
    const tenant = await server.tenant();
    const { slow, hook, settled } = await crowd(tenant);
    const moved = await useReceiver();
    await tenant.put(`/v3/api_webhooks/${hook.id}`, { url: moved.url });
    isLater();
    slow.open();
    await settled;
    expect([slow.seen.length, moved.received.length]).toEqual([32, 28]);
    const { rows } = await server.system.db.query(
      'select count(*) as n from deliveries where webhook_id = $1 and shard = $2',
      [hook.id, realShardOf(hook.id)],
    );
    expect(rows).toEqual([{ n: 60 }]);
  });
});

import { describe, expect, it } from 'vitest';
import type { ChannelKind } from '../../src/providers/kinds.ts';
import { RETRY_DELAYS_MS } from '../../src/webhooks/schedule.ts';
import { sandboxBody, storeInbound } from '../kit/inbound.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { type Received, useReceiver, verifySignature } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';

// This clock advances each time it is read, so that the times of attempts show their order.
let time = new Date('2026-11-15T01:02:03.456Z').getTime();
const server = await useServer({ clock: { real: () => new Date(++time) } });
const { db } = server.system;
const pass = (ms: number): void => {
  time += ms;
};

const subscribe = async (tenant: TestTenant, url: string, events: unknown[] = [{ type: 'message.*' }]) =>
  (await tenant.post('/v3/api_webhooks', { url, events })).body.data as { id: string; secret: string };
const write = async (
  tenant: TestTenant,
  channel: { id: string; kind?: ChannelKind },
  texts: string[],
): Promise<unknown> => {
  const bodies = texts.map((text) =>
    sandboxBody(channel, { id: text.slice(0, 20), from: '+15550001111', at: new Date(time), text }),
  );
  return storeInbound(db.forTenant(tenant.id), channel.id, await Promise.all(bodies));
};
async function deliveriesOf(tenant: TestTenant, webhook: { id: string }) {
  const { rows } = await db.query('select id from deliveries where webhook_id = $1 order by sequence', [
    webhook.id,
  ]);
  return Promise.all(
    rows.map(async ({ id }) => (await tenant.get(`/v3/webhook_deliveries/${id}`)).body.data),
  );
}

describe('deliveries', () => {
  it('are created once for each matching webhook, also if several of its subscriptions match', async () => {
    const tenant = await server.tenant();
    const [here, there] = [await tenant.channel(), await tenant.channel('sms')];
    const { url } = await useReceiver();
    const scope = (channel: { id: string }) => [{ type: 'channel', ids: [channel.id] }];
    const hooks = {
      all: await subscribe(tenant, url, [{}, { type: 'message.*' }, { type: 'message.received' }]),
      here: await subscribe(tenant, url, [{ scopes: scope(here) }]),
      chats: await subscribe(tenant, url, [
        { type: 'chat.*', scopes: scope(here) },
        { type: 'contact.created' },
      ]),
      off: (await tenant.post('/v3/api_webhooks', { url, events: [{}], status: 'inactive' })).body.data,
    };
    await write(tenant, here, ['one']);
    await server.settle();
    await write(tenant, there, ['two']);
    await server.settle();
    const types = async (hook: { id: string }) =>
      (await deliveriesOf(tenant, hook)).map((delivery) => `${delivery.sequence} ${delivery.eventType}`);
    expect(await types(hooks.all)).toEqual([
      '1 contact.created',
      '2 chat.created',
      '3 message.received',
      '4 chat.created',
      '5 message.received',
    ]);
    expect(await types(hooks.here)).toEqual(['2 chat.created', '3 message.received']);
    expect(await types(hooks.chats)).toEqual(['1 contact.created', '2 chat.created']);
    expect(await types(hooks.off)).toEqual([]);
  });

  it('to one webhook start in sequence', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const target = await useReceiver();
    const hook = await subscribe(tenant, target.url);
    await write(
      tenant,
      channel,
      Array.from({ length: 100 }, (_, index) => `message ${index}`),
    );
    await server.settle();
    const starts = (await deliveriesOf(tenant, hook)).map((delivery) => delivery.attempts[0].startedAt);
    expect(starts).toHaveLength(100);
    expect(starts).toEqual(starts.toSorted());
    expect(new Set(target.received.map(({ body }) => body.sequence)).size).toBe(100);
  });

  it('to a slow webhook delay no other webhook of any tenant', async () => {
    const [slowTenant, otherTenant] = [await server.tenant(), await server.tenant()];
    const held: (() => void)[] = [];
    const slow = await useHttpServer((request, response) => {
      request.resume().on('end', () => held.push(() => response.end()));
    });
    const target = await useReceiver();
    const slowHook = await subscribe(slowTenant, slow.url);
    for (const tenant of [slowTenant, otherTenant]) {
      await subscribe(tenant, target.url);
      const channel = await tenant.channel();
      await write(
        tenant,
        channel,
        Array.from({ length: 60 }, (_, index) => `message ${index}`),
      );
    }
    const settled = server.settle();
    await expect.poll(() => target.received.length, { timeout: 30_000 }).toBe(120);
    // A webhook may have 32 requests open, so exactly 32 of the 60 wait for their answers.
    await expect.poll(() => held.length).toBe(32);
    const answering = setInterval(() => {
      for (const answer of held.splice(0)) answer();
    }, 5);
    await settled;
    clearInterval(answering);
    const slowOnes = await deliveriesOf(slowTenant, slowHook);
    expect(slowOnes.map((delivery) => delivery.status)).toEqual(Array(60).fill('delivered'));
  });

  it('of a megabyte arrive complete and signed', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const target = await useReceiver();
    const hook = await subscribe(tenant, target.url);
    const text = `${'ä𝄞 "\\'.repeat(150_000)}.`;
    await write(tenant, channel, [text]);
    await server.settle();
    const [delivery] = target.received as [Received];
    expect(delivery.body.data.text).toBe(text);
    verifySignature(hook.secret, delivery);
  });
});

describe('an attempt', () => {
  it('fails if the receiver redirects, and the redirect is not followed', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const elsewhere = await useReceiver();
    const target = await useReceiver();
    target.answerWith({ status: 307, headers: { location: elsewhere.url } });
    const hook = await subscribe(tenant, target.url);
    await write(tenant, channel, ['hello']);
    await server.settle();
    expect(elsewhere.connections()).toBe(0);
    expect(await deliveriesOf(tenant, hook)).toMatchObject([
      { status: 'pending', attempts: [{ response: { status: 307 }, error: expect.stringContaining('307') }] },
    ]);
  });

  it('fails if the receiver closes the connection, and is repeated', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    let calls = 0;
    const { url } = await useHttpServer((request, response) => {
      calls += 1;
      if (calls === 1) request.socket.resetAndDestroy();
      else if (calls === 2) response.writeHead(200, { 'content-length': '10' }).write('half');
      if (calls === 2) setImmediate(() => request.socket.destroy());
      if (calls > 2) response.writeHead(200).end(Buffer.from([0x6f, 0x6b, 0x00, 0xff]));
    });
    const hook = await subscribe(tenant, url);
    await write(tenant, channel, ['hello']);
    for (let tries = 0; tries < 3; tries += 1) {
      await server.settle();
      pass(3600_000);
    }
    const [delivery] = await deliveriesOf(tenant, hook);
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: [
        { response: null, error: expect.any(String) },
        { response: null, error: expect.any(String) },
        { response: { status: 200, body: 'ok\uFFFD\uFFFD' }, error: null },
      ],
    });
  });

  it('is repeated until there were ten', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const target = await useReceiver();
    const hook = await subscribe(tenant, target.url);
    target.answerWith(...Array(12).fill(500));
    await write(tenant, channel, ['hello']);
    await server.settle();
    // Two more than there are delays, each with its largest jitter: almost four days in all.
    for (const pause of [...RETRY_DELAYS_MS, 1, 1]) {
      pass(pause * 1.2);
      await server.settle();
    }
    expect(target.received).toHaveLength(10);
    expect(await deliveriesOf(tenant, hook)).toMatchObject([
      { status: 'failed', attemptCount: 10, nextAttemptAt: null },
    ]);
  });

  it.each([
    ['deleted', 'cancelled', 'delete from webhooks where id = $1'],
    ['inactive', 'pending', `update webhooks set status = 'inactive' where id = $1`],
    ['disabled', 'cancelled', `update webhooks set status = 'disabled' where id = $1`],
  ])('is not made if the webhook is %s while retries are pending (R14)', async (_name, status, change) => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    const target = await useReceiver();
    const hook = await subscribe(tenant, target.url);
    target.answerWith(500, 500);
    await write(tenant, channel, ['one', 'two']);
    await server.settle();
    await db.query(change, [hook.id]);
    pass(3600_000);
    await server.settle();
    await write(tenant, channel, ['three']);
    await server.settle();
    expect(target.received).toHaveLength(2);
    expect(await deliveriesOf(tenant, hook)).toMatchObject([
      { status, attemptCount: 1, nextAttemptAt: null },
      { status, attemptCount: 1, nextAttemptAt: null },
    ]);
  });
});

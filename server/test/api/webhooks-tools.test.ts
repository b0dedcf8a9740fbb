import { beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { createWebhook, deliveriesOf, subscribe, type TestWebhook, write } from '../kit/webhooks.ts';

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
const tool = (name: string, body?: unknown) => tenant.post(`/v3/api_webhooks/${hook.id}/${name}`, body);
const retry = (id: string) => tenant.post(`/v3/webhook_deliveries/${id}/retry`);

describe('a test of a webhook', () => {
  it('is sent to it only, independent of subscriptions, and its delivery can be read', async () => {
    const everything = await useReceiver();
    await subscribe(tenant, everything.url, [{}, { type: 'webhook.test' }]);
    const asked = await tool('test');
    expect(asked.body.data).toMatchObject({
      webhookId: hook.id,
      eventType: 'webhook.test',
      status: 'pending',
      attemptCount: 0,
      nextAttemptAt: server.clock.now().toISOString(),
    });
    await server.settle();
    expect(everything.received).toEqual([]);
    const shown = (await tenant.get(`/v3/api_webhooks/${hook.id}`)).body.data;
    expect(target.received.map(({ body }) => [body.type, body.channelId, body.data])).toEqual([
      ['webhook.test', null, shown],
    ]);
    const { id, eventId } = asked.body.data;
    expect(target.received[0]?.headers['webhook-id']).toBe(eventId);
    expect((await tenant.get(`/v3/webhook_deliveries/${id}`)).body.data).toMatchObject({
      status: 'delivered',
      requestBody: target.received[0]?.text,
      attempts: [{ number: 1, request: { url: target.url }, response: { status: 200 } }],
    });
  });

  it('has a number in the sequence of the tenant’s events', async () => {
    await write(tenant, channel, 'one');
    await server.settle();
    await tool('test');
    await write(tenant, channel, 'two');
    await server.settle();
    const events = target.received.map(({ body }) => [body.type, body.sequence]);
    expect(events).toEqual([
      ['message.received', 3],
      ['webhook.test', 4],
      ['message.received', 5],
    ]);
  });

  it.each(['inactive', 'disabled'])('is refused while it is %s', async (status) => {
    await server.system.db.query('update webhooks set status = $2 where id = $1', [hook.id, status]);
    for (const answer of [await tool('test'), await tool('recover', { since: '2026-11-01T00:00:00Z' })]) {
      expect(answer.status).toBe(409);
      expect(answer.body.error.message).toBe(`Conflict: the webhook is ${status}; make it active first`);
    }
  });
});

describe('a delivery', () => {
  it('shows the request, the URL, the response and how long each part took', async () => {
    const now = server.clock.now().toISOString();
    target.answerWith({ status: 503, headers: { 'x-why': 'busy' }, body: 'x'.repeat(5_000) });
    await write(tenant, channel, 'hello');
    await server.settle();
    await tenant.put(`/v3/api_webhooks/${hook.id}`, { url: `${target.url}/moved` });
    server.clock.advance(10_000);
    await server.settle();
    const [delivery] = await deliveriesOf(tenant, hook);
    const [first, second] = target.received as [Receiver['received'][0], Receiver['received'][0]];
    expect(delivery.requestBody).toBe(first.text);
    expect(second.text).toBe(first.text);
    const sent = (received: Receiver['received'][0]) =>
      Object.fromEntries(
        ['content-type', 'user-agent', 'webhook-id', 'webhook-timestamp'].map((name) => [
          name,
          received.headers[name],
        ]),
      );
    const some = expect.any(Number);
    expect(delivery.attempts).toEqual([
      {
        number: 1,
        startedAt: now,
        timings: { lookupMs: null, connectMs: some, tlsMs: null, waitMs: some, readMs: some, totalMs: some },
        request: { url: target.url, headers: sent(first) },
        response: {
          status: 503,
          headers: expect.objectContaining({ 'x-why': 'busy' }),
          body: 'x'.repeat(1024),
        },
        error: 'The receiver answered 503; only 2xx counts as received.',
      },
      expect.objectContaining({
        request: { url: `${target.url}/moved`, headers: sent(second) },
        error: null,
      }),
    ]);
  });

  it('is found by type, status, id and times', async () => {
    const now = server.clock.now().toISOString();
    target.answerWith(500);
    for (const text of ['one', 'two']) {
      await write(tenant, channel, text);
      await server.settle();
    }
    const search = async (query: string, sortBy = 'asc(id)') =>
      (await tenant.post(`/v3/api_webhooks/${hook.id}/deliveries/search`, { query, sortBy })).body.data.map(
        ({ sequence }: { sequence: number }) => sequence,
      );
    const [one] = await deliveriesOf(tenant, hook);
    expect(await search('eq(status,"pending")')).toEqual([3]);
    expect(await search('eq(eventType,"message.received")', 'desc(id)')).toEqual([4, 3]);
    expect(await search(`eq(id,"${one.id}")`)).toEqual([3]);
    expect(await search(`gt(createdAt,"${now}")`)).toEqual([]);
    expect(await search(`ge(updatedAt,"${now}")`, 'asc(updatedAt),asc(id)')).toEqual([3, 4]);
    expect(await search('ne(status,"delivered")', 'desc(createdAt),asc(eventType)')).toEqual([3]);
  });

  it('that has ended can be sent again any number of times, with the same id and the same bytes', async () => {
    await write(tenant, channel, 'hello');
    await server.settle();
    const [delivery] = await deliveriesOf(tenant, hook);
    server.clock.advance(HOUR);
    expect((await retry(delivery.id)).body.data).toMatchObject({
      id: delivery.id,
      status: 'pending',
      attemptCount: 1,
      nextAttemptAt: server.clock.now().toISOString(),
    });
    const again = await retry(delivery.id);
    expect([again.status, again.body.error.message]).toEqual([
      409,
      'Conflict: the delivery is still pending, its next attempt is to come',
    ]);
    await server.settle();
    await retry(delivery.id);
    await server.settle();
    expect(target.received).toHaveLength(3);
    expect(new Set(target.received.map(({ text }) => text)).size).toBe(1);
    expect(new Set(target.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect((await deliveriesOf(tenant, hook))[0]).toMatchObject({ status: 'delivered', attemptCount: 3 });
  });

  it('that has failed gets all attempts of the schedule again', async () => {
    target.answerWith(...Array(13).fill(500));
    await write(tenant, channel, 'hello');
    for (let round = 0; round < 11; round += 1) {
      await server.settle();
      server.clock.advance(29 * HOUR);
      // Otherwise its failures would disable it meanwhile.
      await tenant.put(`/v3/api_webhooks/${hook.id}`, { url: `${target.url}/${round}` });
    }
    const [failed] = await deliveriesOf(tenant, hook);
    expect(failed).toMatchObject({ status: 'failed', attemptCount: 10 });
    await retry(failed.id);
    await server.settle();
    server.clock.advance(6_000);
    await server.settle();
    expect((await deliveriesOf(tenant, hook))[0]).toMatchObject({ status: 'pending', attemptCount: 12 });
    server.clock.advance(6 * 60_000);
    await server.settle();
    server.clock.advance(HOUR);
    await server.settle();
    expect((await deliveriesOf(tenant, hook))[0]).toMatchObject({ status: 'delivered', attemptCount: 14 });
  });

  it('cannot be sent again if its event or its webhook is deleted', async () => {
    await write(tenant, channel, 'one', 'two');
    await server.settle();
    const [one, two] = await deliveriesOf(tenant, hook);
    await server.system.db.query('delete from events where id = $1', [one.eventId]);
    const forgotten = await retry(one.id);
    expect([forgotten.status, forgotten.body.error.message]).toEqual([
      409,
      'Conflict: the event is no longer stored, so there is nothing to send',
    ]);
    expect((await tenant.get(`/v3/webhook_deliveries/${one.id}`)).body.data.requestBody).toBeNull();
    await tenant.delete(`/v3/api_webhooks/${hook.id}`);
    const orphan = await retry(two.id);
    expect([orphan.status, orphan.body.error.message]).toEqual([409, 'Conflict: the webhook is deleted']);
    await server.settle();
    expect(target.received).toHaveLength(2);
  });
});

describe('a paused webhook', () => {
  const set = (status: string) => tenant.put(`/v3/api_webhooks/${hook.id}`, { status });

  it('receives nothing; pending deliveries continue when it is active again, events in between are not delivered', async () => {
    target.answerWith(500, 500);
    await write(tenant, channel, 'one', 'two');
    await server.settle();
    await set('inactive');
    await write(tenant, channel, 'three');
    server.clock.advance(HOUR);
    await server.settle();
    expect(texts().sort()).toEqual(['one', 'two']);
    expect(await deliveriesOf(tenant, hook)).toMatchObject([
      { status: 'pending', attemptCount: 1, nextAttemptAt: null },
      { status: 'pending', attemptCount: 1, nextAttemptAt: null },
    ]);
    await set('active');
    await server.settle();
    expect(texts().sort()).toEqual(['one', 'one', 'two', 'two']);
    expect((await tool('recover', { since: '2026-11-01T00:00:00Z' })).body.data.count).toBe(1);
    await server.settle();
    expect(texts().at(-1)).toBe('three');
  });

  it('also holds a delivery that became due while it was being paused', async () => {
    await write(tenant, channel, 'one');
    await server.settle();
    await set('inactive');
    // The webhook was still active when the event was numbered.
    await server.system.db.query(
      `update deliveries set status = 'pending', due_at = '-infinity' where webhook_id = $1`,
      [hook.id],
    );
    await server.settle();
    expect(texts()).toEqual(['one']);
    expect(await deliveriesOf(tenant, hook)).toMatchObject([{ status: 'pending', nextAttemptAt: null }]);
    await set('active');
    await server.settle();
    expect(texts()).toEqual(['one', 'one']);
  });

  it('that is deleted cancels what it held', async () => {
    target.answerWith(500);
    await write(tenant, channel, 'one');
    await server.settle();
    const [delivery] = await deliveriesOf(tenant, hook);
    await set('inactive');
    await tenant.delete(`/v3/api_webhooks/${hook.id}`);
    const shown = await tenant.get(`/v3/webhook_deliveries/${delivery.id}`);
    expect(shown.body.data).toMatchObject({ status: 'cancelled', nextAttemptAt: null });
  });
});

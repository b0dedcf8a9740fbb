import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { type Receiver, useReceiver } from '../kit/receiver.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { createWebhook, deliveriesOf, subscribe, type TestWebhook, write } from '../kit/webhooks.ts';

// This clock advances each time it is read, so that the times of attempts show their order.
let time = new Date('2026-11-15T01:02:03.456Z').getTime();
const clock = { real: () => new Date(++time) };
const server = await useServer({ clock });
const HOUR = 3600_000;

let tenant: TestTenant;
let channel: { id: string };
let target: Receiver;
let hook: TestWebhook;
beforeEach(async () => {
  ({ tenant, channel, target, hook } = await createWebhook(server));
});
const texts = (): string[] => target.received.map(({ body }) => body.data.text);
const say = async (...said: string[]): Promise<void> => {
  await write(tenant, channel, ...said);
  await server.settle();
};
const change = (body: object) => tenant.put(`/v3/api_webhooks/${hook.id}`, body);
const recover = (since: Date | number, until?: Date | number) =>
  tenant.post(`/v3/api_webhooks/${hook.id}/recover`, {
    since: new Date(since),
    ...(until === undefined ? {} : { until: new Date(until) }),
  });
/** Answers 410, which cancels all pending deliveries, and is active again. */
const breakDown = async (): Promise<void> => {
  target.answerWith(500, 410);
  await say('cancelled');
  await say('gone');
  await say('while disabled');
  await change({ status: 'active' });
};

describe('recovering missed events', () => {
  it('sends what failed, was cancelled, or was published while the webhook was disabled or paused, and nothing else', async () => {
    const since = clock.real();
    await say('received');
    await breakDown();
    await change({ status: 'inactive' });
    await say('while paused');
    await change({ status: 'active' });
    target.answerWith(500);
    await say('waiting');
    target.received.length = 0;
    expect((await recover(since)).body.data).toEqual({ count: 4, nextSince: null });
    await server.settle();
    expect(texts().toSorted()).toEqual(['cancelled', 'gone', 'while disabled', 'while paused']);
    const all = await deliveriesOf(tenant, hook);
    const sent = all.filter(({ attempts }) => attempts.at(-1).startedAt > since.toISOString());
    const bySequence = sent.toSorted((a, b) => a.sequence - b.sequence);
    expect(bySequence.map(({ status }) => status).filter((status) => status !== 'pending')).toEqual(
      Array(5).fill('delivered'),
    );
    // They started in the order of the events.
    const again = bySequence.filter(({ status, sequence }) => status === 'delivered' && sequence > 3);
    const starts = again.map(({ attempts }) => attempts.at(-1).startedAt);
    expect(starts).toHaveLength(4);
    expect(starts).toEqual(starts.toSorted());
    // A second call finds nothing: everything is delivered or pending.
    expect((await recover(since)).body.data.count).toBe(0);
  });

  it('keeps to the time range', async () => {
    await change({ status: 'inactive' });
    await say('too early');
    const since = clock.real();
    await say('one', 'two');
    const until = clock.real();
    await say('too late');
    await change({ status: 'active' });
    expect((await recover(since, until)).body.data.count).toBe(2);
    await server.settle();
    expect(texts().toSorted()).toEqual(['one', 'two']);
  });

  it('uses the present subscriptions, and also sends events from before the webhook was created', async () => {
    const since = clock.real();
    const other = await tenant.channel('sms');
    await say('here');
    await write(tenant, other, 'there');
    await server.settle();
    const young = await useReceiver();
    const made = await subscribe(tenant, young.url, [
      { type: 'message.*', scopes: [{ type: 'channel', ids: [other.id] }] },
      { type: 'contact.created' },
    ]);
    const answer = await tenant.post(`/v3/api_webhooks/${made.id.toUpperCase()}/recover`, { since });
    expect(answer.body.data.count).toBe(2);
    await server.settle();
    const heard = young.received.map(({ body }) => body.data.text ?? body.type);
    expect(heard.toSorted()).toEqual(['contact.created', 'there']);
    await change({ events: [{ type: 'chat.*' }] });
    target.received.length = 0;
    expect((await recover(since)).body.data.count).toBe(2);
    await server.settle();
    expect(target.received.map(({ body }) => body.type)).toEqual(['chat.created', 'chat.created']);
  });

  it('never sends a test of another webhook, nor events of another tenant', async () => {
    const since = clock.real();
    const other = await server.tenant();
    await write(other, await other.channel(), 'not yours');
    const elsewhere = await useReceiver();
    const tested = await subscribe(tenant, elsewhere.url);
    await tenant.post(`/v3/api_webhooks/${tested.id}/test`);
    await server.settle();
    await change({ events: [{}] });
    expect((await recover(since)).body.data.count).toBe(0);
    await server.settle();
    expect(target.received).toEqual([]);
  });

  it('gives each delivery all attempts of the schedule', async () => {
    const since = clock.real();
    await breakDown();
    await recover(since);
    target.answerWith(500, 500, 500);
    await server.settle();
    const pending = (await deliveriesOf(tenant, hook)).map(({ status, nextAttemptAt }) => [
      status,
      new Date(nextAttemptAt).getTime() - time < 10_000,
    ]);
    expect(pending).toEqual(Array(3).fill(['pending', true]));
  });

  it('refuses an impossible range', async () => {
    const answers = [
      await recover(time + HOUR),
      await recover(time - HOUR, time - HOUR),
      await tenant.post(`/v3/api_webhooks/${hook.id}/recover`, {}),
      await tenant.post(`/v3/api_webhooks/${hook.id}/recover`, { since: 'yesterday', until: 7 }),
    ];
    expect(answers.map(({ body }) => body.error.invalidParams)).toMatchObject([
      { since: { key: 'custom', message: 'Must not be in the future' } },
      { until: { key: 'custom', message: 'Must be after since' } },
      { since: { key: 'invalid_type', message: 'Required' } },
      { since: { key: 'invalid_string' }, until: { key: 'invalid_type' } },
    ]);
  });

  it('recovers ten thousand at a time and returns where to continue', async () => {
    const count = 10_007;
    const since = new Date(time - HOUR);
    await server.system.db.query(
      `insert into events (id, tenant_id, type, channel_id, data, shard, sequence, created_at)
       select e.id, $1, 'message.received', $2, '{}', $3, e.number, $4::timestamptz + e.number / 5000 * interval '1 second'
         from unnest($5::uuid[]) with ordinality as e (id, number)`,
      [tenant.id, channel.id, realShardOf(tenant.id), since, Array.from({ length: count }, newId)],
    );
    const first = (await recover(since)).body.data;
    expect(first).toEqual({ count: 10_000, nextSince: new Date(since.getTime() + 2_000).toISOString() });
    const rest = (await recover(new Date(first.nextSince))).body.data;
    expect(rest).toEqual({ count: 7, nextSince: null });
    const { rows } = await server.system.db.query(
      'select count(*) as made, count(distinct event_id) as events from deliveries where webhook_id = $1',
      [hook.id],
    );
    expect(rows).toEqual([{ made: count, events: count }]);
    await tenant.delete(`/v3/api_webhooks/${hook.id}`);
  });

  it('twice at once creates each delivery once', async () => {
    const since = clock.real();
    await change({ status: 'inactive' });
    await say('one', 'two', 'three');
    await change({ status: 'active' });
    const counts = await Promise.all(
      Array.from({ length: 5 }, async () => (await recover(since)).body.data.count),
    );
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(3);
    await server.settle();
    expect(texts().toSorted()).toEqual(['one', 'three', 'two']);
  });
});

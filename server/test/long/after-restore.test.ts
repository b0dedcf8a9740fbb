import { describe, expect, it } from 'vitest';
import { holdDueWork } from '../../src/after-restore.ts';
import { requireSameKey } from '../../src/installation.ts';
import { allQueues } from '../../src/queues.ts';
import { useReceiver } from '../kit/receiver.ts';
import { OPERATOR_TOKEN, type TestServer, type TestTenant, useServer } from '../kit/server.ts';

/** What a start with --after-restore does before the server listens. */
async function restore({ system, keys }: TestServer): Promise<number | undefined> {
  await requireSameKey(system.db, keys);
  return holdDueWork(system.db, allQueues);
}
const operator = (server: TestServer, method: string, path: string) =>
  server.call(method, path, { token: OPERATOR_TOKEN });
const textsAt = (receiver: { received: readonly { body: { type: string; data: { text: string } } }[] }) =>
  receiver.received.flatMap(({ body }) => (body.type === 'message.received' ? [body.data.text] : []));
const inbound = (tenant: TestTenant, channelId: string, text: string) =>
  tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550001111', text });

describe('after a restore', () => {
  it('I13, X25: what was due is held until the operator releases it, and what is new is worked on', async () => {
    const server = await useServer();
    const receiver = await useReceiver();
    const [tenant, test] = [await server.tenant(), await server.tenant({ isTest: true })];
    const channels = [(await tenant.channel('sms')).id, (await test.channel()).id];
    for (const one of [tenant, test])
      await one.post('/v3/api_webhooks', { url: receiver.url, events: [{ type: 'message.received' }] });
    await inbound(tenant, channels[0] as string, 'old');
    await inbound(test, channels[1] as string, 'old of a test tenant');
    const sent = await tenant.post('/v3/messages', {
      channelId: channels[0],
      to: '+15550002222',
      text: 'old',
    });
    expect(sent.body.data.status).toBe('queued');

    expect(await restore(server)).toBeGreaterThanOrEqual(3);
    // A second process with the same flag, or a restart, changes nothing.
    expect(await restore(server)).toBeUndefined();
    await server.settle();
    expect(textsAt(receiver)).toEqual([]);
    const held = (await operator(server, 'GET', '/admin/held_work')).body.data;
    expect(held.heldSince).not.toBeNull();
    expect(held.queues).toContainEqual({ queue: 'inbound', held: 2 });
    expect(held.queues).toContainEqual({ queue: 'messages', held: 1 });

    await inbound(tenant, channels[0] as string, 'new');
    await server.settle();
    expect(textsAt(receiver)).toEqual(['new']);
    expect((await tenant.get(`/v3/messages/${sent.body.data.id}`)).body.data.status).toBe('queued');

    const released = await operator(server, 'POST', '/admin/held_work/release');
    expect(released.body.data).toMatchObject({ heldSince: null, queues: [] });
    await server.settle();
    expect(textsAt(receiver).toSorted()).toEqual(['new', 'old', 'old of a test tenant']);
    const { rows } = await server.system.db.query('select status from messages where id = $1', [
      sent.body.data.id,
    ]);
    expect(rows[0]?.status).not.toBe('queued');
  });

  it('I13, X25: what waits for a later time is not held, and what was cancelled meanwhile is not done', async () => {
    const server = await useServer();
    const receiver = await useReceiver();
    const tenant = await server.tenant();
    const channel = await tenant.channel('sms');
    const hook = await tenant.post('/v3/api_webhooks', {
      url: receiver.url,
      events: [{ type: 'message.received' }],
    });
    const scheduledAt = new Date(Date.now() + 3600_000).toISOString();
    const later = await tenant.post('/v3/messages', {
      channelId: channel.id,
      to: '+15550002222',
      text: 'later',
      scheduledAt,
    });
    await inbound(tenant, channel.id, 'old');
    // Numbered, with a delivery that is due.
    receiver.answerWith(500);
    await server.settle();
    const before = receiver.received.length;
    await server.system.db.query(
      `update deliveries set due_at = now() - interval '1 minute' where due_at is not null`,
      [],
    );
    await restore(server);
    await tenant.put(`/v3/api_webhooks/${hook.body.data.id}`, { status: 'inactive' });
    await operator(server, 'POST', '/admin/held_work/release');
    server.clock.set(new Date(Date.now() + 7200_000));
    await server.settle();
    expect(receiver.received.length).toBe(before);
    expect((await tenant.get(`/v3/messages/${later.body.data.id}`)).body.data.status).not.toBe('queued');
  });

  it('I13, X25: positions of event streams carry an epoch, and one of an earlier epoch is a conflict', async () => {
    const server = await useServer();
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await inbound(tenant, channel.id, 'one');
    await server.settle();
    const stream = (last: string) => tenant.get('/v3/events/stream', { headers: { 'last-event-id': last } });
    const idIn = (text: string): string => /^id: (.*)$/m.exec(text)?.[1] as string;
    const bare = idIn((await tenant.get('/v3/events/stream')).text);
    expect(bare).toMatch(/^\d+$/);
    expect((await stream(bare)).status).toBe(200);

    await restore(server);
    const first = idIn((await tenant.get('/v3/events/stream')).text);
    expect(first).toMatch(new RegExp(`^[1-9]\\d*\\.${bare}$`));
    expect((await stream(first)).status).toBe(200);
    expect(await stream(bare)).toMatchObject({ status: 409, body: { error: { messageKey: 'conflict' } } });
    // Zero is not a position: it asks for everything that is stored.
    expect((await stream('0')).status).toBe(200);

    await operator(server, 'POST', '/admin/held_work/release');
    await restore(server);
    const second = idIn((await tenant.get('/v3/events/stream')).text);
    expect(second).not.toBe(first);
    expect((await stream(first)).status).toBe(409);
    for (const text of ['1.2.3', '.5', '5.', '1e3', '-1', '9'.repeat(17)])
      expect((await stream(text)).status, text).toBe(400);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { type TestTenant, useServer } from '../kit/server.ts';

const server = await useServer();
const PHONE = '+15550001111';
let tenant: TestTenant;
beforeEach(async () => {
  tenant = await server.tenant();
});

/** A channel whose customers read only when the test says so. */
async function quietChannel(kind = 'whatsapp'): Promise<string> {
  const { id } = await tenant.channel(kind);
  const answer = await tenant.put(`/v3/channels/${id}`, { config: { readsAutomatically: false } });
  expect(answer.status).toBe(200);
  return id;
}
async function send(channelId: string, to: string, text: string): Promise<string> {
  const { data } = (await tenant.post('/v3/messages', { channelId, to, text })).body;
  return data.id;
}
const settle = async () => {
  await server.settle();
  server.clock.advance(10_000);
  await server.settle();
};
const statusOf = async (id: string) => (await tenant.get(`/v3/messages/${id}`)).body.data.status;
const read = (channelId: string, body: object) => tenant.post(`/v3/sandbox/${channelId}/read`, body);

describe('a simulated phone', () => {
  it('reads when the customer opens the chat, once', async () => {
    const channelId = await quietChannel();
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: PHONE, text: 'hello' });
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: '+15550002222', text: 'hello' });
    await settle();
    const [one, two, other] = [
      await send(channelId, PHONE, 'one'),
      await send(channelId, PHONE, 'two'),
      await send(channelId, '+15550002222', 'other'),
    ];
    await settle();
    expect(await statusOf(one)).toBe('delivered');
    const answer = await read(channelId, { from: PHONE });
    expect(answer.body.data).toEqual({ messageIds: [one, two] });
    await settle();
    expect([await statusOf(one), await statusOf(two), await statusOf(other)]).toEqual([
      'read',
      'read',
      'delivered',
    ]);
    expect((await read(channelId, { from: PHONE })).body.data).toEqual({ messageIds: [] });
  });

  it('of a channel with the usual setting has read everything by itself', async () => {
    const { id } = await tenant.channel();
    await tenant.post(`/v3/sandbox/${id}/inbound`, { from: PHONE, text: 'hello' });
    await settle();
    const message = await send(id, PHONE, 'one');
    await settle();
    expect(await statusOf(message)).toBe('read');
  });

  it('reports nothing on kinds whose vendors do not', async () => {
    const channelId = await quietChannel('sms');
    await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from: PHONE, text: 'hello' });
    await settle();
    await send(channelId, PHONE, 'one');
    await settle();
    expect((await read(channelId, { from: PHONE })).body.data).toEqual({ messageIds: [] });
  });

  it('lists what was sent to it after the last message that it knows', async () => {
    const channelId = await quietChannel();
    for (const from of [PHONE, '+15550002222']) {
      await tenant.post(`/v3/sandbox/${channelId}/inbound`, { from, text: 'hello' });
      await settle();
    }
    for (const text of ['one', 'two', 'three']) {
      await send(channelId, PHONE, text);
      await settle();
    }
    await send(channelId, '+15550002222', 'other');
    await settle();
    const outbox = async (query: string) =>
      (await tenant.get(`/v3/sandbox/${channelId}/outbox?${query}`)).body.data as {
        messageId: string;
        text: string;
        at: string;
      }[];
    const all = await outbox(`to=${encodeURIComponent(PHONE)}`);
    expect(all.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    expect(await outbox(`to=${PHONE}`)).toEqual(all);
    expect(await outbox(`to=${PHONE}&after=${all[0]?.messageId}`)).toEqual(all.slice(1));
    expect(await outbox(`to=${PHONE}&after=${all[2]?.messageId}`)).toEqual([]);
    expect((await outbox(`after=${all[2]?.messageId}`)).map(({ text }) => text)).toEqual(['other']);
    expect(await outbox(`to=${PHONE}&after=${all[0]?.at}`)).toEqual(
      all.filter(({ at }) => at > `${all[0]?.at}`),
    );
    expect(await outbox(`after=${new Date(Date.now() + 3600_000).toISOString()}`)).toEqual([]);
  });

  it('shows what the sandbox simulates, as it was set last', async () => {
    const { id } = await tenant.channel();
    const simulated = async () => (await tenant.get(`/v3/sandbox/${id}`)).body.data;
    const off = { duplicate: false, reorder: false, failEvery: 0, delayMs: 0, echoBeforeResponse: false };
    expect(await simulated()).toEqual({ faults: off, statusDelayMs: 200, readsAutomatically: true });
    await tenant.post(`/v3/sandbox/${id}/faults`, { failEvery: 3, reorder: true });
    await tenant.put(`/v3/channels/${id}`, { config: { readsAutomatically: false, statusDelayMs: 5 } });
    expect(await simulated()).toEqual({
      faults: { ...off, failEvery: 3, reorder: true },
      statusDelayMs: 5,
      readsAutomatically: false,
    });
    await tenant.post(`/v3/sandbox/${id}/faults`, {});
    expect((await simulated()).faults).toEqual(off);
  });

  it('refuses what is wrong', async () => {
    const channelId = await quietChannel();
    const other = await (await server.tenant()).channel();
    for (const id of [other.id, 'x', '019a82a0-0000-7000-8000-00000000ffff'])
      expect((await tenant.get(`/v3/sandbox/${id}`)).body.error.messageKey).toBe('channel_not_found');
    expect((await read(other.id, { from: PHONE })).status).toBe(404);
    expect((await read(channelId, { from: 'x' })).body.error.invalidParams).toHaveProperty('from');
    expect((await read(channelId, {})).status).toBe(400);
    for (const after of ['x', '019a82a0-0000-7000-8000-00000000ffff'])
      expect(
        (await tenant.get(`/v3/sandbox/${channelId}/outbox?after=${after}`)).body.error.invalidParams,
      ).toHaveProperty('after');
    const config = await tenant.put(`/v3/channels/${channelId}`, { config: { readsAutomatically: 'no' } });
    expect(config.body.error.invalidParams).toHaveProperty(['config.readsAutomatically']);
  });
});

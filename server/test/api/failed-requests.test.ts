import { beforeEach, describe, expect, it } from 'vitest';
import type { Adapter } from '../../src/providers/adapter.ts';
import { storeInbound } from '../kit/inbound.ts';
import { type TestTenant, useServer } from '../kit/server.ts';
import { type PigeonChannel, pigeon, pigeonBody, pigeonChannel, written } from '../kit/vendor.ts';

/** A vendor whose requests an older version of the server cannot parse. */
let understands = false;
const adapter: Adapter = {
  ...pigeon,
  parseInbound(request, channel) {
    if (!understands && request.body.includes('new kind')) throw new Error('Unknown kind "new kind".');
    return pigeon.parseInbound(request, channel);
  },
};
const server = await useServer({ adapters: new Map([['pigeon', adapter]]) });
const { db } = server.system;

let tenant: TestTenant;
let channel: PigeonChannel;
beforeEach(async () => {
  understands = false;
  tenant = await server.tenant();
  channel = await pigeonChannel(tenant);
});

/** Stores requests and processes them until they are listed as failed. */
async function fail(...bodies: (string | Buffer)[]): Promise<string[]> {
  const ids = await storeInbound(
    db.forTenant(tenant.id),
    channel.id,
    bodies.map((body) => Buffer.from(body as string)),
  );
  for (let tries = 0; tries < 6; tries += 1) {
    await server.settle();
    server.clock.advance(60_000);
  }
  return ids;
}
const listed = async (body: object = {}, of = channel.id) =>
  (await tenant.post(`/v3/channels/${of}/failed_requests/search`, body)).body.data;
const place = (id: string, of = channel.id): string => `/v3/channels/${of}/failed_requests/${id}`;
const newKind = (text: string): string =>
  pigeonBody(channel, [written('new kind', server.clock.now(), { text })]);

describe('a request that could not be processed', () => {
  it('is listed with its body and error, the newest first, without requests that still wait', async () => {
    const [, binary, long] = await fail(
      newKind('hello'),
      Buffer.from([0xff, 0x00, 0x01]),
      'ä'.repeat(40_000),
    );
    await storeInbound(db.forTenant(tenant.id), channel.id, [Buffer.from('waits')]);
    const all = await listed();
    expect(all).toMatchObject([
      { id: long, encoding: 'text', size: 80_000 },
      { id: binary, encoding: 'base64', body: Buffer.from([0xff, 0x00, 0x01]).toString('base64'), size: 3 },
      {
        error: 'Error: Unknown kind "new kind".',
        attempts: 5,
        body: expect.stringContaining('"text":"hello"'),
        encoding: 'text',
        receivedAt: expect.any(String),
      },
    ]);
    expect(all[0].body).toBe('ä'.repeat(32_768));
    expect(await listed({ query: 'contains(error,"unknown kind")' })).toHaveLength(1);
    expect(await listed({ search: 'unknown kind' })).toHaveLength(1);
    expect(await listed({ query: 'eq(attempts,5)', sortBy: 'asc(receivedAt)' })).toHaveLength(3);
    await server.settle();
  });

  it('X13: shows neither its body nor its error to a token that may not read messages', async () => {
    const [id] = await fail(newKind('a secret of a customer'));
    const path = `/v3/channels/${channel.id}/failed_requests/search`;
    const reader = { token: await tenant.tokenWith(['channels:read']) };
    const shown = await tenant.post(path, {}, reader);
    expect(shown.body.data).toMatchObject([{ id, body: null, error: null, attempts: 5 }]);
    expect(shown.text).not.toMatch(/secret|new kind/);
    expect((await tenant.post(path, { query: 'contains(error,"new kind")' }, reader)).status).toBe(400);
    expect((await tenant.post(path, { search: 'new kind' }, reader)).body.data).toEqual([]);
    const both = { token: await tenant.tokenWith(['channels:read', 'messages:read']) };
    expect((await tenant.post(path, {}, both)).text).toContain('a secret of a customer');
    const writer = { token: await tenant.tokenWith(['channels:write']) };
    const replayed = await tenant.post(`${place(id as string)}/replay`, undefined, writer);
    expect([replayed.status, replayed.body.data.body]).toEqual([200, null]);
  });

  it('is listed only for the tenant of the channel', async () => {
    await fail('x');
    const otherTenant = await server.tenant();
    const other = await pigeonChannel(tenant);
    expect(await listed({}, other.id)).toEqual([]);
    const refused = await otherTenant.post(`/v3/channels/${channel.id}/failed_requests/search`, {});
    expect(refused.body.error.messageKey).toBe('channel_not_found');
  });

  it('is processed when it is replayed, like a new one, and no longer listed', async () => {
    const [id] = (await fail(newKind('hello'))) as [string];
    understands = true;
    const replayed = await tenant.post(`${place(id)}/replay`);
    expect(replayed.body.data).toMatchObject({ id, attempts: 0, error: null });
    await server.settle();
    expect(await listed()).toEqual([]);
    const { data } = (await tenant.post('/v3/messages/search', {})).body;
    expect(data).toMatchObject([{ text: 'hello', vendorId: 'new kind' }]);
    expect((await tenant.post(`${place(id)}/replay`)).body.error.messageKey).toBe('failed_request_not_found');
  });

  it('has all attempts again after a replay', async () => {
    const [id] = (await fail(newKind('hello'))) as [string];
    await tenant.post(`${place(id)}/replay`);
    await server.settle();
    expect(await listed()).toEqual([]);
    for (let tries = 0; tries < 5; tries += 1) {
      server.clock.advance(60_000);
      await server.settle();
    }
    expect(await listed()).toMatchObject([{ id, attempts: 5 }]);
  });

  it('can be deleted, once', async () => {
    const [id] = (await fail('x')) as [string];
    expect((await tenant.delete(place(id))).body.data).toEqual({ deletedIds: [id], notFoundIds: [] });
    expect((await tenant.delete(place(id))).body.data).toEqual({ deletedIds: [], notFoundIds: [id] });
    expect(await listed()).toEqual([]);
  });

  it('is neither replayed nor deleted by another channel, nor while it waits', async () => {
    const [id] = (await fail('x')) as [string];
    const other = await pigeonChannel(tenant);
    const [waiting] = (await storeInbound(db.forTenant(tenant.id), channel.id, [Buffer.from('x')])) as [
      string,
    ];
    for (const path of [place(id, other.id), place(waiting), place('x'), place(id, 'x')]) {
      expect((await tenant.post(`${path}/replay`)).status).toBe(404);
      expect((await tenant.delete(path)).body.data.deletedIds).toEqual([]);
    }
    expect(await listed()).toHaveLength(1);
  });

  it('is logged without its content, and counted', async () => {
    const [id] = (await fail('my secret', newKind('my secret'))) as [string];
    const lines = server.logged.filter((line) => line.includes(id)).map((line) => JSON.parse(line));
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toMatchObject({ channelId: channel.id, tenantId: tenant.id, attempts: 5 });
    expect(lines.at(-1).msg).toContain('failed for good');
    expect(server.logged.join('')).not.toContain('my secret');
    const metrics = (await server.call('GET', '/metrics')).text;
    expect(metrics).toMatch(/parley_queue_failures_total\{queue="inbound"\} [1-9]/);
  });
});

import { afterEach, describe, expect, it, vi } from 'vitest';
import { ApiError } from '../../src/base/errors.ts';
import { createLog } from '../../src/base/log.ts';
import { inboundQueue } from '../../src/channels/queues.ts';
import { claimsOf } from '../../src/engine/claims.ts';
import { realShardOf } from '../../src/engine/queue.ts';
import { processInbound } from '../../src/messages/inbound/worker.ts';
import { sandboxBody, storeInbound } from '../kit/inbound.ts';
import { useHttpServer } from '../kit/listeners.ts';
import { useServer } from '../kit/server.ts';
import { workerDeps } from '../kit/worker-deps.ts';
import { wrapTransactions } from '../kit/wrap-database.ts';

const server = await useServer();
const { db } = server.system;
afterEach(() => {
  vi.restoreAllMocks();
});
const hello = (channel: { id: string }, id: string): Promise<Buffer> =>
  sandboxBody(channel, { id, from: '+15550001111', at: server.clock.now(), text: 'hello' });

describe('settling', () => {
  it('does what is due also when the last settling was longer ago than a lease lasts', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await storeInbound(db.forTenant(tenant.id), channel.id, [await hello(channel, 'late')]);
    const now = performance.now();
    vi.spyOn(performance, 'now').mockReturnValue(now + 3600_000);
    await server.settle();
    const { rows } = await db.query('select vendor_id from messages where tenant_id = $1', [tenant.id]);
    expect(rows).toEqual([{ vendor_id: 'late' }]);
  });
});

describe('processing inbound', () => {
  it('does not count it as an attempt of a request when the database is unavailable', async () => {
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await storeInbound(db.forTenant(tenant.id), channel.id, [
      await hello(channel, 'a'),
      Buffer.from('no JSON'),
      await hello(channel, 'b'),
    ]);
    let transactions = 0;
    const flaky = wrapTransactions(db, async (run, work) => {
      transactions += 1;
      if (transactions === 1) throw new ApiError('service_unavailable');
      return run(work);
    });
    const log = createLog({ level: 'silent', json: true, destination: { write: () => {} } });
    const rows = await claimsOf(db, inboundQueue, server.clock.real)(
      realShardOf(channel.id),
      channel.id,
      10,
      new Set(),
    );
    expect(rows).toHaveLength(3);
    const processing = processInbound({ ...workerDeps(server, flaky), log }, rows);
    await expect(processing).rejects.toMatchObject({ key: 'service_unavailable' });
    const { rows: left } = await db.query('select attempts, error from inbound where tenant_id = $1', [
      tenant.id,
    ]);
    expect(left).toEqual(Array(3).fill({ attempts: 0, error: null }));
  });
});

describe('stopping', () => {
  async function withDeliveryUnderWay() {
    let answer = (): void => {};
    let called = (): void => {};
    const underWay = new Promise<void>((resolve) => {
      called = resolve;
    });
    const { url, close } = await useHttpServer((request, response) => {
      request.resume().on('end', () => {
        answer = () => void response.end();
        called();
      });
    });
    const draining = await useServer({
      connection: { connectionString: server.databaseUrl },
      clock: server.clock,
    });
    const tenant = await server.tenant();
    const channel = await tenant.channel();
    await tenant.post('/v3/api_webhooks', {
      url,
      events: [{ type: 'message.received' }],
    });
    await storeInbound(db.forTenant(tenant.id), channel.id, [await hello(channel, 'under way')]);
    void draining.settle().catch(() => {});
    await underWay;
    const shardsHeld = async (): Promise<number> =>
      (await db.query('select shard from shards where owner is not null', [])).rows.length;
    const deliveries = async () =>
      (await db.query('select status, attempts from deliveries where tenant_id = $1', [tenant.id])).rows;
    return { draining, answer: () => answer(), shardsHeld, deliveries, close };
  }

  it('waits for what is under way, keeps its result and gives the shards back', async () => {
    const { draining, answer, shardsHeld, deliveries } = await withDeliveryUnderWay();
    const stopped = draining.stop(10_000);
    answer();
    await stopped;
    expect(await deliveries()).toEqual([{ status: 'delivered', attempts: 1 }]);
    expect(await shardsHeld()).toBe(0);
  });

  it('does not wait longer than it was given, and what was under way is still due', async () => {
    const { draining, shardsHeld, deliveries, close } = await withDeliveryUnderWay();
    const worker = draining.system.worker;
    await worker?.stop(20);
    expect(await shardsHeld()).toBe(0);
    expect(await deliveries()).toEqual([{ status: 'pending', attempts: 0 }]);
    // Otherwise the server waits for the request when it stops.
    await close();
  });
});

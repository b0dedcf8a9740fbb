import { afterEach, describe, expect, it, vi } from 'vitest';
import { createLog } from '../../src/base/log.ts';
import { createWakeUps } from '../../src/engine/wakeups.ts';
import { eventRoutes } from '../../src/events/routes.ts';
import { eventStreams } from '../../src/events/streams.ts';
import { useBareServer } from '../kit/bare-server.ts';
import { publishMany, type StreamClient, useEventStream } from '../kit/event-client.ts';
import { setRealTime } from '../kit/real-time.ts';
import { type TestServer, type TestTenant, useServer } from '../kit/server.ts';
import { dial, listen } from '../kit/wire.ts';

const server = await useServer();
const { app, db } = server.system;
afterEach(() => void vi.useRealTimers());

async function follow(token: string, on: TestServer = server, query = ''): Promise<StreamClient> {
  const client = await useEventStream(on.system.app.server, { token, query });
  expect(client.status).toBe(200);
  return client;
}
const publish = async (tenant: TestTenant, count = 1): Promise<void> => {
  await publishMany(
    db,
    tenant.id,
    Array.from({ length: count }, () => ({})),
  );
  await server.settle();
};
/** How long it takes in real time until a stream ends without an error. */
async function msUntilEnd(client: StreamClient): Promise<number> {
  const since = performance.now();
  expect(await client.ended).toBe(true);
  return performance.now() - since;
}

describe('the token of a stream', () => {
  it('ends the stream within 5 seconds when it is revoked here, and no other stream', async () => {
    const tenant = await server.tenant();
    const made = (await tenant.post('/v3/tokens', { name: 'spare', scopes: ['events:read'] })).body.data;
    const [client, other] = [await follow(made.token), await follow(tenant.token)];
    await tenant.delete(`/v3/tokens/${made.id}`);
    expect(await msUntilEnd(client)).toBeLessThan(5_000);
    expect(client.text()).toContain(': the token is no longer valid');
    await publish(tenant);
    expect(await other.until(1)).toHaveLength(1);
    expect(client.heard).toEqual([]);
  });

  it('ends the stream when it is revoked elsewhere, once this process checks it again', async () => {
    const tenant = await server.tenant();
    const client = await follow(tenant.token);
    await db.query('delete from tokens where tenant_id = $1', [tenant.id]);
    setRealTime(Date.now() + 3_001);
    expect(await client.ended).toBe(true);
  });

  it('ends the stream when it expires', async () => {
    const tenant = await server.tenant();
    const { token } = (
      await tenant.post('/v3/tokens', { name: 'short', scopes: ['events:read'], expiresIn: 60 })
    ).body.data;
    const client = await follow(token);
    setRealTime(Date.now() + 61_000);
    expect(await client.ended).toBe(true);
  });
});

describe('a client that disconnects', () => {
  it('leaves no streams, timers or events in memory', async () => {
    const before = app.streams.count;
    const tenant = await server.tenant();
    const clients = await Promise.all(Array.from({ length: 5 }, () => follow(tenant.token)));
    expect(app.streams.count).toBe(before + 5);
    for (const client of clients) client.close();
    await expect.poll(() => app.streams.count).toBe(before);
  });

  it('may do so before the answer', async () => {
    const tenant = await server.tenant();
    const port = await listen(app.server);
    const before = app.streams.count;
    for (let turn = 0; turn < 20; turn += 1) {
      const { socket } = dial(port);
      socket.write(
        `GET /v3/events/stream HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer ${tenant.token}\r\n\r\n`,
        () => setTimeout(() => socket.destroy(), turn % 5),
      );
    }
    // A hundred can still be opened: the closed ones do not count.
    await expect.poll(() => app.streams.count).toBe(before);
    const clients = await Promise.all(Array.from({ length: 100 }, () => follow(tenant.token)));
    expect(clients).toHaveLength(100);
  });
});

it('sends a heartbeat with its position every 15 seconds', async () => {
  const silent = eventStreams({
    db,
    wakeUps: createWakeUps({ db: () => db, sender: 'test', isSoleProcess: true }),
    log: createLog({ level: 'silent', json: true }),
    loaders: {
      'message.queued': async () => new Map(),
      'notification.created': async () => new Map(),
      'campaign.progressed': async () => new Map(),
      'automation.run_progressed': async () => new Map(),
    },
    intervals: { checkMs: 10, heartbeatMs: 60 },
  });
  const bare = await useBareServer(server, eventRoutes({ streams: silent }));
  const tenant = await server.tenant();
  const client = await useEventStream(bare, { token: tenant.token, query: '?types=chat.created' });
  await publish(tenant, 3);
  // No notification reaches these streams: the check that comes with the heartbeat finds new events.
  await expect.poll(() => client.text(), { timeout: 30_000 }).toContain(': alive\nid: 3\n\n');
  expect(client.heard).toEqual([]);
  silent.end();
  expect(await client.ended).toBe(true);
});

describe('R13: a shutdown', () => {
  it('ends streams at once, also those whose clients do not read, and opens no more', async () => {
    const own = await useServer();
    const tenant = await own.tenant();
    const [reading, stalled] = [await follow(tenant.token, own), await follow(tenant.token, own)];
    stalled.pause();
    const events = Array.from({ length: 2_000 }, () => ({ data: { text: 'x'.repeat(8_000) } }));
    await publishMany(own.system.db, tenant.id, events);
    await own.settle();
    await reading.until(2_000);
    const since = performance.now();
    await own.stop(20_000);
    expect(performance.now() - since).toBeLessThan(5_000);
    expect(await reading.ended).toBe(true);
    expect(reading.text()).toContain(': the server is shutting down');
    expect(own.system.app.streams.count).toBe(0);
  });
});

describe('with several processes', () => {
  it('a stream sends at once what another process numbered', async () => {
    const api = await useServer({ role: 'api', isSoleProcess: false, timers: true });
    const options = { role: 'worker' as const, isSoleProcess: false, timers: true, clock: api.clock };
    await useServer({ ...options, databaseUrl: api.databaseUrl });
    const tenant = await api.tenant();
    const channel = await tenant.channel();
    const client = await follow(tenant.token, api, '?types=message.received');
    const delays: number[] = [];
    for (let message = 1; message <= 5; message += 1) {
      const written = performance.now();
      await tenant.post(`/v3/sandbox/${channel.id}/inbound`, { from: '+15550001111', text: `${message}` });
      await client.until(message);
      delays.push(performance.now() - written);
    }
    expect(client.heard.map(({ data }) => data.data.text)).toEqual(['1', '2', '3', '4', '5']);
    // Without notifications each would wait for the check, which comes once a second.
    expect(Math.min(...delays)).toBeLessThan(700);
  });

  it('a stream finds within a second what no notification announced', async () => {
    // It was started as the only process, so it notifies no other.
    const api = await useServer({ role: 'api' });
    const silent = await useServer({ databaseUrl: api.databaseUrl, isSoleProcess: true });
    const tenant = await api.tenant();
    const client = await follow(tenant.token, api);
    await publishMany(api.system.db, tenant.id, [{}, {}]);
    await silent.settle();
    expect(await client.until(2)).toHaveLength(2);
  });
});

it('R3: continues after its connections to the database were lost', async () => {
  const tenant = await server.tenant();
  const client = await follow(tenant.token);
  await publish(tenant, 2);
  await client.until(2);
  await db
    .query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
      [],
    )
    .catch(() => {});
  await expect
    .poll(() =>
      publish(tenant, 300).then(
        () => true,
        () => false,
      ),
    )
    .toBe(true);
  const heard = await client.until(302);
  expect(heard.map(({ data }) => data.sequence)).toEqual(heard.map((_, index) => index + 1));
});

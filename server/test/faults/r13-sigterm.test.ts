import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { isLive } from '../kit/is-live.ts';
import { until } from '../kit/until.ts';
import { check, print } from './checker.ts';
import { embeddedUrl, startDatabase, withConnection } from './database.ts';
import { createFixtures, type FaultTenant, useApiClient, useLoad } from './load.ts';
import { postmasterPid } from './postmaster.ts';
import { type ServerProcess, useProcessPool } from './processes.ts';
import { answerAtOnce, useFaultReceiver } from './receiver.ts';

const TIMEOUT_MS = 25_000;
/** Less than the 20 s for which a server waits for requests that do not end. */
const GRACE_MS = 18_000;
const pool = useProcessPool();
const call = useApiClient(4);

/** Stops a server and returns how long it took. */
async function stop(server: ServerProcess): Promise<number> {
  const begun = performance.now();
  server.signal('SIGTERM');
  expect(await server.ended, JSON.stringify(server.log.slice(-5))).toEqual({ code: 0, signal: null });
  return performance.now() - begun;
}

describe('R13 SIGTERM under load', () => {
  it('stops with exit code 0, loses nothing, and stops the embedded database last', async () => {
    const since = performance.now();
    const dataDir = await pool.makeDataDir();
    const receiver = await useFaultReceiver();
    let server: ServerProcess | undefined = await pool.startServer({ dataDir });
    const load = useLoad({
      tenants: await createFixtures(server.url, receiver),
      target: () => server?.url,
    });
    const stops = 3;
    for (let number = 0; number < stops; number += 1) {
      await delay(800 + Math.random() * 700);
      const postmaster = postmasterPid(dataDir) as number;
      const stopping: ServerProcess = server;
      // Clients continue for a moment, as they do until a load balancer notices; their connections stay open.
      const took = stop(stopping);
      await delay(300);
      server = undefined;
      expect(await took).toBeLessThan(TIMEOUT_MS);
      expect(isLive(postmaster)).toBe(false);
      expect(existsSync(join(dataDir, 'postgres', 'postmaster.pid'))).toBe(false);
      expect(stopping.log.filter((line) => line.level >= 50)).toEqual([]);
      server = await pool.startServer({ dataDir });
      expect(server.log.map((line) => line.msg)).not.toContain(
        'the last process did not stop cleanly; its database was taken over',
      );
    }
    await load.stop();
    const text = await readFile(join(dataDir, 'postgres.log'), 'utf8');
    expect(text).not.toContain('was not properly shut down');
    const databaseUrl = embeddedUrl(dataDir);
    const title = 'R13 SIGTERM, embedded database';
    const report = await check({ title, load, receiver, databaseUrl, kills: stops, since });
    print(report);
    expect(report.problems).toEqual([]);
    expect([...load.statuses.keys()].filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
    expect(await stop(server)).toBeLessThan(GRACE_MS);
  });

  it.concurrent('answers the requests under way, and does not wait for connections that stay open', async () => {
    const database = await startDatabase(pool);
    const receiver = await useFaultReceiver(answerAtOnce);
    const server = await pool.startServer({
      dataDir: await pool.makeDataDir(),
      role: 'api',
      env: { DATABASE_URL: database.url },
    });
    const [tenant] = (await createFixtures(server.url, receiver, { tenants: 1, channels: 1 })) as [
      FaultTenant,
    ];
    // Not messages, which share statements: each request has to wait.
    const create = (firstName: string) =>
      call(server.url, '/v3/contacts', { token: tenant.token, body: { firstName } });
    let stopped: Promise<number> | undefined;
    const answers = await withConnection(database.url, async (query) => {
      await query('begin');
      await query('lock table contacts in exclusive mode');
      const pending = Promise.all([create('Ada'), create('Grace'), create('Alan')]);
      const waiting = `select pid from pg_locks where not granted and locktype = 'relation'`;
      await until(async () => (await query(waiting)).length === 3);
      stopped = stop(server);
      await delay(1_000);
      await query('rollback');
      return pending;
    });
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200]);
    expect(await stopped).toBeLessThan(GRACE_MS);
  });

  it.concurrent('does not wait for connections that have sent nothing or half a request', async () => {
    const dataDir = await pool.makeDataDir();
    const server = await pool.startServer({ dataDir });
    const { port } = new URL(server.url);
    const sockets = ['', 'POST /v3/tokens HTTP/1.1\r\nHost: here\r\n'].map((text) => {
      const socket = connect(Number(port), '127.0.0.1');
      socket.on('error', () => {});
      socket.write(text);
      return socket;
    });
    await delay(300);
    expect(await stop(server)).toBeLessThan(TIMEOUT_MS);
    expect(postmasterPid(dataDir)).toBeUndefined();
    for (const socket of sockets) socket.destroy();
  });

  it.concurrent('finishes the deliveries under way, and records them', async () => {
    const database = await startDatabase(pool);
    const receiver = await useFaultReceiver(answerAtOnce);
    const server = await pool.startServer({
      dataDir: await pool.makeDataDir(),
      env: { DATABASE_URL: database.url },
    });
    const [tenant] = (await createFixtures(server.url, receiver, { tenants: 1, channels: 1 })) as [
      FaultTenant,
    ];
    let held = 0;
    receiver.behave((delivered, response, request) => {
      if (delivered.event.type !== 'message.received') return answerAtOnce(delivered, response, request);
      held += 1;
      setTimeout(() => response.writeHead(200).end(), 3_000);
    });
    for (let number = 1; number <= 10; number += 1)
      await call(server.url, `/v3/sandbox/${tenant.channels[0]}/inbound`, {
        token: tenant.token,
        body: { from: '+15550001111', text: `message ${number}` },
      });
    await until(() => held === 10);
    // The client keeps its idle connections open: the server must not wait for them.
    expect(await stop(server)).toBeLessThan(10_000);
    const [found] = await withConnection(database.url, (query) =>
      query(`select count(*)::int as delivered, max(attempts) as attempts,
                  (select count(*)::int from shards where owner is not null) as shards,
                  (select count(*)::int from workers) as workers
             from deliveries where status = 'delivered' and event_type = 'message.received'`),
    );
    expect(found).toEqual({ delivered: 10, attempts: 1, shards: 0, workers: 0 });
    expect([...receiver.byId.values()].every(({ at }) => at.length === 1)).toBe(true);
  });
});

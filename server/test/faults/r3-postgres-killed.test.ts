import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { check, print } from './checker.ts';
import { embeddedUrl, killPostmaster, startDatabase } from './database.ts';
import { client, createFixtures, type Load, startLoad } from './load.ts';
import { postmasterPid, until } from './postmaster.ts';
import { processPool, type ServerProcess } from './processes.ts';
import { type FaultReceiver, startReceiver } from './receiver.ts';

const RECOVERED_MS = 30_000;
const shop = processPool();
const api = client(2);
const receivers: FaultReceiver[] = [];
const loads: Load[] = [];
afterAll(async () => {
  await Promise.all(loads.map((load) => load.close()));
  await api.close();
  await shop.end();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

const statusOf = async (server: ServerProcess, path: string): Promise<number> =>
  (await api.call(server.url, path, { token: '' })).status;

/** The server was never restarted, said 503 and when to come again, and never 500. */
function expectPolite(server: ServerProcess, load: Load): void {
  expect(server.isRunning()).toBe(true);
  expect(load.statuses.get(503)).toBeGreaterThan(0);
  expect([...load.statuses.keys()].filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
  expect(load.withoutRetryAfter).toBe(0);
  expect(load.calls.unknown).toBe(0);
  expect(server.log.filter((line) => line.msg === 'internal error')).toEqual([]);
}

async function begin(server: ServerProcess): Promise<{ receiver: FaultReceiver; load: Load }> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  const load = startLoad({ tenants: await createFixtures(server.url, receiver), target: () => server.url });
  loads.push(load);
  return { receiver, load };
}

/** Resolves when writes are acknowledged again. */
const acknowledged = (load: Load, more: number): Promise<void> => {
  const wanted = load.calls.ok + more;
  return until(() => load.calls.ok >= wanted, RECOVERED_MS);
};

describe('R3 PostgreSQL killed under load', () => {
  it('is started again by the server itself when it is the embedded one', async () => {
    const since = performance.now();
    const dataDir = join(await shop.folder(), 'data');
    const server = await shop.start({ dataDir });
    const { receiver, load } = await begin(server);
    const kills = 3;
    for (let kill = 0; kill < kills; kill += 1) {
      await acknowledged(load, 50);
      const pid = postmasterPid(dataDir);
      killPostmaster(dataDir, kill % 2 === 1);
      await until(() => postmasterPid(dataDir) !== pid);
      await acknowledged(load, 10);
    }
    await load.stop();
    expect(await statusOf(server, '/readyz')).toBe(200);
    const databaseUrl = embeddedUrl(dataDir);
    const title = 'R3 embedded PostgreSQL killed';
    const report = await check({ title, load, receiver, databaseUrl, kills, since });
    print(report);
    expect(report.problems).toEqual([]);
    expectPolite(server, load);
  });

  it('is waited for when it is the operator’s own', async () => {
    const since = performance.now();
    const database = await startDatabase(shop);
    const server = await shop.start({
      dataDir: join(await shop.folder(), 'data'),
      env: { DATABASE_URL: database.url },
    });
    const { receiver, load } = await begin(server);
    const kills = 2;
    for (let kill = 0; kill < kills; kill += 1) {
      await acknowledged(load, 50);
      database.kill();
      const before = load.calls.refused;
      await until(() => load.calls.refused > before);
      expect(await statusOf(server, '/readyz')).toBe(503);
      expect(await statusOf(server, '/livez')).toBe(200);
      await delay(1_000);
      await database.revive();
      await acknowledged(load, 10);
    }
    await load.stop();
    expect(await statusOf(server, '/readyz')).toBe(200);
    const databaseUrl = database.url;
    const title = 'R3 own PostgreSQL killed';
    const report = await check({ title, load, receiver, databaseUrl, kills, since });
    print(report);
    expect(report.problems).toEqual([]);
    expectPolite(server, load);
  });
});

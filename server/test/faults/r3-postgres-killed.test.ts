import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { check, print } from './checker.ts';
import { embeddedUrl, killPostmaster, startDatabase } from './database.ts';
import { createFixtures, type Load, useApiClient, useLoad } from './load.ts';
import { postmasterPid } from './postmaster.ts';
import { type ServerProcess, useProcessPool } from './processes.ts';
import { type FaultReceiver, useFaultReceiver } from './receiver.ts';

const RECOVERED_MS = 30_000;
const pool = useProcessPool();
const call = useApiClient(2);

const statusOf = async (server: ServerProcess, path: string): Promise<number> =>
  (await call(server.url, path, { token: '' })).status;

/** The server never restarted, and answered 503 with Retry-After instead of 500. */
function expectOnly503(server: ServerProcess, load: Load): void {
  expect(server.isRunning()).toBe(true);
  expect(load.statuses.get(503)).toBeGreaterThan(0);
  expect([...load.statuses.keys()].filter((status) => ![200, 409, 503].includes(status))).toEqual([]);
  expect(load.withoutRetryAfter).toBe(0);
  expect(load.calls.unknown).toBe(0);
  expect(server.log.filter((line) => line.msg === 'internal error')).toEqual([]);
}

async function startWriting(server: ServerProcess): Promise<{ receiver: FaultReceiver; load: Load }> {
  const receiver = await useFaultReceiver();
  const load = useLoad({ tenants: await createFixtures(server.url, receiver), target: () => server.url });
  return { receiver, load };
}

/** Waits until so many more writes are acknowledged. */
const waitForWrites = (load: Load, more: number): Promise<void> => {
  const wanted = load.calls.ok + more;
  return until(() => load.calls.ok >= wanted, RECOVERED_MS);
};

describe('R3 PostgreSQL killed under load', () => {
  it('is restarted by the server if it is the embedded one', async () => {
    const since = performance.now();
    const dataDir = await pool.makeDataDir();
    const server = await pool.startServer({ dataDir });
    const { receiver, load } = await startWriting(server);
    const kills = 3;
    for (let kill = 0; kill < kills; kill += 1) {
      await waitForWrites(load, 50);
      const pid = postmasterPid(dataDir);
      killPostmaster(dataDir, kill % 2 === 1);
      await until(() => postmasterPid(dataDir) !== pid);
      await waitForWrites(load, 10);
    }
    await load.stop();
    expect(await statusOf(server, '/readyz')).toBe(200);
    const databaseUrl = embeddedUrl(dataDir);
    const title = 'R3 embedded PostgreSQL killed';
    const report = await check({ title, load, receiver, databaseUrl, kills, since });
    print(report);
    expect(report.problems).toEqual([]);
    expectOnly503(server, load);
  });

  it('is waited for if the operator runs it', async () => {
    const since = performance.now();
    const database = await startDatabase(pool);
    const server = await pool.startServer({
      dataDir: await pool.makeDataDir(),
      env: { DATABASE_URL: database.url },
    });
    const { receiver, load } = await startWriting(server);
    const kills = 2;
    for (let kill = 0; kill < kills; kill += 1) {
      await waitForWrites(load, 50);
      database.kill();
      const before = load.calls.refused;
      await until(() => load.calls.refused > before);
      expect(await statusOf(server, '/readyz')).toBe(503);
      expect(await statusOf(server, '/livez')).toBe(200);
      await delay(1_000);
      await database.restart();
      await waitForWrites(load, 10);
    }
    await load.stop();
    expect(await statusOf(server, '/readyz')).toBe(200);
    const databaseUrl = database.url;
    const title = 'R3 own PostgreSQL killed';
    const report = await check({ title, load, receiver, databaseUrl, kills, since });
    print(report);
    expect(report.problems).toEqual([]);
    expectOnly503(server, load);
  });
});

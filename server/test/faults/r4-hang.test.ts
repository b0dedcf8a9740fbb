import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { until } from '../kit/until.ts';
import { check, print } from './checker.ts';
import { startDatabase } from './database.ts';
import { createFixtures, useApiClient, useLoad } from './load.ts';
import { useProcessPool } from './processes.ts';
import { useDatabaseProxy } from './proxy.ts';
import { useFaultReceiver } from './receiver.ts';

/** Longer than the timeout of a statement (20 s) and than a worker relies on its lease (13 s). */
const HANG_MS = Number(process.env.HANG_MS ?? 22_000);
/** The timeout of a statement, after the wait for a connection. */
const ANSWERED_MS = 25_500;
const RECOVERED_MS = 20_000;
/** What needs the database waits so long for a connection. */
const CONNECTION_MS = 5_000;

const pool = useProcessPool();
const call = useApiClient(4);
const receiver = await useFaultReceiver();

describe('R4 connections to PostgreSQL hang', () => {
  it('answers every request in time, and continues by itself', async () => {
    const since = performance.now();
    const database = await startDatabase(pool);
    const proxy = await useDatabaseProxy(database.url);
    const server = await pool.startServer({
      dataDir: await pool.makeDataDir(),
      env: { DATABASE_URL: proxy.url },
    });
    const tenants = await createFixtures(server.url, receiver);
    const load = useLoad({ tenants, target: () => server.url, writers: 40, pauseMs: 60 });
    await until(() => load.calls.ok > 100);

    proxy.hang();
    const ready = call(server.url, '/readyz', { token: '' });
    const hungAt = performance.now();
    while (performance.now() - hungAt < HANG_MS) {
      const alive = performance.now();
      expect((await call(server.url, '/livez', { token: '' })).status).toBe(200);
      expect(performance.now() - alive).toBeLessThan(CONNECTION_MS);
      await delay(500);
    }
    // No request waits for the database: each writer has had an answer since.
    await until(() => load.oldestCallAt() > hungAt);
    const refusedMeanwhile = load.calls.refused;
    proxy.resume();
    const okBefore = load.calls.ok;
    await until(() => load.calls.ok >= okBefore + 100, RECOVERED_MS);
    expect([200, 503]).toContain((await ready).status);
    await load.stop();

    const title = `R4 PostgreSQL hangs for ${HANG_MS / 1000} s`;
    const databaseUrl = database.url;
    const report = await check({ title, load, receiver, databaseUrl, kills: 0, since });
    report.text += `   slowest       ${(load.slowestMs / 1000).toFixed(1).padStart(8)} s\n`;
    print(report);
    expect(report.problems).toEqual([]);
    expect(load.slowestMs).toBeLessThan(ANSWERED_MS);
    expect(refusedMeanwhile).toBeGreaterThan(0);
    expect(load.calls.unknown).toBe(0);
    expect(load.withoutRetryAfter).toBe(0);
    expect(server.isRunning()).toBe(true);
  });
});

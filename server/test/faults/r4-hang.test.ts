import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { check, print } from './checker.ts';
import { startDatabase } from './database.ts';
import { client, createFixtures, type Load, startLoad } from './load.ts';
import { until } from './postmaster.ts';
import { processPool } from './processes.ts';
import { type DatabaseProxy, startProxy } from './proxy.ts';
import { startReceiver } from './receiver.ts';

/** Longer than a statement is waited for (20 s) and than a worker trusts its lease (13 s). */
const HANG_MS = Number(process.env.HANG_MS ?? 22_000);
/** A statement that hangs, and the wait for a connection before it. */
const ANSWERED_MS = 25_500;
const RECOVERED_MS = 20_000;

const shop = processPool();
const api = client(4);
const receiver = await startReceiver();
let load: Load | undefined;
let proxy: DatabaseProxy | undefined;
afterAll(async () => {
  await load?.close();
  await api.close();
  await shop.end();
  await proxy?.close();
  await receiver.close();
});

describe('R4 connections to PostgreSQL hang', () => {
  it('answers everything within bounds, and goes on by itself', async () => {
    const since = performance.now();
    const database = await startDatabase(shop);
    proxy = await startProxy(database.url);
    const server = await shop.start({
      dataDir: join(await shop.folder(), 'data'),
      env: { DATABASE_URL: proxy.url },
    });
    const tenants = await createFixtures(server.url, receiver);
    load = startLoad({ tenants, target: () => server.url, writers: 40, pauseMs: 60 });
    const running: Load = load;
    await until(() => running.calls.ok > 100);

    proxy.hang();
    const ready = api.call(server.url, '/readyz', { token: '' });
    const hungAt = performance.now();
    while (performance.now() - hungAt < HANG_MS) {
      const alive = performance.now();
      expect((await api.call(server.url, '/livez', { token: '' })).status).toBe(200);
      expect(performance.now() - alive).toBeLessThan(2_000);
      await delay(500);
    }
    const refusedMeanwhile = load.calls.refused;
    proxy.resume();
    const okBefore = load.calls.ok;
    await until(() => running.calls.ok >= okBefore + 100, RECOVERED_MS);
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

import { readdir } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { check, print } from './checker.ts';
import { embeddedUrl, killPostmaster, startDatabase } from './database.ts';
import { createFixtures, useLoad } from './load.ts';
import { type ServerProcess, useProcessPool } from './processes.ts';
import { useFaultReceiver } from './receiver.ts';

const KILLS = Number(process.env.KILLS ?? 10);
/** From before the first file is written until everything is. */
const FIRST_STARTS_MS = [150, 300, 450, 600, 800, 1_000, 1_300];
const pool = useProcessPool();

/** Long enough for work to be under way, and different each time. */
const pause = (): Promise<void> => delay(200 + Math.random() * 1_300);

describe('R1 kill −9 of the server under load, again and again', () => {
  it('loses and invents nothing with the embedded database', async () => {
    const since = performance.now();
    const dataDir = await pool.makeDataDir();
    const receiver = await useFaultReceiver();
    let server: ServerProcess | undefined = await pool.startServer({ dataDir });
    const load = useLoad({
      tenants: await createFixtures(server.url, receiver),
      target: () => server?.url,
    });
    const kills = Math.ceil(KILLS / 2);
    for (let kill = 0; kill < kills; kill += 1) {
      await pause();
      const victim: ServerProcess = server;
      // In turn: only the server, with its postmaster, with every process of the database.
      const killed = victim.kill();
      if (kill % 3 === 1) killPostmaster(dataDir);
      if (kill % 3 === 2) killPostmaster(dataDir, true);
      server = undefined;
      await killed;
      server = await pool.startServer({ dataDir });
    }
    await pause();
    await load.stop();
    const databaseUrl = embeddedUrl(dataDir);
    const report = await check({
      title: 'R1 (a) embedded database',
      load,
      receiver,
      databaseUrl,
      kills,
      since,
    });
    print(report);
    expect(report.problems).toEqual([]);
    expect(load.calls.ok).toBeGreaterThan(0);
  });

  it('starts at last, however often its first start is killed', async () => {
    const dataDir = await pool.makeDataDir();
    // The first start also creates the secrets.
    const options = { dataDir, env: { PARLEY_SECRET_KEY: '', PARLEY_ADMIN_TOKEN: '' } };
    for (const afterMs of FIRST_STARTS_MS) {
      const server = pool.launchServer(options);
      await delay(afterMs);
      await server.kill();
    }
    const server = await pool.startServer(options);
    await server.kill();
    const left = (await readdir(dataDir)).filter((name) => name.includes('tmp'));
    expect(left).toEqual([]);
  });

  it('loses and invents nothing with two servers on one database', async () => {
    const since = performance.now();
    const database = await startDatabase(pool);
    const receiver = await useFaultReceiver();
    const start = async () =>
      pool.startServer({ dataDir: await pool.makeDataDir(), env: { DATABASE_URL: database.url } });
    const servers: (ServerProcess | undefined)[] = [await start(), await start()];
    const target = (): string | undefined => {
      const up = servers.filter((server) => server !== undefined);
      return up[Math.floor(Math.random() * up.length)]?.url;
    };
    const load = useLoad({ tenants: await createFixtures(target() as string, receiver), target });
    const kills = Math.floor(KILLS / 2);
    for (let kill = 0; kill < kills; kill += 1) {
      await pause();
      const index = Math.random() < 0.5 ? 0 : 1;
      const victim = servers[index];
      servers[index] = undefined;
      await victim?.kill();
      servers[index] = await start();
    }
    await pause();
    await load.stop();
    const databaseUrl = database.url;
    const report = await check({ title: 'R1 (b) two servers', load, receiver, databaseUrl, kills, since });
    print(report);
    expect(report.problems).toEqual([]);
    expect(load.calls.ok).toBeGreaterThan(0);
  });
});

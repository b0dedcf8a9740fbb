import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { check, print } from './checker.ts';
import { embeddedUrl, killPostmaster, startDatabase } from './database.ts';
import { createFixtures, type Load, startLoad } from './load.ts';
import { processPool, type ServerProcess } from './processes.ts';
import { type FaultReceiver, startReceiver } from './receiver.ts';

const KILLS = Number(process.env.KILLS ?? 10);
/** From before anything is made until all is. */
const FIRST_STARTS_MS = [150, 300, 450, 600, 800, 1_000, 1_300];
const shop = processPool();
const receivers: FaultReceiver[] = [];
const loads: Load[] = [];
afterAll(async () => {
  await Promise.all(loads.map((load) => load.close()));
  await shop.end();
  await Promise.all(receivers.map((receiver) => receiver.close()));
});

async function receiverForTest(): Promise<FaultReceiver> {
  const receiver = await startReceiver();
  receivers.push(receiver);
  return receiver;
}

/** Long enough for work to be under way, and never the same. */
const aWhile = (): Promise<void> => delay(200 + Math.random() * 1_300);

describe('R1 kill −9 of the server under load, again and again', () => {
  it('loses and invents nothing with the embedded database', async () => {
    const since = performance.now();
    const dataDir = join(await shop.folder(), 'data');
    const receiver = await receiverForTest();
    let server: ServerProcess | undefined = await shop.start({ dataDir });
    const load = startLoad({
      tenants: await createFixtures(server.url, receiver),
      target: () => server?.url,
    });
    loads.push(load);
    const kills = Math.ceil(KILLS / 2);
    for (let kill = 0; kill < kills; kill += 1) {
      await aWhile();
      const victim: ServerProcess = server;
      // By turns: the server alone, with its postmaster, with every process of the database.
      const killed = victim.kill();
      if (kill % 3 === 1) killPostmaster(dataDir);
      if (kill % 3 === 2) killPostmaster(dataDir, true);
      server = undefined;
      await killed;
      server = await shop.start({ dataDir });
    }
    await aWhile();
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

  it('starts in the end however often its very first start is killed', async () => {
    const dataDir = join(await shop.folder(), 'data');
    // The secrets are made by the first start too.
    const options = { dataDir, env: { PARLEY_SECRET_KEY: '', PARLEY_ADMIN_TOKEN: '' } };
    for (const afterMs of FIRST_STARTS_MS) {
      const server = shop.begin(options);
      await delay(afterMs);
      await server.kill();
    }
    const server = await shop.start(options);
    await server.kill();
    const left = (await readdir(dataDir)).filter((name) => name.includes('tmp'));
    expect(left).toEqual([]);
  });

  it('loses and invents nothing with two servers on one database', async () => {
    const since = performance.now();
    const database = await startDatabase(shop);
    const receiver = await receiverForTest();
    const start = async () =>
      shop.start({ dataDir: join(await shop.folder(), 'data'), env: { DATABASE_URL: database.url } });
    const servers: (ServerProcess | undefined)[] = [await start(), await start()];
    const target = (): string | undefined => {
      const up = servers.filter((server) => server !== undefined);
      return up[Math.floor(Math.random() * up.length)]?.url;
    };
    const load = startLoad({ tenants: await createFixtures(target() as string, receiver), target });
    loads.push(load);
    const kills = Math.floor(KILLS / 2);
    for (let kill = 0; kill < kills; kill += 1) {
      await aWhile();
      const at = Math.random() < 0.5 ? 0 : 1;
      const victim = servers[at];
      servers[at] = undefined;
      await victim?.kill();
      servers[at] = await start();
    }
    await aWhile();
    await load.stop();
    const databaseUrl = database.url;
    const report = await check({ title: 'R1 (b) two servers', load, receiver, databaseUrl, kills, since });
    print(report);
    expect(report.problems).toEqual([]);
    expect(load.calls.ok).toBeGreaterThan(0);
  });
});

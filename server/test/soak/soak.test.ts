import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startDatabase } from '../faults/database.ts';
import { createFixtures, useLoad } from '../faults/load.ts';
import { type ServerProcess, useProcessPool } from '../faults/processes.ts';
import { answerAtOnce, useFaultReceiver } from '../faults/receiver.ts';
import { until } from '../kit/until.ts';
import { useHostiles } from './hostile.ts';
import { memoryOf, summarize, tableOf } from './summary.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 30);
const TENANTS = 20;
const HOSTILE = 3;
/** In total, over all tenants. */
const MESSAGES_PER_SECOND = Number(process.env.SOAK_RATE ?? 40);
/** How long everything has to arrive after the load. */
const DRAIN_MS = 180_000;
const TIMEOUT_MS = (MINUTES + 10) * 60_000 + DRAIN_MS;

const countsOf = (statuses: ReadonlyMap<number, number>): string =>
  [...statuses].map(([status, count]) => `${status} ${count} ×`).join(', ');

const pool = useProcessPool();

it(
  'a soak of mixed load with hostile tenants and kills loses nothing, and memory does not grow',
  async () => {
    const receiver = await useFaultReceiver(answerAtOnce);
    const database = await startDatabase(pool);
    const dataDir = await pool.makeDataDir();
    let crashes = 0;
    let server: ServerProcess | undefined;
    /** Starts a server, and another one if it ends by itself. */
    const start = async (): Promise<ServerProcess> => {
      const started = await pool.startServer({ dataDir, env: { DATABASE_URL: database.url } });
      void started.ended.then(async () => {
        if (server !== started) return;
        crashes += 1;
        server = undefined;
        server = await start();
      });
      return started;
    };
    server = await start();
    const target = (): string | undefined => server?.url;
    const running = async (): Promise<ServerProcess> => {
      await until(() => server !== undefined, 60_000);
      return server as ServerProcess;
    };
    const all = await createFixtures(server.url, receiver, { tenants: TENANTS, channels: 2 });
    const [hostile, ordinary] = [all.slice(0, HOSTILE), all.slice(HOSTILE)];
    const attacks = await useHostiles(hostile, target);
    const load = useLoad({
      tenants: ordinary,
      target,
      writers: ordinary.length * 2,
      pauseMs: (ordinary.length * 2 * 1000) / MESSAGES_PER_SECOND,
      maxMessages: Number.POSITIVE_INFINITY,
      maxMs: Number.POSITIVE_INFINITY,
    });

    const since = performance.now();
    const minutes = (): number => (performance.now() - since) / 60_000;
    const kills = { server: 0, postgres: 0 };
    // In the last third nothing is killed, to see whether memory grows.
    while (minutes() < (MINUTES * 2) / 3) {
      await delay(Math.min(60_000, (MINUTES * 60_000) / 10) * (0.5 + Math.random()));
      if (Math.random() < 0.5) {
        kills.server += 1;
        const killed = await running();
        server = undefined;
        await killed.kill();
        server = await start();
      } else {
        kills.postgres += 1;
        database.kill();
        await delay(1_000);
        await until(
          () =>
            database.restart().then(
              () => true,
              () => false,
            ),
          60_000,
        );
      }
    }
    await delay(Math.min(60_000, (MINUTES * 60_000) / 10));
    const memory: [minute: number, mebibytes: number][] = [];
    while (minutes() < MINUTES) {
      memory.push([Math.round(minutes()), memoryOf((await running()).pid)]);
      await delay(Math.min(60_000, (MINUTES * 60_000) / 20));
    }
    await load.stop();
    const sent = () => summarize(ordinary, load, receiver);
    await until(() => sent().every(({ lost }) => lost === 0), DRAIN_MS).catch(() => {});
    memory.push([Math.round(minutes()), memoryOf((await running()).pid)]);
    // The clean-up stops it: that is no crash, and nobody starts another one.
    server = undefined;

    const rows = sent();
    process.stdout.write(
      [
        '',
        `── soak of ${minutes().toFixed(1)} minutes, ${TENANTS} tenants, ${HOSTILE} of them hostile`,
        tableOf(rows),
        `   kills: ${kills.server} of the server, ${kills.postgres} of PostgreSQL; crashes: ${crashes}`,
        ...attacks.map(({ name, answers }) => `   hostile: ${name}, answered ${countsOf(answers)}`),
        `   answers: ${countsOf(load.statuses)}; without an answer: ${load.calls.unknown}`,
        `   memory of the server in MiB: ${memory.map(([minute, mebibytes]) => `${mebibytes} (minute ${minute})`).join(', ')}`,
        '',
      ].join('\n'),
    );
    expect(rows.filter(({ lost, invented }) => lost + invented > 0)).toEqual([]);
    expect(receiver.issues).toEqual([]);
    expect(crashes).toBe(0);
    expect(rows.every(({ acknowledged }) => acknowledged > 0)).toBe(true);
    // The heap may grow to four times what is in use before it is collected as a whole.
    const [first] = memory.map(([, mebibytes]) => mebibytes);
    expect(memory.at(-1)?.[1]).toBeLessThan(3 * (first as number));
  },
  TIMEOUT_MS,
);

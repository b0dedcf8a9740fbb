import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { cleanUp } from '../kit/clean-up.ts';
import { until } from '../kit/until.ts';
import { startDatabase, withConnection } from './database.ts';
import { createFixtures, useApiClient, useLoad } from './load.ts';
import { useProcessPool } from './processes.ts';
import { answerAtOnce, useFaultReceiver } from './receiver.ts';

const pool = useProcessPool();
const call = useApiClient(4);
const receiver = await useFaultReceiver(answerAtOnce);
const database = await startDatabase(pool);

const countIdleInTransaction = async (): Promise<number> =>
  withConnection(database.url, async (query) =>
    Number(
      (
        await query(
          `select count(*)::int as open from pg_stat_activity
            where datname = current_database() and application_name like 'parley %' and state like 'idle in transaction%'
              and state_change < clock_timestamp() - interval '300 ms'`,
        )
      )[0]?.open,
    ),
  );

/** A transaction of somebody else that reads a table and stays open. */
async function readAndStay(table: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: database.url });
  client.on('error', () => {});
  await client.connect();
  cleanUp(() => client.end().catch(() => {}));
  await client.query('begin');
  await client.query(`select 1 from ${table} limit 1`);
  return client;
}

describe('locks that somebody holds', () => {
  it('I9, X21: inside a transaction of a stopped process are free after ten seconds', async () => {
    const env = { DATABASE_URL: database.url };
    const start = async () => pool.startServer({ dataDir: await pool.makeDataDir(), env });
    const stopped = await start();
    const tenants = await createFixtures(stopped.url, receiver);
    const load = useLoad({ tenants, target: () => stopped.url, writers: 20, pauseMs: 0 });
    await until(() => load.calls.ok > 50);
    // Most moments are inside of some transaction, but not all.
    let open = 0;
    for (let tries = 0; tries < 50 && open === 0; tries += 1) {
      stopped.signal('SIGSTOP');
      await delay(500);
      open = await countIdleInTransaction();
      if (open > 0) break;
      stopped.signal('SIGCONT');
      await delay(50 + Math.random() * 100);
    }
    expect(open).toBeGreaterThan(0);
    await until(async () => (await countIdleInTransaction()) === 0, 15_000);
    stopped.signal('SIGCONT');
    await stopped.ready(20_000);
    await load.stop();
    await stopped.kill();
  });

  it('I9, X21: on a partitioned table do not keep a server from starting, nor others from writing', async () => {
    const first = await pool.startServer({
      dataDir: await pool.makeDataDir(),
      env: { DATABASE_URL: database.url },
    });
    const [tenant] = await createFixtures(first.url, receiver, { tenants: 1, channels: 1 });
    // The coming week is missing, and a reader keeps it from being created.
    const names = await withConnection(database.url, async (query) => {
      const rows = await query(
        `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'events'::regclass and c.relname <> 'events_default' order by 1 desc`,
      );
      await query(`drop table ${rows[0]?.name}`);
      return rows.map((row) => String(row.name));
    });
    const reader = await readAndStay('events');
    const starting = pool.startServer({
      dataDir: await pool.makeDataDir(),
      env: { DATABASE_URL: database.url },
    });
    const slowest: number[] = [];
    let isStarting = true;
    const up = starting.finally(() => {
      isStarting = false;
    });
    while (isStarting) {
      const since = performance.now();
      const { status } = await call(first.url, `/v3/sandbox/${tenant?.channels[0]}/inbound`, {
        token: tenant?.token as string,
        body: { from: '+15550001111', text: 'message 1' },
      });
      expect(status).toBe(200);
      slowest.push(performance.now() - since);
      await delay(20);
    }
    const second = await up;
    expect(second.log.map(({ msg }) => msg)).toContain(
      'the partitions of the coming weeks could not be created yet',
    );
    // Less than the 15 s after which a statement is cancelled.
    expect(Math.max(...slowest)).toBeLessThan(12_000);
    await reader.end();
    await second.kill();
    const third = await pool.startServer({
      dataDir: await pool.makeDataDir(),
      env: { DATABASE_URL: database.url },
    });
    const rows = await withConnection(database.url, (query) =>
      query('select to_regclass($1) is not null as exists', [names[0]]),
    );
    expect(rows).toEqual([{ exists: true }]);
    await Promise.all([first.kill(), third.kill()]);
  });
});

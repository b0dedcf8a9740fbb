import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/base/errors.ts';
import type { Connection } from '../../src/db/embedded/connection.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../src/db/embedded/embedded.ts';
import { holdFolder } from '../../src/db/embedded/lock.ts';
import { isLive } from '../kit/is-live.ts';
import { until } from '../kit/until.ts';
import { connectTo, postmasterPid, query, useEmbeddedFixtures } from './kit.ts';

const fixtures = useEmbeddedFixtures();

const startDatabase = async (): Promise<EmbeddedDatabase> =>
  startEmbedded({ dataDir: await fixtures.makeDatabase() });

async function findHolders(connection: Connection): Promise<number[]> {
  const rows = await query(connection, `select pid from pg_locks where locktype = 'advisory' and granted`);
  return (rows as { pid: number }[]).map(({ pid }) => pid);
}

describe.concurrent('the lock on a data folder', () => {
  it('refuses a second Parley, and is free again after release', async () => {
    const database = await startDatabase();
    const first = await holdFolder(database.connection);
    const refusal = holdFolder(database.connection);
    await expect(refusal).rejects.toBeInstanceOf(OperatorError);
    await expect(refusal).rejects.toThrow('Another Parley is running on this data folder');
    await first.release();
    const second = await holdFolder(database.connection);
    await second.release();
    await until(async () => (await findHolders(database.connection)).length === 0);
    await database.stop();
  });

  it('waits for the session of a killed server that still holds it', async () => {
    const database = await startDatabase();
    const first = await holdFolder(database.connection);
    const taking = holdFolder(database.connection);
    await delay(500);
    await first.release();
    const second = await taking;
    await second.release();
    await database.stop();
  });

  it('is taken again when its session breaks and when the database was restarted', async () => {
    const database = await startDatabase();
    const lock = await holdFolder(database.connection);
    let isLost = false;
    lock.onLost(() => {
      isLost = true;
    });
    const [holder] = await findHolders(database.connection);
    await query(database.connection, `select pg_terminate_backend(${holder})`);
    await until(async () => {
      const [next] = await findHolders(database.connection);
      return next !== undefined && next !== holder;
    });

    const pid = await postmasterPid(dirname(database.connection.host));
    process.kill(pid, 'SIGKILL');
    await until(() => !isLive(pid));
    await database.ensureRunning();
    await until(async () => (await findHolders(database.connection)).length === 1);
    expect(isLost).toBe(false);
    await lock.release();
    await database.stop();
  });

  it('reports its loss when another session has taken it meanwhile', async () => {
    const database = await startDatabase();
    const lock = await holdFolder(database.connection);
    const lost = new Promise<void>((resolve) => lock.onLost(resolve));
    const [holder] = await findHolders(database.connection);
    const rival = await connectTo(database.connection);
    // It waits for the same key, so it gets the lock when the session of the holder ends.
    const taken = rival.query(`select pg_advisory_lock(x'${Buffer.from('parley').toString('hex')}'::bigint)`);
    await until(
      async () =>
        (
          await query(
            database.connection,
            `select 1 from pg_locks where locktype = 'advisory' and not granted`,
          )
        ).length === 1,
    );
    await query(database.connection, `select pg_terminate_backend(${holder})`);
    await taken;
    await lost;
    let isReported = false;
    lock.onLost(() => {
      isReported = true;
    });
    expect(isReported).toBe(true);
    await lock.release();
    await rival.end();
    await database.stop();
  });
});

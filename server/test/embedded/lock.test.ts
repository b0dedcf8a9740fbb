import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/base/errors.ts';
import type { Connection } from '../../src/db/embedded/connection.ts';
import { type EmbeddedDatabase, startEmbedded } from '../../src/db/embedded/embedded.ts';
import { holdFolder } from '../../src/db/embedded/lock.ts';
import { isLive, postmasterPid, query, session, until, workplace } from './kit.ts';

const work = workplace();
afterAll(() => work.end());

const start = async (): Promise<EmbeddedDatabase> => startEmbedded({ dataDir: await work.ready() });

async function holders(connection: Connection): Promise<number[]> {
  const rows = await query(connection, `select pid from pg_locks where locktype = 'advisory' and granted`);
  return (rows as { pid: number }[]).map(({ pid }) => pid);
}

describe.concurrent('the lock on a data folder', { timeout: 60_000 }, () => {
  it('refuses a second Parley, and is free again after release', async () => {
    const database = await start();
    const first = await holdFolder(database.connection);
    const refusal = holdFolder(database.connection);
    await expect(refusal).rejects.toBeInstanceOf(OperatorError);
    await expect(refusal).rejects.toThrow('Another Parley is running on this data folder');
    await first.release();
    const second = await holdFolder(database.connection);
    await second.release();
    await until(async () => (await holders(database.connection)).length === 0);
    await database.stop();
  });

  it('waits for the session of a killed server that holds it a little longer', async () => {
    const database = await start();
    const first = await holdFolder(database.connection);
    const taking = holdFolder(database.connection);
    await delay(500);
    await first.release();
    const second = await taking;
    await second.release();
    await database.stop();
  });

  it('is taken again when its session breaks and when the database was started anew', async () => {
    const database = await start();
    const lock = await holdFolder(database.connection);
    let lost = false;
    lock.onLost(() => {
      lost = true;
    });
    const [holder] = await holders(database.connection);
    await query(database.connection, `select pg_terminate_backend(${holder})`);
    await until(async () => {
      const [next] = await holders(database.connection);
      return next !== undefined && next !== holder;
    });

    const pid = await postmasterPid(dirname(database.connection.host));
    process.kill(pid, 'SIGKILL');
    await until(() => !isLive(pid));
    await database.ensureRunning();
    await until(async () => (await holders(database.connection)).length === 1);
    expect(lost).toBe(false);
    await lock.release();
    await database.stop();
  });

  it('tells when another one has taken it meanwhile', async () => {
    const database = await start();
    const lock = await holdFolder(database.connection);
    const lost = new Promise<void>((resolve) => lock.onLost(resolve));
    const [holder] = await holders(database.connection);
    const rival = await session(database.connection);
    // It queues for the same key, so it is the first in line when the session of the holder ends.
    const taken = rival.query(`select pg_advisory_lock(x'${Buffer.from('parley').toString('hex')}'::bigint)`);
    await delay(200);
    await query(database.connection, `select pg_terminate_backend(${holder})`);
    await taken;
    await lost;
    let told = false;
    lock.onLost(() => {
      told = true;
    });
    expect(told).toBe(true);
    await lock.release();
    await rival.end();
    await database.stop();
  });
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { inspectProcess, isAttached, readPidFile } from '../../src/db/embedded/left-behind.ts';
import { NOBODY } from '../../src/db/embedded/run-as.ts';
import { cleanUp } from '../kit/clean-up.ts';
import { isLive } from '../kit/is-live.ts';
import { until } from '../kit/until.ts';
import { connectTo, postmasterPid, query, useEmbeddedFixtures } from './kit.ts';

const fixtures = useEmbeddedFixtures();

const kept = [{ word: 'here' }];

/** Starts a process of the database's user, which PostgreSQL would take for a server if a stale number points to it. */
async function startOtherProcess() {
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn('sleep', ['600'], { ...owner, stdio: 'ignore' });
  await once(child, 'spawn');
  cleanUp(() => child.kill('SIGKILL'));
  return child.pid ?? 0;
}

async function replacePid(dataDir: string, from: number, to: number): Promise<void> {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    const path = join(dataDir, 'postgres', name);
    const text = await readFile(path, 'utf8');
    expect(text.startsWith(`${from}\n`)).toBe(true);
    await writeFile(path, text.replace(`${from}`, `${to}`));
  }
}

describe('when the process that started it is killed', () => {
  it('the server is taken over with its data, and can be stopped', async () => {
    const dataDir = await fixtures.makeDatabase();
    const killed = await fixtures.startProgram(dataDir);
    const pid = await postmasterPid(dataDir);
    killed.process.kill('SIGKILL');
    await once(killed.process, 'exit');
    expect(isLive(pid)).toBe(true);

    const next = await startEmbedded({ dataDir, database: 'another' });
    expect(next.adopted).toBe(true);
    expect({ ...next.connection, database: 'parley' }).toEqual(killed.connection);
    expect(await query({ ...next.connection, database: 'parley' }, 'table kept')).toEqual(kept);
    expect(await postmasterPid(dataDir)).toBe(pid);
    await next.ensureRunning();
    await next.stop();
    expect(isLive(pid)).toBe(false);
  });

  it('a start waits for a server that is stopping', async () => {
    const dataDir = await fixtures.makeDatabase();
    const first = await startEmbedded({ dataDir });
    const pid = await postmasterPid(dataDir);
    const open = await connectTo(first.connection);
    // A smart shutdown refuses new sessions with 57P03 and waits for the open one.
    process.kill(pid, 'SIGTERM');
    await until(() =>
      connectTo(first.connection).then(
        (late) => late.end().then(() => false),
        (error: { code?: string }) => error.code === '57P03',
      ),
    );
    let settled = false;
    const second = startEmbedded({ dataDir }).finally(() => {
      settled = true;
    });
    await delay(300);
    expect(settled).toBe(false);
    await open.end();
    const next = await second;
    expect(next.adopted).toBe(false);
    expect(await postmasterPid(dataDir)).not.toBe(pid);
    expect(await query(next.connection, 'table kept')).toEqual(kept);
    await next.stop();
  });
});

describe('when the server itself is killed', () => {
  it('ensureRunning restarts it in the same place, once for all callers', async () => {
    const dataDir = await fixtures.makeDatabase();
    const database = await startEmbedded({ dataDir });
    await query(database.connection, 'create table committed as select 7 as seven');
    const pid = await postmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await until(() => !isLive(pid));
    await Promise.all([database.ensureRunning(), database.ensureRunning(), database.ensureRunning()]);
    const next = await postmasterPid(dataDir);
    expect(next).not.toBe(pid);
    expect(await query(database.connection, 'table committed')).toEqual([{ seven: 7 }]);
    await database.ensureRunning();
    expect(await postmasterPid(dataDir)).toBe(next);
    await database.stop();
    expect(isLive(next)).toBe(false);
  });

  it('a server that was taken over is restarted too', async () => {
    const dataDir = await fixtures.makeDatabase();
    await fixtures.startProgram(dataDir);
    const database = await startEmbedded({ dataDir });
    expect(database.adopted).toBe(true);
    const pid = await postmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await until(() => !isLive(pid));
    await database.ensureRunning();
    expect(await query(database.connection, 'table kept')).toEqual(kept);
    await database.stop();
  });

  it('a start waits for a zombie until it is reaped', async () => {
    const dataDir = await fixtures.makeDatabase();
    const parent = await fixtures.startProgram(dataDir);
    const pid = await postmasterPid(dataDir);
    // A stopped parent does not reap.
    parent.process.kill('SIGSTOP');
    process.kill(pid, 'SIGKILL');
    await until(async () => (await inspectProcess(pid, join(dataDir, 'postgres'))) === 'zombie');
    let settled = false;
    const starting = startEmbedded({ dataDir }).finally(() => {
      settled = true;
    });
    await delay(500);
    expect(settled).toBe(false);
    parent.process.kill('SIGCONT');
    const database = await starting;
    expect(await query(database.connection, 'table kept')).toEqual(kept);
    await database.stop();
  });

  it('a process number that now belongs to another program does not prevent the start, and that program stays alive', async () => {
    const dataDir = await fixtures.makeDatabase();
    const other = await startOtherProcess();
    const killed = await startEmbedded({ dataDir });
    const pid = await postmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await until(() => !isLive(pid));
    await replacePid(dataDir, pid, other);

    const database = await startEmbedded({ dataDir });
    expect(database.adopted).toBe(false);
    expect(await query(database.connection, 'table kept')).toEqual(kept);
    await database.stop();
    // The server of the first handle is gone as well: stopping it must not kill the other process.
    await killed.stop();
    expect(isLive(other)).toBe(true);
  });

  it('nothing is removed or started while its sessions still use the database', async () => {
    const dataDir = await fixtures.makeDatabase();
    const other = await startOtherProcess();
    const database = await startEmbedded({ dataDir });
    const pid = await postmasterPid(dataDir);
    const stuck = await connectTo(database.connection);
    const { rows } = await stuck.query<{ pid: number }>('select pg_backend_pid() as pid');
    const backend = rows[0]?.pid ?? 0;
    try {
      process.kill(backend, 'SIGSTOP');
      process.kill(pid, 'SIGKILL');
      await until(() => !isLive(pid));
      await replacePid(dataDir, pid, other);
      const file = await readPidFile(join(dataDir, 'postgres'));
      if (file === undefined) throw new Error('There is no postmaster.pid.');
      await delay(200);
      expect(await isAttached(file)).toBe(true);
      let settled = false;
      const starting = startEmbedded({ dataDir }).finally(() => {
        settled = true;
      });
      await delay(500);
      expect(settled).toBe(false);
      expect((await readPidFile(join(dataDir, 'postgres')))?.text).toBe(file.text);

      process.kill(backend, 'SIGCONT');
      const next = await starting;
      expect(await isAttached(file)).toBe(false);
      expect(await query(next.connection, 'table kept')).toEqual(kept);
      await next.stop();
    } finally {
      if (isLive(backend)) process.kill(backend, 'SIGKILL');
    }
  });
});

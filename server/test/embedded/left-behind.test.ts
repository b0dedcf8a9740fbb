import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { inspectProcess, isAttached, readPidFile } from '../../src/db/embedded/left-behind.ts';
import { NOBODY } from '../../src/db/embedded/run-as.ts';
import { isLive, postmasterPid, query, session, until, workplace } from './kit.ts';

const work = workplace();
afterAll(() => work.end());

const kept = [{ word: 'here' }];

/** A process of the database's user, for which PostgreSQL would take a stale number. */
async function stranger() {
  const owner = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn('sleep', ['600'], { ...owner, stdio: 'ignore' });
  await once(child, 'spawn');
  return { pid: child.pid ?? 0, end: () => child.kill('SIGKILL') };
}

async function replacePid(dataDir: string, from: number, to: number): Promise<void> {
  for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
    const path = join(dataDir, 'postgres', name);
    const text = await readFile(path, 'utf8');
    expect(text.startsWith(`${from}\n`)).toBe(true);
    await writeFile(path, text.replace(`${from}`, `${to}`));
  }
}

describe('when the process that started it is killed', { timeout: 60_000 }, () => {
  it('the server is taken over with all its data, and can be stopped', async () => {
    const dataDir = await work.ready();
    const killed = await work.start(dataDir);
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

  it('a server that is stopping is waited for', async () => {
    const dataDir = await work.ready();
    const first = await startEmbedded({ dataDir });
    const pid = await postmasterPid(dataDir);
    const open = await session(first.connection);
    // A smart shutdown refuses new sessions with 57P03 and waits for the open one.
    process.kill(pid, 'SIGTERM');
    await until(() =>
      session(first.connection).then(
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

describe('when the server itself is killed', { timeout: 60_000 }, () => {
  it('ensureRunning starts it again at the same place, once for all who ask', async () => {
    const dataDir = await work.ready();
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

  it('one that was taken over is started again too', async () => {
    const dataDir = await work.ready();
    await work.start(dataDir);
    const database = await startEmbedded({ dataDir });
    expect(database.adopted).toBe(true);
    const pid = await postmasterPid(dataDir);
    process.kill(pid, 'SIGKILL');
    await until(() => !isLive(pid));
    await database.ensureRunning();
    expect(await query(database.connection, 'table kept')).toEqual(kept);
    await database.stop();
  });

  it('a zombie is waited for until it is reaped', async () => {
    const dataDir = await work.ready();
    const parent = await work.start(dataDir);
    const pid = await postmasterPid(dataDir);
    // A parent that stands still does not reap.
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

  it('a number that has gone to another program does not stop the start, and that program is left alone', async () => {
    const dataDir = await work.ready();
    const other = await stranger();
    try {
      const killed = await startEmbedded({ dataDir });
      const pid = await postmasterPid(dataDir);
      process.kill(pid, 'SIGKILL');
      await until(() => !isLive(pid));
      await replacePid(dataDir, pid, other.pid);

      const database = await startEmbedded({ dataDir });
      expect(database.adopted).toBe(false);
      expect(await query(database.connection, 'table kept')).toEqual(kept);
      await database.stop();
      // Its server is gone for the first handle as well: stopping it must not hit the stranger.
      await killed.stop();
      expect(isLive(other.pid)).toBe(true);
    } finally {
      other.end();
    }
  });

  it('nothing is removed or started as long as its sessions still use the database', async () => {
    const dataDir = await work.ready();
    const other = await stranger();
    const database = await startEmbedded({ dataDir });
    const pid = await postmasterPid(dataDir);
    const stuck = await session(database.connection);
    const { rows } = await stuck.query<{ pid: number }>('select pg_backend_pid() as pid');
    const backend = rows[0]?.pid ?? 0;
    try {
      process.kill(backend, 'SIGSTOP');
      process.kill(pid, 'SIGKILL');
      await until(() => !isLive(pid));
      await replacePid(dataDir, pid, other.pid);
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
      other.end();
    }
  });
});

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OperatorError } from '../../src/base/errors.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { isLive } from '../kit/is-live.ts';
import { connectTo, postmasterPid, query, useEmbeddedFixtures } from './kit.ts';

const fixtures = useEmbeddedFixtures();

const newDataDir = async (): Promise<string> => fixtures.track(join(await fixtures.makeFolder(), 'data'));

async function measure<T>(name: string, action: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const result = await action();
  process.stdout.write(`embedded: ${name} ${(performance.now() - begun).toFixed(0)} ms\n`);
  return result;
}

// To create a database takes a thousand calls of fsync, which are slow on a busy disk.
describe('the embedded database', () => {
  it('is created by the first start, keeps its data, and starts again', async () => {
    const dataDir = await newDataDir();
    const first = await measure('first start', () => startEmbedded({ dataDir }));
    expect(first.adopted).toBe(false);
    await query(first.connection, 'create table kept (word text)', `insert into kept values ('here')`);
    await measure('check whether it runs', () => first.ensureRunning());
    const pid = await postmasterPid(dataDir);
    await measure('stop', () => first.stop());
    expect(isLive(pid)).toBe(false);
    await expect(first.ensureRunning()).rejects.toThrow('stopped');

    const second = await measure('warm start', () => startEmbedded({ dataDir }));
    expect(second.connection).toEqual(first.connection);
    expect(await query(second.connection, 'select word from kept')).toEqual([{ word: 'here' }]);
    await second.stop();
    await second.stop();
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log']);
  });

  it('is durable, closed to the network, protected by a password, and accepts more settings', async () => {
    const dataDir = await fixtures.makeDatabase();
    const database = await startEmbedded({
      dataDir,
      database: 'other "name"',
      settings: { work_mem: '9MB', max_wal_size: '2GB', fsync: 'off', listen_addresses: '*' },
    });
    const { connection } = database;
    const names = [
      'fsync',
      'full_page_writes',
      'synchronous_commit',
      'listen_addresses',
      'jit',
      'max_parallel_workers_per_gather',
      'autovacuum_naptime',
      'max_connections',
      'max_wal_size',
      'work_mem',
      'server_encoding',
      'data_checksums',
      'TimeZone',
    ];
    const values = await Promise.all(names.map((name) => query(connection, `show ${name}`)));
    expect(Object.assign({}, ...values.flat())).toEqual({
      fsync: 'on',
      full_page_writes: 'on',
      synchronous_commit: 'on',
      listen_addresses: '',
      jit: 'off',
      max_parallel_workers_per_gather: '0',
      autovacuum_naptime: '10s',
      max_connections: '200',
      max_wal_size: '2GB',
      work_mem: '9MB',
      server_encoding: 'UTF8',
      data_checksums: 'on',
      TimeZone: 'UTC',
    });
    expect(await query(connection, 'select current_database() as name')).toEqual([{ name: 'other "name"' }]);
    await expect(connectTo({ ...connection, password: 'wrong' })).rejects.toMatchObject({ code: '28P01' });
    const secret = await stat(join(dataDir, 'postgres', 'parley.password'));
    expect(secret.mode & 0o777).toBe(0o600);
    await query(connection, 'create extension pg_trgm', 'create extension btree_gin');
    await database.stop();
  });

  it('runs in a process group of its own, so that Ctrl-C does not stop it before the server', async () => {
    const dataDir = await fixtures.makeDatabase();
    const database = await startEmbedded({ dataDir });
    const pid = await postmasterPid(dataDir);
    const ids = execFileSync('ps', ['-o', 'pgid=,sid=', '-p', String(pid)], { encoding: 'utf8' });
    expect(ids.trim().split(/\s+/).map(Number)).toEqual([pid, pid]);
    await database.stop();
  });

  it('is the same for all processes that start at the same time', async () => {
    const dataDir = await newDataDir();
    const [one, two, here, again] = await Promise.all([
      fixtures.startProgram(dataDir),
      fixtures.startProgram(dataDir),
      startEmbedded({ dataDir }),
      startEmbedded({ dataDir }),
    ]);
    expect([one.error, two.error]).toEqual([undefined, undefined]);
    expect(one.connection).toEqual(here.connection);
    expect(two.connection).toEqual(here.connection);
    expect(
      [one.adopted, two.adopted, here.adopted, again.adopted].filter((adopted) => !adopted),
    ).toHaveLength(1);
    await query(here.connection, 'select 1');
    await here.stop();
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log']);
  });

  it('has its socket in a private folder if its own path is too long for a socket', async () => {
    const dataDir = await fixtures.makeDatabase(
      join(await fixtures.makeFolder(), 'ö'.repeat(50), 'a, "b"', 'data'),
    );
    const database = await startEmbedded({ dataDir });
    const { host } = database.connection;
    expect(host.startsWith(dataDir)).toBe(false);
    expect((await stat(host)).mode & 0o777).toBe(0o700);
    const taken = await fixtures.startProgram(dataDir);
    expect(taken).toMatchObject({ adopted: true, connection: database.connection });
    await database.stop();
    await expect(stat(host)).rejects.toMatchObject({ code: 'ENOENT' });
    const next = await startEmbedded({ dataDir });
    expect(next.connection).toEqual(database.connection);
    expect(await query(next.connection, 'select word from kept')).toEqual([{ word: 'here' }]);
    await next.stop();
  });

  it('accepts a path with spaces, commas and quotes', async () => {
    const dataDir = fixtures.track(join(await fixtures.makeFolder(), ` a, "b" 'c'`));
    const database = await startEmbedded({ dataDir });
    expect(database.connection.host).toBe(join(dataDir, 'postgres'));
    await query(database.connection, 'select 1');
    await database.stop();
  });

  it('removes what killed starts have left, but not the draft of a running start', async () => {
    const dataDir = await fixtures.makeDatabase();
    const gone = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }).trim();
    for (const pid of [gone, process.pid, process.ppid]) {
      await mkdir(join(dataDir, `pg.tmp-${pid}`, 'base'), { recursive: true });
    }
    await writeFile(join(dataDir, `pg.tmp-${gone}.password`), 'x');
    const database = await startEmbedded({ dataDir });
    expect((await readdir(dataDir)).sort()).toEqual([`pg.tmp-${process.ppid}`, 'postgres', 'postgres.log']);
    await database.stop();
  });

  it('fixes the mode of a folder that was restored with too many permissions', async () => {
    const dataDir = await fixtures.makeDatabase();
    await chmod(join(dataDir, 'postgres'), 0o775);
    const database = await startEmbedded({ dataDir });
    await query(database.connection, 'select 1');
    await database.stop();
  });
});

describe('a folder that cannot be used', () => {
  it('is refused if it is of another major version', async () => {
    const dataDir = await newDataDir();
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    const refusal = startEmbedded({ dataDir });
    await expect(refusal).rejects.toBeInstanceOf(OperatorError);
    await expect(refusal).rejects.toThrow(
      /PostgreSQL 17, and this Parley comes with PostgreSQL 18.*DATABASE_URL/,
    );
  });

  it('is refused if it contains something else', async () => {
    const dataDir = await newDataDir();
    await mkdir(join(dataDir, 'postgres'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'letter.txt'), 'Hello');
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/PG_VERSION is missing.*move the folder away/);
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['letter.txt']);
  });

  it('is refused if it is a file', async () => {
    const dataDir = await newDataDir();
    await writeFile(dataDir, '');
    for (const path of [dataDir, join(dataDir, 'below')]) {
      const refusal = startEmbedded({ dataDir: path });
      await expect(refusal).rejects.toBeInstanceOf(OperatorError);
      await expect(refusal).rejects.toThrow('is a file');
    }
  });

  it('reports why PostgreSQL does not start, and starts once that is fixed', async () => {
    const dataDir = await fixtures.makeDatabase();
    const control = join(dataDir, 'postgres', 'global', 'pg_control');
    await rename(control, `${control}.away`);
    const refusal = startEmbedded({ dataDir });
    await expect(refusal).rejects.toBeInstanceOf(OperatorError);
    await expect(refusal).rejects.toThrow(
      /could not find the database system.*pg_control.*postgres\.log.*DATABASE_URL/s,
    );
    await rename(`${control}.away`, control);
    await (await startEmbedded({ dataDir })).stop();
  });
});

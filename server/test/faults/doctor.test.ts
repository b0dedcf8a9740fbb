import { chmod, mkdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { useHttpServer } from '../kit/listeners.ts';
import { startDatabase, withConnection } from './database.ts';
import { usePooler } from './pooler.ts';
import { OPERATOR_TOKEN, SECRET_KEY, useProcessPool } from './processes.ts';

const pool = useProcessPool();
const database = await startDatabase(pool);

/** The line of each check by its name: `ok …`, `warn …` or `fail …`. */
async function examine(env: Record<string, string>, dataDir?: string) {
  const folder = dataDir ?? (await pool.makeFolder());
  if (dataDir === undefined) await chmod(folder, 0o700);
  const { code, stdout, stderr } = await pool.runProgram(['doctor', '--data-dir', folder], {
    NODE_ENV: 'production',
    PARLEY_SECRET_KEY: SECRET_KEY,
    PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN,
    ...env,
  });
  expect(stderr).toBe('');
  const lines = stdout.trimEnd().split('\n');
  const found: Record<string, string> = Object.fromEntries(
    lines.map((line) => {
      const [, state, name, text] = /^(ok|warn|fail) +(.{12}) {2}(.+)$/.exec(line) ?? [];
      return [name?.trim(), `${state} ${text}`];
    }),
  );
  return { code, found };
}

describe('parley doctor', () => {
  it('has one line for each check, and code 0 while nothing has failed', async () => {
    const dataDir = await pool.makeDataDir();
    const server = await pool.startServer({ dataDir, env: { DATABASE_URL: database.url } });
    const { code, found } = await examine({ DATABASE_URL: database.url, PARLEY_BASE_URL: server.url });
    expect(Object.keys(found)).toEqual([
      'version',
      'user',
      'folder',
      'secrets',
      'disk',
      'base URL',
      'database',
      'extensions',
      'schema',
      'pooler',
      'connections',
      'clock',
      'writes',
      'held work',
    ]);
    for (const [name, line] of Object.entries(found)) if (name !== 'user') expect(line, name).toMatch(/^ok /);
    expect(code).toBe(0);
    await server.kill();
  });

  it('examines the embedded database while it runs, and says so if it does not', async () => {
    const dataDir = await pool.makeDataDir();
    const server = await pool.startServer({ dataDir });
    const running = await examine({}, dataDir);
    expect(running.found.database).toMatch(/^ok PostgreSQL 18/);
    expect(running.found.schema).toMatch(/^ok /);
    server.signal('SIGTERM');
    await server.ended;
    const stopped = await examine({}, dataDir);
    expect(stopped.found.database).toMatch(/^warn .*start Parley/);
    expect(stopped.found.folder).toBe(`ok ${dataDir}`);
    await chmod(dataDir, 0o755);
    // The database of root runs as another user, who must enter the folder.
    const mode = process.getuid?.() === 0 ? '711' : '700';
    expect((await examine({}, dataDir)).found.folder).toMatch(
      new RegExp(`^warn .* 0755: run "chmod ${mode} `),
    );
    expect(stopped.code).toBe(0);
  });

  it('names what is wrong and what to do, with code 1', async () => {
    const folder = await pool.makeDataDir();
    await mkdir(folder, { mode: 0o755 });
    await chmod(folder, 0o755);
    const { url } = await useHttpServer((_request, response) => void response.writeHead(404).end('no'));
    const limited = new URL(await database.createDatabase('doctor'));
    await withConnection(database.url, async (query) => {
      await query(`create role doctor login connection limit 12 password 'doctor'`);
      await query('alter database doctor set default_transaction_read_only = on');
    });
    limited.username = 'doctor';
    limited.password = 'doctor';
    const { code, found } = await examine({ DATABASE_URL: limited.href, PARLEY_BASE_URL: url }, folder);
    expect(code).toBe(1);
    expect(found.folder).toBe(`warn ${folder} has the mode 0755: run "chmod 700 ${folder}"`);
    expect(found['base URL']).toMatch(/^fail .*leads to something else \(404\).*PARLEY_BASE_URL/);
    expect(found.connections).toMatch(/^fail .*12 connections.*PARLEY_API_CONNECTIONS/);
    expect(found.writes).toMatch(/^fail the database is read-only/);
    expect(found.schema).toMatch(/^warn empty/);
  });

  it('finds a pooler in transaction mode, a database that is out of reach, and a newer schema', async () => {
    const pooled = await examine({ DATABASE_URL: await usePooler(database.url, 'transaction') });
    expect(pooled.found.pooler).toMatch(/^fail .*pool_mode = session/);
    const gone = await examine({ DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(gone.found.database).toMatch(/^fail The database cannot be reached .*DATABASE_URL/);
    expect([pooled.code, gone.code]).toEqual([1, 1]);
    const invalid = 'postgres://parley:planted-secret@127.0.0.1:99999/none';
    expect((await examine({ DATABASE_URL: invalid })).found.database).toMatch(
      /^fail DATABASE_URL is not a valid URL/,
    );
    const started = await pool.runProgram(['start', '--data-dir', await pool.makeFolder()], {
      DATABASE_URL: invalid,
      PORT: '0',
    });
    expect([started.code, started.stderr]).toEqual([
      1,
      expect.stringMatching(/^parley: DATABASE_URL is not a valid URL[^\n]+\n$/),
    ]);
    const noFile = await examine({ DATABASE_URL: 'postgres://127.0.0.1:1/none?sslrootcert=/none.pem' });
    expect(noFile.found.database).toMatch(/^fail A file that DATABASE_URL names .*sslrootcert/);
    const newer = await database.createDatabase('newer');
    await withConnection(newer, async (query) => {
      await query('create table migrations (name text primary key)');
      await query(`insert into migrations values ('9999_future.sql')`);
    });
    expect((await examine({ DATABASE_URL: newer })).found.schema).toMatch(
      /^fail .*9999_future\.sql.*Start that version/,
    );
  });

  it('knows a database of 3.0.0-alpha.1, which the next start takes over', async () => {
    const old = await database.createDatabase('alpha');
    const schema = await readFile(new URL('../kit/schema-0022.sql', import.meta.url), 'utf8');
    await withConnection(old, (query) => query(schema));
    const { code, found } = await examine({ DATABASE_URL: old });
    expect(found.schema).toMatch(/^warn \d+ migrations are missing: the next start applies them/);
    expect(code).toBe(0);
    await withConnection(old, (query) => query(`delete from migrations where name like '0022%'`));
    expect((await examine({ DATABASE_URL: old })).found.schema).toMatch(
      /^fail .*Start Parley 3\.0\.0-alpha\.1/,
    );
  });
});

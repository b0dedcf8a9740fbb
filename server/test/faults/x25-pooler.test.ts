import { describe, expect, it } from 'vitest';
import { startDatabase, withConnection } from './database.ts';
import { useApiClient } from './load.ts';
import { usePooler } from './pooler.ts';
import { OPERATOR_TOKEN, type Output, SECRET_KEY, useProcessPool } from './processes.ts';

const pool = useProcessPool();
const call = useApiClient(2);
const database = await startDatabase(pool);

const start = async (DATABASE_URL: string, env: Record<string, string> = {}): Promise<Output> =>
  pool.runProgram(['--port', '0', '--data-dir', await pool.makeDataDir()], {
    NODE_ENV: 'production',
    DATABASE_URL,
    PARLEY_SECRET_KEY: SECRET_KEY,
    PARLEY_ADMIN_TOKEN: OPERATOR_TOKEN,
    ...env,
  });

describe('a pooler between Parley and PostgreSQL', () => {
  it('X25, I14: in transaction mode is refused at the start with the setting to change', async () => {
    const { code, stderr } = await start(await usePooler(database.url, 'transaction'));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^parley: DATABASE_URL leads to a pooler .* pool_mode = session .*\n$/);
  });

  it('X25, I14: in session mode works without further settings', async () => {
    const server = await pool.startServer({
      dataDir: await pool.makeDataDir(),
      env: { DATABASE_URL: await usePooler(database.url, 'session') },
    });
    const made = await call(server.url, '/admin/tenants', {
      token: OPERATOR_TOKEN,
      body: { name: 'pooled' },
    });
    expect(made.status).toBe(200);
    expect(made.body.data.createdAt).toMatch(/Z$/);
    await server.kill();
  });
});

it('X25, I14: a role that may open too few connections is refused at the start with the limit and the variables', async () => {
  const url = new URL(await database.createDatabase('limited'));
  await withConnection(database.url, async (query) => {
    await query(`create role limited login connection limit 12 password 'limited'`);
    await query('alter database limited owner to limited');
  });
  url.username = 'limited';
  url.password = 'limited';
  const refused = await start(url.href);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(
    /^parley: The database user limited may have 12 connections, and this process uses up to 43\. .*alter role "?limited"? connection limit.*PARLEY_API_CONNECTIONS.*\n$/,
  );
  // With fewer connections it starts.
  const server = await pool.startServer({
    dataDir: await pool.makeDataDir(),
    env: {
      DATABASE_URL: url.href,
      PARLEY_API_CONNECTIONS: '5',
      PARLEY_WORKER_CONNECTIONS: '2',
      PARLEY_SEARCH_CONNECTIONS: '2',
    },
  });
  expect((await call(server.url, '/readyz', { token: '' })).status).toBe(200);
  await server.kill();
});

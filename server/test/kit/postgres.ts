import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/db/database.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensurePartitions, partitionsOf, WEEK_MS } from '../../src/db/partitions.ts';
import { MEMORY } from './run-folder.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A URL without a database; files put their own behind it. */
    postgres: string;
    template: string;
    /** How PostgreSQL copies the template. */
    strategy: CopyStrategy;
  }
}

export const MIGRATIONS = fileURLToPath(new URL('../../migrations/', import.meta.url));

/** `postgres://user:password@/database?host=…`: the form that also names a socket folder. */
export function urlOf(
  connection: { host: string; port: number; user: string; password: string },
  database: string,
): string {
  const { host, port, user, password } = connection;
  return `postgres://${user}:${encodeURIComponent(password)}@localhost:${port}/${database}?host=${encodeURIComponent(host)}`;
}

/** The URL of another database on the same server. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/**
 * The data of a test run need not survive a crash. Its databases live for seconds: autovacuum, which looks at one after the
 * other, would start ten processes a second.
 */
const throwawayConfig = {
  max_connections: '300',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
};

/**
 * In memory, copying the files takes 33 ms of CPU and writing all of their pages to the log 65 ms. On a disk each copy would
 * wait for two checkpoints.
 */
type CopyStrategy = 'wal_log' | 'file_copy';

/** The databases of all test files together have some gigabytes. */
const REQUIRED_BYTES = 10 * 1024 ** 3;

/** In memory if there is enough: to write gigabytes to a disk and to remove them again takes long. */
async function makeDataFolder(runFolder: string): Promise<{ folder: string; strategy: CopyStrategy }> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  const isRoomy = Math.min(bavail * bsize, freemem()) > REQUIRED_BYTES;
  const folder = await mkdtemp(
    isRoomy ? join(MEMORY, `${basename(runFolder)}-`) : join(runFolder, 'postgres-'),
  );
  return { folder, strategy: isRoomy ? 'file_copy' : 'wal_log' };
}

/** One PostgreSQL for the whole run: the one in TEST_DATABASE_URL, or an embedded one in a temporary folder. */
async function startPostgres(
  runFolder: string,
): Promise<{ url: string; strategy: CopyStrategy; stop(): Promise<void> }> {
  if (process.env.TEST_DATABASE_URL)
    return { url: process.env.TEST_DATABASE_URL, strategy: 'wal_log', stop: async () => {} };
  const { folder, strategy } = await makeDataFolder(runFolder);
  const embedded = await startEmbedded({ dataDir: folder, settings: throwawayConfig });
  const url = urlOf(embedded.superuser, 'postgres');
  const { user, password } = embedded.superuser;
  // By default, both sides of each of the thousands of connections would derive a key in 4096 rounds.
  await onServer(
    url,
    'set scram_iterations = 1',
    `alter role ${user} password ${pg.escapeLiteral(password)}`,
  );
  return {
    url,
    strategy,
    async stop() {
      await embedded.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function onServer(url: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await client.connect();
  try {
    for (const text of statements) await client.query(text);
  } finally {
    await client.end();
  }
}

export async function createDatabase(url: string, name: string): Promise<string> {
  await onServer(url, `create database ${name}`);
  return withDatabase(url, name);
}

/** A copy that need not survive a crash. test/faults kills servers to test that answered writes are on the disk. */
export async function copyDatabase(
  url: string,
  template: string,
  name: string,
  strategy: CopyStrategy = 'wal_log',
): Promise<string> {
  await onServer(
    url,
    `create database ${name} template ${template} strategy ${strategy}`,
    `alter database ${name} set synchronous_commit = off`,
  );
  return withDatabase(url, name);
}

export async function dropDatabases(url: string, prefix: string): Promise<void> {
  const client = new pg.Client({ connectionString: withDatabase(url, 'postgres') });
  await client.connect();
  const { rows } = await client.query('select datname from pg_database where starts_with(datname, $1)', [
    prefix,
  ]);
  for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  await client.end();
}

/** Makes the migrated template that every test file copies. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const postgres = await startPostgres(project.getProvidedContext().runFolder);
  const template = `parley_test_${process.pid}_${project.name}`;
  const url = await createDatabase(postgres.url, template);
  await migrate({ connectionString: url }, MIGRATIONS);
  const db = openDatabase({
    connection: { connectionString: url },
    applicationName: 'template',
    poolSize: 1,
    readers: 0,
  });
  const now = Date.now();
  await ensurePartitions(db, new Date(now));
  // Every week more makes each plan and each copy slower, and no test needs it.
  for (const { name, startsAt } of await partitionsOf(db))
    if (startsAt > now + WEEK_MS) await db.query(`drop table ${name}`, []);
  await db.close();
  project.provide('postgres', postgres.url);
  project.provide('template', template);
  project.provide('strategy', postgres.strategy);
  return async () => {
    if (process.env.TEST_DATABASE_URL) await dropDatabases(postgres.url, template);
    await postgres.stop();
  };
}

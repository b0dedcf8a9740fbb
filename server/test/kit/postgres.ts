import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { openDatabase } from '../../src/db/database.ts';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensurePartitions, partitionsOf, WEEK_MS } from '../../src/db/partitions.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** A URL without a database; files put their own behind it. */
    postgres: string;
    template: string;
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

/** The same server, another database. */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  return changed.href;
}

/**
 * A server that is thrown away need not survive. Its databases live for seconds: asking each in turn whether it wants a
 * vacuum, as the naptime of a lasting one has it, would start ten processes a second.
 */
const HASTY = {
  max_connections: '300',
  autovacuum: 'off',
  wal_level: 'minimal',
  max_wal_senders: '0',
  max_wal_size: '8GB',
  checkpoint_timeout: '1h',
};

const MEMORY = '/dev/shm';
/** A database for each file of tests is some gigabytes in all. */
const ROOM_BYTES = 10 * 1024 ** 3;

/** Memory where there is plenty: to write gigabytes to a disk and take them off again takes its time. */
async function temporaryPlace(): Promise<string> {
  const { bavail, bsize } = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return Math.min(bavail * bsize, freemem()) > ROOM_BYTES ? MEMORY : tmpdir();
}

/** One PostgreSQL for the whole run: the one in TEST_DATABASE_URL, or an embedded one in a temporary folder. */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  if (process.env.TEST_DATABASE_URL) return { url: process.env.TEST_DATABASE_URL, stop: async () => {} };
  const folder = await mkdtemp(join(await temporaryPlace(), 'parley-test-'));
  const embedded = await startEmbedded({ dataDir: folder, settings: HASTY });
  const url = urlOf(embedded.connection, 'postgres');
  const { user, password } = embedded.connection;
  // Thousands of connections are made, and each would derive its key in four thousand rounds, on both sides.
  await onServer(
    url,
    'set scram_iterations = 1',
    `alter role ${user} password ${pg.escapeLiteral(password)}`,
  );
  return {
    url,
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

/** A copy that need not survive: that what is answered is on the disk is tested by killing servers, and not here. */
export async function copyDatabase(url: string, template: string, name: string): Promise<string> {
  await onServer(
    url,
    `create database ${name} template ${template}`,
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
  const postgres = await startPostgres();
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
  // Each week more makes every plan and every copy dearer, and no test runs for that long.
  for (const { name, startsAt } of await partitionsOf(db))
    if (startsAt > now + WEEK_MS) await db.query(`drop table ${name}`, []);
  await db.close();
  project.provide('postgres', postgres.url);
  project.provide('template', template);
  return async () => {
    if (process.env.TEST_DATABASE_URL) await dropDatabases(postgres.url, template);
    await postgres.stop();
  };
}

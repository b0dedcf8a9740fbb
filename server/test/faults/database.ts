import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { createDatabase, urlOf } from '../kit/postgres.ts';
import { postmasterPid } from './postmaster.ts';
import type { ProcessPool } from './processes.ts';

/** For the servers under test, this is a PostgreSQL that the operator runs. */
export interface OwnDatabase {
  url: string;
  dataDir: string;
  /** Creates an empty database beside the first and returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** SIGKILL to the postmaster; its backends end when they notice. */
  kill(): void;
  restart(): Promise<void>;
}

/** It is stopped together with the processes of the pool. */
export async function startDatabase(pool: ProcessPool): Promise<OwnDatabase> {
  const dataDir = await pool.makeDataDir();
  const embedded = await startEmbedded({ dataDir, settings: { max_connections: '300' } });
  return {
    url: urlOf(embedded.superuser, embedded.superuser.database),
    dataDir,
    createDatabase: (name) => createDatabase(urlOf(embedded.superuser, 'postgres'), name),
    kill: () => killPostmaster(dataDir),
    restart: () => embedded.ensureRunning(),
  };
}

/** Kills the PostgreSQL of a data folder, and all its backends too if asked for. */
export function killPostmaster(dataDir: string, withBackends = false): void {
  const pid = postmasterPid(dataDir);
  // It leads a process group of its own.
  if (pid !== undefined) process.kill(withBackends ? -pid : pid, 'SIGKILL');
}

/** The URL of the embedded database of a running server. */
export const embeddedUrl = (dataDir: string): string => {
  const folder = join(dataDir, 'postgres');
  const password = readFileSync(join(folder, 'parley.password'), 'utf8').trim();
  return urlOf({ host: folder, port: 5432, user: 'parley', password }, 'parley');
};

export type Rows = Record<string, unknown>[];

/** Connects to a database for a few queries. */
export async function withConnection<T>(
  url: string,
  work: (query: (text: string, values?: unknown[]) => Promise<Rows>) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(async (text, values) => (await client.query(text, values)).rows);
  } finally {
    await client.end();
  }
}

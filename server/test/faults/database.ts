import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbedded } from '../../src/db/embedded/embedded.ts';
import { createDatabase, urlOf } from '../kit/postgres.ts';
import { postmasterPid } from './postmaster.ts';
import type { ProcessPool } from './processes.ts';

/** A PostgreSQL of the operator's own, as far as the servers under test can tell. */
export interface OwnDatabase {
  url: string;
  dataDir: string;
  /** A new empty database beside the first. */
  another(name: string): Promise<string>;
  /** SIGKILL to the postmaster; its backends end when they notice. */
  kill(): void;
  revive(): Promise<void>;
}

export async function startDatabase(shop: ProcessPool): Promise<OwnDatabase> {
  const dataDir = join(await shop.folder(), 'data');
  const embedded = await startEmbedded({ dataDir, settings: { max_connections: '300' } });
  return {
    url: urlOf(embedded.connection, embedded.connection.database),
    dataDir,
    another: (name) => createDatabase(urlOf(embedded.connection, 'postgres'), name),
    kill: () => killPostmaster(dataDir),
    revive: () => embedded.ensureRunning(),
  };
}

/** Kills the database of a data folder, with `all` together with every one of its backends. */
export function killPostmaster(dataDir: string, all = false): void {
  const pid = postmasterPid(dataDir);
  // It leads a process group of its own.
  if (pid !== undefined) process.kill(all ? -pid : pid, 'SIGKILL');
}

/** How a test looks into the embedded database of a running server. */
export const embeddedUrl = (dataDir: string): string => {
  const folder = join(dataDir, 'postgres');
  const password = readFileSync(join(folder, 'parley.password'), 'utf8').trim();
  return urlOf({ host: folder, port: 5432, user: 'parley', password }, 'parley');
};

export type Rows = Record<string, unknown>[];

/** One session for a few questions. */
export async function withDatabaseAt<T>(
  url: string,
  work: (ask: (text: string, values?: unknown[]) => Promise<Rows>) => Promise<T>,
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

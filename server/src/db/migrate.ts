import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { OperatorError } from '../base/errors.ts';
import { type Connection, clientConfig } from './database.ts';
import { isConnectionLoss } from './errors.ts';

const OLDEST_SUPPORTED = 150_000;
/** Any number, the same in every process: the process that holds this lock migrates, the others wait for it. */
const MIGRATION_LOCK = 7_265_401;
/** Building an index may take long, and so may waiting for another process that does. */
const TIMEOUT_MS = 30 * 60_000;

/** `0002_add_notes.sql`. The folder also has schema.sql, which is generated and never run. */
const MIGRATION_FILE = /^\d{4}_.+\.sql$/;
const BASELINE = '0001_baseline.sql';
/** The version whose last migration is the last of `REPLACED`. */
const LAST_BEFORE_BASELINE = '3.0.0-alpha.1';
/** Makes the schema of the baseline out of that of `REPLACED`. */
const TAKEOVER = join('takeover', '0022.sql');
/** The migrations that the baseline replaces. There was no 0012. */
const REPLACED = [
  '0001_foundation.sql',
  '0002_people_and_labels.sql',
  '0003_chat_changes.sql',
  '0004_contacts.sql',
  '0005_files.sql',
  '0006_templates.sql',
  '0007_automations.sql',
  '0008_campaigns.sql',
  '0009_v2_usage.sql',
  '0010_webhooks.sql',
  '0011_stream.sql',
  '0013_conversations.sql',
  '0014_inbox.sql',
  '0015_templates.sql',
  '0016_runs.sql',
  '0017_campaigns.sql',
  '0018_demo_replies.sql',
  '0019_test_clock.sql',
  '0020_automations_search.sql',
  '0021_attributes_search.sql',
  '0022_autovacuum.sql',
];

/**
 * Brings the schema up to date, one transaction per file, forward only, and returns the names of the migrations that it
 * applied. A database that has the migrations before the baseline is taken over. Safe when many processes start at once.
 * Refuses a server that is too old and a database that a newer Parley has already changed.
 */
export async function migrate(connection: Connection, directory: string): Promise<string[]> {
  const files = (await readdir(directory)).filter((file) => MIGRATION_FILE.test(file)).sort();
  const client = new pg.Client({
    ...clientConfig({ connection, applicationName: 'parley migrate', poolSize: 1, readers: 0 }),
    statement_timeout: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return await migrateOn(client, directory, files);
  } catch (error) {
    throw operatorError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Refuses a server that is too old, by its `server_version_num`. */
export function requireSupported(version: number): void {
  if (version < OLDEST_SUPPORTED)
    throw new OperatorError(
      `The database server is PostgreSQL ${Math.floor(version / 10_000)}; Parley needs 15 or newer. Point DATABASE_URL at a newer server.`,
    );
}

async function migrateOn(client: pg.Client, directory: string, files: string[]): Promise<string[]> {
  const version = Number((await client.query('show server_version_num')).rows[0].server_version_num);
  requireSupported(version);
  await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
  await client.query(
    'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
  );
  const applied = new Set(
    (await client.query('select name from migrations')).rows.map((row) => row.name as string),
  );
  const replaced = REPLACED.filter((name) => applied.has(name));
  const unknown = [...applied].filter((name) => !files.includes(name) && !replaced.includes(name)).sort();
  if (unknown.length > 0)
    throw new OperatorError(
      `The database was changed by a newer Parley (it has the migration ${unknown.at(-1)}, which this version does not know). Start that version, or restore a backup made before it.`,
    );
  if (replaced.length > 0 && replaced.length < REPLACED.length)
    throw new OperatorError(
      `The database was last used by a Parley older than ${LAST_BEFORE_BASELINE} (its last migration is ${replaced.at(-1)}). Start Parley ${LAST_BEFORE_BASELINE} on it once, then this version.`,
    );
  const pending = files.filter((file) => !applied.has(file));
  for (const file of pending) {
    const isTakeover = file === BASELINE && replaced.length > 0;
    await client.query('begin');
    await client.query(await readFile(join(directory, isTakeover ? TAKEOVER : file), 'utf8'));
    if (isTakeover) await client.query('delete from migrations where name = any ($1)', [replaced]);
    await client.query('insert into migrations (name) values ($1)', [file]);
    await client.query('commit');
  }
  return pending;
}

function operatorError(error: unknown): unknown {
  if (error instanceof OperatorError) return error;
  const message =
    error instanceof Error ? error.message || String((error as { code?: string }).code) : String(error);
  const code = (error as { code?: string }).code ?? '';
  if (isConnectionLoss(error))
    return new OperatorError(
      `The database cannot be reached (${message}). Check DATABASE_URL and that PostgreSQL is running.`,
    );
  if (code === '3D000' || code.startsWith('28'))
    return new OperatorError(
      `The database refused the connection (${message}). Check user, password and database name in DATABASE_URL.`,
    );
  if (code === '0A000' && message.includes('extension'))
    return new OperatorError(
      `The database server lacks a part of PostgreSQL (${message}). Install PostgreSQL's contrib package on it.`,
    );
  if (code === '42501')
    return new OperatorError(
      `The database user may not create Parley's tables (${message}). Grant it CREATE on the database and its schema.`,
    );
  return error;
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../base/errors.ts';
import { type Connection, clientConfig } from './client-config.ts';
import { explainError } from './explain-error.ts';
import { LOCK_TIMEOUT_MS, withLockRetries } from './lock-retries.ts';
import { openSession } from './session.ts';

const OLDEST_SUPPORTED = 150_000;
/** Any number, the same in every process: the process that holds this lock migrates, the others wait for it. */
const MIGRATION_LOCK = 7_265_401;
/** For two minutes in total; a query that runs longer is named in the error. */
const LOCK_ATTEMPTS = 60;
/** The first line of a migration whose statements run one by one, without a transaction. */
const OUTSIDE_TRANSACTION = '-- outside of a transaction';
/** Building an index may take long, and so may waiting for another process that does. */
const TIMEOUT_MS = 30 * 60_000;
const LOCK_AGAIN_MS = 100;

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
 * Brings the schema up to date, one transaction per file unless the file says otherwise, forward only, and returns the names of the migrations that it
 * applied. A database that has the migrations before the baseline is taken over. Safe when many processes start at once.
 * Refuses a server that is too old and a database that a newer Parley has already changed.
 */
export async function migrate(connection: Connection, directory: string): Promise<string[]> {
  const files = await listMigrations(directory);
  const client = new pg.Client({
    ...clientConfig({ connection, applicationName: 'parley migrate' }),
    query_timeout: TIMEOUT_MS,
  });
  client.on('error', () => {});
  try {
    await openSession(client, { statement_timeout: `${TIMEOUT_MS}` });
    return await migrateOn(client, directory, files);
  } catch (error) {
    throw explainError(error);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The migrations of this version, in order. */
export const listMigrations = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((file) => MIGRATION_FILE.test(file)).sort();

/** What is to be done to a database. Refuses one that a newer Parley has changed, or one that is too old. */
export function compareMigrations(
  files: readonly string[],
  applied: ReadonlySet<string>,
): { pending: string[]; replaced: string[] } {
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
  return { pending: files.filter((file) => !applied.has(file)), replaced };
}

/** Refuses a server that is too old, by its `server_version_num`. */
export function requireSupported(version: number): void {
  if (version < OLDEST_SUPPORTED)
    throw new OperatorError(
      `The database server is PostgreSQL ${Math.floor(version / 10_000)}; Parley needs 15 or newer. Point DATABASE_URL at a newer server.`,
    );
}

/**
 * Waits until no other process migrates. In short turns: a session that waits in a statement has a snapshot, and `create index
 * concurrently` of the process that migrates would wait for it in turn.
 */
async function acquireLock(client: pg.Client): Promise<void> {
  const deadline = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadline) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as locked', [MIGRATION_LOCK]);
    if (rows[0]?.locked) return;
    await sleep(LOCK_AGAIN_MS);
  }
  throw new OperatorError('Another process is changing the schema of the database and does not end.');
}

async function migrateOn(client: pg.Client, directory: string, files: string[]): Promise<string[]> {
  const version = Number((await client.query('show server_version_num')).rows[0].server_version_num);
  requireSupported(version);
  await acquireLock(client);
  await client.query(
    'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
  );
  const applied = new Set(
    (await client.query('select name from migrations')).rows.map((row) => row.name as string),
  );
  const { pending, replaced } = compareMigrations(files, applied);
  for (const file of pending) {
    const isTakeover = file === BASELINE && replaced.length > 0;
    const text = await readFile(join(directory, isTakeover ? TAKEOVER : file), 'utf8');
    if (text.startsWith(OUTSIDE_TRANSACTION)) await applyStatements(client, text, file);
    else await applyInTransaction(client, text, file, isTakeover ? replaced : []);
  }
  return pending;
}

const CONCURRENT = /^(?:create (?:unique )?|drop )index concurrently\b/i;
const NOTE_MIGRATION = 'insert into migrations (name) values ($1)';

/** Runs a transaction. Older processes may be serving meanwhile: a table that is busy is waited for in short turns. */
const inShortTurns = (client: pg.Client, work: () => Promise<unknown>): Promise<void> =>
  withLockRetries(LOCK_ATTEMPTS, async () => {
    await client.query('begin');
    try {
      await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
      await work();
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });

async function applyInTransaction(
  client: pg.Client,
  text: string,
  file: string,
  replaced: string[],
): Promise<void> {
  await inShortTurns(client, async () => {
    await client.query(text);
    if (replaced.length > 0) await client.query('delete from migrations where name = any ($1)', [replaced]);
    await client.query(NOTE_MIGRATION, [file]);
  });
}

/**
 * Runs statements such as CREATE INDEX CONCURRENTLY one by one. After a crash the file runs again from its beginning, so
 * every statement says `if not exists`; an index that was left half-built is removed first. Statements that say `concurrently`
 * wait for as long as it takes: nobody who reads or writes waits behind them, and one that gave up would begin again. All others
 * wait in short turns.
 */
async function applyStatements(client: pg.Client, text: string, file: string): Promise<void> {
  const { rows } = await client.query(
    `select i.indexrelid::regclass::text as name from pg_index i join pg_class c on c.oid = i.indexrelid
      where not i.indisvalid and c.relkind = 'i' and c.relnamespace = current_schema()::regnamespace`,
  );
  for (const { name } of rows) await client.query(`drop index concurrently if exists ${name}`);
  const statements = text
    .replaceAll(/^--.*$/gm, '')
    .split(/;\s*$/m)
    .map((one) => one.trim());
  for (const one of statements)
    if (CONCURRENT.test(one)) await client.query(one);
    else if (one !== '') await inShortTurns(client, () => client.query(one));
  await client.query(NOTE_MIGRATION, [file]);
}

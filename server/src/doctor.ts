import { access, constants, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { systemClock } from './base/clock.ts';
import type { Config } from './base/config.ts';
import { folderMode } from './data-folder.ts';
import { connectionShortage, requireSessionMode, withClients } from './db/check-server.ts';
import type { Connection } from './db/client-config.ts';
import { watchClock } from './db/clock-watch.ts';
import { openDatabase } from './db/database.ts';
import { findRunning } from './db/embedded/embedded.ts';
import { compareMigrations, listMigrations, requireSupported } from './db/migrate.ts';
import { findRestore } from './installation.ts';
import { connectionsNeeded } from './system.ts';
import type { Role } from './system-options.ts';
import { version } from './version.ts';

/** The result of a check: `warn` needs attention one day, `fail` now; both say what to do. */
type Finding = { state: 'ok' | 'warn' | 'fail'; text: string };
const ok = (text: string): Finding => ({ state: 'ok', text });
const warn = (text: string): Finding => ({ state: 'warn', text });
const fail = (text: string): Finding => ({ state: 'fail', text });

const GIB = 1024 ** 3;
const NAME_WIDTH = 12;
const ANSWER_MS = 5_000;
const EXTENSIONS = ['pg_trgm', 'btree_gin'];

interface Subject {
  config: Config;
  role: Role;
  migrations: string;
}

/** Every check that needs no database, in the order in which they are printed. */
const checks: Record<string, (subject: Subject) => Finding | Promise<Finding>> = {
  version: () => ok(`Parley ${version} on Node ${process.versions.node}`),
  user: checkUser,
  folder: ({ config }) => checkFolder(config),
  secrets: ({ config }) => checkSecrets(config),
  disk: ({ config }) => checkDisk(config.PARLEY_DATA_DIR),
  'base URL': ({ config }) => checkBaseUrl(config),
};

/** Every check of a database that answers. */
const databaseChecks: Record<
  string,
  (subject: Subject & { connection: Connection }, client: pg.Client) => Promise<Finding>
> = {
  extensions: (_subject, client) => checkExtensions(client),
  schema: ({ migrations }, client) => checkSchema(migrations, client),
  pooler: async ({ connection }) => {
    await withClients(connection, 2, (...clients) =>
      requireSessionMode(...(clients as [pg.Client, pg.Client])),
    );
    return ok('every connection is a session of its own');
  },
  connections: async ({ config, role }, client) => {
    const needed = connectionsNeeded(role, {
      api: config.PARLEY_API_CONNECTIONS,
      worker: config.PARLEY_WORKER_CONNECTIONS,
      search: config.PARLEY_SEARCH_CONNECTIONS,
    });
    const shortage = await connectionShortage(client, needed);
    return shortage === undefined ? ok(`a process may open its ${needed} connections`) : fail(shortage);
  },
  clock: ({ connection }) => checkClock(connection),
  writes: (_subject, client) => checkWrites(client),
  'held work': ({ connection }) => checkHeldWork(connection),
};

/** Examines the installation: a line per check, and whether nothing has failed. Starts and changes nothing. */
export async function examine(
  config: Config,
  role: Role,
  migrations: string,
): Promise<{ lines: string[]; isHealthy: boolean }> {
  const subject = { config, role, migrations };
  const findings: [name: string, finding: Finding][] = [];
  const add = async (name: string, check: () => Finding | Promise<Finding>): Promise<void> => {
    findings.push([name, await Promise.resolve().then(check).catch(failed)]);
  };
  for (const [name, check] of Object.entries(checks)) await add(name, () => check(subject));
  const connection: Connection | undefined =
    config.DATABASE_URL === undefined
      ? await findRunning(config.PARLEY_DATA_DIR)
      : { connectionString: config.DATABASE_URL };
  if (connection === undefined)
    findings.push(['database', warn('the embedded database does not run: start Parley, then check again')]);
  else
    await withClients(connection, 1, async (...clients) => {
      const [client] = clients as [pg.Client];
      await add('database', () => checkServer(client));
      for (const [name, check] of Object.entries(databaseChecks))
        await add(name, () => check({ ...subject, connection }, client));
    }).catch((error) => void findings.push(['database', failed(error)]));
  return {
    lines: findings.map(
      ([name, { state, text }]) => `${state.padEnd(4)}  ${name.padEnd(NAME_WIDTH)}  ${text}`,
    ),
    isHealthy: findings.every(([, { state }]) => state !== 'fail'),
  };
}

const failed = (error: unknown): Finding => fail(error instanceof Error ? error.message : String(error));

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

function checkUser({ config }: Subject): Finding {
  const uid = process.getuid?.();
  if (uid !== 0) return ok(uid === undefined ? 'an ordinary user' : `uid ${uid}`);
  return config.isProduction
    ? warn('root: start Parley as a user of its own, who owns the data folder')
    : ok('root');
}

async function checkFolder({ PARLEY_DATA_DIR: folder, DATABASE_URL }: Config): Promise<Finding> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined) return warn(`${folder} does not exist yet: the first start creates it`);
  const isWritable = await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable)
    return fail(`${folder} cannot be written to: run "chown -R ${process.getuid?.()} ${folder}" as root`);
  const mode = found.mode & 0o777;
  const wanted = folderMode({ hasDatabase: DATABASE_URL === undefined });
  return process.platform !== 'win32' && (mode & ~wanted) !== 0
    ? warn(`${folder} has the mode 0${mode.toString(8)}: run "chmod ${wanted.toString(8)} ${folder}"`)
    : ok(folder);
}

async function checkSecrets(config: Config): Promise<Finding> {
  if (config.PARLEY_SECRET_KEY !== undefined && config.PARLEY_ADMIN_TOKEN !== undefined)
    return ok('from the variables PARLEY_SECRET_KEY and PARLEY_ADMIN_TOKEN');
  const path = join(config.PARLEY_DATA_DIR, 'secrets.json');
  const found = await stat(path).catch((error) => codeOf(error));
  if (typeof found === 'string')
    return found === 'ENOENT'
      ? warn(`${path} does not exist yet: the first start creates it`)
      : fail(`${path} cannot be read (${found}): change its owner`);
  return process.platform !== 'win32' && (found.mode & 0o077) !== 0
    ? fail(`${path} can be read by others: run "chmod 600 ${path}"`)
    : ok(`${path}; keep it with your backups`);
}

async function checkDisk(folder: string): Promise<Finding> {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined) return warn(`the free space of ${folder} is not known`);
  const free = found.bavail * found.bsize;
  const text = `${(free / GIB).toFixed(1)} GiB free for ${folder}`;
  return free < GIB ? fail(`${text}: free some, or move the folder to a larger disk`) : ok(text);
}

async function checkBaseUrl({ PARLEY_BASE_URL: url, isProduction }: Config): Promise<Finding> {
  if (url === undefined)
    return isProduction
      ? warn('not set: vendors cannot call this server; set PARLEY_BASE_URL to its public URL')
      : ok('not set; vendors cannot call this server');
  const fix = 'start Parley, or correct PARLEY_BASE_URL or the proxy in front of it';
  try {
    const answer = await fetch(`${url}/livez`, {
      redirect: 'manual',
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const isParley = (await answer.text()).includes('"status":"ok"');
    return answer.status === 200 && isParley
      ? ok(`${url} leads to a Parley`)
      : fail(`${url} leads to something else (${answer.status}): ${fix}`);
  } catch (error) {
    return fail(`${url} does not answer (${codeOf((error as Error).cause ?? error)}): ${fix}`);
  }
}

async function checkServer(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
  );
  requireSupported(rows[0].number);
  return ok(`PostgreSQL ${rows[0].version}`);
}

async function checkExtensions(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query('select name from pg_available_extensions where name = any ($1)', [
    EXTENSIONS,
  ]);
  const missing = EXTENSIONS.filter((name) => !rows.some((row) => row.name === name));
  return missing.length === 0
    ? ok(EXTENSIONS.join(', '))
    : fail(`${missing.join(', ')} missing: install PostgreSQL's contrib package on the database server`);
}

async function checkSchema(folder: string, client: pg.Client): Promise<Finding> {
  const { rows } = await client.query(`select to_regclass('migrations') is not null as exists`);
  if (!rows[0].exists) return warn('empty: the first start creates the tables');
  const applied = new Set((await client.query('select name from migrations')).rows.map((row) => row.name));
  const { pending } = compareMigrations(await listMigrations(folder), applied);
  return pending.length > 0
    ? warn(`${pending.length} migrations are missing: the next start applies them`)
    : ok(`${applied.size} migrations applied`);
}

async function withDatabase<T>(
  connection: Connection,
  work: (db: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> {
  const db = openDatabase({ connection, applicationName: 'parley doctor', poolSize: 1, readers: 0 });
  return work(db).finally(() => db.close());
}

const checkClock = (connection: Connection): Promise<Finding> =>
  withDatabase(connection, async (db) => {
    let difference = 0;
    const { uncorrected } = systemClock;
    const watch = watchClock({
      db,
      clock: { uncorrected, correct: (offsetMs) => (difference = offsetMs) },
      log: { warn: () => {}, info: () => {} },
    });
    await watch.measure();
    const text = `differs from that of the database by ${(Math.abs(difference) / 1000).toFixed(1)} s`;
    if (watch.state() === 'right') return ok(text);
    const fix = 'set the wrong one, for example with NTP';
    return watch.isRight() ? warn(`${text}: ${fix}`) : fail(`${text}, so no work is done: ${fix}`);
  });

async function checkWrites(client: pg.Client): Promise<Finding> {
  const { rows } = await client.query(
    `select pg_is_in_recovery() as standby, current_setting('transaction_read_only') as read_only`,
  );
  if (rows[0].standby) return fail('this is a standby: point DATABASE_URL at the primary');
  if (rows[0].read_only === 'on')
    return fail(
      'the database is read-only: free space on its disk, or set default_transaction_read_only to off',
    );
  await client.query('create temporary table parley_doctor as select 1 as one');
  await client.query('drop table parley_doctor');
  return ok('the database stores what it is given');
}

const checkHeldWork = (connection: Connection): Promise<Finding> =>
  withDatabase(connection, async (db) => {
    const { heldAt } = await findRestore(db).catch(() => ({ heldAt: null }));
    return heldAt === null
      ? ok('none')
      : warn(`since ${heldAt.toISOString()}: look at GET /admin/held_work, then run "parley release"`);
  });

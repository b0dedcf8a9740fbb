import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { OperatorError } from '../../base/errors.ts';

/** The parameters of `pg`. On Unix `host` is the folder of the socket, and `port` is a part of its name. */
export interface Connection {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Opens a connection. If it breaks, its queries fail and it emits `end`; the process continues. */
export async function connect(connection: Connection, purpose: string): Promise<Client> {
  const client = new Client({
    ...connection,
    // Otherwise `pg` would use PGSSLMODE of the environment, and this server has no TLS.
    ssl: false,
    application_name: purpose,
    connectionTimeoutMillis: 5000,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    return client;
  } catch (error) {
    client.end().catch(() => {});
    throw error;
  }
}

/** `busy`: the server starts, recovers, stops or is full. `silent`: no server is listening. */
export type ServerStatus = 'ready' | 'busy' | 'silent';

const BUSY_CODES = new Set(['57P01', '57P02', '57P03', '53300', '53200']);
const REFUSED_CODES = new Set(['28P01', '28000']);

/** Checks whether a server answers. Uses the database `postgres`, which always exists. */
export async function probeServer(connection: Connection): Promise<ServerStatus> {
  try {
    const client = await connect({ ...connection, database: 'postgres' }, 'parley start');
    await client.end();
    return 'ready';
  } catch (error) {
    const code = errorCode(error) ?? '';
    if (BUSY_CODES.has(code)) return 'busy';
    if (REFUSED_CODES.has(code)) {
      throw new OperatorError(
        `The database server at ${connection.host} is running but refuses Parley's password: stop that server, ` +
          'or restore the file parley.password of its database folder from your backup.',
      );
    }
    return 'silent';
  }
}

/** The role that Parley works as: it owns the database and has no rights beyond it. */
export const APP_ROLE = 'parley_app';

/** 42710 and 42P04: it exists. 23505: another process was faster. 55006: another process is copying the template. */
const CONCURRENT_CODES = ['42710', '42P04', '23505', '55006', 'XX000'];

/**
 * Creates the database and its owner if they do not exist, and gives the owner what an earlier version created as a
 * superuser. Several processes may do this at the same time.
 */
export async function ensureDatabase(superuser: Connection): Promise<void> {
  const [role, database] = [APP_ROLE, superuser.database].map(escapeIdentifier) as [string, string];
  await withClient({ ...superuser, database: 'postgres' }, async (client) => {
    const isTrue = (text: string, values: string[]) => async (): Promise<boolean> =>
      (await client.query(`select 1 from ${text}`, values)).rowCount === 1;
    // Both passwords are in the same file, and only local connections reach the server.
    await ensure(isTrue('pg_roles where rolname = $1', [APP_ROLE]), () =>
      client.query(`create role ${role} login password ${escapeLiteral(superuser.password)}`),
    );
    await ensure(isTrue('pg_database where datname = $1', [superuser.database]), () =>
      client.query(`create database ${database} owner ${role}`),
    );
    const isOwner = isTrue('pg_database where datname = $1 and pg_get_userbyid(datdba) = $2', [
      superuser.database,
      APP_ROLE,
    ]);
    await ensure(isOwner, async () => {
      await withClient(superuser, (other) => giveTables(other, role));
      // Last: it says that the tables were given.
      await client.query(`alter database ${database} owner to ${role}`);
    });
  });
}

/** Repeats a change until its effect is there, as another process may cause it at the same time. */
async function ensure(isDone: () => Promise<boolean>, change: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; !(await isDone()); tries++) {
    try {
      await change();
    } catch (error) {
      if (tries === 20 || !CONCURRENT_CODES.includes(errorCode(error) ?? '')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** `reassign owned` refuses the superuser's objects, as some belong to the server. Sequences of columns follow their table. */
async function giveTables(client: Client, role: string): Promise<void> {
  const { rows } = await client.query<{ kind: string; name: string }>(
    `select case c.relkind when 'S' then 'sequence' when 'v' then 'view' else 'table' end as kind, c.oid::regclass::text as name
       from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S')
        and pg_get_userbyid(c.relowner) <> $1
        and not exists (select 1 from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
                          and (d.deptype = 'e' or (c.relkind = 'S' and d.deptype in ('a', 'i'))))
     union all
     select 'function', p.oid::regprocedure::text from pg_proc p
      where p.pronamespace = 'public'::regnamespace and pg_get_userbyid(p.proowner) <> $1
        and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`,
    [APP_ROLE],
  );
  for (const { kind, name } of rows) await client.query(`alter ${kind} ${name} owner to ${role}`);
}

async function withClient(connection: Connection, work: (client: Client) => Promise<void>): Promise<void> {
  const client = await connect(connection, 'parley start');
  try {
    await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** The `code` of a system or PostgreSQL error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

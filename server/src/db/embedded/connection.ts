import { Client, escapeIdentifier } from 'pg';
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

/** Creates the database if it does not exist. Several processes may do this at the same time. */
export async function ensureDatabase(connection: Connection): Promise<void> {
  const client = await connect({ ...connection, database: 'postgres' }, 'parley start');
  try {
    for (let tries = 1; ; tries++) {
      const found = await client.query('select 1 from pg_database where datname = $1', [connection.database]);
      if (found.rowCount === 1) return;
      try {
        await client.query(`create database ${escapeIdentifier(connection.database)}`);
        return;
      } catch (error) {
        // 42P04 and 23505: another process was faster. 55006: another process is copying the template.
        if (tries === 20 || !['42P04', '23505', '55006'].includes(errorCode(error) ?? '')) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  } finally {
    await client.end().catch(() => {});
  }
}

/** The `code` of a system or PostgreSQL error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

import pg from 'pg';
import { OperatorError } from '../base/errors.ts';
import { type Connection, clientConfig } from './client-config.ts';
import { explainError } from './explain-error.ts';

/** Opens connections for a few questions, and closes them. */
export async function withClients<T>(
  connection: Connection,
  count: number,
  work: (...clients: pg.Client[]) => Promise<T>,
): Promise<T> {
  const clients: pg.Client[] = [];
  try {
    // This reads the URL, and the files with certificates that it names.
    while (clients.length < count)
      clients.push(new pg.Client(clientConfig({ connection, applicationName: 'parley check' })));
    for (const client of clients) client.on('error', () => {});
    for (const client of clients) await client.connect();
    return await work(...clients);
  } catch (error) {
    throw explainError(error);
  } finally {
    await Promise.all(clients.map((client) => client.end().catch(() => {})));
  }
}

const notSessionMode = (): OperatorError =>
  new OperatorError(
    'DATABASE_URL leads to a pooler that gives every transaction another connection. Parley needs sessions (prepared statements, LISTEN, advisory locks): set pool_mode = session for this database in the pooler, or connect to PostgreSQL directly.',
  );

/**
 * Refuses a pooler in transaction or statement mode. There, the same client has another backend later, or another client
 * has the same: poolers hand out either the connection that came back last or all in turn, and both show.
 */
export async function requireSessionMode(one: pg.Client, other: pg.Client): Promise<void> {
  const backendOf = async (client: pg.Client): Promise<number> =>
    (await client.query('select pg_backend_pid() as pid')).rows[0].pid;
  const own = await backendOf(one);
  if ((await backendOf(one)) !== own) throw notSessionMode();
  await other.query('begin').catch((error) => {
    throw /pooling mode/.test(error.message) ? notSessionMode() : error;
  });
  if ((await backendOf(other)) === own || (await backendOf(one)) !== own) throw notSessionMode();
  await other.query('rollback');
}

interface Limits {
  role: string;
  of_role: number | null;
  of_database: number | null;
  of_server: number;
}

/** How many connections the user of this connection may have, and what limits them. */
async function findConnectionLimit(
  client: pg.ClientBase,
): Promise<{ limit: number; fix: string; role: string }> {
  const { rows } = await client.query<Limits>(
    `select r.rolname as role,
            case when r.rolconnlimit >= 0 and not r.rolsuper then r.rolconnlimit end as of_role,
            case when d.datconnlimit >= 0 and not r.rolsuper then d.datconnlimit end as of_database,
            current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as of_server
       from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`,
  );
  const { role, of_role, of_database, of_server } = rows[0] as Limits;
  const limits = [
    { limit: of_role, fix: `alter role ${pg.escapeIdentifier(role)} connection limit` },
    { limit: of_database, fix: 'alter database … connection limit' },
    { limit: of_server, fix: 'max_connections of the server' },
  ].flatMap(({ limit, fix }) => (limit === null ? [] : [{ limit, fix, role }]));
  return limits.reduce((least, one) => (one.limit < least.limit ? one : least));
}

/** The sentence for too few connections, or undefined if there are enough. */
export async function connectionShortage(client: pg.ClientBase, needed: number): Promise<string | undefined> {
  const { limit, fix, role } = await findConnectionLimit(client);
  return limit >= needed
    ? undefined
    : `The database user ${role} may have ${limit} connections, and this process uses up to ${needed}. Raise the limit (${fix}), or lower PARLEY_API_CONNECTIONS, PARLEY_WORKER_CONNECTIONS and PARLEY_SEARCH_CONNECTIONS.`;
}

/**
 * Refuses a pooler that is not in session mode, and a database that allows fewer connections than this process will open:
 * under load it would answer 503.
 */
export const requireSuitable = (connection: Connection, connectionsNeeded: number): Promise<void> =>
  withClients(connection, 2, async (...clients) => {
    const [one, other] = clients as [pg.Client, pg.Client];
    await requireSessionMode(one, other);
    const shortage = await connectionShortage(one, connectionsNeeded);
    if (shortage !== undefined) throw new OperatorError(shortage);
  });

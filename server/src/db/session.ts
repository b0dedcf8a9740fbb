import pg from 'pg';

/** Longer than the longest statement: a connection that does not answer is closed after this time. */
export const QUERY_TIMEOUT_MS = 20_000;
const STATEMENT_TIMEOUT_MS = 15_000;
/**
 * A process that was stopped or lost inside a transaction holds its locks for this long at most. Transactions never wait for
 * anything outside of the database: the longest pause seen between two statements of one is an event loop under load.
 */
const IDLE_IN_TRANSACTION_MS = 10_000;

/** What every session of Parley has set. */
const SETTINGS: Readonly<Record<string, string>> = {
  timezone: 'UTC',
  jit: 'off',
  // The default of 4 is for hard disks: with it, the planner prefers reading a million rows to ten thousand from an index.
  random_page_cost: '1.1',
  // The statements are few and short: planning takes longer than executing them. By default PostgreSQL plans each
  // statement at least five times per connection, and later whenever it estimates that to be cheaper.
  plan_cache_mode: 'force_generic_plan',
  // On small tables generic plans would choose sequential scans, and keep them when the tables grow.
  enable_seqscan: 'off',
  statement_timeout: `${STATEMENT_TIMEOUT_MS}`,
  idle_in_transaction_session_timeout: `${IDLE_IN_TRANSACTION_MS}`,
  // The server notices within 25 s that a process has vanished with its machine. Without effect on a Unix socket.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '20000',
};

/**
 * The statement that sets them. Sent after connecting and not as a startup parameter: poolers such as PgBouncer refuse
 * startup parameters that they do not know, and in session mode pass this on.
 */
export const sessionSettings = (more: Readonly<Record<string, string>> = {}): string =>
  `select ${Object.entries({ ...SETTINGS, ...more })
    .map(([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, false)`)
    .join(', ')}`;

/** Connects and sets the settings of every session. */
export async function openSession(
  client: pg.Client,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await client.connect();
  await client.query(sessionSettings(more));
}

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { asProgramError, isConnectionLoss, isRetryable, isStalePlan } from './errors.ts';
import { written } from './parameters.ts';
import { corkUntilTick, pipelinedReaders } from './pipelined.ts';
import type { Statement } from './statement.ts';

/** Where PostgreSQL is: a URL, or the parts of one (the embedded server's socket). */
export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password: string; database: string };

/** Runs declared statements. */
export interface Queryable {
  all<P extends readonly unknown[], R>(statement: Statement<P, R>, parameters: P): Promise<R[]>;
  find<P extends readonly unknown[], R>(statement: Statement<P, R>, parameters: P): Promise<R | undefined>;
  /** Runs a statement for its effect and tells how many rows it touched. */
  run<P extends readonly unknown[], R>(statement: Statement<P, R>, parameters: P): Promise<number>;
  /** For text that is put together at run time by the search compiler; values always go as parameters. */
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

export interface Tx extends Queryable {
  /**
   * Writes what nobody waits for: in the same round trip as whatever the transaction asks next, the commit at the
   * latest. If it fails, so does the transaction.
   */
  write<P extends readonly unknown[], R>(statement: Statement<P, R>, parameters: P): Promise<void>;
  /** Runs once the transaction is committed, and never when it is rolled back. */
  afterCommit(effect: () => void): void;
}

export interface Database extends Queryable {
  /** Reads by primary key over shared pipelined connections: fastest, but one slow statement holds up the others. */
  readonly byKey: Pick<Queryable, 'all' | 'find'>;
  /** Runs `work` in one transaction; repeated when PostgreSQL breaks a deadlock, so it must do nothing else. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Throws when PostgreSQL cannot be asked. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  connection: Connection;
  applicationName: string;
  poolSize: number;
  /** Shared connections for reads by primary key; 0 where nobody reads that way. */
  readers: number;
  settings?: Record<string, string>;
  /** Told about every lost connection, at most as often as statements fail. */
  onLoss?: (error: unknown) => void;
}

/** Longer than any statement of ours may take; a connection that hangs is given up after this. */
const QUERY_TIMEOUT_MS = 20_000;
const STATEMENT_TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const TRIES = 4;
const LONGEST_PAUSE_MS = 50;

/** With the session in UTC, PostgreSQL prints `2026-11-15 01:02:03.456+00`: cheaper to read by position than by pattern. */
function parseTime(text: string): Date {
  const fraction = text.charCodeAt(19) === 46 ? Number(`0${text.slice(19, text.indexOf('+', 20))}`) : 0;
  return new Date(
    Date.UTC(
      Number(text.slice(0, 4)),
      Number(text.slice(5, 7)) - 1,
      Number(text.slice(8, 10)),
      Number(text.slice(11, 13)),
      Number(text.slice(14, 16)),
      Number(text.slice(17, 19)),
      Math.floor(fraction * 1000 + 0.0005),
    ),
  );
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const parsers = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [TIMESTAMPTZ, parseTime],
]);

const SETTINGS = {
  timezone: 'UTC',
  jit: 'off',
  // The default of 4 is a spinning disk's: with it, ten thousand rows that an index names cost more than reading a million.
  random_page_cost: '1.1',
  // Every process does the same few things all day: to plan them anew takes longer than to do them. Left to itself
  // PostgreSQL would do so five times for each statement of each connection, and whenever it takes that to be cheaper.
  plan_cache_mode: 'force_generic_plan',
  // On young tables generic plans fall for sequential scans, of which nothing here wants one.
  enable_seqscan: 'off',
};

export function clientConfig(options: DatabaseOptions): pg.ClientConfig {
  const settings = { ...SETTINGS, ...options.settings };
  return {
    ...options.connection,
    application_name: options.applicationName,
    options: Object.entries(settings)
      .map(([name, value]) => `-c ${name}=${value}`)
      .join(' '),
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  };
}

/** Runs statements on whatever `send` sends them over. */
export function queryable(
  send: (query: pg.QueryConfig) => Promise<pg.QueryResult>,
): Pick<Tx, 'all' | 'find' | 'run' | 'query'> {
  const run = (statement: Statement<readonly unknown[], unknown>, values: readonly unknown[]) =>
    send({ name: statement.name, text: statement.text, values: written(values) });
  return {
    all: async (statement, parameters) => (await run(statement as never, parameters)).rows,
    find: async (statement, parameters) => (await run(statement as never, parameters)).rows[0],
    run: async (statement, parameters) => (await run(statement as never, parameters)).rowCount ?? 0,
    query: (text, values) => send({ text, values: written(values) }),
  };
}

export function openDatabase(options: DatabaseOptions): Database {
  const config = clientConfig(options);
  const pool = new pg.Pool({
    ...config,
    pipeline: true,
    max: options.poolSize,
    idleTimeoutMillis: 60_000,
  } as pg.PoolConfig);
  let closing = false;
  /** Connections that break while we let go of them are not lost: the server may be stopping right behind us. */
  const lost = (error: unknown): void => {
    if (!closing) options.onLoss?.(error);
  };
  // Without a listener, an idle connection that breaks would end the process.
  pool.on('error', lost);
  // So would one that breaks in the moment between being taken from the pool and being listened to by whoever took it.
  pool.on('connect', (client) => client.on('error', () => {}));
  const readers = pipelinedReaders(config, options.readers, lost);

  const failed = (error: unknown): unknown => {
    if (isConnectionLoss(error)) lost(error);
    return asProgramError(error);
  };

  /** Lends a connection; one that broke, or that may still be busy, is not lent again. */
  async function withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    let broken: Error | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await work(client);
    } catch (error) {
      if (isConnectionLoss(error) || isStalePlan(error)) broken = error as Error;
      throw error;
    } finally {
      client.off('error', onError);
      client.release(broken);
    }
  }

  /** Repeats what PostgreSQL refused through no fault of the caller: the victim of a deadlock, a plan gone stale. */
  async function again<T>(work: () => Promise<T>): Promise<T> {
    let repeated = 0;
    let replaced = 0;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        // After a migration every connection of the pool may be stale, and each failure replaces just one.
        const fruitless = isStalePlan(error) ? ++replaced > options.poolSize : ++repeated === TRIES;
        if (fruitless || !(isRetryable(error) || isStalePlan(error))) throw failed(error);
        // Whoever is repeated at once may take the lock again that the other one was waiting for.
        if (repeated > 0) await delay(Math.random() * LONGEST_PAUSE_MS);
      }
    }
  }

  async function transactionOn<T>(client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
    const effects: (() => void)[] = [];
    let waiting: (() => Promise<unknown>)[] = [];
    const written: Promise<unknown>[] = [];
    /** Why the transaction fails, where it is a write that nobody waited for: what comes after it only fails, too. */
    let writeError: unknown;
    let isOver = false;
    // Whoever still holds on to the transaction must not write on a connection that is somebody else's by now.
    const refuseLate = (): void => {
      if (isOver) throw new Error('The transaction is over: this statement came too late.');
    };
    const ask = (query: string | pg.QueryConfig): Promise<pg.QueryResult> => {
      corkUntilTick(client);
      return client.query(query);
    };
    const onClient = queryable(ask);
    const writeWaiting = (): void => {
      const writes = waiting;
      waiting = [];
      for (const write of writes)
        written.push(
          write().catch((error) => {
            writeError ??= error;
          }),
        );
    };
    const own = queryable(async (query) => {
      refuseLate();
      writeWaiting();
      return ask(query);
    });
    const tx: Tx = {
      ...own,
      write: async (statement, parameters) => {
        refuseLate();
        waiting.push(() => onClient.run(statement, parameters));
      },
      afterCommit: (effect) => effects.push(effect),
    };
    // The connection is pipelined and ours alone, so BEGIN travels with the first statement. If it fails, so do they.
    const begun = ask('begin');
    begun.catch(() => {});
    let result: T;
    try {
      result = await work(tx).finally(() => {
        isOver = true;
      });
      writeWaiting();
      const committed = ask('commit');
      await Promise.all([begun, ...written, committed]);
      const { command } = await committed;
      if (command !== 'COMMIT')
        throw new Error('The transaction was rolled back: one of its statements had failed.');
    } catch (error) {
      if (!isConnectionLoss(error)) await client.query('rollback');
      throw writeError ?? error;
    }
    for (const effect of effects) effect();
    return result;
  }

  const autocommit = queryable((query) => again(() => withClient((client) => client.query(query))));

  return {
    ...autocommit,
    byKey: readers,
    transaction: (work) => again(() => withClient((client) => transactionOn(client, work))),
    ping: async () => {
      await autocommit.query('select 1', []);
    },
    close: async () => {
      closing = true;
      await Promise.all([pool.end(), readers.close()]);
    },
  };
}

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createCache } from '../base/cache.ts';
import { ApiError } from '../base/errors.ts';
import type { Announcement } from '../base/events.ts';
import { fairPlaces } from '../base/fair-places.ts';
import { asProgramError, isConnectionLoss, isRetryable, isStalePlan, isUnwritable } from './errors.ts';
import { encodeArrays } from './parameters.ts';
import { corked, pipelinedReaders, type Send } from './pipelined.ts';
import { limitSearches, type SearchLimits } from './searches.ts';
import { QUERY_TIMEOUT_MS, sessionSettings } from './session.ts';
import type { AnyStatement, SystemStatement } from './statement.ts';
import {
  noHooks,
  type TenantDatabase,
  type TenantHooks,
  type TenantQueryable,
  type TenantTx,
  type WakeTarget,
  type Woken,
} from './tenant.ts';

const MAX_KEPT_TENANTS = 1_000;
/** More than this are read later: they would keep the connection for too long. */
const MAX_FOLLOW_UPS = 4;

/** How to reach PostgreSQL: a URL, or its parts for the socket of the embedded server. */
export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password: string; database: string };

/** Runs statements that are not about one tenant. */
export interface Queryable {
  all<P extends readonly unknown[], R>(statement: SystemStatement<P, R>, parameters: P): Promise<R[]>;
  find<P extends readonly unknown[], R>(
    statement: SystemStatement<P, R>,
    parameters: P,
  ): Promise<R | undefined>;
  /** Runs a statement and returns the number of changed rows. */
  run<P extends readonly unknown[], R>(statement: SystemStatement<P, R>, parameters: P): Promise<number>;
  /** For text that is built at run time, such as DDL. Values are always parameters. */
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** A transaction across tenants: for workers that store results of many, for retention and for the operator. */
export interface SystemTx extends Queryable {
  /** Sends a statement in the same round trip as the next one. If it fails, so does the transaction. */
  enqueue<P extends readonly unknown[], R>(statement: SystemStatement<P, R>, parameters: P): void;
  /** Runs a statement and wakes queues, with the commit. */
  storeAndWake: TenantTx['storeAndWake'];
  /** Runs after the transaction is committed. */
  afterCommit(effect: () => void): void;
  /** The same transaction, for the rows of one tenant. */
  forTenant(tenantId: string): TenantTx;
}

export interface Database extends Queryable {
  /** Reads by primary key over shared pipelined connections. Fast, but a slow statement delays the others. */
  readonly byKey: Pick<Queryable, 'all' | 'find'>;
  /** The database for the rows of one tenant. */
  forTenant(tenantId: string): TenantDatabase;
  /** Runs `work` in one transaction. It is repeated after a deadlock, so it must have no other effects. */
  systemTransaction<T>(work: (tx: SystemTx) => Promise<T>): Promise<T>;
  /** Runs a statement that commits by itself and wakes queues. */
  storeAndWake: TenantTx['storeAndWake'];
  /** Throws when PostgreSQL does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  connection: Connection;
  applicationName: string;
  poolSize: number;
  /** The number of shared connections for reads by primary key. */
  readers: number;
  /**
   * How many transactions of one tenant run at the same time, if there is a limit. The others wait: transactions that wait for
   * locks of their tenant must not keep all connections from other tenants.
   */
  transactionsPerTenant?: number;
  /** Connections of their own for searches. Without them a search is like any other statement. */
  searches?: SearchLimits;
  settings?: Record<string, string>;
  /** After how long an unanswered statement breaks its connection; longer than `statement_timeout` of the settings. */
  queryTimeoutMs?: number;
  /** How long is waited for a free connection, and for the answer to a read by primary key. */
  waitMs?: number;
  /** Called when a connection is lost. */
  onLoss?: (error: unknown) => void;
  /** Called when a write fails because the database can store nothing. */
  onUnwritable?: () => void;
}

/** Much longer than a request waits for a free connection, or a read by primary key for its answer. */
const WAIT_MS = 5_000;
/** Far more than clients send at once. */
const MAX_WAITING_TRANSACTIONS = 1_000;
const KEEP_ALIVE_MS = 10_000;
const MAX_ATTEMPTS = 4;
const MAX_PAUSE_MS = 50;

/** The session is in UTC: PostgreSQL sends `2026-11-15 01:02:03.456+00`. Parsing by position is faster than a pattern. */
function parseTime(text: string): Date {
  const fraction = text.charCodeAt(19) === 46 ? Number(`0${text.slice(19, text.indexOf('+', 20))}`) : 0;
  const year = Number(text.slice(0, 4));
  const time = new Date(
    Date.UTC(
      year,
      Number(text.slice(5, 7)) - 1,
      Number(text.slice(8, 10)),
      Number(text.slice(11, 13)),
      Number(text.slice(14, 16)),
      Number(text.slice(17, 19)),
      Math.floor(fraction * 1000 + 0.0005),
    ),
  );
  // Date.UTC takes the years 1 to 99 for 1901 to 1999.
  if (year < 100) time.setUTCFullYear(year);
  return time;
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const parsers = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [TIMESTAMPTZ, parseTime],
]);

/** How a connection is opened; the settings of its session follow (session.ts). */
export function clientConfig(
  options: Pick<DatabaseOptions, 'connection' | 'applicationName' | 'queryTimeoutMs' | 'waitMs'>,
): pg.ClientConfig {
  return {
    ...options.connection,
    application_name: options.applicationName,
    query_timeout: options.queryTimeoutMs ?? QUERY_TIMEOUT_MS,
    connectionTimeoutMillis: options.waitMs ?? WAIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    types: {
      getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
        parsers.get(oid) ?? pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
    },
  };
}

/** Keeps a connection until a promise is settled. */
type HoldFor = (rest: Promise<unknown>) => void;

/** Runs statements over `send`; those of a tenant get `tenantId` as their last parameter. */
export function queryable(send: Send, tenantId?: string) {
  const run = ({ scope, name, text }: AnyStatement, parameters: readonly unknown[]) =>
    send({
      name,
      text,
      values: encodeArrays(scope === 'tenant' ? [...parameters, tenantId] : parameters),
    });
  return {
    all: async <P extends readonly unknown[], R>(
      statement: AnyStatement<P, R>,
      parameters: P,
    ): Promise<R[]> => (await run(statement as AnyStatement, parameters)).rows as R[],
    find: async <P extends readonly unknown[], R>(
      statement: AnyStatement<P, R>,
      parameters: P,
    ): Promise<R | undefined> => (await run(statement as AnyStatement, parameters)).rows[0] as R | undefined,
    run: async <P extends readonly unknown[], R>(
      statement: AnyStatement<P, R>,
      parameters: P,
    ): Promise<number> => (await run(statement as AnyStatement, parameters)).rowCount ?? 0,
    query: (text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }> =>
      send({ text, values: encodeArrays(values) }),
  };
}

const tooManyTransactions = (): ApiError =>
  new ApiError('service_unavailable', {
    detail: 'too many changes of this tenant wait for each other; send fewer at the same time, and try again',
  });

export function openDatabase(options: DatabaseOptions, hooks: TenantHooks = noHooks): Database {
  const config = clientConfig(options);
  const openPool = (more: pg.PoolConfig, settings = options.settings): pg.Pool => {
    const opened = new pg.Pool({
      ...config,
      pipeline: true,
      idleTimeoutMillis: 60_000,
      onConnect: (client: pg.ClientBase) => client.query(sessionSettings(settings)),
      ...more,
    } as pg.PoolConfig);
    // Without a listener, an idle connection that breaks would end the process.
    opened.on('error', (error) => reportLoss(error));
    // The same for a connection that breaks between leaving the pool and getting the listener of `withClient`.
    opened.on('connect', (client) => client.on('error', () => {}));
    return opened;
  };
  const pool = openPool({ max: options.poolSize });
  const { searches } = options;
  const searchPool =
    searches &&
    openPool(
      { max: searches.connections },
      {
        ...options.settings,
        statement_timeout: `${searches.timeoutMs}`,
      },
    );
  let closing = false;
  /** Connections that break during `close` are not reported: the server may be stopping, too. */
  const reportLoss = (error: unknown): void => {
    if (!closing) options.onLoss?.(error);
  };
  const readers = pipelinedReaders(config, options, reportLoss);

  const toProgramError = (error: unknown): unknown => {
    if (isConnectionLoss(error)) reportLoss(error);
    if (isUnwritable(error)) options.onUnwritable?.();
    return asProgramError(error);
  };

  /**
   * Runs `work` with a connection of a pool, which it may use until the promise is settled that it gives to `holdFor`. A
   * broken connection is removed from the pool.
   */
  async function withClient<T>(
    work: (client: pg.PoolClient, holdFor: HoldFor) => Promise<T>,
    from = pool,
  ): Promise<T> {
    const client = await from.connect();
    let broken: Error | undefined;
    let held: Promise<unknown> | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    const noteBroken = (error: unknown): void => {
      if (isConnectionLoss(error) || isStalePlan(error)) broken = error as Error;
    };
    const release = (): void => {
      client.off('error', onError);
      client.release(broken);
    };
    try {
      return await work(client, (rest) => {
        held = rest;
      });
    } catch (error) {
      noteBroken(error);
      throw error;
    } finally {
      if (held) held.catch(noteBroken).finally(release);
      else release();
    }
  }

  /** Repeats work after a deadlock or with a stale plan. */
  async function withRetries<T>(work: () => Promise<T>): Promise<T> {
    let repeated = 0;
    let replaced = 0;
    for (;;) {
      try {
        return await work();
      } catch (error) {
        // After a migration every connection of the pool may have stale plans, and each failure replaces one.
        const isLastAttempt = isStalePlan(error)
          ? ++replaced > options.poolSize
          : ++repeated === MAX_ATTEMPTS;
        if (isLastAttempt || !(isRetryable(error) || isStalePlan(error))) throw toProgramError(error);
        // Without a pause it could take the lock again for which the other transaction waits.
        if (repeated > 0) await delay(Math.random() * MAX_PAUSE_MS);
      }
    }
  }

  /**
   * Sends what reads the new rows of queues in the same write as the commit before it. Returns a function that wakes the
   * other queues, for after the commit.
   */
  function followWakes(wakes: Iterable<Woken>, send: Send, holdFor: HoldFor): () => void {
    const { all } = queryable(send);
    const answers: Promise<void>[] = [];
    const others: Woken[] = [];
    for (const woken of wakes) {
      const followUp = answers.length < MAX_FOLLOW_UPS ? hooks.follow?.(...woken) : undefined;
      if (!followUp) others.push(woken);
      else
        answers.push(
          all(followUp.statement, followUp.parameters as never).then(followUp.answered, (error) => {
            followUp.failed(error);
            throw error;
          }),
        );
    }
    if (answers.length > 0) holdFor(Promise.allSettled(answers).then(() => Promise.all(answers)));
    return () => {
      for (const woken of others) hooks.wake(...woken);
    };
  }

  const announceAll = (tenantId: string, announcements: Announcement[]): void => {
    for (const one of announcements) hooks.announce?.(tenantId, one);
  };

  async function transactionOn<T>(
    client: pg.PoolClient,
    holdFor: HoldFor,
    work: (tx: SystemTx) => Promise<T>,
  ): Promise<T> {
    const wakes = new Map<string, Woken>();
    const effects: (() => void)[] = [];
    let queued: (() => Promise<unknown>)[] = [];
    const sent: Promise<unknown>[] = [];
    /** The error of an enqueued statement. Errors of later statements only follow from it. */
    let enqueuedError: unknown;
    let isOver = false;
    // After the end of the transaction its connection may belong to another one.
    const requireOpen = (): void => {
      if (isOver) throw new Error('The transaction has ended: this statement came too late.');
    };
    let wakeOthers = (): void => {};
    const send = corked(client);
    const sendQueued = (): void => {
      const statements = queued;
      queued = [];
      for (const start of statements)
        sent.push(
          start().catch((error) => {
            enqueuedError ??= error;
          }),
        );
    };
    const sendInOrder: Send = async (query) => {
      requireOpen();
      sendQueued();
      return send(query);
    };
    const enqueueOn =
      (on: ReturnType<typeof queryable>) =>
      <P extends readonly unknown[], R>(statement: AnyStatement<P, R>, parameters: P): void => {
        requireOpen();
        queued.push(() => on.run(statement, parameters));
      };
    const afterCommit = (effect: () => void): void => void effects.push(effect);
    const wake = (...woken: Woken): void => void wakes.set(`${woken[0].name} ${woken[1]}`, woken);
    const storeAndWake: TenantTx['storeAndWake'] = (statement, parameters, woken) => {
      for (const one of woken) wake(...one);
      return queryable(sendInOrder).all(statement, parameters);
    };
    const forTenant = (tenantId: string): TenantTx => {
      let now: Date | undefined;
      const tx: TenantTx = {
        ...queryable(sendInOrder, tenantId),
        tenantId,
        get now() {
          now ??= hooks.now(tenantId);
          return now;
        },
        fileUrl: hooks.fileUrl,
        enqueue: enqueueOn(queryable(send, tenantId)),
        publish: (...events) => hooks.publish(tx, events),
        announce: (...announcements) => effects.push(() => announceAll(tenantId, announcements)),
        wake: (queue, orderingKey) => wake(queue, orderingKey, tenantId),
        storeAndWake,
        afterCommit,
      };
      return tx;
    };
    const tx: SystemTx = {
      ...queryable(sendInOrder),
      enqueue: enqueueOn(queryable(send)),
      storeAndWake,
      afterCommit,
      forTenant,
    };
    // The connection is pipelined: BEGIN is sent with the first statement. If it fails, so do the statements.
    const begun = send('begin');
    begun.catch(() => {});
    let result: T;
    try {
      result = await work(tx).finally(() => {
        isOver = true;
      });
      sendQueued();
      const committed = send('commit');
      wakeOthers = followWakes(wakes.values(), send, holdFor);
      await Promise.all([begun, ...sent, committed]);
      const { command } = await committed;
      if (command !== 'COMMIT')
        throw new Error('The transaction was rolled back: one of its statements had failed.');
    } catch (error) {
      if (!isConnectionLoss(error)) await client.query('rollback');
      throw enqueuedError ?? error;
    }
    for (const effect of effects) effect();
    wakeOthers();
    return result;
  }

  const storeAndWake: TenantTx['storeAndWake'] = (statement, parameters, woken) =>
    withRetries(() =>
      withClient(async (client, holdFor) => {
        const send = corked(client);
        const stored = queryable(send).all(statement, parameters);
        const wakeOthers = followWakes(woken, send, holdFor);
        const rows = await stored;
        wakeOthers();
        return rows;
      }),
    );

  const sendSingle: Send = (query) => withRetries(() => withClient((client) => client.query(query)));
  const autocommit = queryable(sendSingle);
  const systemTransaction = <T>(work: (tx: SystemTx) => Promise<T>): Promise<T> =>
    withRetries(() => withClient((client, holdFor) => transactionOn(client, holdFor, work)));
  const readerOf = (tenantId: string, send: Send): TenantQueryable => ({
    ...queryable(send, tenantId),
    tenantId,
    get now() {
      return hooks.now(tenantId);
    },
    fileUrl: hooks.fileUrl,
  });
  const runSearch =
    searchPool &&
    searches &&
    limitSearches(searches, (work) =>
      withRetries(() => withClient((client) => work(corked(client)), searchPool)),
    );

  const { transactionsPerTenant } = options;
  const places =
    transactionsPerTenant === undefined
      ? undefined
      : fairPlaces({
          places: options.poolSize,
          perKey: transactionsPerTenant,
          maxWaitMs: options.waitMs ?? WAIT_MS,
          maxWaiting: MAX_WAITING_TRANSACTIONS,
          refuse: tooManyTransactions,
        });
  const tenantTransaction = <T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> => {
    const run = (): Promise<T> => systemTransaction((tx) => work(tx.forTenant(tenantId)));
    return places ? places.run(tenantId, run) : run();
  };

  const refuseWithoutTransaction = (): never => {
    throw new Error('A single statement cannot enqueue or publish: it has no transaction.');
  };

  // Assigned and not spread, so that `now` stays a getter.
  const createTenant = (tenantId: string): TenantDatabase =>
    Object.assign(readerOf(tenantId, sendSingle), {
      byKey: readerOf(tenantId, readers.send),
      autocommit: Object.assign(readerOf(tenantId, sendSingle), {
        enqueue: refuseWithoutTransaction,
        publish: refuseWithoutTransaction,
        announce: (...announcements: Announcement[]) => announceAll(tenantId, announcements),
        wake: (queue: WakeTarget, orderingKey: string) => hooks.wake(queue, orderingKey, tenantId),
        storeAndWake,
        afterCommit: (effect: () => void) => effect(),
      }),
      search: <T>(work: (reader: TenantQueryable) => Promise<T>) =>
        runSearch
          ? runSearch(tenantId, (send) => work(readerOf(tenantId, send)))
          : work(readerOf(tenantId, sendSingle)),
      transaction: <T>(work: (tx: TenantTx) => Promise<T>) => tenantTransaction(tenantId, work),
    });
  /** Kept, because to create one takes a quarter of the time of a small request. */
  const tenants = createCache<string, TenantDatabase>(MAX_KEPT_TENANTS, { memoMethod: createTenant });

  return {
    ...autocommit,
    byKey: queryable(readers.send),
    forTenant: (tenantId) => tenants.memo(tenantId),
    storeAndWake,
    systemTransaction,
    ping: async () => {
      await autocommit.query('select 1', []);
    },
    close: async () => {
      closing = true;
      await Promise.all([pool.end(), searchPool?.end(), readers.close()]);
    },
  };
}

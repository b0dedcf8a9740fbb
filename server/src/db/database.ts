import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { createCache } from '../base/cache.ts';
import type { Announcement } from '../base/events.ts';
import { type ClientOptions, clientConfig, WAIT_MS } from './client-config.ts';
import { asProgramError, isConnectionLoss, isRetryable, isStalePlan, isUnwritable } from './errors.ts';
import { limitTransactions } from './limit-transactions.ts';
import { corked, pipelinedReaders, type Send } from './pipelined.ts';
import { runOn } from './prepared-query.ts';
import { type Queryable, queryable } from './queryable.ts';
import { limitSearches, type SearchLimits } from './searches.ts';
import { sessionSettings } from './session.ts';
import {
  noHooks,
  type TenantDatabase,
  type TenantHooks,
  type TenantQueryable,
  type TenantTx,
  type WakeTarget,
} from './tenant.ts';
import { announceAll, followWakes, type HoldFor, type SystemTx, transactionOn } from './transaction.ts';

const MAX_KEPT_TENANTS = 1_000;

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

export interface DatabaseOptions extends ClientOptions {
  poolSize: number;
  /** The number of shared connections for reads by primary key. */
  readers: number;
  /** How many transactions of one tenant run at the same time, if there is a limit. The others wait. */
  transactionsPerTenant?: number;
  /** Connections of their own for searches. Without them a search is like any other statement. */
  searches?: SearchLimits;
  settings?: Record<string, string>;
  /** Called when a connection is lost. */
  onLoss?: (error: unknown) => void;
  /** Called when a write fails because the database can store nothing. */
  onUnwritable?: () => void;
}

const MAX_ATTEMPTS = 4;
const MAX_PAUSE_MS = 50;

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

  const storeAndWake: TenantTx['storeAndWake'] = (statement, parameters, woken) =>
    withRetries(() =>
      withClient(async (client, holdFor) => {
        const send = corked(client);
        const stored = queryable(send).all(statement, parameters);
        const wakeOthers = followWakes(woken, send, holdFor, hooks);
        const rows = await stored;
        wakeOthers();
        return rows;
      }),
    );

  const sendSingle: Send = (query) => withRetries(() => withClient((client) => runOn(client, query)));
  const autocommit = queryable(sendSingle);
  const systemTransaction = <T>(work: (tx: SystemTx) => Promise<T>): Promise<T> =>
    withRetries(() => withClient((client, holdFor) => transactionOn(client, holdFor, work, hooks)));
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
  const inTurn =
    transactionsPerTenant === undefined
      ? <T>(_tenantId: string, work: () => Promise<T>): Promise<T> => work()
      : limitTransactions({
          connections: options.poolSize,
          perTenant: transactionsPerTenant,
          maxWaitMs: options.waitMs ?? WAIT_MS,
        });

  const refuseWithoutTransaction = (): never => {
    throw new Error('A single statement cannot enqueue or publish: it has no transaction.');
  };

  // Assigned and not spread, so that `now` stays a getter.
  const createTenant = (tenantId: string): TenantDatabase =>
    Object.assign(readerOf(tenantId, sendSingle), {
      byKey: readerOf(tenantId, readers.send),
      autocommit: Object.assign(readerOf(tenantId, sendSingle), {
        isAutocommit: true as const,
        enqueue: refuseWithoutTransaction,
        publish: refuseWithoutTransaction,
        announce: (...announcements: Announcement[]) => announceAll(tenantId, announcements, hooks),
        wake: (queue: WakeTarget, orderingKey: string) => hooks.wake(queue, orderingKey, tenantId),
        storeAndWake,
        afterCommit: (effect: () => void) => effect(),
      }),
      search: <T>(work: (reader: TenantQueryable) => Promise<T>) =>
        runSearch
          ? runSearch(tenantId, (send) => work(readerOf(tenantId, send)))
          : work(readerOf(tenantId, sendSingle)),
      transaction: <T>(work: (tx: TenantTx) => Promise<T>) =>
        inTurn(tenantId, () => systemTransaction((tx) => work(tx.forTenant(tenantId)))),
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

import { adapterContext } from '../../src/adapter-context.ts';
import { createLog } from '../../src/base/log.ts';
import type { Database } from '../../src/db/database.ts';
import type { AnyStatement } from '../../src/db/statement.ts';
import type { TenantDatabase, TenantTx } from '../../src/db/tenant.ts';
import type { SystemTx } from '../../src/db/transaction.ts';
import { bindQueues } from '../../src/queues.ts';
import { settleQueues } from './execution.ts';
import type { TestServer, TestTenant } from './server.ts';
import { workerDeps } from './worker-deps.ts';

/** When a worker dies: at which of its commits, and whether PostgreSQL has heard of that one. */
export interface Death {
  at: number;
  when: 'before' | 'after';
}

export interface MortalWorker {
  /** Does everything that is due for the tenant, or dies on the way; true when it lives. */
  settle(): Promise<boolean>;
  /** How many commits it has come to. */
  commits(): number;
  /** How many statements it has sent within transactions. */
  statements(): number;
}

const never = (): Promise<never> => new Promise(() => {});
const isWrite = ({ text }: { text: string }): boolean => !/^\s*select/i.test(text);

/** A database of a process that is killed at one of its commits: from then on it never gets an answer. */
function mortalDatabase(db: Database, death: Death | undefined, onDeath: () => void) {
  let commits = 0;
  let statements = 0;
  let isDead = false;
  const count =
    <A extends unknown[], R>(send: (...asked: A) => R) =>
    (...asked: A): R => {
      statements += 1;
      return send(...asked);
    };
  const counted = (tx: TenantTx): TenantTx =>
    Object.create(tx, {
      all: { value: count(tx.all) },
      find: { value: count(tx.find) },
      run: { value: count(tx.run) },
      query: { value: count(tx.query) },
      enqueue: { value: count(tx.enqueue) },
    });
  const countedSystem = (tx: SystemTx): SystemTx => ({
    ...tx,
    all: count(tx.all) as SystemTx['all'],
    find: count(tx.find) as SystemTx['find'],
    run: count(tx.run) as SystemTx['run'],
    enqueue: count(tx.enqueue) as SystemTx['enqueue'],
    forTenant: (tenantId) => counted(tx.forTenant(tenantId)),
  });
  const die = (): Promise<never> => {
    isDead = true;
    onDeath();
    return never();
  };
  /** Does something that commits by itself. */
  async function commit<T>(work: () => Promise<T>, undone: () => Promise<unknown>): Promise<T> {
    if (isDead) return never();
    commits += 1;
    if (commits !== death?.at) return work();
    await (death.when === 'after' ? work() : undone());
    return die();
  }
  type Sending = (asked: AnyStatement, parameters: readonly unknown[]) => Promise<unknown>;
  const statement =
    (send: Sending): Sending =>
    (asked, parameters) => {
      if (isWrite(asked))
        return commit(
          () => send(asked, parameters),
          async () => {},
        );
      return isDead ? never() : send(asked, parameters);
    };
  const KILLED = new Error('killed');
  const undone = (transaction: Promise<unknown>): Promise<unknown> =>
    transaction.catch((error) => {
      if (error !== KILLED) throw error;
    });
  const statementsOf = (on: { all: unknown; find: unknown; run: unknown }) => ({
    all: { value: statement(on.all as Sending) },
    find: { value: statement(on.find as Sending) },
    run: { value: statement(on.run as Sending) },
  });
  const mortalTenant = (tenant: TenantDatabase): TenantDatabase =>
    Object.create(tenant, {
      ...statementsOf(tenant),
      transaction: {
        value: <T>(work: (tx: TenantTx) => Promise<T>) =>
          commit(
            () => tenant.transaction((tx) => work(counted(tx))),
            () =>
              undone(
                tenant.transaction(async (tx) => {
                  await work(tx);
                  throw KILLED;
                }),
              ),
          ),
      },
    });
  const mortal: Database = Object.create(db, {
    ...statementsOf(db),
    forTenant: { value: (tenantId: string) => mortalTenant(db.forTenant(tenantId)) },
    systemTransaction: {
      value: <T>(work: (tx: SystemTx) => Promise<T>) =>
        commit(
          () => db.systemTransaction((tx) => work(countedSystem(tx))),
          () =>
            undone(
              db.systemTransaction(async (tx) => {
                await work(tx);
                throw KILLED;
              }),
            ),
        ),
    },
  });
  return { mortal, commits: () => commits, statements: () => statements };
}

/** The queues that a run passes through, in the order in which they are settled. */
const QUEUES = [
  'inbound',
  'events',
  'run_replies',
  'automation_runs',
  'automation_calls',
  'messages',
  'campaigns',
] as const;
export type QueueName = (typeof QUEUES)[number] | 'jobs';

/**
 * Workers that do all work of a tenant on the server's database, each as a process of its own: nothing that a dead one had
 * in memory is left to the next.
 */
export function mortalWorkers(server: TestServer, db: Database) {
  const { clock, logged } = server;
  const log = createLog({
    level: 'error',
    json: true,
    destination: { write: (line) => void logged.push(line) },
  });
  const shared = workerDeps(server, db);

  return (
    { id: tenantId }: TestTenant,
    death?: Death,
    names: readonly QueueName[] = QUEUES,
  ): MortalWorker => {
    let onDeath = (): void => {};
    const died = new Promise<boolean>((resolve) => {
      onDeath = () => resolve(false);
    });
    const { mortal, commits, statements } = mortalDatabase(db, death, onDeath);
    const context = adapterContext({ ...shared, db: mortal, files: shared.store });
    const bound = bindQueues({ ...shared, db: mortal, context, log });
    const chosen = names.flatMap((name) => bound.filter(({ queue }) => queue.name === name));
    return {
      commits,
      statements,
      settle: () => Promise.race([settleQueues(db, tenantId, chosen, clock.now).then(() => true), died]),
    };
  };
}

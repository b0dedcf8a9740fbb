import { afterAll } from 'vitest';
import { adapterContext } from '../../src/adapter-context.ts';
import { sendForRuns } from '../../src/automations/runs/send.ts';
import { executeRuns } from '../../src/automations/runs/worker.ts';
import { startRuns } from '../../src/automations/triggers/events.ts';
import { createLog } from '../../src/base/log.ts';
import { runCampaigns } from '../../src/campaigns/worker.ts';
import type { Database, Tx } from '../../src/db/database.ts';
import type { Statement } from '../../src/db/statement.ts';
import { publisher } from '../../src/engine/outbox.ts';
import type { Work } from '../../src/engine/runner.ts';
import { sequencer } from '../../src/engine/sequencer.ts';
import type { Notifier, WakeUps } from '../../src/engine/wakeups.ts';
import { fileStore } from '../../src/files/store.ts';
import { processInbound } from '../../src/messages/inbound/worker.ts';
import { pace } from '../../src/messages/outbound/pace.ts';
import { sendQueued } from '../../src/messages/outbound/worker.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { outboundClient } from '../../src/outbound/client.ts';
import { adapters, type HandlerDeps } from '../../src/queues.ts';
import { settleWorks } from './execution.ts';
import type { TestServer, TestTenant } from './server.ts';
import { silentWakeUps } from './silent-wakeups.ts';

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

const silent: WakeUps & Notifier = {
  ...silentWakeUps,
  tell: () => {},
  hear: () => {},
  pass: () => {},
};
const never = (): Promise<never> => new Promise(() => {});
const isWrite = ({ text }: { text: string }): boolean => !/^\s*select/i.test(text);

/** A database as a process has it that is killed at one of its commits: from then on it hears nothing any more. */
function mortalDatabase(db: Database, death: Death | undefined, onDeath: () => void) {
  let commits = 0;
  let statements = 0;
  let isDead = false;
  const counted = (tx: Tx): Tx => {
    const count =
      <A extends unknown[], R>(ask: (...asked: A) => R) =>
      (...asked: A): R => {
        statements += 1;
        return ask(...asked);
      };
    const { all, find, run, query, write } = tx;
    return {
      ...tx,
      all: count(all) as Tx['all'],
      find: count(find) as Tx['find'],
      run: count(run) as Tx['run'],
      query: count(query),
      write: count(write) as Tx['write'],
    };
  };
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
  const statement =
    (kind: 'all' | 'find' | 'run') =>
    (asked: Statement<readonly unknown[], unknown>, parameters: readonly unknown[]): Promise<unknown> => {
      const work = (): Promise<unknown> => db[kind](asked, parameters as never);
      if (isWrite(asked)) return commit(work, async () => {});
      return isDead ? never() : work();
    };
  const KILLED = new Error('killed');
  const mortal: Database = {
    ...db,
    all: statement('all') as Database['all'],
    find: statement('find') as Database['find'],
    run: statement('run') as Database['run'],
    transaction: (work) =>
      commit(
        () => db.transaction((tx) => work(counted(tx))),
        () =>
          db
            .transaction(async (tx) => {
              await work(tx);
              throw KILLED;
            })
            .catch((error) => {
              if (error !== KILLED) throw error;
            }),
      ),
  };
  return { mortal, commits: () => commits, statements: () => statements };
}

/** Its memory takes longer to make than all the rest, and the sandbox has no pace to be kept. */
const paced = pace();

/** The work that a run passes through; all that there is would take longer to make than to do. */
const made: Record<string, (deps: HandlerDeps) => Work> = {
  inbound: processInbound,
  events: ({ db, wakeUps, clock }) => sequencer(db, [startRuns(wakeUps, clock)]),
  runs: (deps) => executeRuns({ ...deps, send: sendForRuns(deps) }),
  messages: (deps) => sendQueued({ ...deps, pace: paced }),
  campaigns: runCampaigns,
};
export type List = keyof typeof made;
/** In the order in which they are looked at. */
const LISTS: readonly List[] = Object.keys(made);

/**
 * Workers that do all work of a tenant on the server's database, each as a process of its own. Nothing that a dead one had
 * in memory is left to whoever comes after it.
 */
export function mortalWorkers(server: TestServer, db: Database) {
  const { clock, keys, filesFolder, logged } = server;
  const policy = { allow: parseAllowList(''), loopback: true };
  const outbound = outboundClient({ ...policy, perOrigin: 4 });
  afterAll(() => outbound.close());
  const baseUrl = (): string => 'https://parley.test';
  const store = fileStore(filesFolder);
  const log = createLog({
    level: 'error',
    json: true,
    destination: { write: (line) => void logged.push(line) },
  });

  return ({ id: tenantId }: TestTenant, death?: Death, lists: readonly List[] = LISTS): MortalWorker => {
    let onDeath = (): void => {};
    const died = new Promise<boolean>((resolve) => {
      onDeath = () => resolve(false);
    });
    const { mortal, commits, statements } = mortalDatabase(db, death, onDeath);
    const deps: HandlerDeps = {
      db: mortal,
      clock,
      keys,
      wakeUps: silent,
      publisher: publisher(clock, silent),
      outbound,
      store,
      adapters,
      context: adapterContext({ db: mortal, clock, outbound, baseUrl, files: store }),
      baseUrl,
      policy,
      log,
      isSoleProcess: true,
    };
    const chosen = lists.map((name) => (made[name] as (typeof made)[List])(deps));
    return {
      commits,
      statements,
      settle: () => Promise.race([settleWorks(db, tenantId, chosen, clock.now).then(() => true), died]),
    };
  };
}

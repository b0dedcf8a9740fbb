import type pg from 'pg';
import type { Announcement } from '../base/events.ts';
import { isConnectionLoss, isFollowingFailure } from './errors.ts';
import { encodeArrays } from './parameters.ts';
import { corked, type Send } from './pipelined.ts';
import { type Queryable, queryable } from './queryable.ts';
import { type AnyStatement, joinStatements, type SystemStatement } from './statement.ts';
import type { TenantHooks, TenantTx, Woken } from './tenant.ts';

/** More than this are read later: they would keep the connection for too long. */
const MAX_FOLLOW_UPS = 4;

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

/** A statement that waits for the next one, with all parameters. */
interface Enqueued {
  statement: AnyStatement;
  parameters: readonly unknown[];
}

/** Keeps a connection until a promise is settled. */
export type HoldFor = (rest: Promise<unknown>) => void;

/**
 * Sends what reads the new rows of queues in the same write as the commit before it. Returns a function that wakes the
 * other queues, for after the commit.
 */
export function followWakes(
  wakes: Iterable<Woken>,
  send: Send,
  holdFor: HoldFor,
  hooks: TenantHooks,
): () => void {
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

export const announceAll = (tenantId: string, announcements: Announcement[], hooks: TenantHooks): void => {
  for (const one of announcements) hooks.announce?.(tenantId, one);
};

/** Runs `work` in a transaction on a connection, and wakes queues with its commit. */
export async function transactionOn<T>(
  client: pg.PoolClient,
  holdFor: HoldFor,
  work: (tx: SystemTx) => Promise<T>,
  hooks: TenantHooks,
): Promise<T> {
  const wakes = new Map<string, Woken>();
  const effects: (() => void)[] = [];
  let queued: Enqueued[] = [];
  const sent: Promise<unknown>[] = [];
  let enqueuedError: unknown;
  /** Why the transaction has failed. Statements after it, which may have been sent already, only say that it has. */
  let failure: unknown;
  const explain = (error: unknown): unknown => {
    failure ??= error;
    return isFollowingFailure(error) ? failure : error;
  };
  let isOver = false;
  // After the end of the transaction its connection may belong to another one.
  const requireOpen = (): void => {
    if (isOver) throw new Error('The transaction has ended: this statement came too late.');
  };
  let wakeOthers = (): void => {};
  const send = corked(client);
  const sendOne = ({ name, text }: AnyStatement, parameters: readonly unknown[]) =>
    send({ name, text, values: encodeArrays(parameters) });
  const sendQueued = (): void => {
    const statements = queued;
    queued = [];
    for (const { statement, parameters } of statements)
      sent.push(
        sendOne(statement, parameters).catch((error) => {
          enqueuedError ??= explain(error);
        }),
      );
  };
  const sendInOrder: Send = async (query) => {
    requireOpen();
    sendQueued();
    return send(query).catch((error) => {
      throw explain(error);
    });
  };
  const enqueueFor =
    (tenantId?: string) =>
    <P extends readonly unknown[], R>(given: AnyStatement<P, R>, own: P): void => {
      requireOpen();
      const statement = given as unknown as AnyStatement;
      const parameters = statement.scope === 'tenant' ? [...own, tenantId] : own;
      const before = statement.canJoin && queued.at(-1);
      const joined = before && joinStatements(before.statement, statement);
      if (joined)
        queued.splice(-1, 1, { statement: joined, parameters: [...before.parameters, ...parameters] });
      else queued.push({ statement, parameters });
    };
  const afterCommit = (effect: () => void): void => void effects.push(effect);
  const wake = (...woken: Woken): void => void wakes.set(`${woken[0].name} ${woken[1]}`, woken);
  const storeAndWake: TenantTx['storeAndWake'] = (statement, parameters, woken) => {
    for (const one of woken) wake(...one);
    return queryable(sendInOrder).all(statement, parameters);
  };
  const forTenant = (tenantId: string): TenantTx => {
    let now: Date | undefined;
    // One by one: V8 makes a slow object of a spread and a getter.
    const { all, find, run, query } = queryable(sendInOrder, tenantId);
    const tx: TenantTx = {
      all,
      find,
      run,
      query,
      tenantId,
      get now() {
        now ??= hooks.now(tenantId);
        return now;
      },
      fileUrl: hooks.fileUrl,
      enqueue: enqueueFor(tenantId),
      publish: (...events) => hooks.publish(tx, events),
      announce: (...announcements) => effects.push(() => announceAll(tenantId, announcements, hooks)),
      wake: (queue, orderingKey) => wake(queue, orderingKey, tenantId),
      storeAndWake,
      afterCommit,
    };
    return tx;
  };
  const tx: SystemTx = {
    ...queryable(sendInOrder),
    enqueue: enqueueFor(),
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
    wakeOthers = followWakes(wakes.values(), send, holdFor, hooks);
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

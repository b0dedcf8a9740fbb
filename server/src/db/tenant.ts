import type { Announcement, NewEvent } from '../base/events.ts';
import type { AnyStatement, SystemStatement } from './statement.ts';

/** A queue that can be woken. */
export interface WakeTarget {
  readonly name: string;
  shardOf(orderingKey: string, tenantId: string): number;
}

/** An ordering key of a tenant that has new rows in a queue. */
export type Woken = readonly [queue: WakeTarget, orderingKey: string, tenantId: string];

/** Reads the rows of one tenant. Statements get the tenant from here, not from the caller. */
export interface TenantReader {
  readonly tenantId: string;
  /** The tenant's time: real time, or the own clock of a test tenant. */
  readonly now: Date;
  /** A URL by which anyone can download a file, which ends after a while. */
  fileUrl(file: { id: string; filename: string }): string;
  all<P extends readonly unknown[], R>(statement: AnyStatement<P, R>, parameters: P): Promise<R[]>;
  find<P extends readonly unknown[], R>(statement: AnyStatement<P, R>, parameters: P): Promise<R | undefined>;
}

/** Reads and writes the rows of one tenant. */
export interface TenantQueryable extends TenantReader {
  /** Runs a statement and returns the number of changed rows. */
  run<P extends readonly unknown[], R>(statement: AnyStatement<P, R>, parameters: P): Promise<number>;
  /** For text that the search compiler builds. Values are always parameters. */
  query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}

/** A transaction of one tenant. Events and wake-ups only take effect if it commits. */
export interface TenantTx extends TenantQueryable {
  /** Whether there is no transaction: each statement commits by itself. */
  readonly isAutocommit?: true;
  /**
   * Sends a statement in the same round trip as the next one, at the latest with the commit. If it fails, so does the
   * transaction.
   */
  enqueue<P extends readonly unknown[], R>(statement: AnyStatement<P, R>, parameters: P): void;
  /**
   * Stores events in this transaction (`publishEvents` of the engine). The caller must hold the lock of the changed row, so that events have the order of
   * the changes.
   */
  publish(...events: NewEvent[]): void;
  /** After the commit: sends stream-only events to the streams of every process. */
  announce(...announcements: Announcement[]): void;
  /** After the commit: wakes the process that owns the ordering key's shard, because the queue has new rows. */
  wake(queue: WakeTarget, orderingKey: string): void;
  /** Runs a statement across tenants and wakes queues, with the commit. */
  storeAndWake<P extends readonly unknown[], R>(
    statement: SystemStatement<P, R>,
    parameters: P,
    woken: readonly Woken[],
  ): Promise<R[]>;
  /** Runs after the transaction is committed. */
  afterCommit(effect: () => void): void;
}

/** The database for the rows of one tenant. Each statement commits by itself. */
export interface TenantDatabase extends TenantQueryable {
  /** Reads by primary key over shared pipelined connections. Fast, but a slow statement delays the others. */
  readonly byKey: TenantReader;
  /** For a change by one statement. It commits by itself, so that nothing can be enqueued or published with it. */
  readonly autocommit: TenantTx;
  /**
   * Runs the statements of a search one after another on a connection for searches, of which one tenant may use a part. Throws
   * `search_too_slow` after five seconds.
   */
  search<T>(work: (reader: TenantQueryable) => Promise<T>): Promise<T>;
  /** Runs `work` in one transaction. It is repeated after a deadlock, so it must have no other effects. */
  transaction<T>(work: (tx: TenantTx) => Promise<T>): Promise<T>;
}

/** A statement that is sent together with a commit, because it reads what the transaction has written. */
export interface FollowUp<Row = unknown> {
  statement: SystemStatement<never, Row>;
  parameters: readonly unknown[];
  /** Called with its rows, whatever became of the transaction. */
  answered(rows: Row[]): void;
  failed(error: unknown): void;
}

/** What transactions of tenants use from other parts of the program. */
export interface TenantHooks {
  now(tenantId: string): Date;
  fileUrl: TenantReader['fileUrl'];
  publish(tx: Pick<TenantTx, 'tenantId' | 'now' | 'enqueue' | 'wake'>, events: NewEvent[]): void;
  /** Left out where no streams are. */
  announce?(tenantId: string, announcement: Announcement): void;
  wake(...woken: Woken): void;
  /** Instead of a wake-up after the commit: reads the new rows with it, which saves a round trip. */
  follow?(...woken: Woken): FollowUp | undefined;
}

/** For programs that do not change the data of tenants, such as migrations. */
export const noHooks: TenantHooks = {
  now: () => new Date(),
  fileUrl() {
    throw new Error('This database was opened without URLs of files.');
  },
  publish() {
    throw new Error('This database was opened without an outbox for events.');
  },
  wake() {},
};

/**
 * The same transaction, whose events contain the automation run that caused them and how many runs came before it, each
 * started by an event of the one before.
 */
export const causedByRun = (tx: TenantTx, originRunId: string, chainDepth: number): TenantTx =>
  Object.create(tx, {
    publish: {
      value: (...events: NewEvent[]) =>
        tx.publish(
          ...events.map((event) => ({
            ...event,
            originRunId,
            facts: chainDepth === 0 ? event.facts : { ...event.facts, chainDepth },
          })),
        ),
    },
  });

/** The same transaction, whose events contain the user who caused them; as it is for null. */
export const causedByUser = (tx: TenantTx, userId: string | null): TenantTx =>
  userId === null
    ? tx
    : Object.create(tx, {
        publish: {
          value: (...events: NewEvent[]) =>
            tx.publish(
              ...events.map((event) => ({ ...event, facts: { ...event.facts, causedById: userId } })),
            ),
        },
      });

import { batch } from '../base/batch.ts';
import type { Database } from '../db/database.ts';
import type { FollowUp } from '../db/tenant.ts';
import type { Queue, QueueRow } from './queue.ts';

/** Reads the due rows of an ordering key in order. Statements for several keys leave out `taken` rows. */
export type Claim<Row> = (
  shard: number,
  orderingKey: string,
  limit: number,
  taken: ReadonlySet<string>,
) => Promise<Row[]>;

/** The statement of a {@link Claim} of one ordering key. */
export type ClaimStatement<Row> = (
  ...claim: Parameters<Claim<Row>>
) => Pick<FollowUp<Row>, 'statement' | 'parameters'>;

interface KeyToClaim {
  shard: number;
  orderingKey: string;
  limit: number;
  taken: string[];
}

/** Larger batches are not faster per key, and the first keys would wait for the last ones. */
const BATCH = { maxBatch: 64, maxConcurrent: 4 };

/**
 * Claims rows of a queue, one key per statement or several. With a thousand keys of one row each, a statement per key
 * would cost more than handling the rows.
 */
export function claimsOf<Row extends QueueRow>(db: Database, queue: Queue<Row>, now: () => Date): Claim<Row> {
  const { claim, claimMany } = queue;
  if (claimMany === undefined)
    return async (shard, orderingKey, limit) => {
      const readAt = performance.now();
      return withReadTime(await db.all(claim, [shard, orderingKey, now(), limit]), readAt);
    };
  const claimKey = batch<KeyToClaim, Row[]>(async (keys) => {
    const readAt = performance.now();
    const rows = await db.all(claimMany, [
      keys.map(({ shard }) => shard),
      keys.map(({ orderingKey }) => orderingKey),
      now(),
      keys.map(({ limit }) => limit),
      keys.flatMap(({ taken }) => taken),
    ]);
    const byKey = new Map(keys.map(({ orderingKey }) => [orderingKey, [] as Row[]]));
    for (const row of withReadTime(rows, readAt)) byKey.get(row.ordering_key)?.push(row);
    return keys.map(({ orderingKey }) => byKey.get(orderingKey) as Row[]);
  }, BATCH);
  // A copy, as the set changes until the statement is sent.
  return (shard, orderingKey, limit, taken) => claimKey({ shard, orderingKey, limit, taken: [...taken] });
}

export const claimStatementOf =
  <Row extends QueueRow>(queue: Queue<Row>, now: () => Date): ClaimStatement<Row> =>
  (shard, orderingKey, limit, taken) =>
    (queue.claimMany
      ? {
          statement: queue.claimMany,
          parameters: [[shard], [orderingKey], now(), [limit], [...taken]],
        }
      : { statement: queue.claim, parameters: [shard, orderingKey, now(), limit] }) as never;

/** Notes in rows when they were read. */
export function withReadTime<Row extends QueueRow>(rows: Row[], readAt: number): Row[] {
  for (const row of rows) row.readAt = readAt;
  return rows;
}

import { batch } from '../base/batch.ts';
import type { Database } from '../db/database.ts';
import type { Queue, QueueRow } from './queue.ts';

/** Reads the due rows of a lane, in order, but for those that are taken already where the list can leave them out. */
export type Claim<Row> = (
  shard: number,
  lane: string,
  limit: number,
  taken: ReadonlySet<string>,
) => Promise<Row[]>;

interface AskedLane {
  shard: number;
  lane: string;
  limit: number;
  taken: string[];
}

/** More lanes than this are no cheaper for each, and the first of them would wait for the last. */
const TOGETHER = { maxBatch: 64, underWay: 4 };

/**
 * How the rows of a list are claimed: lane by lane, or several lanes by one statement. Of a thousand lanes with a row
 * each, every claim would otherwise be a statement of its own, dearer than what follows it.
 */
export function claimsOf<Row extends QueueRow>(db: Database, list: Queue<Row>, now: () => Date): Claim<Row> {
  const { claim, claimMany } = list;
  if (claimMany === undefined)
    return async (shard, lane, limit) => {
      const readAt = performance.now();
      return stamped(await db.all(claim, [shard, lane, now(), limit]), readAt);
    };
  const claimLane = batch<AskedLane, Row[]>(async (asked) => {
    const readAt = performance.now();
    const rows = await db.all(claimMany, [
      asked.map(({ shard }) => shard),
      asked.map(({ lane }) => lane),
      now(),
      asked.map(({ limit }) => limit),
      asked.flatMap(({ taken }) => taken),
    ]);
    const byLane = new Map(asked.map(({ lane }) => [lane, [] as Row[]]));
    for (const row of stamped(rows, readAt)) byLane.get(row.lane)?.push(row);
    return asked.map(({ lane }) => byLane.get(lane) as Row[]);
  }, TOGETHER);
  // What is taken now counts; the set goes on changing.
  return (shard, lane, limit, taken) => claimLane({ shard, lane, limit, taken: [...taken] });
}

function stamped<Row extends QueueRow>(rows: Row[], readAt: number): Row[] {
  for (const row of rows) row.readAt = readAt;
  return rows;
}

import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import type { WorkList, WorkRow } from './work-list.ts';

/** Reads the due rows of a lane, in order, but for those that are taken already where the list can leave them out. */
export type Claim<Row> = (
  slot: number,
  lane: string,
  limit: number,
  taken: ReadonlySet<string>,
) => Promise<Row[]>;

/** More lanes than this are no cheaper for each, and the first of them would wait for the last. */
const LANES_AT_A_TIME = 64;
/** While these are under way, the next one gathers. */
const STATEMENTS_AT_A_TIME = 4;

interface Asked<Row> {
  slot: number;
  lane: string;
  limit: number;
  taken: ReadonlySet<string>;
  resolve: (rows: Row[]) => void;
  reject: (error: unknown) => void;
}

/** How the rows of a list are claimed: lane by lane, or several lanes by one statement. */
export function claimsOf<Row extends WorkRow>(db: Database, list: WorkList<Row>, clock: Clock): Claim<Row> {
  const { claim, claimMany } = list;
  if (claimMany === undefined)
    return async (slot, lane, limit) => {
      const readAt = performance.now();
      return stamped(await db.all(claim, [slot, lane, clock.now(), limit]), readAt);
    };
  return claimTogether(async (asked) => {
    const readAt = performance.now();
    const rows = await db.all(claimMany, [
      asked.map(({ slot }) => slot),
      asked.map(({ lane }) => lane),
      clock.now(),
      asked.map(({ limit }) => limit),
      asked.flatMap(({ taken }) => [...taken]),
    ]);
    return stamped(rows, readAt);
  });
}

function stamped<Row extends WorkRow>(rows: Row[], readAt: number): Row[] {
  for (const row of rows) row.readAt = readAt;
  return rows;
}

/** Of a thousand lanes with a row each, every claim would be a statement of its own, dearer than what follows it. */
function claimTogether<Row extends WorkRow>(
  claim: (asked: Asked<Row>[]) => Promise<(Row & { lane: string })[]>,
): Claim<Row> {
  let waiting: Asked<Row>[] = [];
  let underWay = 0;
  let isDue = false;

  async function run(asked: Asked<Row>[]): Promise<void> {
    underWay += 1;
    try {
      const byLane = new Map<string, Row[]>(asked.map(({ lane }) => [lane, []]));
      for (const row of await claim(asked)) byLane.get(row.lane)?.push(row);
      for (const { lane, resolve } of asked) resolve(byLane.get(lane) as Row[]);
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
    underWay -= 1;
    runSoon();
  }

  function runWaiting(): void {
    isDue = false;
    while (waiting.length > 0 && underWay < STATEMENTS_AT_A_TIME) {
      const asked = waiting.slice(0, LANES_AT_A_TIME);
      waiting = waiting.slice(LANES_AT_A_TIME);
      void run(asked);
    }
  }

  /** Not at once: what this turn of the event loop still brings may go with it. */
  function runSoon(): void {
    if (isDue || waiting.length === 0 || underWay >= STATEMENTS_AT_A_TIME) return;
    isDue = true;
    setImmediate(runWaiting);
  }

  return (slot, lane, limit, taken) =>
    new Promise((resolve, reject) => {
      // What is taken now counts; the set goes on changing.
      waiting.push({ slot, lane, limit, taken: new Set(taken), resolve, reject });
      runSoon();
    });
}

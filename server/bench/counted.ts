import type { LoadResult } from './load.ts';
import type { Effort } from './reads.ts';
import { measure, type Rounds, type Side } from './rounds.ts';
import type { World } from './world.ts';

const WARM_UPS = 2;

/** A side whose round is a number of operations, and not a time. */
export interface CountedSide extends Pick<Side, 'name' | 'pid' | 'check'> {
  prepare?(count: number): Promise<void>;
  run(count: number): Promise<LoadResult>;
}

/** Measures sides in rounds of as many operations as the slowest of them does in the time that a round should take. */
export async function measureCounted(
  { db, postmasterPid }: World,
  { rounds, seconds }: Effort,
  sides: CountedSide[],
  warmUp: number,
): Promise<Rounds> {
  let rates: number[] = [];
  // The first time makes people, connections and plans; the last tells how many are a round's worth.
  for (let time = 0; time < WARM_UPS; time += 1) {
    rates = [];
    for (const side of sides) {
      await side.prepare?.(warmUp);
      const done = await side.run(warmUp);
      await side.check?.();
      rates.push(done.operations / done.seconds);
    }
    await db.query('vacuum analyze');
  }
  const count = Math.max(warmUp, Math.round(Math.min(...rates) * seconds));
  return measure(
    sides.map((side) => ({
      ...side,
      prepare: async () => side.prepare?.(count),
      run: () => side.run(count),
    })),
    rounds,
    postmasterPid,
  );
}

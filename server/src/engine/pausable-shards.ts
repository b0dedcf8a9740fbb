import type { Shards } from './shards.ts';

/**
 * Shards of a process that takes no new work while `mayWork` is false. It finishes what runs and then gives them to other
 * processes.
 */
export const pausableShards = (shards: Shards, mayWork: () => boolean): Shards => ({
  ...shards,
  owns: (shard) => mayWork() && shards.owns(shard),
  owned: () => (mayWork() ? shards.owned() : []),
  ownsAll: () => mayWork() && shards.ownsAll(),
  async beat(isBusy, onAbandoned) {
    if (mayWork() || shards.owned().some(isBusy)) await shards.beat(isBusy, onAbandoned);
    else await shards.release();
  },
});

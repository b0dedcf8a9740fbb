import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { ALL_SHARDS } from './queue.ts';

/**
 * Each shard is leased to one process. Leases use the time of the database, which is the same for all workers. A worker
 * that cannot renew its lease stops before another may take over.
 */
export const LEASE_MS = 15_000;
export const HEARTBEAT_MS = 3_000;
/** A worker considers its lease over this much earlier than the others do. */
const MARGIN_MS = 2_000;

const registerWorker = systemStatement<[worker: string, shards: number[]], { alive: number; kept: number[] }>(
  'shards.register',
  // One statement renews the leases as well: at rest a heartbeat is nothing else.
  `with me as (
     insert into workers (id, seen_at) values ($1, now()) on conflict (id) do update set seen_at = now()),
   gone as (delete from workers where seen_at < now() - interval '${LEASE_MS} ms' and id <> $1),
   kept as (
     update shards set lease_until = now() + interval '${LEASE_MS} ms'
      where owner = $1 and shard = any ($2::smallint[]) returning shard)
   select count(*)::int + 1 as alive, array(select shard from kept) as kept
     from workers where seen_at >= now() - interval '${LEASE_MS} ms' and id <> $1`,
);
const take = systemStatement<[worker: string, count: number, except: number[]], { shard: number }>(
  'shards.take',
  // Materialized, because a subquery of the update could be evaluated for each row and lock too many.
  `with free as materialized (
     select shard from shards where (owner is null or owner = $1 or lease_until < now()) and shard <> all ($3::smallint[])
      order by shard for update skip locked limit $2)
   update shards s set owner = $1, lease_until = now() + interval '${LEASE_MS} ms' from free where s.shard = free.shard
   returning s.shard`,
);
const takeAll = systemStatement<[worker: string], { shard: number }>(
  'shards.take_all',
  `with gone as (delete from workers where id <> $1)
   update shards set owner = $1, lease_until = now() + interval '${LEASE_MS} ms' returning shard`,
);
const releaseShards = systemStatement<[worker: string, shards: number[]]>(
  'shards.release',
  'update shards set owner = null, lease_until = null where owner = $1 and shard = any ($2::smallint[])',
);
const unregisterWorker = systemStatement<[worker: string]>(
  'shards.unregister',
  `with mine as (update shards set owner = null, lease_until = null where owner = $1)
   delete from workers where id = $1`,
);

export interface Shards {
  /** Whether this process may start work of the shard now. */
  owns(shard: number): boolean;
  owned(): number[];
  /** Whether this process has every shard, so that other processes need no wake-ups. */
  ownsAll(): boolean;
  /** One heartbeat: renews leases, takes shards up to its fair share, and releases the rest when nothing of it runs. */
  beat(isBusy: (shard: number) => boolean): Promise<void>;
  /** Takes every shard immediately. Only for the sole process of a database. */
  acquireAll(): Promise<void>;
  release(): Promise<void>;
}

export function createShards(db: Database, workerId: string): Shards {
  let held = new Set<number>();
  let draining = new Set<number>();
  let validUntil = 0;
  const valid = (): boolean => performance.now() < validUntil;
  const hold = (rows: { shard: number }[], since: number): void => {
    held = new Set(rows.map((row) => row.shard));
    validUntil = since + LEASE_MS - MARGIN_MS;
  };

  return {
    owns: (shard) => held.has(shard) && !draining.has(shard) && valid(),
    owned: () => (valid() ? [...held].filter((shard) => !draining.has(shard)) : []),
    ownsAll: () => held.size === ALL_SHARDS && draining.size === 0 && valid(),
    async beat(isBusy) {
      const since = performance.now();
      // After an expired lease another worker may have taken the shard: it is taken again and not renewed.
      const renewed = valid() ? [...held] : [];
      const { alive, kept } = (await db.find(registerWorker, [workerId, renewed])) as {
        alive: number;
        kept: number[];
      };
      const share = Math.ceil(ALL_SHARDS / alive);
      const mine = new Set(kept);
      // The share may change while shards drain. Shards above the share drain, first those that are already draining.
      const over = [...mine].sort((a, b) => Number(draining.has(b)) - Number(draining.has(a)));
      draining = new Set(over.slice(0, Math.max(0, mine.size - share)));
      const done = [...draining].filter((shard) => !isBusy(shard));
      if (done.length > 0) await db.run(releaseShards, [workerId, done]);
      for (const shard of done) for (const set of [mine, held, draining]) set.delete(shard);
      const taken = mine.size < share ? await db.all(take, [workerId, share - mine.size, [...mine]]) : [];
      hold([...[...mine].map((shard) => ({ shard })), ...taken], since);
    },
    async acquireAll() {
      const since = performance.now();
      await db.find(registerWorker, [workerId, []]);
      hold(await db.all(takeAll, [workerId]), since);
    },
    async release() {
      held.clear();
      draining.clear();
      await db.run(unregisterWorker, [workerId]);
    },
  };
}

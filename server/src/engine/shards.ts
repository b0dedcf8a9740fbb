import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { ALL_SHARDS } from './queue.ts';

/**
 * Who does which share of the work. Leases run on the database's time, because it is the one clock that all workers
 * see. A worker that cannot renew stops of its own accord before anyone else may take over.
 */
export const LEASE_MS = 15_000;
export const HEARTBEAT_MS = 3_000;
/** A worker trusts its lease this much less than the others do. */
const MARGIN_MS = 2_000;

const signOn = statement<[worker: string], { alive: number }>(
  'shards.sign_on',
  `with me as (
     insert into workers (id, seen_at) values ($1, now()) on conflict (id) do update set seen_at = now()),
   gone as (delete from workers where seen_at < now() - interval '${LEASE_MS} ms' and id <> $1)
   select count(*)::int + 1 as alive from workers where seen_at >= now() - interval '${LEASE_MS} ms' and id <> $1`,
);
const renew = statement<[worker: string, shards: number[]], { shard: number }>(
  'shards.renew',
  `update shards set lease_until = now() + interval '${LEASE_MS} ms'
    where owner = $1 and shard = any ($2::smallint[]) returning shard`,
);
const take = statement<[worker: string, count: number, except: number[]], { shard: number }>(
  'shards.take',
  // A CTE is read once; as a subquery of the update, a plan may read it again for each row and take too many.
  `with free as materialized (
     select shard from shards where (owner is null or owner = $1 or lease_until < now()) and shard <> all ($3::smallint[])
      order by shard for update skip locked limit $2)
   update shards s set owner = $1, lease_until = now() + interval '${LEASE_MS} ms' from free where s.shard = free.shard
   returning s.shard`,
);
const takeAll = statement<[worker: string], { shard: number }>(
  'shards.take_all',
  `with gone as (delete from workers where id <> $1)
   update shards set owner = $1, lease_until = now() + interval '${LEASE_MS} ms' returning shard`,
);
const giveBack = statement<[worker: string, shards: number[]]>(
  'shards.give_back',
  'update shards set owner = null, lease_until = null where owner = $1 and shard = any ($2::smallint[])',
);
const signOff = statement<[worker: string]>(
  'shards.sign_off',
  `with mine as (update shards set owner = null, lease_until = null where owner = $1)
   delete from workers where id = $1`,
);

export interface Shards {
  /** Whether work of this shard may be started here and now. */
  owns(shard: number): boolean;
  owned(): number[];
  /** True when every shard is ours, so nobody else needs to hear of new work. */
  ownsAll(): boolean;
  /** One heartbeat: renews, takes its fair share, gives back what is over it once nothing of it is under way. */
  beat(isBusy: (shard: number) => boolean): Promise<void>;
  /** Takes everything at once: only for a process that knows to be alone on its database. */
  acquireAll(): Promise<void>;
  release(): Promise<void>;
}

export function shards(db: Database, workerId: string): Shards {
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
      const { alive } = (await db.find(signOn, [workerId])) as { alive: number };
      const share = Math.ceil(ALL_SHARDS / alive);
      // What a lapsed lease had started may still be under way: an expired shard is taken anew, never just renewed.
      const kept = valid() ? await db.all(renew, [workerId, [...held]]) : [];
      const mine = new Set(kept.map((row) => row.shard));
      // Shares change while shards are leaving: exactly what is over the share leaves, first what was leaving already.
      const over = [...mine].sort((a, b) => Number(draining.has(b)) - Number(draining.has(a)));
      draining = new Set(over.slice(0, Math.max(0, mine.size - share)));
      const done = [...draining].filter((shard) => !isBusy(shard));
      if (done.length > 0) await db.run(giveBack, [workerId, done]);
      for (const shard of done) for (const set of [mine, held, draining]) set.delete(shard);
      const taken = mine.size < share ? await db.all(take, [workerId, share - mine.size, [...mine]]) : [];
      hold([...[...mine].map((shard) => ({ shard })), ...taken], since);
    },
    async acquireAll() {
      const since = performance.now();
      await db.find(signOn, [workerId]);
      hold(await db.all(takeAll, [workerId]), since);
    },
    async release() {
      held.clear();
      draining.clear();
      await db.run(signOff, [workerId]);
    },
  };
}

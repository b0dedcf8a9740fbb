import type { Database } from '../db/database.ts';
import { systemStatement } from '../db/statement.ts';
import { ALL_SHARDS } from './queue.ts';

/**
 * Each shard is leased to one process. Leases use the time of the database, which is the same for all workers. A worker
 * that cannot renew its lease stops before another may take over. It measures the lease with two clocks: the time since
 * the start of the process stands still while the machine is paused, and the time of day may be set back.
 */
export const LEASE_MS = 15_000;
export const HEARTBEAT_MS = 3_000;
/** A worker considers its lease over this much earlier than the others do. */
const MARGIN_MS = 2_000;
/** How long handing over a shard takes at most, however long something of it runs. */
export const HAND_OVER_MS = 10_000;
/** Before its end nothing new starts, so that as little as possible is done twice. */
const PAUSE_MS = 2_000;

interface TakenShard {
  shard: number;
  /** Its last owner did not release it: it was killed, or could not renew its lease. */
  isAbandoned: boolean;
}

/** Whether a time is left from before the clock of the database was set back: nobody writes one that is so far ahead. */
const isLater = (column: string): string => `${column} > now() + interval '${2 * LEASE_MS} ms'`;

const registerWorker = systemStatement<[worker: string, shards: number[]], { alive: number; kept: number[] }>(
  'shards.register',
  // One statement renews the leases as well: at rest a heartbeat is nothing else. After the clock was set back, who is alive
  // renews its own. Of two workers only the newer one deletes the other, so that they never wait for each other in a circle.
  `with me as (
     insert into workers (id, seen_at) values ($1, now()) on conflict (id) do update set seen_at = now()),
   gone as (
     delete from workers where seen_at < now() - interval '${LEASE_MS} ms' and id <> $1 or ${isLater('seen_at')} and id < $1),
   later as materialized (
     select shard from shards where owner <> $1 and ${isLater('lease_until')}
      order by shard for no key update skip locked),
   later_shards as (
     update shards s set lease_until = now() + interval '${LEASE_MS} ms' from later where s.shard = later.shard),
   kept as (
     update shards set lease_until = now() + interval '${LEASE_MS} ms'
      where owner = $1 and shard = any ($2::smallint[]) returning shard)
   select count(*)::int + 1 as alive, array(select shard from kept) as kept
     from workers where seen_at >= now() - interval '${LEASE_MS} ms' and not ${isLater('seen_at')} and id <> $1`,
);
const take = systemStatement<[worker: string, count: number, except: number[]], TakenShard>(
  'shards.take',
  // Materialized, because a subquery of the update could be evaluated for each row and lock too many.
  `with free as materialized (
     select shard, owner from shards
      where (owner is null or owner = $1 or lease_until < now()) and shard <> all ($3::smallint[])
      order by shard for update skip locked limit $2)
   update shards s set owner = $1, lease_until = now() + interval '${LEASE_MS} ms' from free where s.shard = free.shard
   returning s.shard, coalesce(free.owner <> $1, false) as "isAbandoned"`,
);
const takeAll = systemStatement<[worker: string], TakenShard>(
  'shards.take_all',
  `with gone as (delete from workers where id <> $1),
   before as materialized (select shard, owner from shards order by shard for no key update)
   update shards s set owner = $1, lease_until = now() + interval '${LEASE_MS} ms' from before
    where s.shard = before.shard returning s.shard, coalesce(before.owner <> $1, false) as "isAbandoned"`,
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

/** Called before work starts in shards that were taken from a process that did not release them. */
type OnAbandoned = (shards: number[]) => void;

export interface Shards {
  /** Whether this process may start work of the shard now. */
  owns(shard: number): boolean;
  owned(): number[];
  /** Whether this process has every shard, so that other processes need no wake-ups. */
  ownsAll(): boolean;
  /** One heartbeat: renews leases, takes shards up to its fair share, and starts to hand over the rest. */
  beat(isBusy: (shard: number) => boolean, onAbandoned?: OnAbandoned): Promise<void>;
  /**
   * Releases shards above its share: those of which nothing runs, and after 10 seconds the others, too. Until then they are
   * worked. What still runs of a released shard is finished; results are stored only if no other process was faster.
   */
  handOver(isBusy: (shard: number) => boolean): Promise<void>;
  isHandingOver(): boolean;
  /** Takes every shard immediately. Only for the sole process of a database. */
  acquireAll(onAbandoned?: OnAbandoned): Promise<void>;
  release(): Promise<void>;
}

export function createShards(db: Database, workerId: string): Shards {
  let held = new Set<number>();
  /** When the hand-over of a shard started. */
  const draining = new Map<number, number>();
  let validUntil = 0;
  let validUntilTimeOfDay = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Heartbeats and hand-overs run one after another: a shard must not be taken while it is being released. */
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  };
  const valid = (): boolean => performance.now() < validUntil && Date.now() < validUntilTimeOfDay;
  const isPaused = (shard: number): boolean => {
    const since = draining.get(shard);
    return since !== undefined && performance.now() >= since + HAND_OVER_MS - PAUSE_MS;
  };
  const hold = (shards: number[], since: { elapsed: number; timeOfDay: number }): void => {
    held = new Set(shards);
    validUntil = since.elapsed + LEASE_MS - MARGIN_MS;
    validUntilTimeOfDay = since.timeOfDay + LEASE_MS - MARGIN_MS;
  };
  const readTime = () => ({ elapsed: performance.now(), timeOfDay: Date.now() });
  const reportAbandoned = (taken: TakenShard[], report: OnAbandoned = () => {}): void =>
    report(taken.filter(({ isAbandoned }) => isAbandoned).map(({ shard }) => shard));

  async function releaseDrained(isBusy: (shard: number) => boolean): Promise<void> {
    const now = performance.now();
    const done = [...draining]
      .filter(([shard, since]) => now >= since + HAND_OVER_MS || !isBusy(shard))
      .map(([shard]) => shard);
    if (done.length === 0) return;
    // Before others may take them. If the statement fails, the leases run out.
    for (const shard of done) {
      held.delete(shard);
      draining.delete(shard);
    }
    await db.run(releaseShards, [workerId, done]);
  }

  async function renewAndTake(onAbandoned?: OnAbandoned): Promise<void> {
    const since = readTime();
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
    const surplus = new Set(over.slice(0, Math.max(0, mine.size - share)));
    for (const shard of draining.keys()) if (!surplus.has(shard)) draining.delete(shard);
    for (const shard of surplus) if (!draining.has(shard)) draining.set(shard, since.elapsed);
    const taken = mine.size < share ? await db.all(take, [workerId, share - mine.size, [...mine]]) : [];
    reportAbandoned(taken, onAbandoned);
    hold([...mine, ...taken.map(({ shard }) => shard)], since);
  }

  return {
    owns: (shard) => held.has(shard) && !isPaused(shard) && valid(),
    owned: () => (valid() ? [...held].filter((shard) => !isPaused(shard)) : []),
    ownsAll: () => held.size === ALL_SHARDS && draining.size === 0 && valid(),
    isHandingOver: () => draining.size > 0,
    handOver: async (isBusy) => (draining.size === 0 ? undefined : inOrder(() => releaseDrained(isBusy))),
    beat: (isBusy, onAbandoned) =>
      inOrder(async () => {
        await renewAndTake(onAbandoned);
        await releaseDrained(isBusy);
      }),
    async acquireAll(onAbandoned) {
      const since = readTime();
      await db.find(registerWorker, [workerId, []]);
      const taken = await db.all(takeAll, [workerId]);
      reportAbandoned(taken, onAbandoned);
      hold(
        taken.map(({ shard }) => shard),
        since,
      );
    },
    async release() {
      held.clear();
      draining.clear();
      await db.run(unregisterWorker, [workerId]);
    },
  };
}

import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import { ALL_SLOTS } from './work-list.ts';

/**
 * Who does which share of the work. Leases run on the database's time, because it is the one clock that all workers
 * see. A worker that cannot renew stops of its own accord before anyone else may take over.
 */
export const LEASE_MS = 15_000;
export const HEARTBEAT_MS = 3_000;
/** A worker trusts its lease this much less than the others do. */
const MARGIN_MS = 2_000;

const signOn = statement<[worker: string], { alive: number }>(
  'slots.sign_on',
  `with me as (
     insert into workers (id, seen_at) values ($1, now()) on conflict (id) do update set seen_at = now()),
   gone as (delete from workers where seen_at < now() - interval '${LEASE_MS} ms' and id <> $1)
   select count(*)::int + 1 as alive from workers where seen_at >= now() - interval '${LEASE_MS} ms' and id <> $1`,
);
const renew = statement<[worker: string, slots: number[]], { slot: number }>(
  'slots.renew',
  `update slots set lease_until = now() + interval '${LEASE_MS} ms'
    where owner = $1 and slot = any ($2::smallint[]) returning slot`,
);
const take = statement<[worker: string, count: number, except: number[]], { slot: number }>(
  'slots.take',
  // A CTE is read once; as a subquery of the update, a plan may read it again for each row and take too many.
  `with free as materialized (
     select slot from slots where (owner is null or owner = $1 or lease_until < now()) and slot <> all ($3::smallint[])
      order by slot for update skip locked limit $2)
   update slots s set owner = $1, lease_until = now() + interval '${LEASE_MS} ms' from free where s.slot = free.slot
   returning s.slot`,
);
const takeAll = statement<[worker: string], { slot: number }>(
  'slots.take_all',
  `with gone as (delete from workers where id <> $1)
   update slots set owner = $1, lease_until = now() + interval '${LEASE_MS} ms' returning slot`,
);
const giveBack = statement<[worker: string, slots: number[]]>(
  'slots.give_back',
  'update slots set owner = null, lease_until = null where owner = $1 and slot = any ($2::smallint[])',
);
const signOff = statement<[worker: string]>(
  'slots.sign_off',
  `with mine as (update slots set owner = null, lease_until = null where owner = $1)
   delete from workers where id = $1`,
);

export interface Slots {
  /** Whether work of this slot may be started here and now. */
  owns(slot: number): boolean;
  owned(): number[];
  /** True when every slot is ours, so nobody else needs to hear of new work. */
  ownsAll(): boolean;
  /** One heartbeat: renews, takes its fair share, gives back what is over it once nothing of it is under way. */
  beat(isBusy: (slot: number) => boolean): Promise<void>;
  /** Takes everything at once: only for a process that knows to be alone on its database. */
  seize(): Promise<void>;
  release(): Promise<void>;
}

export function slots(db: Database, workerId: string): Slots {
  let held = new Set<number>();
  let leaving = new Set<number>();
  let validUntil = 0;
  const valid = (): boolean => performance.now() < validUntil;
  const hold = (rows: { slot: number }[], since: number): void => {
    held = new Set(rows.map((row) => row.slot));
    validUntil = since + LEASE_MS - MARGIN_MS;
  };

  return {
    owns: (slot) => held.has(slot) && !leaving.has(slot) && valid(),
    owned: () => (valid() ? [...held].filter((slot) => !leaving.has(slot)) : []),
    ownsAll: () => held.size === ALL_SLOTS && leaving.size === 0 && valid(),
    async beat(isBusy) {
      const since = performance.now();
      const { alive } = (await db.find(signOn, [workerId])) as { alive: number };
      const share = Math.ceil(ALL_SLOTS / alive);
      // What a lapsed lease had started may still be under way: an expired slot is taken anew, never just renewed.
      const kept = valid() ? await db.all(renew, [workerId, [...held]]) : [];
      const mine = new Set(kept.map((row) => row.slot));
      // Shares change while slots are leaving: exactly what is over the share leaves, first what was leaving already.
      const over = [...mine].sort((a, b) => Number(leaving.has(b)) - Number(leaving.has(a)));
      leaving = new Set(over.slice(0, Math.max(0, mine.size - share)));
      const done = [...leaving].filter((slot) => !isBusy(slot));
      if (done.length > 0) await db.run(giveBack, [workerId, done]);
      for (const slot of done) for (const set of [mine, held, leaving]) set.delete(slot);
      const taken = mine.size < share ? await db.all(take, [workerId, share - mine.size, [...mine]]) : [];
      hold([...[...mine].map((slot) => ({ slot })), ...taken], since);
    },
    async seize() {
      const since = performance.now();
      await db.find(signOn, [workerId]);
      hold(await db.all(takeAll, [workerId]), since);
    },
    async release() {
      held.clear();
      leaving.clear();
      await db.run(signOff, [workerId]);
    },
  };
}

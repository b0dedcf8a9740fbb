import { limitReached, limitSql } from '../../access/limits.ts';
import { createCache } from '../../base/cache.ts';
import { ApiError } from '../../base/errors.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';
import { HELD, shardOf } from '../../engine/queue.ts';
import { insertWaking } from '../../jobs/insert-job.ts';
import { runsQueue } from '../queues.ts';

const MINUTE_MS = 60_000;
/** A process reserves this part of the limit at a time for triggers by the API, so that few of them take the lock. */
const SHARES = 100;
/** What is not used by then is lost. */
const RESERVED_MS = 5_000;
const MAX_TENANTS = 10_000;
/** So many held runs start with the change of the limit, or with one batch of a job. */
const RELEASED_AT_ONCE = 2_000;

/**
 * Each run uses up a minute divided by the limit. `runs_until` is the time up to which the limit is used up: while it is
 * less than a minute ahead, runs may start. Numbering holds the lock of the same row.
 */
const PER_MINUTE = limitSql('runsPerMinute', 't');
/** The clocks of processes differ by seconds. Where it was set back by more, the time moves with it: nobody waits for hours. */
const UNTIL = `case when c.runs_used_at > $2::timestamptz + interval '1 minute'
  then c.runs_until - (c.runs_used_at - $2) else c.runs_until end`;
const USED_UNTIL = `greatest(${UNTIL}, $2) + $1::int * interval '1 minute' / ${PER_MINUTE}`;

const useLimit = statement<[count: number, now: Date], Used>(
  'tenant_counters.use_runs',
  `update tenant_counters c set runs_until = ${USED_UNTIL}, runs_used_at = $2 from visible_tenants t
    where c.tenant_id = $tenant and t.id = c.tenant_id and ${PER_MINUTE} > 0
   returning c.runs_until as until, ${PER_MINUTE} as per_minute`,
);
const readLimit = statement<[], { per_minute: number }>(
  'tenant_counters.read_runs',
  `select ${PER_MINUTE} as per_minute from visible_tenants t where t.id = $tenant`,
);
const insertCounter = statement<[]>(
  'tenant_counters.insert',
  `insert into tenant_counters (tenant_id, sequence) select id, 0 from visible_tenants where id = $tenant
   on conflict (tenant_id) do nothing`,
);
const reserve = statement<[count: number, now: Date], { until: Date }>(
  'tenant_counters.reserve_runs',
  `update tenant_counters c set runs_until = ${USED_UNTIL}, runs_used_at = $2 from visible_tenants t
    where c.tenant_id = $tenant and t.id = c.tenant_id and ${PER_MINUTE} > 0
      and ${USED_UNTIL} <= $2 + interval '1 minute'
   returning c.runs_until as until`,
);

const automationIds = statement<[], { id: string }>(
  'automations.ids',
  'select id from automations where tenant_id = $tenant',
);
const heldRuns = statement<[automationIds: string[], shards: number[], limit: number], { id: string }>(
  'automation_runs.held_by_limit',
  `select r.id from unnest($1::uuid[], $2::smallint[]) k (automation_id, shard)
     join visible_automation_runs r on r.automation_id = k.automation_id and r.shard = k.shard
    where r.tenant_id = $tenant and r.due_at = ${HELD} and not r.is_calling order by r.id limit $3`,
);
const releaseRuns = statement<[ids: string[], times: (Date | '-infinity')[]], { automation_id: string }>(
  'automation_runs.release_by_limit',
  `with chosen as (
     select r.id from visible_automation_runs r
      where r.id = any ($1::uuid[]) and r.tenant_id = $tenant and r.due_at = ${HELD} order by r.id for no key update),
   released as (
     update visible_automation_runs r set due_at = n.due_at
       from chosen c join unnest($1::uuid[], $2::timestamptz[]) n (id, due_at) using (id)
      where r.id = c.id and r.tenant_id = $tenant returning r.automation_id)
   select distinct automation_id from released`,
);

type Used = { until: Date; per_minute: number };

function timesOf({ until, per_minute }: Used, count: number, now: Date): (Date | '-infinity')[] {
  const runMs = MINUTE_MS / per_minute;
  const firstMs = until.getTime() - MINUTE_MS - count * runMs;
  return Array.from({ length: count }, (_, index) => {
    const startMs = firstMs + (index + 1) * runMs;
    return startMs <= now.getTime() ? '-infinity' : new Date(startMs);
  });
}

/**
 * When each of so many new runs starts: now, as long as the limit per minute allows it, or later. With a limit of zero, runs wait until
 * the operator raises it. Called in the transaction that numbers the events, which has locked the tenant's counter.
 */
export async function startTimes(tx: TenantTx, count: number): Promise<(Date | '-infinity' | 'infinity')[]> {
  const used = await tx.find(useLimit, [count, tx.now]);
  return used ? timesOf(used, count, tx.now) : Array.from({ length: count }, () => 'infinity');
}

/** Lets the next of the runs that a limit of zero has held start, the oldest first, and returns how many. */
export async function releaseSomeRuns(tx: TenantTx): Promise<{ count: number; isFull: boolean }> {
  // Locks the counter, so that no new run is held by the former limit. Without a counter there are no runs of events.
  if (!(await tx.find(useLimit, [0, tx.now]))) return { count: 0, isFull: false };
  const ids = (await tx.all(automationIds, [])).map(({ id }) => id);
  const shards = ids.map((id) => shardOf(id, tx.tenantId));
  const runIds = (await tx.all(heldRuns, [ids, shards, RELEASED_AT_ONCE])).map(({ id }) => id);
  const count = runIds.length;
  if (count === 0) return { count, isFull: false };
  const used = (await tx.find(useLimit, [count, tx.now])) as Used;
  for (const { automation_id } of await tx.all(releaseRuns, [runIds, timesOf(used, count, tx.now)]))
    tx.wake(runsQueue, automation_id);
  return { count, isFull: count === RELEASED_AT_ONCE };
}

/**
 * Lets the runs that a limit of zero has held start, after the operator has raised it: the first at once, many by a job. The lock of
 * the counter is held until the commit, and numbering waits for it.
 */
export async function releaseLimitedRuns(tx: TenantTx): Promise<void> {
  if ((await releaseSomeRuns(tx)).isFull) await insertWaking(tx);
}

/** Counts one run that the API starts. Throws `limit_reached` if the tenant's limit per minute is used up. */
export type RunLimiter = (tenantId: string) => Promise<void>;

interface Reservation {
  left: number;
  untilMs: number;
}

/** A process reserves a share for a tenant once at a time: callers that come meanwhile wait for the same. */
export function createRunLimiter(db: Pick<Database, 'forTenant'>): RunLimiter {
  const reserved = createCache<string, Reservation>(MAX_TENANTS);
  const reserving = new Map<string, Promise<void>>();

  async function reserveShare(tenantId: string): Promise<void> {
    const tenant = db.forTenant(tenantId);
    const limit = (await tenant.find(readLimit, []))?.per_minute;
    if (limit === undefined) throw new ApiError('unauthorized', { detail: 'the tenant has been deleted' });
    const share = Math.max(1, Math.floor(limit / SHARES));
    const take = () => tenant.find(reserve, [share, tenant.now]);
    let taken = await take();
    if (!taken) {
      // The tenant may have no counter yet, or somebody else is inserting it: the insert waits for them.
      await tenant.run(insertCounter, []);
      taken = await take();
    }
    if (!taken) throw limitReached('runsPerMinute', limit);
    reserved.set(tenantId, { left: share, untilMs: performance.now() + RESERVED_MS });
  }

  return async (tenantId) => {
    for (;;) {
      const known = reserved.get(tenantId);
      if (known && known.left > 0 && known.untilMs > performance.now()) {
        known.left -= 1;
        return;
      }
      let reservation = reserving.get(tenantId);
      if (!reservation) {
        reservation = reserveShare(tenantId).finally(() => reserving.delete(tenantId));
        reserving.set(tenantId, reservation);
      }
      await reservation;
    }
  };
}

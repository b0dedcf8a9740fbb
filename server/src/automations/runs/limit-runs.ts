import { limitReached, limitSql } from '../../access/limits.ts';
import { createCache } from '../../base/cache.ts';
import { ApiError } from '../../base/errors.ts';
import type { Database } from '../../db/database.ts';
import { statement } from '../../db/statement.ts';
import type { TenantTx } from '../../db/tenant.ts';

const MINUTE_MS = 60_000;
/** A process reserves this part of the limit at a time for triggers by the API, so that few of them take the lock. */
const SHARES = 100;
/** What is not used by then is lost. */
const RESERVED_MS = 5_000;
const MAX_TENANTS = 10_000;

/**
 * Each run uses up a minute divided by the limit. `runs_until` is the time up to which the limit is used up: while it is
 * less than a minute ahead, runs may start. Numbering holds the lock of the same row.
 */
const PER_MINUTE = limitSql('runsPerMinute', 't');
const USED_UNTIL = `greatest(c.runs_until, $2) + $1::int * interval '1 minute' / ${PER_MINUTE}`;

const useLimit = statement<[count: number, now: Date], { until: Date; per_minute: number }>(
  'tenant_counters.use_runs',
  `update tenant_counters c set runs_until = ${USED_UNTIL} from visible_tenants t
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
  `update tenant_counters c set runs_until = ${USED_UNTIL} from visible_tenants t
    where c.tenant_id = $tenant and t.id = c.tenant_id and ${PER_MINUTE} > 0
      and ${USED_UNTIL} <= $2 + interval '1 minute'
   returning c.runs_until as until`,
);

/**
 * When each of so many new runs starts: now, as long as the limit per minute allows it, or later. Called in the
 * transaction that numbers the events, which has locked the tenant's counter.
 */
export async function startTimes(tx: TenantTx, count: number): Promise<(Date | '-infinity')[]> {
  const used = await tx.find(useLimit, [count, tx.now]);
  // With a limit of zero, runs wait until the operator raises it.
  if (!used) return Array.from({ length: count }, () => new Date(tx.now.getTime() + MINUTE_MS));
  const runMs = MINUTE_MS / used.per_minute;
  const firstMs = used.until.getTime() - MINUTE_MS - count * runMs;
  return Array.from({ length: count }, (_, index) => {
    const startMs = firstMs + (index + 1) * runMs;
    return startMs <= tx.now.getTime() ? '-infinity' : new Date(startMs);
  });
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

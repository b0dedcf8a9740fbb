import type { Clock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { statement } from '../db/statement.ts';
import type { Principal } from '../http/permissions.ts';

export interface V2UsageRow {
  tenant_id: string;
  tenant_name: string;
  token_id: string;
  /** Null when the token has been deleted. */
  token_name: string | null;
  operation: string;
  calls: number;
  last_called_at: Date;
}

const addCalls = statement<
  [tenantIds: string[], tokenIds: string[], operations: string[], calls: number[], lastCalledAt: Date[]]
>(
  'v2_usage.add',
  // A tenant may be deleted between its call and this statement.
  `insert into v2_usage as u (tenant_id, token_id, operation, calls, last_called_at)
   select c.* from unnest($1::uuid[], $2::uuid[], $3::text[], $4::bigint[], $5::timestamptz[])
       as c (tenant_id, token_id, operation, calls, last_called_at)
     join tenants t on t.id = c.tenant_id
    order by c.tenant_id, c.token_id, c.operation
   on conflict (tenant_id, token_id, operation) do update
     set calls = u.calls + excluded.calls, last_called_at = greatest(u.last_called_at, excluded.last_called_at)`,
);
const listUsage = statement<[], V2UsageRow>(
  'v2_usage.list',
  `select u.tenant_id, t.name as tenant_name, u.token_id, k.name as token_name, u.operation, u.calls, u.last_called_at
     from v2_usage u join tenants t on t.id = u.tenant_id
     left join tokens k on k.id = u.token_id and k.tenant_id = u.tenant_id
    order by u.last_called_at desc, u.tenant_id, u.token_id, u.operation`,
);

interface Count {
  tenantId: string;
  tokenId: string;
  operation: string;
  calls: number;
  lastCalledAt: Date;
}

export interface V2Usage {
  /** Counts a call in memory. */
  count(caller: Pick<Principal, 'tenantId' | 'tokenId'>, operation: string): void;
  /** Adds what was counted here to the table that all processes share. */
  flush(): Promise<void>;
  /** Who has called what, and how often; the last call first. */
  all(): Promise<V2UsageRow[]>;
}

/**
 * Counts in memory and writes now and then, so that counting costs no request anything. A process that is killed
 * takes with it what it counted since it last wrote.
 */
export function v2Usage(db: Database, clock: Clock): V2Usage {
  let counted = new Map<string, Count>();
  let flushed: Promise<void> = Promise.resolve();

  function add({ tenantId, tokenId, operation, calls, lastCalledAt }: Count): void {
    const key = `${tenantId} ${tokenId} ${operation}`;
    const known = counted.get(key);
    if (!known) counted.set(key, { tenantId, tokenId, operation, calls, lastCalledAt });
    else {
      known.calls += calls;
      if (lastCalledAt > known.lastCalledAt) known.lastCalledAt = lastCalledAt;
    }
  }

  async function write(): Promise<void> {
    const counts = [...counted.values()];
    if (counts.length === 0) return;
    counted = new Map();
    try {
      await db.run(addCalls, [
        counts.map((one) => one.tenantId),
        counts.map((one) => one.tokenId),
        counts.map((one) => one.operation),
        counts.map((one) => one.calls),
        counts.map((one) => one.lastCalledAt),
      ]);
    } catch (error) {
      counts.forEach(add);
      throw error;
    }
  }

  const flush = (): Promise<void> => {
    const next = flushed.then(write);
    flushed = next.catch(() => {});
    return next;
  };
  return {
    count: ({ tenantId, tokenId }, operation) =>
      add({ tenantId, tokenId, operation, calls: 1, lastCalledAt: clock.real() }),
    flush,
    async all() {
      await flush();
      return db.all(listUsage, []);
    },
  };
}

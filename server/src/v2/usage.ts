import { Type } from 'typebox';
import {
  addVersionCalls,
  listTenantVersionUsage,
  listVersionUsage,
  type VersionCalls,
  type VersionUsageRow,
} from '../access/version-usage.ts';
import type { RealClock } from '../base/clock.ts';
import type { Database } from '../db/database.ts';
import { data } from '../http/answer.ts';
import type { Principal } from '../http/permissions.ts';
import { operatorRead, type Route, read } from '../http/route.ts';
import { Nullable, Timestamp, timestamp, Uuid } from '../http/schema.ts';

interface UsageCounter {
  /** Counts a call in memory. */
  count(caller: Pick<Principal, 'tenantId' | 'caller'>, operation: string): void;
  /** Adds what was counted here to the table that all processes share. */
  flush(): Promise<void>;
}

/**
 * Counts in memory and stores the counts now and then, so that counting costs a request nothing. A process that is
 * killed loses what it has counted since it last stored.
 */
export function createUsageCounter({ db, clock }: { db: Database; clock: RealClock }): UsageCounter {
  let counted = new Map<string, VersionCalls>();
  let lastFlush: Promise<void> = Promise.resolve();

  function add(more: VersionCalls): void {
    const key = `${more.tenantId} ${more.tokenId} ${more.operation}`;
    const known = counted.get(key);
    if (!known) counted.set(key, { ...more });
    else {
      known.calls += more.calls;
      if (more.lastCalledAt > known.lastCalledAt) known.lastCalledAt = more.lastCalledAt;
    }
  }

  async function store(): Promise<void> {
    const counts = [...counted.values()];
    if (counts.length === 0) return;
    counted = new Map();
    try {
      await addVersionCalls(db, counts);
    } catch (error) {
      counts.forEach(add);
      throw error;
    }
  }

  return {
    count: ({ tenantId, caller }, operation) =>
      add({ tenantId, tokenId: caller.id, operation, calls: 1, lastCalledAt: clock.real() }),
    flush() {
      const flushed = lastFlush.then(store);
      lastFlush = flushed.catch(() => {});
      return flushed;
    },
  };
}

const TenantUsage = Type.Object(
  {
    tokenId: Uuid(),
    tokenName: Nullable(Type.String({ description: 'Null if the token is deleted' })),
    operation: Type.String({ description: 'Method and path, such as `GET /v2/attributes`' }),
    calls: Type.Integer({ description: 'Successful and failed ones' }),
    lastCalledAt: Timestamp(),
  },
  { title: 'TenantV2Usage' },
);
const Usage = Type.Object(
  { tenantId: Uuid(), tenantName: Type.String(), ...TenantUsage.properties },
  { title: 'V2Usage' },
);

const presentTenantUsage = (row: Omit<VersionUsageRow, 'tenant_id' | 'tenant_name'>) => ({
  tokenId: row.token_id,
  tokenName: row.token_name,
  operation: row.operation,
  calls: row.calls,
  lastCalledAt: timestamp(row.last_called_at),
});
const presentUsage = (row: VersionUsageRow) => ({
  tenantId: row.tenant_id,
  tenantName: row.tenant_name,
  ...presentTenantUsage(row),
});
const exampleUsage = {
  tokenId: '019a82a0-0000-7000-8000-000000000001',
  tokenName: 'Shop backend',
  operation: 'GET /v2/attributes',
  calls: 42,
  lastCalledAt: '2026-11-15T01:02:03.456Z',
};
const COUNTED =
  'Calls by token and operation, before and after the end of v2, the last one first. Other processes add theirs every five seconds; calls without a valid token are not counted.';

export const usageRoutes = (usage: UsageCounter): Route[] => [
  operatorRead(
    {
      method: 'GET',
      path: '/admin/v2-usage',
      operationId: 'listV2Usage',
      tag: 'Operator',
      summary: 'List the calls of v2',
      description: COUNTED,
      access: 'operator',
      answer: data(Type.Array(Usage)),
      failures: [],
      example: {
        answer: [
          {
            tenantId: '019a82a0-0000-7000-8000-000000000002',
            tenantName: 'Example Ltd',
            ...exampleUsage,
          },
        ],
      },
    },
    async (_call, db) => {
      await usage.flush();
      return (await listVersionUsage(db)).map(presentUsage);
    },
  ),
  read(
    {
      method: 'GET',
      path: '/v3/v2_usage',
      operationId: 'listTenantV2Usage',
      tag: 'Access',
      summary: 'List the calls of v2 by the tokens of the tenant',
      description: `${COUNTED} At most 1000.`,
      access: 'tokens:read',
      answer: data(Type.Array(TenantUsage)),
      failures: [],
      example: { answer: [exampleUsage] },
    },
    async (_call, db) => {
      await usage.flush();
      return (await listTenantVersionUsage(db)).map(presentTenantUsage);
    },
  ),
];

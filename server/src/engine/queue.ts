import { isTestTenant } from '../base/ids.ts';
import { type SystemStatement, systemStatement } from '../db/statement.ts';
import { claimManyText, claimText } from './claim-texts.ts';
import type { RetryPolicy } from './retry.ts';

/** The number of shards. Each is owned by one process at a time. */
export const SHARDS = 64;

/** The shard of all rows that are due by the clock of a test tenant. */
export const TEST_SHARD = -1;
export const ALL_SHARDS = SHARDS + 1;

/** Rows that are held after a restore have shards that nobody owns: their own less this. */
const HELD_OFFSET = 1_000;
const RELEASED_AT_ONCE = 1_000;

/** The shards in which the rows of a shard are: its own, and the one where they are held. */
export const withHeld = (shard: number): number[] => [shard, shard - HELD_OFFSET];

/** The shard of an ordering key on real time. The end of a UUIDv7 is random, so keys are distributed evenly. */
export const realShardOf = (orderingKey: string): number =>
  Number.parseInt(orderingKey.slice(-2), 16) % SHARDS;

/** The shard of a tenant's ordering key. */
export const shardOf = (orderingKey: string, tenantId: string): number =>
  isTestTenant(tenantId) ? TEST_SHARD : realShardOf(orderingKey);

/** The `due_at` of rows that are due immediately. It sorts before every retry. */
export const DUE_NOW = "'-infinity'";

/** The `due_at` of rows that are in the queue but not due until they are resumed. */
export const HELD = "'infinity'";

/** The columns that every claimed row has. */
export interface QueueRow {
  id: string;
  tenant_id: string;
  /** When it was read (`performance.now`). It may have waited since then. */
  readAt?: number;
  /** How often a process ended while it worked on the row; only in queues that count this. */
  crashes?: number;
}

type ClaimKey<Row> = SystemStatement<[shard: number, orderingKey: string, now: Date, limit: number], Row>;
type ClaimKeys<Row> = SystemStatement<
  [shards: number[], orderingKeys: string[], now: Date, limits: number[], taken: string[]],
  Row & { ordering_key: string }
>;

/** Statements that read the due rows of one or several ordering keys, in the order in which they start. */
type Claims<Row> =
  | { readonly claim: ClaimKey<Row>; readonly claimMany?: undefined }
  | { readonly claim?: undefined; readonly claimMany: ClaimKeys<Row> };

/** A table whose due rows are the queue. Rows with the same ordering key start in order. */
export type Queue<Row extends QueueRow = QueueRow> = Claims<Row> & {
  readonly name: string;
  readonly table: string;
  readonly orderingKey: OrderingKey;
  /** The shard of an ordering key. */
  shardOf(orderingKey: string, tenantId: string): number;
  /** What its handler does, for the table of queues in the documentation. */
  readonly purpose: string;
  readonly retry: RetryPolicy;
  /** Finds the ordering keys with due rows in ranges of shards. */
  readonly find: SystemStatement<
    [firsts: number[], lasts: number[], now: Date],
    { shard: number; ordering_key: string }
  >;
  /** SQL for the first row of each ordering key of test tenants: the key, when it is due, and its tenant. */
  readonly fronts: string;
  /** The same for the tenants in $1. */
  readonly frontsOfTenants: string;
  /** Counts all due rows (at most 1000 per ordering key) and finds the oldest due time. */
  readonly depth: SystemStatement<[now: Date], { due: number; oldest: Date | null }>;
  /** Holds every row that is due, so that no process takes it, and releases some of them. */
  readonly held: {
    readonly hold: SystemStatement<[now: Date], never>;
    readonly release: SystemStatement<[], { released: number }>;
  };
  /** Only of queues whose handler reads what customers and vendors wrote: such a row may end the process that handles it. */
  readonly crashCounts?: CrashCounts;
  /** The maximum number of rows in one call of the handler. */
  readonly rowsPerCall: number;
  /** How many calls of one ordering key may run at the same time. */
  readonly callsPerKey: number;
  /** The same for an ordering key whose last calls failed; 1 when left out. */
  readonly callsPerFailingKey?: number;
  /** How many calls may run in this process, over all ordering keys. */
  readonly callsPerProcess: number;
  /** Whether calls wait for a server outside, so that nobody knows when their places are free. */
  readonly waitsOutside?: true;
};

/** Statements that count in the rows of a queue how often a process ended while it worked on them. */
export interface CrashCounts {
  set: SystemStatement<[ids: string[], crashes: number], unknown>;
  reset: SystemStatement<[ids: string[]], unknown>;
}

/** The table that contains the ordering keys of a tenant, by the column of the key. */
const KEY_TABLES = {
  tenant_id: undefined,
  id: 'visible_channels',
  channel_id: 'visible_channels',
  webhook_id: 'webhooks',
  automation_id: 'automations',
} as const;
type OrderingKey = keyof typeof KEY_TABLES;

interface QueueDeclaration {
  name: string;
  purpose: string;
  table: string;
  /** The view of the table without what is being deleted, if it has one. */
  view?: string;
  /** The column whose rows start in order. */
  orderingKey: OrderingKey;
  /** The order in which rows of a key start: the columns after the key in the queue's index. */
  order?: readonly string[];
  /** The column with the due time; null if every listed row is due. */
  due?: 'due_at' | null;
  /** The condition for rows in the queue, as in its index. `row` is the table's name or alias. */
  listed?: (row: string) => string;
  /** Further columns for the handler, of the row `q` and of the joined tables. */
  columns?: string;
  joins?: string;
  /**
   * For queues of many ordering keys: one statement claims rows of several keys `k`. `keyJoins` is looked up once for
   * each key.
   */
  claimsManyKeys?: true | { keyJoins: string; where: string };
  /** Also uses real time for test tenants, because the due times do not depend on the tenant's clock. */
  isOnRealTime?: true;
  /** The table has a column `crashes`, and the claim returns it. */
  countsCrashes?: true;
  rowsPerCall: number;
  callsPerKey: number;
  callsPerFailingKey?: number;
  callsPerProcess: number;
  waitsOutside?: true;
  retry: RetryPolicy;
}

/** The limit of counted rows per ordering key, so that the metric stays fast. */
const MAX_COUNT = 1000;

/** Sorts before every ordering key. */
const NO_KEY = "'00000000-0000-0000-0000-000000000000'::uuid";

const shardRange = (first: number, last: number): string =>
  `(values (${first}::smallint, ${last}::smallint))`;

/** The rows of test tenants are due by their own clocks. */
function heldStatements(
  name: string,
  rows: string,
  listed: (row: string) => string,
  due: string | null,
): Queue['held'] {
  const isDue =
    due === null
      ? '$1::timestamptz is not null'
      : `q.${due} <= case when q.shard = ${TEST_SHARD}
          then (select t.clock from visible_tenants t where t.id = q.tenant_id) else $1 end`;
  return {
    hold: systemStatement(
      `${name}.hold_due`,
      `with moved as (
         update ${rows} q set shard = q.shard - ${HELD_OFFSET}
          where q.shard >= ${TEST_SHARD} and ${listed('q')} and ${isDue}
         returning q.id, q.tenant_id)
       insert into held_rows (queue, id, tenant_id) select '${name}', id, tenant_id from moved`,
    ),
    release: systemStatement(
      `${name}.release_held`,
      `with batch as (
         delete from held_rows where queue = '${name}' and (id, tenant_id) in (
           select id, tenant_id from held_rows where queue = '${name}' limit ${RELEASED_AT_ONCE})
         returning id, tenant_id),
       released as (
         update ${rows} q set shard = q.shard + ${HELD_OFFSET} from batch b
          where q.id = b.id and q.tenant_id = b.tenant_id and q.shard < ${TEST_SHARD})
       select count(*)::int as released from batch`,
    ),
  };
}

const crashCountsOf = (name: string, rows: string): CrashCounts => ({
  set: systemStatement(
    `${name}.set_crashes`,
    `update ${rows} set crashes = $2 where id = any ($1::uuid[]) and due_at is not null`,
  ),
  reset: systemStatement(
    `${name}.reset_crashes`,
    `update ${rows} set crashes = 0 where id = any ($1::uuid[]) and crashes > 0`,
  ),
});

/**
 * Declares a queue on a table with the index `(shard, ordering key, order) where listed`. Its ordering keys are found by
 * a skip scan: one index probe per key, whatever its number of rows.
 */
export function declareQueue<Row extends QueueRow>(declaration: QueueDeclaration): Queue<Row> {
  const {
    name,
    table,
    view = table,
    orderingKey: key,
    order = ['due_at', 'id'],
    due = 'due_at',
    listed = (row) => `${row}.due_at is not null`,
    joins = '',
    claimsManyKeys,
  } = declaration;
  const columns = declaration.columns === undefined ? '' : `, ${declaration.columns}`;
  const dueAt = due ?? DUE_NOW;
  const nextKey = `select shard, ${key} as ordering_key, ${dueAt}::timestamptz as due, created_at, tenant_id from ${view} q
      where (shard, ${key}) > (l.shard, l.ordering_key) and shard <= l.last and ${listed('q')}
      order by shard, ${key}, ${order.join(', ')} limit 1`;
  // It begins with a key before all others, which is never due. To look up the first key by a probe of its own doubled the plan:
  // the scan of all queues took 1.4 instead of 0.9 ms, most of it to set the plan up.
  const keysIn = (shards: string): string => `with recursive keys as (
      select s.last, s.first as shard, ${NO_KEY} as ordering_key, null::timestamptz as due, null::timestamptz as created_at,
             null::uuid as tenant_id from ${shards} as s (first, last)
      union all
      select l.last, n.* from keys l cross join lateral (${nextKey}) n)`;
  const keyTable = KEY_TABLES[key];
  const keysOfTenants =
    keyTable === undefined
      ? '(select id, id as tenant_id from unnest($1::uuid[]) as t (id))'
      : `(select id, tenant_id from ${keyTable} where tenant_id = any ($1::uuid[]))`;
  const shape = { view, orderingKey: key, order, listed };
  const claims: Claims<Row> = claimsManyKeys
    ? {
        claimMany: systemStatement(
          `${name}.claim_many`,
          claimManyText(
            shape,
            dueAt,
            columns,
            joins,
            claimsManyKeys === true ? { keyJoins: '', where: 'true' } : claimsManyKeys,
          ),
        ),
      }
    : { claim: systemStatement(`${name}.claim`, claimText(shape, due, columns, joins)) };
  return {
    ...declaration,
    shardOf: declaration.isOnRealTime ? realShardOf : shardOf,
    find: systemStatement(
      `${name}.find`,
      `${keysIn('unnest($1::smallint[], $2::smallint[])')} select shard, ordering_key from keys where due <= $3`,
    ),
    fronts: `${keysIn(shardRange(TEST_SHARD, TEST_SHARD))} select ordering_key, due, tenant_id from keys where tenant_id is not null`,
    frontsOfTenants: `select l.id as ordering_key, n.due, l.tenant_id from ${keysOfTenants} l
      cross join lateral (select ${dueAt}::timestamptz as due from ${view} q
        where q.shard = ${TEST_SHARD} and q.${key} = l.id and ${listed('q')} order by ${order.join(', ')} limit 1) n`,
    ...claims,
    held: heldStatements(name, view, listed, due),
    ...(declaration.countsCrashes ? { crashCounts: crashCountsOf(name, view) } : {}),
    depth: systemStatement(
      `${name}.depth`,
      `${keysIn(shardRange(0, SHARDS - 1))}
       select coalesce(sum(c.due), 0)::int as due, min(greatest(keys.due, keys.created_at)) as oldest from keys
        cross join lateral (select count(*) as due from (
          select 1 from ${view} q where q.shard = keys.shard and q.${key} = keys.ordering_key and ${listed('q')}
             and ${dueAt}::timestamptz <= $1
           limit ${MAX_COUNT}) counted) c
        where keys.due <= $1`,
    ),
  };
}

import { isTestTenant } from '../base/ids.ts';
import { type Statement, statement } from '../db/statement.ts';

/** How many shares all work is cut into. Each has one owner at a time, as a partition has one consumer. */
export const SHARDS = 64;

/** The share with all work that test tenants' own clocks make due. */
export const TEST_SHARD = -1;
export const ALL_SHARDS = SHARDS + 1;

/** The share a lane belongs to that runs on real time for everybody. The tail of a UUIDv7 is random, so lanes spread evenly. */
export const realShardOf = (lane: string): number => Number.parseInt(lane.slice(-2), 16) % SHARDS;

/** The share a tenant's lane belongs to. */
export const shardOf = (lane: string, tenantId: string): number =>
  isTestTenant(tenantId) ? TEST_SHARD : realShardOf(lane);

/** What every claimed row has, whatever else its handler needs. */
export interface QueueRow {
  id: string;
  tenant_id: string;
  /** When it was read, on the process's own clock (`performance.now`): it may have waited for its turn since. */
  readAt?: number;
}

/** How the due rows of lanes are read, each lane's in the order in which they are to start. */
type Claims<Row> =
  | {
      readonly claim: Statement<[shard: number, lane: string, now: Date, limit: number], Row>;
      readonly claimMany?: undefined;
    }
  | {
      readonly claim?: undefined;
      /** Of several lanes at once, without what is taken already. */
      readonly claimMany: Statement<
        [shards: number[], lanes: string[], now: Date, limits: number[], taken: string[]],
        Row & { lane: string }
      >;
    };

/** A table whose due rows are a queue, cut into lanes that many rows share. */
export type Queue<Row extends QueueRow> = Claims<Row> & {
  readonly name: string;
  /** The lanes of shards that have something due. The shards are ranges, each from its first to its last. */
  readonly find: Statement<[firsts: number[], lasts: number[], now: Date], { shard: number; lane: string }>;
  /** Whether each lane is all that a tenant has on the list. */
  readonly isByTenant: boolean;
  /** What stands first in each lane of test tenants, as a text: lane, when it is due, and whose it is. */
  readonly fronts: string;
  /** The same for the tenants in $1, by a look at each lane that they could have. */
  readonly frontsOfSome: string;
  /** How much is due in all (a lane counts for at most 1000) and since when. */
  readonly depth: Statement<[now: Date], { due: number; oldest: Date | null }>;
  /** How many rows one call of the handler takes, and how many calls of a lane may be under way. */
  readonly batch: number;
  readonly perLane: number;
  /** How many calls may be under way in this process, over all lanes. */
  readonly atOnce: number;
};

type QueueDeclaration = (
  | {
      /** The statement behind `claim`, with $1 shard, $2 lane, $3 now, $4 limit. */
      claim: string;
      claimMany?: undefined;
    }
  | {
      claim?: undefined;
      /** That behind `claimMany`, with $1 shards, $2 lanes, $3 now, $4 limits, $5 taken: for lists of many lanes. */
      claimMany: string;
    }
) & {
  name: string;
  table: string;
  /** The column that is the lane. */
  lane: string;
  /** The next column of the index, by which a lane's rows start. */
  order: string;
  /** The column that says when a row is due; without one, whatever is listed is due. */
  due?: string;
  /** Which rows are on the list at all: the condition of its index. */
  listed: string;
  batch: number;
  perLane: number;
  atOnce: number;
};

/** The `due_at` of what is due as soon as it is there. It sorts before every retry, whatever the clocks do. */
export const AT_ONCE = "'-infinity'";

/** The `due_at` of what waits for someone to let it go on: on the list, and never due. */
export const HELD = "'infinity'";

/** Whose rows are lanes, by the column that names them. */
const LANES: Record<string, string> = {
  id: 'channels',
  channel_id: 'channels',
  webhook_id: 'webhooks',
  automation_id: 'automations',
};

/** Counting stops here for each lane: a metric must not cost more than the work. */
const COUNT_AT_MOST = 1000;

const shardRange = (first: number, last: number): string =>
  `(values (${first}::smallint, ${last}::smallint))`;

/**
 * Declares a work list on a table with the index `(shard, lane, order) where listed`. Lanes are found by a skip scan:
 * one index probe per lane, however many rows wait in it.
 */
export function declareQueue<Row extends QueueRow>(shape: QueueDeclaration): Queue<Row> {
  const { name, table, lane, order, listed } = shape;
  const due = shape.due ?? AT_ONCE;
  const nextLane = (where: string): string =>
    `select shard, ${lane} as lane, ${due}::timestamptz as due, created_at, tenant_id from ${table}
      where ${where} and ${listed} order by shard, ${lane}, ${order} limit 1`;
  const lanes = (shards: string): string => `with recursive lanes as (
      select s.last, n.* from ${shards} as s (first, last)
       cross join lateral (${nextLane('shard between s.first and s.last')}) n
      union all
      select l.last, n.* from lanes l
       cross join lateral (${nextLane(`(shard, ${lane}) > (l.shard, l.lane) and shard <= l.last`)}) n)`;
  const ofTenants =
    lane === 'tenant_id'
      ? '(select id, id as tenant_id from unnest($1::uuid[]) as t (id))'
      : `(select id, tenant_id from ${LANES[lane]} where tenant_id = any ($1::uuid[]))`;
  return {
    name,
    find: statement(
      `${name}.find`,
      `${lanes('unnest($1::smallint[], $2::smallint[])')} select shard, lane from lanes where due <= $3`,
    ),
    isByTenant: lane === 'tenant_id',
    fronts: `${lanes(shardRange(TEST_SHARD, TEST_SHARD))} select lane, due, tenant_id from lanes`,
    frontsOfSome: `select l.id as lane, n.due, l.tenant_id from ${ofTenants} l
      cross join lateral (select ${due}::timestamptz as due from ${table}
        where shard = ${TEST_SHARD} and ${table}.${lane} = l.id and ${listed} order by ${order} limit 1) n`,
    ...(shape.claimMany === undefined
      ? { claim: statement(`${name}.claim`, shape.claim) }
      : { claimMany: statement(`${name}.claim_many`, shape.claimMany) }),
    depth: statement(
      `${name}.depth`,
      `${lanes(shardRange(0, SHARDS - 1))}
       select coalesce(sum(c.due), 0)::int as due, min(greatest(lanes.due, lanes.created_at)) as oldest from lanes
        cross join lateral (select count(*) as due from (
          select 1 from ${table} where shard = lanes.shard and ${lane} = lanes.lane and ${listed} and ${due}::timestamptz <= $1
           limit ${COUNT_AT_MOST}) counted) c
        where lanes.due <= $1`,
    ),
    batch: shape.batch,
    perLane: shape.perLane,
    atOnce: shape.atOnce,
  };
}

/** Where the due rows of a queue are. */
interface QueueShape {
  view: string;
  orderingKey: string;
  order: readonly string[];
  listed: (row: string) => string;
}

/** Reads the due rows of one ordering key, with $1 shard, $2 ordering key, $3 now, $4 limit. */
export function claimText(q: QueueShape, due: string | null, columns: string, joins: string): string {
  return `select q.id, q.tenant_id${columns} from ${q.view} q ${joins}
    where q.shard = $1 and q.${q.orderingKey} = $2 and ${q.listed('q')}
      and ${due === null ? '$3::timestamptz is not null' : `q.${due} <= $3`}
    order by ${q.order.map((column) => `q.${column}`).join(', ')} limit $4`;
}

/** The same for several ordering keys, without taken rows: $1 shards, $2 ordering keys, $3 now, $4 limits, $5 taken. */
export function claimManyText(
  q: QueueShape,
  due: string,
  columns: string,
  joins: string,
  keys: { keyJoins: string; where: string },
): string {
  const order = (row: string): string => q.order.map((column) => `${row}.${column}`).join(', ');
  return `select k.ordering_key, r.* from unnest($1::smallint[], $2::uuid[], $4::int[]) as k (shard, ordering_key, wanted)
    ${keys.keyJoins}
    cross join lateral (
      select q.id, q.tenant_id${columns}
        from (select * from ${q.view} w
               where w.shard = k.shard and w.${q.orderingKey} = k.ordering_key and ${q.listed('w')} and w.${due} <= $3
                 and w.id not in (select unnest($5::uuid[])) and ${keys.where}
               order by ${order('w')} limit k.wanted) q
        ${joins} order by ${order('q')}) r`;
}

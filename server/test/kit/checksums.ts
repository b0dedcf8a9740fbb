import type { Queryable } from '../../src/db/queryable.ts';

/** A checksum of each table, except for those in which any request leaves something behind. */
export async function checksumsOf(db: Queryable): Promise<Record<string, string>> {
  const { rows } = await db.query(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('rate_windows', 'workers', 'shards', 'tokens')`,
    [],
  );
  const found: Record<string, string> = {};
  for (const { name } of rows) {
    const counted = await db.query(
      `select count(*)::text || ' ' || coalesce(md5(string_agg(md5(t::text), '' order by md5(t::text))), '') as sum from ${name} t`,
      [],
    );
    found[String(name)] = String(counted.rows[0]?.sum);
  }
  const { rows: sequences } = await db.query('select last_value::text as value from event_positions', []);
  found.event_positions = String(sequences[0]?.value);
  return found;
}

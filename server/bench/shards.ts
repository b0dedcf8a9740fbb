import type pg from 'pg';

// Fixtures and checks go through the API wherever it can do the job. The few statements that read or write the tables of
// the engine have to work for two commits whose names differ: the column `shard` was called `slot`, and the table
// `shards` was called `slots`. So the name is looked up in the database of each target, and no other name is assumed to
// have changed. How an id becomes a shard is written here once and checked against a row that the server itself wrote.

const SHARDS = 64;

/** The shard of a tenant, channel, webhook or automation. */
export const shardOf = (id: string): number => Number.parseInt(id.slice(-2), 16) % SHARDS;

/** The name of the column that holds the shard of a row. The table of all shards has the same name in the plural. */
export async function findShardColumn(db: pg.Client | pg.Pool): Promise<string> {
  const { rows } = await db.query<{ column_name: string }>(
    `select column_name from information_schema.columns
      where table_schema = 'public' and table_name = 'events' and column_name in ('shard', 'slot')`,
  );
  if (!rows[0]) throw new Error('The table events has neither a column "shard" nor a column "slot".');
  return rows[0].column_name;
}

import type { Queryable } from './queryable.ts';
import { systemStatement } from './statement.ts';

const count = systemStatement<[], { deadlocks: number }>(
  'database.deadlocks',
  'select deadlocks from pg_stat_database where datname = current_database()',
);

/** How many transactions PostgreSQL has ended because they waited for each other. They are repeated, but there should be none. */
export const countDeadlocks = async (db: Pick<Queryable, 'find'>): Promise<number> =>
  (await db.find(count, []))?.deadlocks ?? 0;

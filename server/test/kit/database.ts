import { type Database, type DatabaseOptions, openDatabase } from '../../src/db/database.ts';
import type { TenantHooks } from '../../src/db/tenant.ts';
import { cleanUp } from './clean-up.ts';

/** Opens a database, which is closed with the test or the file that has opened it. */
export function useDatabase(
  connectionString: string,
  options: Partial<DatabaseOptions> = {},
  hooks?: TenantHooks,
): Database {
  const connection = { connectionString };
  const db = openDatabase(
    { connection, applicationName: 'test', poolSize: 4, readers: 0, ...options },
    hooks,
  );
  cleanUp(() => db.close());
  return db;
}

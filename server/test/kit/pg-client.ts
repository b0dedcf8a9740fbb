import pg from 'pg';
import { cleanUp } from './clean-up.ts';

/** A plain connection to a database, which is closed with the test or the file that has opened it. */
export async function usePgClient(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  cleanUp(() => client.end());
  return client;
}

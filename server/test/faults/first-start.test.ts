import { readdir } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { keysFrom } from '../../src/base/crypto.ts';
import { keepSecrets } from '../../src/base/secrets.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensurePartitions } from '../../src/db/partitions.ts';
import { authenticator } from '../../src/http/authenticate.ts';
import { createDemo, requireSameKey } from '../../src/installation.ts';
import { parseAllowList } from '../../src/outbound/addresses.ts';
import { cleanUp } from '../kit/clean-up.ts';
import { MIGRATIONS } from '../kit/postgres.ts';
import { type OwnDatabase, startDatabase } from './database.ts';
import { SECRET_KEY, useProcessPool } from './processes.ts';

/** Whole processes rarely do the same within a millisecond, so the tests run the steps of a first start many times at once. */
const AT_ONCE = 12;
const ROUNDS = 5;

const pool = useProcessPool();
let database: OwnDatabase;
beforeAll(async () => {
  database = await startDatabase(pool);
});

const runMany = <T>(work: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, number) => work(number)));

async function openConnections(name: string): Promise<Database[]> {
  const connectionString = await database.createDatabase(name);
  await migrate({ connectionString }, MIGRATIONS);
  return runMany(async () => {
    const db = openDatabase({
      connection: { connectionString },
      applicationName: 'first start',
      poolSize: 1,
      readers: 0,
    });
    cleanUp(() => db.close());
    await db.ping();
    return db;
  });
}

describe('a first start of many processes at the same instant', () => {
  it('gives all of them the same secrets', async () => {
    for (let round = 0; round < ROUNDS * 4; round += 1) {
      const folder = await pool.makeFolder();
      const kept = await runMany(() => keepSecrets(folder, { secretKey: undefined, adminToken: undefined }));
      expect(new Set(kept.map((secrets) => JSON.stringify(secrets))).size).toBe(1);
      expect(await readdir(folder)).toEqual(['secrets.json']);
    }
  });

  it('creates each partition once', async () => {
    const all = await openConnections('partitions');
    await Promise.all(all.map((db) => ensurePartitions(db, new Date())));
  });

  it('accepts the same key in all of them, and creates one demo tenant', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const all = await openConnections(`first_${round}`);
      const keys = keysFrom(SECRET_KEY);
      await Promise.all(all.map((db) => requireSameKey(db, keys)));
      const policy = { allow: parseAllowList(''), loopback: false };
      const tokens = authenticator(keys.tokens, async () => undefined);
      const demos = await Promise.all(
        all.map((db) => createDemo(db, { keys, policy, authenticator: tokens })),
      );
      expect(demos.filter((demo) => demo !== undefined)).toHaveLength(1);
    }
  });
});

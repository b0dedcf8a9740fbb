import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keysFrom } from '../../src/base/crypto.ts';
import { keepSecrets } from '../../src/base/secrets.ts';
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensurePartitions } from '../../src/db/partitions.ts';
import { authenticator } from '../../src/http/authenticate.ts';
import { createDemo, requireSameKey } from '../../src/installation.ts';
import { MIGRATIONS } from '../kit/postgres.ts';
import { type OwnDatabase, startDatabase } from './database.ts';
import { processPool, SECRET_KEY } from './processes.ts';

/** Whole processes rarely meet within a millisecond; here the steps of a first start are taken by many at one instant. */
const AT_ONCE = 12;
const ROUNDS = 5;

const shop = processPool();
let database: OwnDatabase;
const open: Database[] = [];
beforeAll(async () => {
  database = await startDatabase(shop);
});
afterAll(async () => {
  await Promise.all(open.map((db) => db.close()));
  await shop.end();
});

const many = <T>(work: (number: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: AT_ONCE }, (_, number) => work(number)));

async function connections(name: string): Promise<Database[]> {
  const connectionString = await database.another(name);
  await migrate({ connectionString }, MIGRATIONS);
  const made = await many(async () => {
    const db = openDatabase({
      connection: { connectionString },
      applicationName: 'first start',
      poolSize: 1,
      readers: 0,
    });
    await db.ping();
    return db;
  });
  open.push(...made);
  return made;
}

describe('a first start that many processes make at the same instant', () => {
  it('finds the same secrets for all of them', async () => {
    for (let round = 0; round < ROUNDS * 4; round += 1) {
      const folder = await shop.folder();
      const kept = await many(() => keepSecrets(folder, { secretKey: undefined, adminToken: undefined }));
      expect(new Set(kept.map((secrets) => JSON.stringify(secrets))).size).toBe(1);
      expect(await readdir(folder)).toEqual(['secrets.json']);
    }
  });

  it('makes each partition once', async () => {
    const all = await connections('partitions');
    await Promise.all(all.map((db) => ensurePartitions(db, new Date())));
  });

  it('takes the same key for the same, and makes one demo tenant', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const all = await connections(`first_${round}`);
      const keys = keysFrom(SECRET_KEY);
      await Promise.all(all.map((db) => requireSameKey(db, keys)));
      const tokens = authenticator(keys.tokens, async () => undefined);
      const demos = await Promise.all(all.map((db) => createDemo(db, { keys, authenticator: tokens })));
      expect(demos.filter((demo) => demo !== undefined)).toHaveLength(1);
    }
  });
});

import { describe, expect, it } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { systemStatement } from '../../src/db/statement.ts';
import { noHooks, type TenantHooks, type WakeTarget } from '../../src/db/tenant.ts';
import { useDatabase } from '../kit/database.ts';
import { freshDatabase } from '../kit/server.ts';

const connectionString = await freshDatabase();
const setUp = useDatabase(connectionString);
await setUp.query('create table things (id int primary key, note text)', []);

const insert = systemStatement<[id: number], { id: number }>(
  'test.insert',
  'insert into things (id) values ($1) returning id',
);
const readAll = systemStatement<[], { id: number }>('test.read', 'select id from things order by id');
const divide = systemStatement<[], { id: number }>(
  'test.divide',
  'select 1 / count(*) from things where id < 0',
);

const queue: WakeTarget = { name: 'things', shardOf: () => 0 };
const tenantId = newId();

/** A database whose commits are followed by a statement. */
function followed(statement: typeof readAll, options: { poolSize?: number; follows?: () => boolean } = {}) {
  const answers: number[][] = [];
  const failures: unknown[] = [];
  const wakes: string[] = [];
  const hooks: TenantHooks = {
    ...noHooks,
    wake: (...[, orderingKey]) => void wakes.push(orderingKey),
    follow: () =>
      options.follows?.() === false
        ? undefined
        : {
            statement,
            parameters: [],
            answered: (rows) => void answers.push((rows as { id: number }[]).map(({ id }) => id)),
            failed: (error) => void failures.push(error),
          },
  };
  const db = useDatabase(connectionString, { poolSize: options.poolSize ?? 4 }, hooks);
  return { db, answers, failures, wakes };
}

describe('what follows a commit', () => {
  it('sees what was committed, and replaces the wake-up', async () => {
    const { db, answers, wakes } = followed(readAll);
    await db.systemTransaction(async (tx) => {
      await tx.run(insert, [1]);
      tx.forTenant(tenantId).wake(queue, 'a');
      tx.forTenant(tenantId).wake(queue, 'a');
    });
    await expect.poll(() => answers).toEqual([[1]]);
    expect(await db.storeAndWake(insert, [2], [[queue, 'a', tenantId]])).toEqual([{ id: 2 }]);
    await expect.poll(() => answers).toEqual([[1], [1, 2]]);
    expect(wakes).toEqual([]);
  });

  it('is a wake-up after the commit if nobody reads, or too many would', async () => {
    const { db, answers, wakes } = followed(readAll, { follows: () => false });
    await db.systemTransaction(async (tx) => {
      tx.forTenant(tenantId).wake(queue, 'a');
      expect(wakes).toEqual([]);
    });
    await db.storeAndWake(insert, [3], [[queue, 'b', tenantId]]);
    expect([wakes, answers]).toEqual([['a', 'b'], []]);

    const many = followed(readAll);
    const keys = Array.from({ length: 9 }, (_, number) => `key ${number}`);
    await many.db.systemTransaction(async (tx) => {
      for (const key of keys) tx.forTenant(tenantId).wake(queue, key);
    });
    await expect.poll(() => many.answers.length).toBe(4);
    expect(many.wakes).toEqual(keys.slice(4));
  });

  it('is not sent after a rollback', async () => {
    const { db, answers, wakes } = followed(readAll);
    const failing = db.systemTransaction(async (tx) => {
      tx.forTenant(tenantId).wake(queue, 'a');
      await tx.run(insert, [4]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([answers, wakes]).toEqual([[], []]);
  });

  it('reports its failure, and the transaction is committed all the same', async () => {
    // One connection: it must be usable afterwards.
    const { db, failures } = followed(divide, { poolSize: 1 });
    for (const id of [5, 6])
      await db.systemTransaction(async (tx) => {
        await tx.run(insert, [id]);
        tx.forTenant(tenantId).wake(queue, 'a');
      });
    await db.storeAndWake(insert, [7], [[queue, 'a', tenantId]]);
    await expect.poll(() => failures.length).toBe(3);
    expect(failures[0]).toMatchObject({ message: expect.stringContaining('division by zero') });
    expect((await setUp.all(readAll, [])).map(({ id }) => id)).toEqual(expect.arrayContaining([5, 6, 7]));
  });

  it('reports a broken connection', async () => {
    const sleep = systemStatement<[], { id: number }>('test.sleep', 'select 1 as id from pg_sleep(60)');
    const { db, failures } = followed(sleep, { poolSize: 1 });
    let pid: unknown;
    await db.systemTransaction(async (tx) => {
      pid = (await tx.query('select pg_backend_pid() as pid', [])).rows[0]?.pid;
      tx.forTenant(tenantId).wake(queue, 'a');
    });
    await setUp.query('select pg_terminate_backend($1)', [pid]);
    await expect.poll(() => failures.length).toBe(1);
    // The broken connection was replaced.
    expect((await db.query('select 1 as one', [])).rows).toEqual([{ one: 1 }]);
  });
});

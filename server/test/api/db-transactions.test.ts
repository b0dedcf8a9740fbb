import { describe, expect, it } from 'vitest';
import { ApiError } from '../../src/base/errors.ts';
import { systemStatement } from '../../src/db/statement.ts';
import type { SystemTx } from '../../src/db/transaction.ts';
import { useDatabase } from '../kit/database.ts';
import { freshDatabase } from '../kit/server.ts';

const POOL = 8;
const connectionString = await freshDatabase();
// PostgreSQL looks for deadlocks early, so that the tests need not wait for it.
const settings = { deadlock_timeout: '50ms' };
const db = useDatabase(connectionString, { poolSize: POOL, readers: 2, settings });
await db.query('create table things (id int primary key, note text)', []);
await db.query('insert into things select n, $1 from generate_series(1, 10) n', ['old']);

const read = systemStatement<[id: number], { id: number; note: string }>(
  'test.things_read',
  'select id, note from things where id = $1',
);
const write = systemStatement<[id: number, note: string]>(
  'test.things_write',
  'update things set note = $2 where id = $1',
);
const insert = systemStatement<[id: number, note: string]>(
  'test.things_insert',
  'insert into things (id, note) values ($1, $2)',
);
const noteOf = async (id: number): Promise<string | undefined> => (await db.find(read, [id]))?.note;
const kill = (tx: SystemTx): Promise<unknown> =>
  tx
    .query('select pg_backend_pid() as pid', [])
    .then(({ rows: [row] }) => db.query('select pg_terminate_backend($1)', [row?.pid]));
const isOutOfReach = (error: unknown): boolean =>
  error instanceof ApiError && error.key === 'service_unavailable';

describe('a transaction', () => {
  it('keeps everything or nothing, and its effects run only after the commit', async () => {
    const effects: string[] = [];
    await expect(
      db.systemTransaction(async (tx) => {
        tx.afterCommit(() => effects.push('never'));
        await tx.run(write, [1, 'half']);
        throw new ApiError('conflict');
      }),
    ).rejects.toMatchObject({ key: 'conflict' });
    expect(await noteOf(1)).toBe('old');
    await db.systemTransaction(async (tx) => {
      tx.afterCommit(() => effects.push('committed'));
      await tx.run(write, [1, 'new']);
      expect(effects).toEqual([]);
    });
    expect(effects).toEqual(['committed']);
    expect(await noteOf(1)).toBe('new');
  });

  it('fails as a whole when a statement of it failed and nobody minded', async () => {
    const effects: string[] = [];
    const swallowing = db.systemTransaction(async (tx) => {
      tx.afterCommit(() => effects.push('never'));
      await tx.run(write, [2, 'lost']);
      await tx.query('select 1 / 0', []).catch(() => {});
    });
    await expect(swallowing).rejects.toThrow('rolled back');
    expect(await noteOf(2)).toBe('old');
    expect(effects).toEqual([]);
  });

  it('does what nobody waits for before what comes next, and fails as a whole when that fails', async () => {
    await db.systemTransaction(async (tx) => {
      tx.enqueue(write, [10, 'first']);
      expect((await tx.find(read, [10]))?.note).toBe('first');
      tx.enqueue(write, [10, 'last']);
    });
    expect(await noteOf(10)).toBe('last');
    const effects: string[] = [];
    const failing = db.systemTransaction(async (tx) => {
      tx.afterCommit(() => effects.push('never'));
      await tx.run(write, [10, 'lost']);
      tx.enqueue(write, [9, 'lost']);
      tx.enqueue(insert, [10, 'double']);
      tx.enqueue(write, [8, 'lost']);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await Promise.all([8, 9, 10].map(noteOf))).toEqual(['old', 'old', 'last']);
    expect(effects).toEqual([]);
  });

  it('says which write failed, and not that nothing could follow it', async () => {
    const failing = db.systemTransaction(async (tx) => {
      tx.enqueue(insert, [10, 'double']);
      await tx.find(read, [10]);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
  });

  it('says so as well of what was sent with it and fails only because of it, whichever is known first', async () => {
    const failing = db.systemTransaction(async (tx) => {
      const insertDouble = async () => {
        await tx.run(insert, [10, 'double']);
      };
      const insertLater = async () => {
        await insertDouble();
      };
      await Promise.all([insertLater(), tx.find(read, [10]), tx.find(read, [9])]);
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
  });

  it('refuses a statement that comes after its end', async () => {
    let late: Promise<unknown> | undefined;
    const failing = db.systemTransaction(async (tx) => {
      const slow = tx.query('select pg_sleep(0.02)', []).then(() => {
        late = tx.run(write, [3, 'late']);
        late.catch(() => {});
      });
      slow.catch(() => {});
      await Promise.all([slow, Promise.reject(new ApiError('conflict'))]);
    });
    await expect(failing).rejects.toMatchObject({ key: 'conflict' });
    await expect(late).rejects.toThrow('has ended');
    expect(await noteOf(3)).toBe('old');
  });

  it('is repeated when PostgreSQL broke a deadlock', async () => {
    let runs = 0;
    let arrived = 0;
    let bothHere = () => {};
    const both = new Promise<void>((resolve) => {
      bothHere = resolve;
    });
    const cross = (first: number, second: number) =>
      db.systemTransaction(async (tx) => {
        runs += 1;
        await tx.run(write, [first, 'crossed']);
        arrived += 1;
        if (arrived === 2) bothHere();
        await both;
        await tx.run(write, [second, 'crossed']);
      });
    await Promise.all([cross(4, 5), cross(5, 4)]);
    expect(runs).toBeGreaterThan(2);
    expect(await noteOf(4)).toBe('crossed');
  });

  it('is not needed for a single statement to be repeated after a deadlock', async () => {
    const both = systemStatement<[note: string]>(
      'test.things_both',
      `with first as (update things set note = $1 where id = 9 returning id)
       update things set note = $1 where id = 10 and exists (select 1 from first)`,
    );
    let single: Promise<number> | undefined;
    await db.systemTransaction(async (tx) => {
      // The other one notices first, and is the one that has to give way.
      await tx.query(`set local deadlock_timeout = '10s'`, []);
      await tx.run(write, [10, 'transaction']);
      single = db.run(both, ['single']);
      single.catch(() => {});
      await expect
        .poll(
          async () =>
            (
              await db.query(
                `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%first%'`,
                [],
              )
            ).rows.length,
          // Sooner than it looks for a deadlock, which is not there yet.
          { interval: 5 },
        )
        .toBe(1);
      await tx.run(write, [9, 'transaction']);
    });
    expect(await single).toBe(1);
    expect([await noteOf(9), await noteOf(10)]).toEqual(['single', 'single']);
  });

  it('says that it took too long, and leaves a connection behind that works', async () => {
    const slow = db.systemTransaction(async (tx) => {
      await tx.query(`set local statement_timeout = '30ms'`, []);
      await tx.query('select pg_sleep(1)', []);
    });
    await expect(slow).rejects.toSatisfy(isOutOfReach);
    await expect(db.ping()).resolves.toBeUndefined();
  });
});

describe('a connection that breaks', () => {
  it('inside a transaction: out of reach, nothing stored, the next one works', async () => {
    const broken = db.systemTransaction(async (tx) => {
      await tx.run(write, [6, 'lost']);
      await kill(tx);
      await tx.run(write, [6, 'lost too']);
    });
    await expect(broken).rejects.toSatisfy(isOutOfReach);
    expect(await noteOf(6)).toBe('old');
  });

  it('inside a transaction that then gives up by itself', async () => {
    const broken = db.systemTransaction(async (tx) => {
      await kill(tx);
      throw new ApiError('conflict');
    });
    await expect(broken).rejects.toBeInstanceOf(ApiError);
    await db.ping();
  });

  it('with many statements in flight: each is refused, none is left without an answer', async () => {
    const broken = db.systemTransaction(async (tx) => {
      const sleeping = Promise.allSettled(
        Array.from({ length: 5 }, () => tx.query('select pg_sleep(5)', [])),
      );
      const sleepers = `from pg_stat_activity
          where datname = current_database() and state = 'active' and query like $1 and pid <> pg_backend_pid()`;
      const like = ['%pg_sleep(5)%'];
      await expect
        .poll(async () => (await db.query(`select pid ${sleepers}`, like)).rows.length, { interval: 5 })
        .toBe(1);
      const { rows } = await db.query(`select pg_terminate_backend(pid) ${sleepers}`, like);
      expect(rows.length).toBeGreaterThan(0);
      expect((await sleeping).every((end) => end.status === 'rejected')).toBe(true);
    });
    await expect(broken).rejects.toSatisfy(isOutOfReach);
    await db.ping();
  });

  it('while nobody uses it: nobody notices', async () => {
    await Promise.all(Array.from({ length: POOL }, () => db.query('select pg_sleep(0.02)', [])));
    await Promise.all(Array.from({ length: 4 }, () => db.byKey.find(read, [7])));
    const other = useDatabase(connectionString);
    await other.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`,
      [],
    );
    // The pool may not know of the loss yet; a query that is quicker gets an error that asks for a retry.
    const calls = Array.from({ length: 20 }, (_, at) =>
      at % 2 ? db.find(read, [7]) : db.byKey.find(read, [7]),
    );
    for (const end of await Promise.allSettled(calls))
      if (end.status === 'rejected') expect(end.reason).toSatisfy(isOutOfReach);
    for (let call = 0; call < 20; call += 1) {
      expect(await db.find(read, [7])).toMatchObject({ note: 'old' });
      expect(await db.byKey.find(read, [7])).toMatchObject({ note: 'old' });
    }
  });
});

describe('a schema that changes under prepared statements', () => {
  it('is noticed by every connection and by nobody who asks', async () => {
    // Every connection of the pool and every reader has the statement prepared.
    await Promise.all(
      Array.from({ length: POOL }, () =>
        db.systemTransaction(async (tx) => {
          await tx.find(read, [8]);
          await tx.query('select pg_sleep(0.05)', []);
        }),
      ),
    );
    await Promise.all(Array.from({ length: 4 }, () => db.byKey.find(read, [8])));
    const other = useDatabase(connectionString);
    await other.query('alter table things alter column id type bigint', []);
    expect(await db.find(read, [8])).toEqual({ id: 8, note: 'old' });
    expect(await db.systemTransaction((tx) => tx.find(read, [8]))).toEqual({ id: 8, note: 'old' });
    const reads = await Promise.all(Array.from({ length: 8 }, () => db.byKey.find(read, [8])));
    expect(reads).toEqual(Array(8).fill({ id: 8, note: 'old' }));
  });
});

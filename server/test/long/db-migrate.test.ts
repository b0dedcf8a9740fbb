import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { OperatorError } from '../../src/base/errors.ts';
import { migrate, requireSupported } from '../../src/db/migrate.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { createDatabase, MIGRATIONS } from '../kit/postgres.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

let count = 0;
const emptyDatabase = (): Promise<string> =>
  createDatabase(inject('postgres'), `${inject('template')}_empty_${process.pid}_${++count}`);
const folder = await useTempFolder();

async function namesIn(connectionString: string): Promise<string[]> {
  const client = await usePgClient(connectionString);
  const { rows } = await client.query('select name from migrations order by name');
  return rows.map((row) => row.name);
}

describe('migrating', () => {
  it('applies each migration once when ten processes start at once', async () => {
    const connectionString = await emptyDatabase();
    const applied = await Promise.all(
      Array.from({ length: 10 }, () => migrate({ connectionString }, MIGRATIONS)),
    );
    const names = await namesIn(connectionString);
    expect(names.length).toBeGreaterThan(0);
    expect(applied.flat().toSorted()).toEqual(names);
    expect(await migrate({ connectionString }, MIGRATIONS)).toEqual([]);
  });

  it('rolls back a migration that fails, and continues with it at the next start', async () => {
    const connectionString = await emptyDatabase();
    const own = join(folder, 'failing');
    await cp(MIGRATIONS, own, { recursive: true });
    const bad = join(own, '9000_bad.sql');
    await writeFile(bad, 'create table half (id int); select 1 / 0;');
    await expect(migrate({ connectionString }, own)).rejects.toThrow('division by zero');
    expect(await namesIn(connectionString)).not.toContain('9000_bad.sql');
    await writeFile(bad, 'create table half (id int);');
    expect(await migrate({ connectionString }, own)).toEqual(['9000_bad.sql']);
  });

  it('I9, X21: waits in short turns for a table that is in use, so that nobody waits behind it for long', async () => {
    const connectionString = await emptyDatabase();
    await migrate({ connectionString }, MIGRATIONS);
    const own = join(folder, 'waiting');
    await cp(MIGRATIONS, own, { recursive: true });
    await writeFile(join(own, '9000_waits.sql'), 'alter table labels add column nothing text;');
    const reader = await usePgClient(connectionString);
    const other = await usePgClient(connectionString);
    await reader.query('begin');
    await reader.query('select 1 from labels');
    const migrating = migrate({ connectionString }, own);
    const waits: number[] = [];
    for (let reads = 0; reads < 30; reads += 1) {
      const since = performance.now();
      await other.query('select 1 from labels');
      waits.push(performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // Behind an ALTER without a limit, a read would wait for as long as the first reader stays.
    expect(Math.max(...waits)).toBeLessThan(3_000);
    await reader.query('commit');
    expect(await migrating).toEqual(['9000_waits.sql']);
  });

  it('I9: waits in short turns also outside of a transaction', async () => {
    const connectionString = await emptyDatabase();
    await migrate({ connectionString }, MIGRATIONS);
    const own = join(folder, 'waiting-outside');
    await cp(MIGRATIONS, own, { recursive: true });
    await writeFile(
      join(own, '9000_waits.sql'),
      `-- outside of a transaction
alter table labels add column if not exists nothing text;
create index concurrently if not exists labels_by_nothing on labels (nothing);
`,
    );
    const [reader, other] = [await usePgClient(connectionString), await usePgClient(connectionString)];
    await reader.query('begin');
    await reader.query('select 1 from labels');
    const migrating = migrate({ connectionString }, own);
    await expect
      .poll(
        async () =>
          (
            await other.query(
              `select 1 from pg_stat_activity
                where datname = current_database() and wait_event_type = 'Lock' and query like 'alter table labels%'`,
            )
          ).rowCount,
        { timeout: 30_000 },
      )
      .toBe(1);
    // Behind an ALTER without a limit, this would wait for as long as the first reader stays.
    await other.query('select 1 from labels');
    await reader.query('commit');
    expect(await migrating).toEqual(['9000_waits.sql']);
  });

  it('I9: builds an index outside of a transaction while others write, and again after it was interrupted', async () => {
    const connectionString = await emptyDatabase();
    await migrate({ connectionString }, MIGRATIONS);
    const own = join(folder, 'concurrent');
    await cp(MIGRATIONS, own, { recursive: true });
    await writeFile(
      join(own, '9000_index.sql'),
      `-- outside of a transaction
-- Two statements.
create index concurrently if not exists labels_by_color on labels (color);
create index concurrently if not exists labels_by_name_again on labels (name);
`,
    );
    const client = await usePgClient(connectionString);
    // What an interrupted attempt leaves.
    await client.query('create index labels_by_color on labels (color)');
    await client.query(
      `update pg_index set indisvalid = false where indexrelid = 'labels_by_color'::regclass`,
    );
    // It waits for transactions that are open; meanwhile the table can be written.
    const writer = await usePgClient(connectionString);
    await writer.query('begin');
    await writer.query(`delete from labels where name = 'none'`);
    const migrating = migrate({ connectionString }, own);
    await expect
      .poll(
        async () =>
          (await client.query(`select 1 from pg_locks where locktype = 'virtualxid' and not granted`))
            .rowCount,
      )
      .toBe(1);
    await client.query(`delete from labels where name = 'none'`);
    await writer.query('commit');
    expect(await migrating).toEqual(['9000_index.sql']);
    const { rows } = await client.query(
      `select indisvalid from pg_index where indexrelid in ('labels_by_color'::regclass, 'labels_by_name_again'::regclass)`,
    );
    expect(rows).toEqual([{ indisvalid: true }, { indisvalid: true }]);
  });

  it('refuses a database that a newer version has changed', async () => {
    const connectionString = await emptyDatabase();
    const newer = join(folder, 'newer');
    await cp(MIGRATIONS, newer, { recursive: true });
    await writeFile(join(newer, '9999_from_the_future.sql'), 'select 1;');
    await migrate({ connectionString }, newer);
    const refused = migrate({ connectionString }, MIGRATIONS);
    await expect(refused).rejects.toBeInstanceOf(OperatorError);
    await expect(refused).rejects.toThrow(
      'The database was changed by a newer Parley (it has the migration 9999_from_the_future.sql, which this version does not know). Start that version, or restore a backup made before it.',
    );
  });

  it('names an extension that is not installed', async () => {
    const own = join(folder, 'extension');
    await cp(MIGRATIONS, own, { recursive: true });
    await writeFile(join(own, '9000_extension.sql'), 'create extension if not exists nothing_of_the_kind;');
    const refused = migrate({ connectionString: await emptyDatabase() }, own);
    await expect(refused).rejects.toThrow(OperatorError);
    await expect(refused).rejects.toThrow(/"nothing_of_the_kind".*contrib package/);
  });

  it('refuses a server older than PostgreSQL 15', () => {
    expect(() => requireSupported(140_012)).toThrow(
      'The database server is PostgreSQL 14; Parley needs 15 or newer. Point DATABASE_URL at a newer server.',
    );
    expect(() => requireSupported(90_624)).toThrow(OperatorError);
    for (const version of [150_000, 180_004]) expect(() => requireSupported(version)).not.toThrow();
  });

  it('reports an unreachable server and a missing database, without the password', async () => {
    const unreachable = migrate(
      { connectionString: 'postgres://someone:secret@127.0.0.1:1/nothing' },
      MIGRATIONS,
    );
    await expect(unreachable).rejects.toThrow(
      /^The database cannot be reached \(.+\)\. Check DATABASE_URL and that PostgreSQL is running\.$/,
    );
    await expect(unreachable).rejects.not.toThrow('secret');
    const url = new URL(inject('postgres'));
    url.pathname = '/no_such_database';
    await expect(migrate({ connectionString: url.href }, MIGRATIONS)).rejects.toThrow(
      /^The database refused the connection \(.+\)\. Check user, password and database name in DATABASE_URL\.$/,
    );
  });
});

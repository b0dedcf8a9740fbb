import { appendFile, cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { readSchema, type Schema } from '../../scripts/read-schema.ts';
import { OperatorError } from '../../src/base/errors.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensurePartitions } from '../../src/db/partitions.ts';
import { useDatabase } from '../kit/database.ts';
import { usePgClient } from '../kit/pg-client.ts';
import { createDatabase, MIGRATIONS } from '../kit/postgres.ts';
import { useTempFolder } from '../kit/temp-folder.ts';

const BASELINE = '0001_baseline.sql';
const SCHEMA_0022 = fileURLToPath(new URL('../kit/schema-0022.sql', import.meta.url));
/** The snapshot has the partitions of this week. */
const WEEK_OF_SNAPSHOT = new Date('2026-11-18T00:00:00Z');

const folder = await useTempFolder();

let count = 0;
const emptyDatabase = (): Promise<string> =>
  createDatabase(inject('postgres'), `${inject('template')}_takeover_${process.pid}_${++count}`);

async function withClient<T>(connectionString: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  return use(await usePgClient(connectionString));
}

/** A database as Parley 3.0.0-alpha.1 left it. */
async function databaseAt0022(): Promise<string> {
  const url = await emptyDatabase();
  const text = await readFile(SCHEMA_0022, 'utf8');
  await withClient(url, (client) => client.query(text));
  return url;
}

/** A database that this version made. */
async function newDatabase(): Promise<string> {
  const url = await emptyDatabase();
  await migrate({ connectionString: url }, MIGRATIONS);
  return url;
}

async function addPartitions(connectionString: string): Promise<void> {
  await ensurePartitions(useDatabase(connectionString), WEEK_OF_SNAPSHOT);
}

/** The order of columns is the one difference that a takeover leaves: PostgreSQL cannot change it. */
const withSortedColumns = (schema: Schema): Schema => ({
  ...schema,
  tables: schema.tables.map((table) => ({
    ...table,
    columns: table.columns.toSorted((one, other) => (one.name < other.name ? -1 : 1)),
  })),
  views: schema.views.map(({ name, definition }) => ({
    name,
    definition: definition
      .split(/[\s,;]+/)
      .toSorted()
      .join(' '),
  })),
});

const schemaOf = async (url: string): Promise<Schema> => withSortedColumns(await withClient(url, readSchema));

const namesIn = (url: string): Promise<string[]> =>
  withClient(url, async (client) =>
    (await client.query('select name from migrations order by name')).rows.map((row) => row.name),
  );

/** How many columns each table has. Later migrations add columns behind them. */
const widthsIn = (url: string): Promise<Map<string, number>> =>
  withClient(
    url,
    async (client) =>
      new Map((await readSchema(client)).tables.map(({ name, columns }) => [name, columns.length])),
  );

/**
 * Every row as text, by table, without columns behind the given number. A partition is a table, so this also says where a
 * row is stored.
 */
const rowsIn = (url: string, widths: ReadonlyMap<string, number>): Promise<Map<string, string[]>> =>
  withClient(url, async (client) => {
    const rows = new Map<string, string[]>();
    for (const { name, columns } of (await readSchema(client)).tables) {
      const shown = columns.slice(0, widths.get(name)).map((column) => `t.${column.name}`);
      const found = await client.query(
        `select row(${shown.join(', ')})::text as row from only ${name} t order by 1`,
      );
      rows.set(
        name,
        found.rows.map(({ row }) => row),
      );
    }
    const position = await client.query('select last_value, is_called from event_positions');
    return rows.set('event_positions', [JSON.stringify(position.rows)]);
  });

describe('a database at migration 0022', () => {
  it('ends with the same schema as a new database', async () => {
    const [old, made] = [await databaseAt0022(), await newDatabase()];
    expect(await schemaOf(old)).not.toEqual(await schemaOf(made));
    expect(await migrate({ connectionString: old }, MIGRATIONS)).toContain(BASELINE);
    await addPartitions(old);
    await addPartitions(made);
    const schema = await schemaOf(old);
    expect(schema.tables.map(({ name }) => name)).toContain('events_20261116');
    expect(schema).toEqual(await schemaOf(made));
    expect(await namesIn(old)).toEqual(await namesIn(made));
  });

  it('keeps every row', async () => {
    const url = await databaseAt0022();
    const widths = await widthsIn(url);
    const before = await rowsIn(url, widths);
    const PARTITIONED = ['events', 'deliveries', 'attempts'];
    for (const [table, rows] of before) expect(rows.length > 0, table).toBe(!PARTITIONED.includes(table));
    await migrate({ connectionString: url }, MIGRATIONS);
    const after = await rowsIn(url, widths);
    expect(after.get('shards')).toEqual(before.get('slots'));
    for (const rows of [before, after])
      for (const table of ['slots', 'shards', 'migrations']) rows.delete(table);
    // The automation that is active is in force since its version was saved.
    expect(after.get('automation_activations')).toHaveLength(1);
    after.delete('automation_activations');
    // Reports count everything once, and know when chats were opened and closed.
    expect(after.get('report_marks')).toHaveLength(2 * (before.get('tenants') as string[]).length);
    expect(after.get('chat_changes')?.length).toBeGreaterThanOrEqual(
      (before.get('chats') as string[]).length,
    );
    for (const table of ['report_marks', 'chat_changes']) after.delete(table);
    // All other tables that were added since then are empty.
    for (const [table, rows] of after) if (!before.has(table) && rows.length === 0) after.delete(table);
    expect(after).toEqual(before);
  });

  it('has the shards that a new database has', async () => {
    const [old, made] = [await databaseAt0022(), await newDatabase()];
    await migrate({ connectionString: old }, MIGRATIONS);
    const shards = (url: string): Promise<unknown[]> =>
      withClient(url, async (client) => (await client.query('select shard from shards order by 1')).rows);
    expect(await shards(old)).toEqual(await shards(made));
  });

  it('is taken over once when ten processes start at once', async () => {
    const connectionString = await databaseAt0022();
    const applied = await Promise.all(
      Array.from({ length: 10 }, () => migrate({ connectionString }, MIGRATIONS)),
    );
    expect(applied.flat().toSorted()).toEqual(await namesIn(connectionString));
  });

  it('is left unchanged by a takeover that fails, and gets later migrations after one that succeeds', async () => {
    const connectionString = await databaseAt0022();
    const [schema, names] = [await schemaOf(connectionString), await namesIn(connectionString)];
    const failing = join(folder, 'failing');
    await cp(MIGRATIONS, failing, { recursive: true });
    await appendFile(join(failing, 'takeover', '0022.sql'), '\nselect 1 / 0;\n');
    await expect(migrate({ connectionString }, failing)).rejects.toThrow('division by zero');
    expect(await schemaOf(connectionString)).toEqual(schema);
    expect(await namesIn(connectionString)).toEqual(names);

    const later = join(folder, 'later');
    await cp(MIGRATIONS, later, { recursive: true });
    await writeFile(join(later, '9000_later.sql'), 'alter table shards add column note text;');
    expect((await migrate({ connectionString }, later)).at(-1)).toBe('9000_later.sql');
    expect(await migrate({ connectionString }, later)).toEqual([]);
  });
});

describe('a database that has only some of the migrations before the baseline', () => {
  it('is refused unchanged, with the version to start first', async () => {
    const connectionString = await databaseAt0022();
    await withClient(connectionString, (client) =>
      client.query(`delete from migrations where name > '0016'`),
    );
    const schema = await schemaOf(connectionString);
    const refused = migrate({ connectionString }, MIGRATIONS);
    await expect(refused).rejects.toBeInstanceOf(OperatorError);
    await expect(refused).rejects.toThrow(
      'The database was last used by a Parley older than 3.0.0-alpha.1 (its last migration is 0015_templates.sql). Start Parley 3.0.0-alpha.1 on it once, then this version.',
    );
    expect(await schemaOf(connectionString)).toEqual(schema);
  });
});

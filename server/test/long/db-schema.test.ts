import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { readSchema, type Schema, schemaSql } from '../../scripts/read-schema.ts';
import { migrate } from '../../src/db/migrate.ts';
import { createDatabase, MIGRATIONS } from '../kit/postgres.ts';

const name = `${inject('template')}_schema_${process.pid}`;
const [emptyUrl, migratedUrl] = [
  await createDatabase(inject('postgres'), `${name}_empty`),
  await createDatabase(inject('postgres'), `${name}_migrated`),
];
await migrate({ connectionString: migratedUrl }, MIGRATIONS);

/** The schema after a change, which is then rolled back. */
async function schemaAfter(url: string, change: string): Promise<Schema> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`begin; ${change}`);
    return await readSchema(client);
  } finally {
    await client.end();
  }
}
const migrated = await schemaAfter(migratedUrl, '');

it('I10: each view has all columns of its table', async () => {
  const client = new pg.Client({ connectionString: migratedUrl });
  await client.connect();
  const { rows } = await client.query(
    `select c.relname as name, array_agg(a.attname::text order by a.attname) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') group by c.relname`,
  );
  await client.end();
  const columnsOf = new Map(rows.map((row) => [row.name as string, row.columns as string[]]));
  expect(migrated.views.length).toBeGreaterThan(10);
  for (const { name } of migrated.views)
    expect([name, columnsOf.get(name)]).toEqual([name, columnsOf.get(name.replace('visible_', ''))]);
});

describe('schema.sql', () => {
  it('is what the migrations make, on every supported version of PostgreSQL', async () => {
    const committed = await readFile(join(MIGRATIONS, 'schema.sql'), 'utf8');
    expect(committed.slice(committed.indexOf('\n\n') + 2)).toBe(schemaSql(migrated));
  });

  it('makes the same schema in an empty database, so nothing is missing in it', async () => {
    expect(await schemaAfter(emptyUrl, schemaSql(migrated))).toEqual(migrated);
  });

  it.each([
    ['a default', `alter table chats alter column unread_count set default 1`],
    ['a required column', `alter table chats alter column open_until set not null`],
    ['a column type', `alter table webhook_events alter column number type bigint`],
    ['a storage parameter', `alter table chats set (autovacuum_analyze_threshold = 7)`],
    ['a statistics target', `alter table chats alter column read_at set statistics 0`],
    ['a persistence', `alter table rate_windows set logged`],
    ['a check', `alter table chats drop constraint chats_status_check`],
    ['an index of a partition', `create index extra on events_default (type)`],
    [
      'an index condition',
      `drop index chats_due; create index chats_due on chats (shard, channel_id, due_at, id)`,
    ],
    ['a view', 'create or replace view visible_tenants as select * from tenants'],
    ['a sequence', `alter sequence event_positions cache 5`],
    ['a trigger', `drop trigger list_removed_files on files`],
    [
      'a function',
      `create or replace function list_removed_files() returns trigger language plpgsql as 'begin return null; end'`,
    ],
    [
      'a foreign key',
      `alter table media_fetches drop constraint media_fetches_message_id_tenant_id_fkey,
         add foreign key (message_id, tenant_id) references messages (id, tenant_id)`,
    ],
  ])('shows %s that is changed', async (_what, change) => {
    expect(schemaSql(await schemaAfter(migratedUrl, change))).not.toBe(schemaSql(migrated));
  });

  it.each([
    ['a materialized view', 'create materialized view v as select 1', 'relation v'],
    ['an enum', `create type mood as enum ('good')`, 'type mood'],
    ['an identity column', 'create table t (id int generated always as identity)', 'identity column t.id'],
    [
      'an exclusion',
      'create table t (during tsrange, exclude using gist (during with &&))',
      'constraint t_during_excl',
    ],
  ])('is refused for %s, which it cannot describe', async (_what, change, object) => {
    await expect(schemaAfter(emptyUrl, change)).rejects.toThrow(object);
  });
});

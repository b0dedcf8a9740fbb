import type pg from 'pg';

/** A schema as the catalog has it. Everything is sorted by name, except columns, which keep their order. */
export interface Schema {
  extensions: string[];
  /** The parameters of `CREATE SEQUENCE`, without its name, by name. */
  sequences: Named[];
  /** `CREATE FUNCTION`, by signature. */
  functions: Named[];
  tables: Table[];
  /** The query of each view. A view uses tables only. */
  views: Named[];
}

interface Named {
  name: string;
  definition: string;
}

export interface Table {
  name: string;
  isUnlogged: boolean;
  /** Storage parameters, such as `autovacuum_analyze_threshold=10000`. */
  options: string[];
  /** `RANGE (id)`, for a partitioned table. */
  partitionKey: string | null;
  /** Of which table this is a partition, and its bounds. */
  parent: string | null;
  bounds: string | null;
  columns: Column[];
  constraints: Constraint[];
  indexes: Index[];
  triggers: Named[];
}

interface Column {
  name: string;
  type: string;
  collation: string | null;
  isRequired: boolean;
  default: string | null;
  isGenerated: boolean;
  /** How finely ANALYZE looks at it, where that is not the default. */
  statistics: number | null;
  /** How large values are stored, where that is not the default of the type. */
  storage: string | null;
}

interface Constraint extends Named {
  kind: 'primary key' | 'unique' | 'check' | 'foreign key' | 'not null';
  /** A partition has it because its parent has it. */
  isInherited: boolean;
}

interface Index extends Named {
  isInherited: boolean;
  /** As they were named when the index was made. New partitions name their indexes after them. */
  columns: string[];
}

/** Objects that belong to an extension are installed by it and are no part of the schema. */
const NOT_OF_EXTENSION = (catalog: string, oid: string): string =>
  `not exists (select 1 from pg_depend d
    where d.classid = '${catalog}'::regclass and d.objid = ${oid} and d.deptype = 'e')`;

/** What `Schema` cannot express. A schema that has it is refused, so that nothing is left out silently. */
const UNSUPPORTED = `
  select 'relation ' || c.relname as object from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind not in ('r', 'p', 'i', 'I', 'S', 't', 'v')
     and ${NOT_OF_EXTENSION('pg_class', 'c.oid')}
   union all
  select 'type ' || t.typname from pg_type t
   where t.typnamespace = current_schema()::regnamespace and t.typtype in ('d', 'e', 'r', 'm')
     and ${NOT_OF_EXTENSION('pg_type', 't.oid')}
   union all
  select 'policy ' || polname from pg_policy
   union all
  select 'statistics ' || stxname from pg_statistic_ext
   union all
  select 'inheritance of ' || c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
   where c.relkind in ('r', 'p') and not c.relispartition
   union all
  select 'identity column ' || c.relname || '.' || a.attname from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relnamespace = current_schema()::regnamespace and a.attidentity <> ''
   union all
  select 'constraint ' || n.conname from pg_constraint n
   where n.connamespace = current_schema()::regnamespace and n.contype not in ('p', 'u', 'c', 'f', 'n')`;

const EXTENSIONS = `select extname as name from pg_extension where extname <> 'plpgsql' order by extname collate "C"`;

const SEQUENCES = `
  select c.relname as name, format('AS %s INCREMENT %s MINVALUE %s MAXVALUE %s START %s CACHE %s %s',
           format_type(s.seqtypid, null), s.seqincrement, s.seqmin, s.seqmax, s.seqstart, s.seqcache,
           case when s.seqcycle then 'CYCLE' else 'NO CYCLE' end) as definition
    from pg_sequence s join pg_class c on c.oid = s.seqrelid
   where c.relnamespace = current_schema()::regnamespace
   order by c.relname collate "C"`;

const FUNCTIONS = `
  select p.oid::regprocedure::text as name,
         replace(pg_get_functiondef(p.oid), format('FUNCTION %I.', current_schema()), 'FUNCTION ') as definition
    from pg_proc p
   where p.pronamespace = current_schema()::regnamespace and ${NOT_OF_EXTENSION('pg_proc', 'p.oid')}
   order by p.oid::regprocedure::text collate "C"`;

const TABLES = `
  select c.oid, c.relname as name, c.relpersistence = 'u' as "isUnlogged",
         coalesce((select array_agg(o order by o collate "C") from unnest(c.reloptions) o), '{}') as options,
         pg_get_partkeydef(c.oid) as "partitionKey",
         (select p.relname from pg_inherits i join pg_class p on p.oid = i.inhparent where i.inhrelid = c.oid) as parent,
         pg_get_expr(c.relpartbound, c.oid, true) as bounds
    from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
   order by c.relname collate "C"`;

const COLUMNS = `
  select a.attrelid as table, a.attname as name, 
         replace(format_type(a.atttypid, a.atttypmod), 'timestamp with time zone', 'timestamptz') as type,
         (select quote_ident(l.collname) from pg_collation l join pg_type t on t.oid = a.atttypid
           where l.oid = a.attcollation and a.attcollation <> t.typcollation) as collation,
         a.attnotnull as "isRequired", pg_get_expr(d.adbin, d.adrelid, true) as default,
         a.attgenerated = 's' as "isGenerated", nullif(a.attstattarget, -1) as statistics,
         case when a.attstorage <> t.typstorage then
           case a.attstorage when 'p' then 'PLAIN' when 'e' then 'EXTERNAL' when 'm' then 'MAIN' when 'x' then 'EXTENDED' end
         end as storage
    from pg_attribute a join pg_type t on t.oid = a.atttypid
    left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
   where a.attnum > 0 and not a.attisdropped
   order by a.attrelid, a.attnum`;

const CONSTRAINTS = `
  select n.conrelid as table, n.conname as name, pg_get_constraintdef(n.oid, true) as definition,
         case n.contype when 'p' then 'primary key' when 'u' then 'unique' when 'c' then 'check'
                        when 'f' then 'foreign key' when 'n' then 'not null' end as kind,
         n.conparentid <> 0 or n.coninhcount > 0 as "isInherited"
    from pg_constraint n
   where n.connamespace = current_schema()::regnamespace and n.conrelid <> 0
   order by n.conname collate "C"`;

/** Those of a constraint are left out: they come with it. */
const INDEXES = `
  select i.indrelid as table, c.relname as name, pg_get_indexdef(i.indexrelid, 0, true) as definition,
         exists (select 1 from pg_inherits p where p.inhrelid = i.indexrelid) as "isInherited",
         array(select a.attname::text from pg_attribute a where a.attrelid = i.indexrelid order by a.attnum) as columns
    from pg_index i join pg_class c on c.oid = i.indexrelid
   where c.relnamespace = current_schema()::regnamespace
     and not exists (select 1 from pg_constraint n where n.conindid = i.indexrelid and n.contype in ('p', 'u', 'x'))
   order by c.relname collate "C"`;

const VIEWS = `
  select c.relname as name, pg_get_viewdef(c.oid, true) as definition from pg_class c
   where c.relnamespace = current_schema()::regnamespace and c.relkind = 'v' and ${NOT_OF_EXTENSION('pg_class', 'c.oid')}
   order by c.relname collate "C"`;

const TRIGGERS = `
  select t.tgrelid as table, t.tgname as name, pg_get_triggerdef(t.oid, true) as definition
    from pg_trigger t where not t.tgisinternal
   order by t.tgname collate "C"`;

export async function readSchema(client: pg.Client): Promise<Schema> {
  const read = async <R>(text: string): Promise<R[]> => (await client.query(text)).rows;
  const unsupported = await read<{ object: string }>(UNSUPPORTED);
  if (unsupported.length > 0)
    throw new Error(
      `scripts/read-schema.ts cannot describe: ${unsupported.map(({ object }) => object).join(', ')}`,
    );
  const tables = await read<Table & { oid: number }>(TABLES);
  const byTable = async <R extends object>(text: string): Promise<(oid: number) => R[]> => {
    const rows = await read<R & { table: number }>(text);
    return (oid) => rows.filter((row) => row.table === oid).map(({ table, ...row }) => row as unknown as R);
  };
  const columnsOf = await byTable<Column>(COLUMNS);
  const constraintsOf = await byTable<Constraint>(CONSTRAINTS);
  const indexesOf = await byTable<Index>(INDEXES);
  const triggersOf = await byTable<Named>(TRIGGERS);
  return {
    extensions: (await read<{ name: string }>(EXTENSIONS)).map(({ name }) => name),
    sequences: await read(SEQUENCES),
    functions: await read(FUNCTIONS),
    tables: tables.map(({ oid, ...table }) => ({
      ...table,
      columns: columnsOf(oid),
      constraints: constraintsOf(oid),
      indexes: indexesOf(oid),
      triggers: triggersOf(oid),
    })),
    views: await read(VIEWS),
  };
}

/**
 * The statements that make such a schema in an empty database, in PostgreSQL's own spelling. Foreign keys come last,
 * because tables refer to each other in circles. The text is the same whichever version of PostgreSQL was read.
 */
export function schemaSql({ extensions, sequences, functions, tables, views }: Schema): string {
  const parts = [
    extensions.map((name) => `CREATE EXTENSION ${name};`).join('\n'),
    ...sequences.map(({ name, definition }) => `CREATE SEQUENCE ${name} ${definition};`),
    // A function may use tables that are made later: it is checked when it is first called.
    ...functions.map(({ definition }) => `${definition.trim()};`),
    ...tables
      .filter(({ parent }) => parent === null)
      .map((table) =>
        [table, ...tables.filter(({ parent }) => parent === table.name)].map(tableSql).join('\n'),
      ),
    tables.flatMap(foreignKeysSql).join('\n'),
    ...views.map(({ name, definition }) => `CREATE VIEW ${name} AS\n${definition.trim()}`),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function tableSql(table: Table): string {
  const { name, isUnlogged, options, partitionKey, parent, bounds, columns, constraints } = table;
  const create = `CREATE ${isUnlogged ? 'UNLOGGED ' : ''}TABLE ${name}`;
  const inside = [
    ...columns.map(columnSql),
    ...constraints
      .filter(({ kind }) => kind !== 'foreign key' && kind !== 'not null')
      .map((constraint) => `CONSTRAINT ${constraint.name} ${constraint.definition}`),
  ];
  const body = parent === null ? ` (\n  ${inside.join(',\n  ')}\n)` : ` PARTITION OF ${parent} ${bounds}`;
  const storage = options.length === 0 ? '' : `\nWITH (${options.join(', ')})`;
  return [
    `${create}${body}${partitionKey === null ? '' : ` PARTITION BY ${partitionKey}`}${storage};`,
    ...columns.flatMap((column) => {
      const change = `ALTER TABLE ${name} ALTER COLUMN ${column.name} SET`;
      return [
        ...(column.storage === null ? [] : [`${change} STORAGE ${column.storage};`]),
        ...(column.statistics === null ? [] : [`${change} STATISTICS ${column.statistics};`]),
      ];
    }),
    ...table.indexes.filter(({ isInherited }) => !isInherited).map((index) => `${indexSql(index)};`),
    ...table.triggers.map(({ definition }) => `${definition};`),
  ].join('\n');
}

function columnSql({ name, type, collation, isRequired, default: value, isGenerated }: Column): string {
  return [
    `${name} ${type}`,
    collation === null ? '' : ` COLLATE ${collation}`,
    value === null ? '' : isGenerated ? ` GENERATED ALWAYS AS (${value}) STORED` : ` DEFAULT ${value}`,
    isRequired ? ' NOT NULL' : '',
  ].join('');
}

/** `ONLY` and `btree` are said of every index of their kind, and an index made `ONLY` would not reach the partitions. */
const indexSql = ({ definition }: Index): string =>
  definition.replace(' ON ONLY ', ' ON ').replace(' USING btree ', ' ');

const foreignKeysSql = ({ name, constraints }: Table): string[] =>
  constraints
    .filter(({ kind, isInherited }) => kind === 'foreign key' && !isInherited)
    .map((key) => `ALTER TABLE ${name} ADD CONSTRAINT ${key.name} ${key.definition};`);

// One writer per table: checks every insert, update and delete in src against scripts/writers.ts. With --list, it prints
// what each table is written by.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import { findWrites, type Write } from './find-writes.ts';
import { DYNAMIC, exceptions, writers } from './writers.ts';

const SRC = resolve('src');
const schema = readFileSync(resolve('migrations/schema.sql'), 'utf8');
/** Every table of the schema, and for a partition the table that it is a part of. */
const tables = new Map(
  [...schema.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)(?: PARTITION OF (\w+))?/gm)].map(
    ([, name, parent]) => [name as string, parent ?? (name as string)],
  ),
);

interface FoundWrite extends Write {
  file: string;
}

const found: FoundWrite[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .sort()
  .flatMap((path) => {
    const file = path.split(sep).join('/');
    return findWrites(file, readFileSync(join(SRC, path), 'utf8')).map((write) => ({
      ...write,
      file,
      table: tables.get(write.table) ?? write.table,
    }));
  })
  // What is no table is prose, such as "delete from the list".
  .filter(({ table }) => tables.has(table) || table === DYNAMIC);

const isOwn = ({ file, table }: FoundWrite): boolean => {
  const owner = writers[table];
  return owner !== undefined && (file === owner || file.startsWith(`${owner}/`));
};
const exceptionFor = ({ file, table }: FoundWrite) =>
  exceptions.find((exception) => exception.file === file && exception.table === table);

const problems = [
  ...[...new Set(tables.values())]
    .filter((table) => !(table in writers))
    .map((table) => `${table} has no writer in scripts/writers.ts`),
  ...Object.keys(writers)
    .filter((table) => !tables.has(table))
    .map((table) => `scripts/writers.ts names ${table}, which is no table`),
  ...found
    .filter((write) => !isOwn(write) && exceptionFor(write) === undefined)
    .map(({ file, line, kind, table }) => {
      const owner = writers[table];
      return `src/${file}:${line}: ${kind} ${table}${owner === undefined ? '' : `, which only ${owner} may write`}`;
    }),
  ...exceptions
    .filter((exception) => !found.some((write) => !isOwn(write) && exceptionFor(write) === exception))
    .map(({ file, table }) => `scripts/writers.ts has an exception that is not needed: ${file} ${table}`),
];

if (process.argv.includes('--list'))
  for (const table of [...Object.keys(writers), DYNAMIC]) {
    const writes = found.filter((write) => write.table === table);
    const places = [
      ...new Set(writes.map((write) => (isOwn(write) ? write.file : `${write.file} (exception)`))),
    ];
    console.log(`${table}: ${places.join(', ')}`);
  }
for (const problem of problems) console.error(problem);
console.log(
  `${Object.keys(writers).length} tables, ${found.length} writes, ${exceptions.length} exceptions, ${problems.length} problems`,
);
// Finding nothing means that the patterns no longer fit the code.
if (found.length < 50 || problems.length > 0) process.exitCode = 1;

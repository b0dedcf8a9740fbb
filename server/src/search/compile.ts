import { isUuid } from '../base/ids.ts';
import type { Bind, Field, FieldType, Literal, Searchable } from './fields.ts';
import { orderedSqlOf, requireField, sqlOf } from './fields.ts';
import type { Comparison, Filter, Sort } from './grammar.ts';
import { compileAfter, compileKey, compileOrder, type Key } from './keyset.ts';

/** Adds values to a statement's parameters; nothing that a client wrote gets into the statement's text. */
export const bindTo =
  (params: unknown[]): Bind =>
  (value) =>
    `$${params.push(value)}`;

/**
 * The SQL condition of a filter; its values are pushed to `params`. The condition may come out as NULL where the
 * filter is false, which `where`, `and` and `or` take alike; `not` is written as `is not true` and `ne` as
 * `is distinct from`, so that the filter as a whole has the two truth values that the evaluator gives it. Wrapping
 * every comparison in `coalesce` would say the same and keep the indexes from being used.
 */
export function compileFilter(filter: Filter, searchable: Searchable, params: unknown[]): string {
  return compile(filter, searchable, bindTo(params));
}

function compile(filter: Filter, searchable: Searchable, bind: Bind): string {
  switch (filter.op) {
    case 'and':
    case 'or':
      return `(${filter.of.map((one) => compile(one, searchable, bind)).join(` ${filter.op} `)})`;
    case 'not':
      return `((${compile(filter.of, searchable, bind)}) is not true)`;
    case 'isNull':
      return `(${sqlOf(requireField(searchable, filter.field), bind)} is null)`;
    case 'in':
      return compileIn(requireField(searchable, filter.field), filter.values, bind);
    case 'contains':
    case 'startsWith':
      return compileMatch(filter.op, requireField(searchable, filter.field), filter.value, bind);
    default:
      return compileComparison(filter.op, requireField(searchable, filter.field), filter.value, bind);
  }
}

const SQL_OPERATOR: Record<Exclude<Comparison, 'ne'>, string> = {
  eq: '=',
  gt: '>',
  ge: '>=',
  lt: '<',
  le: '<=',
};

function compileComparison(op: Comparison, field: Field, value: Literal, bind: Bind): string {
  if (isUnknownId(field.type, value)) return op === 'ne' ? 'true' : 'false';
  const right = `${bind(value)}::${sqlType(field.type, [value])}`;
  if (op === 'ne') return `(${sqlOf(field, bind)} is distinct from ${right})`;
  // Equality is the same under every collation, and an index of any of them serves it.
  const left = op === 'eq' ? sqlOf(field, bind) : orderedSqlOf(field, bind);
  return `(${left} ${SQL_OPERATOR[op]} ${right})`;
}

function compileIn(field: Field, values: readonly (Literal | null)[], bind: Bind): string {
  const known = values.filter((value) => value !== null && !isUnknownId(field.type, value)) as Literal[];
  const choices: string[] = [];
  if (known.length > 0) {
    choices.push(`${sqlOf(field, bind)} = any(${bind(known)}::${sqlType(field.type, known)}[])`);
  }
  if (values.includes(null)) choices.push(`${sqlOf(field, bind)} is null`);
  return choices.length === 0 ? 'false' : `(${choices.join(' or ')})`;
}

function compileMatch(op: 'contains' | 'startsWith', field: Field, value: string, bind: Bind): string {
  if (field.type !== 'list') return compileLike(sqlOf(field, bind), op, value, bind);
  const items = field.items ?? 'uuid';
  if (isUnknownId(items, value)) return 'false';
  const element = `${bind(value)}::${sqlType(items, [value])}`;
  if (field.member !== undefined) return `(${field.member(element, bind)})`;
  return `(${sqlOf(field, bind)} @> array[${element}])`;
}

/** `ilike` is `lower() like lower()` in PostgreSQL, and a trigram index on the bare column serves it. */
function compileLike(sql: string, op: 'contains' | 'startsWith', value: string, bind: Bind): string {
  const pattern = `${value.replace(/[\\%_]/g, '\\$&')}%`;
  return `(${sql} ilike ${bind(op === 'contains' ? `%${pattern}` : pattern)}::text)`;
}

/** A text that is no UUID equals no id; casting it would be an error. */
const isUnknownId = (type: FieldType, value: Literal): boolean => type === 'uuid' && !isUuid(String(value));

function sqlType(type: FieldType, values: readonly Literal[]): string {
  switch (type) {
    case 'string':
    case 'enum':
      return 'text';
    case 'time':
      return 'timestamptz';
    case 'number':
      // A numeric parameter would turn an integer column into numeric, and then no index serves.
      return values.every((value) => Number.isSafeInteger(value)) ? 'bigint' : 'numeric';
    case 'uuid':
    case 'boolean':
      return type;
    case 'list':
    case 'any':
      throw new Error(`A field of the type ${type} cannot be compared in SQL.`);
  }
}

export interface SearchPieces {
  filter: Filter | undefined;
  search: string | undefined;
  sort: Sort;
  page: number;
  limit: number;
  /** The place to go on from: the key of the last row that was seen. */
  after: Key | undefined;
}

export interface CompiledSearch {
  /** What decides whether a row belongs to the result, or undefined when every row does. */
  where: string | undefined;
  /** How many parameters there are up to the end of `where`: a count of the total takes these and no others. */
  whereParams: number;
  /** What decides whether it comes after the cursor: not part of `where`, since the total does not depend on it. */
  after: string | undefined;
  orderBy: string;
  limit: number;
  offset: number;
  /** The row's place in the order, as a text[]: what a cursor is made of. */
  key: string;
}

/** The parts of the statement of a search. */
export function compileSearch(
  pieces: SearchPieces,
  searchable: Searchable,
  params: unknown[],
): CompiledSearch {
  const bind = bindTo(params);
  const conditions: string[] = [];
  if (pieces.filter !== undefined) conditions.push(compile(pieces.filter, searchable, bind));
  if (pieces.search !== undefined) conditions.push(compileNames(pieces.search, searchable, bind));
  const whereParams = params.length;
  return {
    where: conditions.length === 0 ? undefined : conditions.join(' and '),
    whereParams,
    after: pieces.after === undefined ? undefined : compileAfter(pieces.sort, pieces.after, searchable, bind),
    orderBy: compileOrder(pieces.sort, searchable, bind),
    limit: pieces.limit,
    offset: pieces.after === undefined ? pieces.page * pieces.limit : 0,
    key: compileKey(pieces.sort, searchable, bind),
  };
}

function compileNames(search: string, searchable: Searchable, bind: Bind): string {
  const choices = searchable.names.map((sql) => compileLike(`(${sql})`, 'contains', search, bind));
  const id = search.trim();
  if (isUuid(id)) choices.push(`(${searchable.id}) = ${bind(id)}::uuid`);
  return choices.length === 0 ? 'false' : `(${choices.join(' or ')})`;
}

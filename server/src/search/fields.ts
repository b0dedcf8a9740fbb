import { isUuid } from '../base/ids.ts';
import { nearest } from './text.ts';

/**
 * `list` is an array of ids or strings, asked with `contains(labelIds,"…")`. `any` is a value whose type is not
 * known before it is there (what an `http_request` step brought back): the evaluator takes it, SQL does not.
 */
export type FieldType = 'string' | 'uuid' | 'number' | 'boolean' | 'time' | 'enum' | 'list' | 'any';

export type Literal = string | number | boolean;

/** Adds a value to the statement's parameters and gives the `$n` that stands for it. */
export type Bind = (value: unknown) => string;

export interface Field {
  type: FieldType;
  /**
   * A trusted SQL expression over the resource's aliases, such as `c.created_at`; as a function where a part of it
   * comes from outside and must be a parameter, such as the name of an attribute.
   */
  sql: string | ((bind: Bind) => string);
  /** Must be true where the expression can be NULL: a cursor relies on it. */
  nullable?: boolean;
  /** True unless said otherwise, and never for `list` and `any`. A cursor holds the value: not for long texts. */
  sortable?: boolean;
  /** The values of an `enum`. */
  values?: readonly string[];
  /** The elements of a `list`: `uuid` unless said otherwise. */
  items?: 'uuid' | 'string';
  /**
   * Where the values are kept in a table of their own, so that an index on them can find the rows that have them. `sql`
   * is then a query of the row's value (of a `list`: the array of its elements).
   */
  aside?: Aside;
  /** A text in which every value of the field is found, whatever the case, and whose trigrams have an index. */
  within?: string;
}

/** A table beside the resource's own, with a row for each value (of a `list`: for each element). */
export interface Aside {
  /** The table under an alias, such as `item_values v`. */
  from: string;
  /** The expression of the id of the resource's row that the value belongs to, such as `v.item_id`. */
  of: string;
  /** Which of its rows are values of this field, where not all are. */
  where?: (bind: Bind) => string;
  /** The expression of the value. */
  column: string;
  /** Where the value is stored as text although the field is of another type. */
  isText?: true;
  /** Rows with the same value of a list, and all rows of any other field, belong to one tenant. */
  isOfTenant?: true;
  /** What is true of all rows whose value is a text, where an index finds texts by their parts: its own condition. */
  parts?: string;
  /** Long texts do not fit into an index, so that it is on a column with their first characters, in the order of code points. */
  head?: { column: string; characters: number };
}

export type FieldTable = Record<string, Field>;

/** What a resource can be searched by: one table a resource, from which everything else follows. */
export interface Searchable {
  fields: FieldTable;
  /** A family of fields whose names are not known in advance, such as `attributes.<externalId>`. */
  dynamic?: (name: string) => Field | undefined;
  /** What `search` matches: SQL expressions of which it may be a part, whatever the case of the letters. */
  names: readonly string[];
  /** The SQL expression of the id: `search` matches it exactly, and it breaks ties. Also the field `id`. */
  id: string;
}

export function findField(searchable: Searchable, name: string): Field | undefined {
  // `fields.constructor` is there without anyone having written it.
  if (Object.hasOwn(searchable.fields, name)) return searchable.fields[name];
  if (name === 'id') return { type: 'uuid', sql: searchable.id };
  return searchable.dynamic?.(name);
}

/** The field of a name that was found while parsing. That it is missing now is a fault of ours. */
export function requireField(searchable: Searchable, name: string): Field {
  const field = findField(searchable, name);
  if (field === undefined)
    throw new Error(`The expression was parsed for other fields: there is no "${name}".`);
  return field;
}

export function nearestField(searchable: Searchable, name: string): string | undefined {
  return nearest(name, new Set([...Object.keys(searchable.fields), 'id']));
}

export const isSortable = (field: Field): boolean =>
  field.type !== 'list' && field.type !== 'any' && field.sortable !== false;

/** The field's expression, in parentheses, since an operator of ours follows it. */
export const sqlOf = (field: Field, bind: Bind): string =>
  `(${typeof field.sql === 'string' ? field.sql : field.sql(bind)})`;

/** The same where it is compared or sorted by: text in the order of its code points, as the evaluator has it. */
export function orderedSqlOf(field: Field, bind: Bind): string {
  const isText = field.type === 'string' || field.type === 'enum';
  return isText ? `(${sqlOf(field, bind)} collate "C")` : sqlOf(field, bind);
}

export const comparisons = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
export const leafOperators = [...comparisons, 'in', 'contains', 'startsWith', 'isNull'] as const;
export type LeafOperator = (typeof leafOperators)[number];

const EQUALITY: readonly LeafOperator[] = ['eq', 'ne', 'in', 'isNull'];
const ORDERED: readonly LeafOperator[] = [...comparisons, 'in', 'isNull'];

/** Which questions make sense for a type. An order of booleans or states would be an accident of spelling. */
export const operatorsOf: Record<FieldType, readonly LeafOperator[]> = {
  string: leafOperators,
  uuid: ORDERED,
  number: ORDERED,
  boolean: EQUALITY,
  time: ORDERED,
  enum: EQUALITY,
  list: ['contains', 'in'],
  any: leafOperators,
};

/**
 * The value as the field's type has it, or undefined where it is of another type. A text that is no UUID is let
 * through for a `uuid`: it is an id that nothing has, which is an answer and no mistake.
 */
export function literalFor(field: Field, given: Literal): Literal | undefined {
  switch (field.type) {
    case 'any':
      return given;
    case 'number':
    case 'boolean':
      return typeof given === field.type ? given : undefined;
    case 'string':
      return typeof given === 'string' ? given : undefined;
    case 'uuid':
      return typeof given === 'string' ? normalId(given) : undefined;
    case 'list':
      if (typeof given !== 'string') return undefined;
      return field.items === 'string' ? given : normalId(given);
    case 'enum':
      if (typeof given !== 'string') return undefined;
      return field.values === undefined || field.values.includes(given) ? given : undefined;
    case 'time':
      return typeof given === 'string' ? parseTime(given)?.toISOString() : undefined;
  }
}

const normalId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

/** What a value of the field has to be, in words that fit after "Expected". */
export function expectationOf(field: Field): string {
  switch (field.type) {
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    case 'time':
      return 'an ISO 8601 time in quotes, such as "2026-11-15T01:02:03Z",';
    case 'enum':
      return field.values === undefined
        ? 'text in quotes'
        : `one of ${field.values.map((value) => `"${value}"`).join(', ')}`;
    default:
      return 'text in quotes';
  }
}

const TIME =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;
const FIRST_TIME = Date.parse('0001-01-01T00:00:00Z');
const LAST_TIME = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * The moment that an ISO 8601 text names, or undefined. A date alone is its midnight, and a time without an offset
 * is in UTC: never in the server's own zone. Parley writes times in milliseconds, so what is finer is cut off.
 */
export function parseTime(text: string): Date | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  // The 30th of February rolls over to March instead of failing.
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  local.setUTCHours(hour, minute, second, Number((match[7] ?? '').padEnd(3, '0').slice(0, 3)));

  const offset = offsetMinutes(match[8]);
  if (offset === undefined) return undefined;
  const time = local.getTime() - offset * 60_000;
  // PostgreSQL and toISOString part ways outside of the years that have four digits.
  return time >= FIRST_TIME && time <= LAST_TIME ? new Date(time) : undefined;
}

function offsetMinutes(text: string | undefined): number | undefined {
  if (text === undefined || text.toUpperCase() === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

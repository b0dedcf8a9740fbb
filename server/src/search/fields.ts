import { isUuid } from '../base/ids.ts';
import { findNearest } from '../base/nearest.ts';

/**
 * `list` is an array of ids or strings, filtered with `contains(labelIds,"…")`. `any` is a value whose type is only known
 * at run time, such as the response of an `http_request` step: the evaluator supports it, SQL does not.
 */
export type FieldType = 'string' | 'uuid' | 'number' | 'boolean' | 'time' | 'enum' | 'list' | 'any';

export type Literal = string | number | boolean;

/** Adds a value to the statement's parameters and returns its placeholder `$n`. */
export type Bind = (value: unknown) => string;

export interface Field {
  type: FieldType;
  /**
   * A trusted SQL expression over the resource's aliases, such as `c.created_at`. A function if a part of it comes from
   * outside and must be a parameter, such as the name of an attribute.
   */
  sql: string | ((bind: Bind) => string);
  /** Must be true if the expression can be NULL: a cursor relies on it. */
  nullable?: boolean;
  /** Set if the text can be longer than a cursor may be: rows are then sorted by its beginning. */
  isLong?: true;
  /** Whether a `string` is stored without spaces around it, and so is what it is compared with. */
  isTrimmed?: boolean;
  /** The values of an `enum`. */
  values?: readonly string[];
  /** The type of the elements of a `list`; `uuid` by default. */
  items?: 'uuid' | 'string';
  /**
   * The table of the field's values, if they have one of their own whose index can find the rows. `sql` is then a query
   * of the row's value (of a `list`: of the array of its elements).
   */
  valueTable?: ValueTable;
  /** A text with a trigram index that contains every value of the field; case may differ. */
  trigramText?: string;
}

/** A table beside the resource's own, with one row per value (of a `list`: per element). */
export interface ValueTable {
  /** The table with an alias, such as `item_values v`. */
  from: string;
  /** The id of the resource's row that has the value, such as `v.item_id`. */
  resourceId: string;
  /** Selects the rows of this field, if the table has values of several fields. */
  where?: (bind: Bind) => string;
  /** The expression of the value. */
  column: string;
  /** Set if the value is stored as text although the field has another type. */
  isStoredAsText?: true;
  /** Set if all rows of one field (of a `list`: all rows with the same element) belong to one tenant. */
  isSingleTenant?: true;
  /** The predicate of the partial trigram index on the column. It must be true of every text value. */
  trigramIndexPredicate?: string;
  /**
   * A column with the first characters of the value, in the order of code points. The index is on this column, because
   * long texts do not fit into an index.
   */
  prefix?: { column: string; characters: number };
}

export type FieldTable = Record<string, Field>;

/** The fields of a resource, from which filters, sort orders and SQL are derived. */
export interface Searchable {
  fields: FieldTable;
  /** Finds fields whose names are not known in advance, such as `attributes.<externalId>`. */
  dynamic?: (name: string) => Field | undefined;
  /** Finds the filter of a segment by its id in lower case. Left out where the grammar has no `segment("…")`. */
  segmentFilter?: (id: string) => string | undefined;
  /** The SQL expressions in which `search` looks for a substring, ignoring case. */
  names: readonly string[];
  /** Set if `names` contain phone numbers such as +15550001111: `search` also finds them written in another way. */
  hasPhoneNumbers?: true;
  /** The SQL expression of the id: `search` compares it for equality, and it breaks ties. Also the field `id`. */
  id: string;
}

export function findField(searchable: Searchable, name: string): Field | undefined {
  // `fields.constructor` exists on every object.
  if (Object.hasOwn(searchable.fields, name)) return searchable.fields[name];
  if (name === 'id') return { type: 'uuid', sql: searchable.id };
  return searchable.dynamic?.(name);
}

/** The field of a parsed expression. Throws if the expression was parsed for another resource, which is a bug. */
export function requireField(searchable: Searchable, name: string): Field {
  const field = findField(searchable, name);
  if (field === undefined)
    throw new Error(`The expression was parsed for other fields: "${name}" is unknown.`);
  return field;
}

export function findNearestField(searchable: Searchable, name: string): string | undefined {
  return findNearest(name, new Set([...Object.keys(searchable.fields), 'id']));
}

export const isSortable = ({ type }: Field): boolean => type !== 'list' && type !== 'any';

/** A cursor contains the values by which rows are sorted. */
const SORTED_CHARACTERS = 200;

/** The field as rows are sorted by it. */
export function requireSortField(searchable: Searchable, name: string): Field {
  const field = requireField(searchable, name);
  const { sql, isLong } = field;
  if (!isLong) return field;
  return {
    ...field,
    sql: (bind) => `left(${typeof sql === 'string' ? sql : sql(bind)}, ${SORTED_CHARACTERS})`,
  };
}

const comparisons = ['eq', 'ne', 'gt', 'ge', 'lt', 'le'] as const;
export type Comparison = (typeof comparisons)[number];
/** Operators that look for a text in a text, ignoring case. */
export const textOperators = ['contains', 'startsWith', 'hasWord'] as const;
export type TextOperator = (typeof textOperators)[number];
export const isTextOperator = (op: string): op is TextOperator => textOperators.includes(op as TextOperator);
export const leafOperators = [...comparisons, 'in', ...textOperators, 'isNull'] as const;
export type LeafOperator = (typeof leafOperators)[number];

const EQUALITY: readonly LeafOperator[] = ['eq', 'ne', 'in', 'isNull'];
const ORDERED: readonly LeafOperator[] = [...comparisons, 'in', 'isNull'];

/** Booleans and enums have no `gt` or `lt`: their order would depend on spelling. */
export const operatorsByType: Record<FieldType, readonly LeafOperator[]> = {
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
 * The value in the field's type, or undefined if it has another type. A text that is not a UUID is accepted for a `uuid`
 * field: it matches nothing, which is not an error.
 */
export function toFieldLiteral(field: Field, given: Literal): Literal | undefined {
  switch (field.type) {
    case 'any':
      return given;
    case 'number':
    case 'boolean':
      return typeof given === field.type ? given : undefined;
    case 'string':
      if (typeof given !== 'string') return undefined;
      return field.isTrimmed ? given.trim() : given;
    case 'uuid':
      return typeof given === 'string' ? normalizeId(given) : undefined;
    case 'list':
      if (typeof given !== 'string') return undefined;
      return field.items === 'string' ? given : normalizeId(given);
    case 'enum':
      if (typeof given !== 'string') return undefined;
      return field.values === undefined || field.values.includes(given) ? given : undefined;
    case 'time':
      return typeof given === 'string' ? parseTime(given)?.toISOString() : undefined;
  }
}

const normalizeId = (text: string): string => (isUuid(text) ? text.toLowerCase() : text);

/** Describes a valid value of the field, in words that fit after "Expected". */
export function describeExpectedValue(field: Field): string {
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
 * Parses an ISO 8601 text; undefined if it is not valid. A date without a time is midnight, and a time without an offset
 * is in UTC, never in the server's time zone. Parley stores milliseconds, so further digits are cut off.
 */
export function parseTime(text: string): Date | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  // setUTCFullYear turns the 30th of February into a day in March instead of failing.
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  local.setUTCHours(hour, minute, second, Number((match[7] ?? '').padEnd(3, '0').slice(0, 3)));

  const offset = toOffsetMinutes(match[8]);
  if (offset === undefined) return undefined;
  const time = local.getTime() - offset * 60_000;
  // PostgreSQL and toISOString write years without four digits differently.
  return time >= FIRST_TIME && time <= LAST_TIME ? new Date(time) : undefined;
}

function toOffsetMinutes(text: string | undefined): number | undefined {
  if (text === undefined || text.toUpperCase() === 'Z') return 0;
  const hours = Number(text.slice(1, 3));
  const minutes = Number(text.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return undefined;
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

import { isUuid } from '../../base/ids.ts';
import {
  type Bind,
  type Field,
  type FieldType,
  parseTime,
  requireSortField,
  type Searchable,
} from '../fields.ts';
import type { Sort, SortKey } from '../grammar/sort.ts';
import { findUnstorable } from '../text.ts';
import { compileField, compileOrderedField } from './field.ts';

/**
 * A row's position in an order: its values of the sort fields, the id last, each in PostgreSQL's text form. Text keeps
 * what JavaScript would lose: digits of a bigint or numeric, and the microseconds of a timestamptz (Parley writes
 * milliseconds, but a `now()` in a migration writes microseconds).
 */
export type Key = readonly (string | null)[];

/** The column of a page's statement that has the row's key. */
export const KEY_COLUMN = '$key';

/** The expression of a row's key, as a text[]. */
export function compileKey(sort: Sort, searchable: Searchable, bind: Bind): string {
  const values = sort.map((key) => {
    const sql = compileField(requireSortField(searchable, key.field), bind);
    if (key.type !== 'time') return `${sql}::text`;
    // A cast to text would depend on the session's DateStyle and time zone.
    return `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  });
  return `array[${values.join(', ')}]::text[]`;
}

/** A time in PostgreSQL's JSON, `2026-11-15T01:02:03.45+00:00`, as a key has it. */
export function keyTime(json: string): string {
  const fraction = json.charCodeAt(19) === 46 ? json.slice(20, json.indexOf('+', 20)) : '';
  return `${json.slice(0, 19)}.${fraction.padEnd(6, '0')}Z`;
}

/** The condition that a row comes after the key in the order. */
export function compileAfter(sort: Sort, after: Key, searchable: Searchable, bind: Bind): string {
  const values = toKeyValues(sort, after, searchable);
  const direction = values[0]?.key.direction;
  const canCompareRows = values.every(
    ({ key, field, value }) => key.direction === direction && field.nullable !== true && value !== null,
  );
  return direction !== undefined && canCompareRows
    ? compareRows(values, direction === 'asc' ? '>' : '<', bind)
    : compileAfterValues(values, bind);
}

/** The condition that a row does not come after the key. The order must have one direction and no nullable field. */
export function compileUpTo(sort: Sort, last: Key, searchable: Searchable, bind: Bind): string {
  return compareRows(toKeyValues(sort, last, searchable), sort[0]?.direction === 'asc' ? '<=' : '>=', bind);
}

/** An index on the same columns answers a comparison of rows in one descent. */
function compareRows(values: readonly KeyValue[], operator: string, bind: Bind): string {
  const left = values.map(({ field }) => compileOrderedField(field, bind)).join(', ');
  const right = values.map((value) => bindKeyValue(value, bind)).join(', ');
  return `((${left}) ${operator} (${right}))`;
}

interface KeyValue {
  key: SortKey;
  field: Field;
  value: string | null;
}

const toKeyValues = (sort: Sort, key: Key, searchable: Searchable): KeyValue[] =>
  sort.map((sortKey, index) => ({
    key: sortKey,
    field: requireSortField(searchable, sortKey.field),
    value: key[index] ?? null,
  }));

/** After in the first field, or equal in it and after in the others. */
function compileAfterValues(values: readonly KeyValue[], bind: Bind): string {
  const [first, ...rest] = values;
  // Ids are unique: a row that is equal in all fields is the row of the key itself.
  if (first === undefined) return 'false';
  const sql = compileOrderedField(first.field, bind);
  const isAscending = first.key.direction === 'asc';
  if (first.value === null) {
    const equal = `(${sql} is null and ${compileAfterValues(rest, bind)})`;
    return isAscending ? equal : `(${sql} is not null or ${equal})`;
  }
  const value = bindKeyValue(first, bind);
  const isAfter = `${sql} ${isAscending ? '>' : '<'} ${value}`;
  const orIsNull = isAscending && first.field.nullable === true ? ` or ${sql} is null` : '';
  if (rest.length === 0) return `(${isAfter}${orIsNull})`;
  return `(${isAfter}${orIsNull} or (${sql} = ${value} and ${compileAfterValues(rest, bind)}))`;
}

function bindKeyValue({ key, value }: KeyValue, bind: Bind): string {
  return `${bind(value)}::${getKeyType(key.type, value ?? '')}`;
}

const INTEGER = /^-?\d{1,18}$/;
const DECIMAL = /^-?\d{1,200}(?:\.\d{1,200})?$/;
const EXPONENTIAL = /^-?\d(?:\.\d{1,20})?e[+-]\d{1,3}$/;
const KEY_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

function getKeyType(type: FieldType, value: string): string {
  switch (type) {
    case 'number':
      // As in a filter: an index on integers serves a bigint only.
      return INTEGER.test(value) ? 'bigint' : 'numeric';
    case 'time':
      return 'timestamptz';
    case 'uuid':
    case 'boolean':
      return type;
    default:
      return 'text';
  }
}

/** Whether a value from outside can be one that `compileKey` returned. PostgreSQL could not cast others. */
export function isKeyValue(type: FieldType, value: unknown): value is string | null {
  if (value === null) return true;
  if (typeof value !== 'string') return false;
  switch (type) {
    case 'uuid':
      return isUuid(value);
    case 'boolean':
      return value === 'true' || value === 'false';
    case 'time':
      return KEY_TIME.test(value) && parseTime(value) !== undefined;
    case 'number':
      if (INTEGER.test(value) || DECIMAL.test(value)) return true;
      return EXPONENTIAL.test(value) && Number.isFinite(Number(value)) && Number(value) !== 0;
    default:
      return findUnstorable(value) < 0;
  }
}

import { isUuid } from '../base/ids.ts';
import type { Bind, Field, FieldType, Searchable } from './fields.ts';
import { orderedSqlOf, parseTime, requireField, sqlOf } from './fields.ts';
import type { Sort, SortKey } from './grammar.ts';
import { findUnstorable } from './text.ts';

/**
 * A row's place in an order: its values of the fields sorted by, the id last, each as PostgreSQL writes it as
 * text. Text keeps what JavaScript would lose: digits of a bigint or numeric, and the microseconds of a
 * timestamptz (times written by Parley end at the millisecond, those of a `now()` in a migration do not).
 */
export type Key = readonly (string | null)[];

/**
 * Null counts as larger than everything: last in `asc`, first in `desc`, which is PostgreSQL's own default. `afresh`
 * hides the order from the planner, so that it sorts what it found instead of reading in the order of an index.
 */
export function compileOrder(sort: Sort, searchable: Searchable, bind: Bind, afresh = false): string {
  return sort
    .map((key) => {
      const sql = orderedSqlOf(requireField(searchable, key.field), bind);
      return `${afresh ? `(select ${sql})` : sql} ${key.direction}`;
    })
    .join(', ');
}

/** The expression that gives a row's key, as a text[]. */
export function compileKey(sort: Sort, searchable: Searchable, bind: Bind): string {
  const values = sort.map((key) => {
    const sql = sqlOf(requireField(searchable, key.field), bind);
    if (key.type !== 'time') return `${sql}::text`;
    // A cast to text would follow the session's DateStyle and time zone.
    return `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
  });
  return `array[${values.join(', ')}]::text[]`;
}

/** The condition that a row comes after the key in the order. */
export function compileAfter(sort: Sort, after: Key, searchable: Searchable, bind: Bind): string {
  const steps = stepsOf(sort, after, searchable);
  const first = steps[0];
  const isPlain = steps.every(
    (step) =>
      step.key.direction === first?.key.direction && step.field.nullable !== true && step.value !== null,
  );
  if (first !== undefined && isPlain)
    return compareRows(steps, first.key.direction === 'asc' ? '>' : '<', bind);
  return compileSteps(steps, bind);
}

/** The condition that a row does not come after the key, in an order that goes one way through fields without null. */
export function compileUpTo(sort: Sort, last: Key, searchable: Searchable, bind: Bind): string {
  return compareRows(stepsOf(sort, last, searchable), sort[0]?.direction === 'asc' ? '<=' : '>=', bind);
}

/** A comparison of rows is what an index over the same columns answers in one descent. */
function compareRows(steps: readonly Step[], operator: string, bind: Bind): string {
  const left = steps.map((step) => orderedSqlOf(step.field, bind)).join(', ');
  const right = steps.map((step) => keyParameter(step, bind)).join(', ');
  return `((${left}) ${operator} (${right}))`;
}

interface Step {
  key: SortKey;
  field: Field;
  value: string | null;
}

const stepsOf = (sort: Sort, key: Key, searchable: Searchable): Step[] =>
  sort.map((by, index) => ({
    key: by,
    field: requireField(searchable, by.field),
    value: key[index] ?? null,
  }));

/** Beyond in the first field, or equal in it and after in the others. */
function compileSteps(steps: readonly Step[], bind: Bind): string {
  const [step, ...rest] = steps;
  // No two rows share an id, so being equal in everything is being the row that was seen already.
  if (step === undefined) return 'false';
  const sql = orderedSqlOf(step.field, bind);
  const isAscending = step.key.direction === 'asc';
  if (step.value === null) {
    const equal = `(${sql} is null and ${compileSteps(rest, bind)})`;
    return isAscending ? equal : `(${sql} is not null or ${equal})`;
  }
  const value = keyParameter({ ...step, value: step.value }, bind);
  const beyond = `${sql} ${isAscending ? '>' : '<'} ${value}`;
  const nullBeyond = isAscending && step.field.nullable === true ? ` or ${sql} is null` : '';
  if (rest.length === 0) return `(${beyond}${nullBeyond})`;
  return `(${beyond}${nullBeyond} or (${sql} = ${value} and ${compileSteps(rest, bind)}))`;
}

function keyParameter(step: Step, bind: Bind): string {
  return `${bind(step.value)}::${keyType(step.key.type, step.value ?? '')}`;
}

const INTEGER = /^-?\d{1,18}$/;
const DECIMAL = /^-?\d{1,200}(?:\.\d{1,200})?$/;
const EXPONENTIAL = /^-?\d(?:\.\d{1,20})?e[+-]\d{1,3}$/;
const KEY_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

function keyType(type: FieldType, value: string): string {
  switch (type) {
    case 'number':
      // As in a filter: an index over integers serves a bigint only.
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

/** Whether a value from outside can be what `compileKey` gave: PostgreSQL must never be handed what it cannot cast. */
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

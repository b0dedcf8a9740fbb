import { isUuid } from '../base/ids.ts';
import type { FieldType, Literal } from './fields.ts';
import { parseTime } from './fields.ts';
import type { Filter, Sort } from './grammar.ts';
import { compareByCodePoint, foldCase } from './text.ts';

/** The value of a field; null and undefined are the same. Times are Dates or ISO texts, lists are arrays. */
export type Get = (field: string) => unknown;

/** Whether the filter is true of what `get` gives: the same answer that SQL gives for the same values. */
export function evaluateFilter(filter: Filter, get: Get): boolean {
  switch (filter.op) {
    case 'and':
      return filter.of.every((one) => evaluateFilter(one, get));
    case 'or':
      return filter.of.some((one) => evaluateFilter(one, get));
    case 'not':
      return !evaluateFilter(filter.of, get);
    case 'isNull':
      return isMissing(get(filter.field));
    case 'in': {
      const actual = get(filter.field);
      if (filter.type === 'list')
        return Array.isArray(actual) && filter.values.some((value) => actual.includes(value));
      if (isMissing(actual)) return filter.values.includes(null);
      return filter.values.some((value) => value !== null && compare(actual, value, filter.type) === 0);
    }
    case 'contains':
    case 'startsWith':
      return matches(filter.op, get(filter.field), filter.value, filter.type);
    default: {
      const order = compare(get(filter.field), filter.value, filter.type);
      if (filter.op === 'ne') return order !== 0;
      return order !== undefined && HOLDS[filter.op](order);
    }
  }
}

const HOLDS = {
  eq: (order: number) => order === 0,
  gt: (order: number) => order > 0,
  ge: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  le: (order: number) => order <= 0,
};

/** A comparator of rows for `toSorted`. Null is the largest, as in PostgreSQL. */
export function compareBySort<Row>(sort: Sort, get: (row: Row, field: string) => unknown) {
  return (a: Row, b: Row): number => {
    for (const { field, type, direction } of sort) {
      const order = compareNullable(get(a, field), get(b, field), type);
      if (order !== 0) return direction === 'asc' ? order : -order;
    }
    return 0;
  };
}

const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined;

function compareNullable(a: unknown, b: unknown, type: FieldType): number {
  if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
  return compare(a, b, type) ?? 0;
}

/** Negative, zero or positive; undefined where there is nothing to compare: null, or a value of another type. */
function compare(a: unknown, b: unknown, type: FieldType): number | undefined {
  const left = comparable(a, type);
  const right = comparable(b, type);
  if (typeof left === 'string' && typeof right === 'string') return compareByCodePoint(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return undefined;
}

/** The value as JavaScript compares it; undefined where it is not one of the type. */
function comparable(value: unknown, type: FieldType): Literal | undefined {
  switch (type) {
    case 'time':
      if (value instanceof Date) return value.getTime();
      return typeof value === 'string' ? parseTime(value)?.getTime() : undefined;
    case 'uuid':
      return typeof value === 'string' && isUuid(value) ? value.toLowerCase() : undefined;
    case 'string':
    case 'enum':
      return typeof value === 'string' ? value : undefined;
    case 'number':
      return typeof value === 'number' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'list':
      return undefined;
    case 'any':
      return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
        ? value
        : undefined;
  }
}

function matches(op: 'contains' | 'startsWith', actual: unknown, value: string, type: FieldType): boolean {
  if (op === 'contains' && Array.isArray(actual)) return type !== 'string' && actual.includes(value);
  if (type === 'list' || typeof actual !== 'string') return false;
  const text = foldCase(actual);
  const part = foldCase(value);
  return op === 'contains' ? text.includes(part) : text.startsWith(part);
}

import { isUuid } from '../base/ids.ts';
import { type FieldType, type Literal, parseTime, type TextOperator } from './fields.ts';
import type { Filter } from './grammar/filter.ts';
import type { Sort } from './grammar/sort.ts';
import { compareByCodePoint, foldCase } from './text.ts';
import { hasWord } from './words.ts';

/** Returns the value of a field. Null and undefined are equivalent. Times are Dates or ISO texts, lists are arrays. */
type GetValue = (field: string) => unknown;

type Fold = (text: string) => string;

/** Folds each text once: a branch may compare one text of a customer with thousands of values. */
function createFold(): Fold {
  const folded = new Map<string, string>();
  return (text) => {
    let known = folded.get(text);
    if (known === undefined) {
      known = foldCase(text);
      folded.set(text, known);
    }
    return known;
  };
}

/** Returns a function that evaluates filters on the same values. SQL gives the same result for the same values. */
export function createEvaluator(getValue: GetValue): (filter: Filter) => boolean {
  const fold = createFold();
  return (filter) => evaluate(filter, getValue, fold);
}

/** Whether the filter is true of the values. */
export const evaluateFilter = (filter: Filter, getValue: GetValue): boolean =>
  createEvaluator(getValue)(filter);

function evaluate(filter: Filter, getValue: GetValue, fold: Fold): boolean {
  switch (filter.op) {
    case 'and':
      return filter.conditions.every((condition) => evaluate(condition, getValue, fold));
    case 'or':
      return filter.conditions.some((condition) => evaluate(condition, getValue, fold));
    case 'not':
      return !evaluate(filter.condition, getValue, fold);
    case 'isNull':
      return isMissing(getValue(filter.field));
    case 'in': {
      const actual = getValue(filter.field);
      if (filter.type === 'list' || Array.isArray(actual))
        return Array.isArray(actual) && filter.values.some((value) => actual.includes(value));
      if (isMissing(actual)) return filter.values.includes(null);
      return filter.values.some((value) => value !== null && compare(actual, value, filter.type) === 0);
    }
    case 'contains':
    case 'startsWith':
    case 'hasWord':
      return matchesText(filter, getValue(filter.field), fold);
    default: {
      const order = compare(getValue(filter.field), filter.value, filter.type);
      if (filter.op === 'ne') return order !== 0;
      return order !== undefined && isTrueFor[filter.op](order);
    }
  }
}

const isTrueFor = {
  eq: (order: number) => order === 0,
  gt: (order: number) => order > 0,
  ge: (order: number) => order >= 0,
  lt: (order: number) => order < 0,
  le: (order: number) => order <= 0,
};

/** Creates a comparator of rows for `toSorted`. Null is the largest value, as in PostgreSQL. */
export function compareBySort<Row>(sort: Sort, getValue: (row: Row, field: string) => unknown) {
  return (a: Row, b: Row): number => {
    for (const { field, type, direction } of sort) {
      const order = compareNullable(getValue(a, field), getValue(b, field), type);
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

/** Negative, zero or positive; undefined if one is null or of another type. */
function compare(a: unknown, b: unknown, type: FieldType): number | undefined {
  const [left, right] = (type === 'any' && timesOf(a, b)) || [toComparable(a, type), toComparable(b, type)];
  if (typeof left === 'string' && typeof right === 'string') return compareByCodePoint(left, right);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'boolean' && typeof right === 'boolean') return Number(left) - Number(right);
  return undefined;
}

/** The moments of two values, if both are times: the same one can be written in many ways. */
function timesOf(a: unknown, b: unknown): [number, number] | undefined {
  const left = toComparable(a, 'time');
  const right = left === undefined ? undefined : toComparable(b, 'time');
  return typeof left === 'number' && typeof right === 'number' ? [left, right] : undefined;
}

/** The value in a form that JavaScript can compare; undefined if it is not of the type. */
function toComparable(value: unknown, type: FieldType): Literal | undefined {
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

const matchers: Record<TextOperator, (text: string, value: string) => boolean> = {
  contains: (text, value) => text.includes(value),
  startsWith: (text, value) => text.startsWith(value),
  hasWord,
};

function matchesText(
  { op, value, type }: Extract<Filter, { op: TextOperator }>,
  actual: unknown,
  fold: Fold,
): boolean {
  if (op === 'contains' && Array.isArray(actual)) return containsElement(actual, value, type, fold);
  if (type === 'list' || typeof actual !== 'string') return false;
  return matchers[op](fold(actual), fold(value));
}

/** The elements of a `list` are ids, which have one spelling. Those of other lists are texts of people. */
function containsElement(list: readonly unknown[], value: string, type: FieldType, fold: Fold): boolean {
  if (type !== 'any') return type !== 'string' && list.includes(value);
  const sought = fold(value);
  return list.some((element) => typeof element === 'string' && fold(element) === sought);
}

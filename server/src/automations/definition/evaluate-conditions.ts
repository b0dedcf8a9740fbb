import { createEvaluator } from '../../search/evaluate.ts';
import { type Filter, listFields } from '../../search/grammar/filter.ts';

/** The values of the fields that conditions use, by field. */
export type ConditionValues = Record<string, unknown>;

/** What comes after it in a text of a customer is not compared. A mail may have 500,000 characters. */
const MAX_TEXT_CHARACTERS = 64 * 1024;

/**
 * Comparisons of characters that take up to 20 ms in the worst case, which is a text of many beginnings of what is sought.
 * More are made in a worker thread.
 */
const MAX_MAIN_THREAD_WORK = 10_000_000;

const cut = (value: unknown): unknown =>
  typeof value === 'string' && value.length > MAX_TEXT_CHARACTERS
    ? value.slice(0, MAX_TEXT_CHARACTERS).toWellFormed()
    : value;

/** The values that the conditions use, as far as they are compared. */
export const valuesOf = (
  conditions: readonly Filter[],
  lookUp: (field: string) => unknown,
): ConditionValues =>
  Object.fromEntries(
    [...new Set(conditions.flatMap(listFields))].map((field) => [field, cut(lookUp(field)) ?? null]),
  );

/** The index of the first condition that is true, or -1. */
export function findTrue(conditions: readonly Filter[], values: ConditionValues): number {
  const isTrue = createEvaluator((field) => values[field]);
  return conditions.findIndex(isTrue);
}

const sizeOf = (value: unknown): number =>
  typeof value === 'string'
    ? value.length
    : Array.isArray(value)
      ? value.reduce<number>((sum, item) => sum + 1 + (typeof item === 'string' ? item.length : 0), 0)
      : 1;

/** How many characters a condition may compare. Finding a text takes at most the product of both lengths. */
function workOf(filter: Filter, sizes: ReadonlyMap<string, number>): number {
  switch (filter.op) {
    case 'and':
    case 'or':
      return filter.conditions.reduce((sum, one) => sum + workOf(one, sizes), 0);
    case 'not':
      return workOf(filter.condition, sizes);
    case 'isNull':
      return 1;
    case 'contains':
    case 'hasWord':
      return (sizes.get(filter.field) ?? 1) * Math.max(1, filter.value.length);
    case 'in':
      return (sizes.get(filter.field) ?? 1) * filter.values.length;
    default:
      return sizes.get(filter.field) ?? 1;
  }
}

/** Whether conditions are evaluated in a worker thread. */
export function needThread(conditions: readonly Filter[], values: ConditionValues): boolean {
  const sizes = new Map(Object.entries(values).map(([field, value]) => [field, sizeOf(value)]));
  let work = 0;
  for (const condition of conditions) {
    work += workOf(condition, sizes);
    if (work > MAX_MAIN_THREAD_WORK) return true;
  }
  return false;
}

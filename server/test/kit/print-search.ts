import type { Literal } from '../../src/search/fields.ts';
import type { Filter } from '../../src/search/grammar/filter.ts';
import type { Sort } from '../../src/search/grammar/sort.ts';

/** The shortest text that parses to this filter. */
export function printFilter(filter: Filter): string {
  switch (filter.op) {
    case 'and':
    case 'or':
      return `${filter.op}(${filter.conditions.map(printFilter).join(',')})`;
    case 'not':
      return `not(${printFilter(filter.condition)})`;
    case 'in':
      return `in(${[printName(filter.field), ...filter.values.map(printValue)].join(',')})`;
    case 'isNull':
      return `isNull(${printName(filter.field)})`;
    default:
      return `${filter.op}(${printName(filter.field)},${printValue(filter.value)})`;
  }
}

export const printSort = (sort: Sort): string =>
  sort.map((key) => `${key.direction}(${printName(key.field)})`).join(',');

const PLAIN_NAME = /^[A-Za-z_][\w.-]*$/;

const printName = (name: string): string => (PLAIN_NAME.test(name) ? name : printValue(name));

const printValue = (value: Literal | null): string =>
  typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);

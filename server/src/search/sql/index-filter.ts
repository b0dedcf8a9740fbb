import { type Bind, requireField, type Searchable } from '../fields.ts';
import type { Filter } from '../grammar/filter.ts';
import { compileGroup, isGroup } from './group.ts';
import { compileLeaf, toFieldOperand } from './leaf.ts';
import { compileTrigramCondition } from './trigrams.ts';
import { compileIdLookup, splitIdLookups } from './value-tables.ts';

/**
 * The SQL condition of a filter in the form for few matches: indexes of value tables and of trigrams find the rows. It may
 * be NULL instead of false.
 */
export function compileIndexFilter(filter: Filter, searchable: Searchable, bind: Bind): string {
  const { lookups, rest } = splitIdLookups(filter, searchable);
  if (lookups.length > 0) {
    const conditions = [
      ...lookups.map((lookup) => `${searchable.id} in (${compileIdLookup(lookup, bind)})`),
      ...rest.map((condition) => compileIndexFilter(condition, searchable, bind)),
    ];
    return `(${conditions.join(' and ')})`;
  }
  if (isGroup(filter)) {
    return compileGroup(filter, (condition) => compileIndexFilter(condition, searchable, bind));
  }
  const field = requireField(searchable, filter.field);
  const trigramCondition = compileTrigramCondition(filter, field, bind);
  const condition = compileLeaf(filter, toFieldOperand(field, bind), bind);
  return trigramCondition === undefined ? condition : `(${trigramCondition} and ${condition})`;
}

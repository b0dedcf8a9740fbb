import { type Bind, requireField, type Searchable } from '../fields.ts';
import type { Filter } from '../grammar/filter.ts';
import { compileGroup, isGroup } from './group.ts';
import { compileLeaf, toFieldOperand } from './leaf.ts';
import { compileValueExists } from './value-tables.ts';

/**
 * The SQL condition of a filter in the form for many matches: it checks one row at a time and gives the planner no reason
 * to use another index than the one that the rows are read by. It may be NULL instead of false.
 */
export function compileRowFilter(filter: Filter, searchable: Searchable, bind: Bind): string {
  if (isGroup(filter)) {
    return compileGroup(filter, (condition) => compileRowFilter(condition, searchable, bind));
  }
  const field = requireField(searchable, filter.field);
  return (
    compileValueExists(filter, field, searchable, bind) ??
    compileLeaf(filter, toFieldOperand(field, bind), bind)
  );
}
